//! What a step needs to know about its run.

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Scope;
use frontdesk_kernel::scope::Scopes;
use frontdesk_platform::accounts::Account;
use frontdesk_platform::{By, Principal};

use super::super::advance::ActiveRun;
use super::super::row::{self, RunRow};
use super::super::rules;
use super::super::step::Rules;
use super::briefing::Briefing;
use super::{Agent, Job};
use crate::assistants::Assistant;

/// The scopes that tools need. A tool decides which operations it calls; the scopes only limit tools to these areas
/// of the API.
fn scopes() -> Scopes {
    const NEEDED: [Scope; 9] = [
        Scope::ContactsWrite,
        Scope::ConversationsWrite,
        Scope::MessagesRead,
        Scope::MessagesSend,
        Scope::TemplatesRead,
        Scope::BroadcastsSend,
        Scope::DealsWrite,
        Scope::InquiriesWrite,
        Scope::AssistantsWrite,
    ];
    NEEDED.into_iter().fold(Scopes::default(), Scopes::with)
}

/// A run, its assistant and its account, as they were when the step began.
#[derive(Clone)]
pub(super) struct Scene {
    pub(super) job: Job,
    pub(super) row: RunRow,
    pub(super) briefing: Arc<Briefing>,
    pub(super) assistant: Arc<Assistant>,
    pub(super) account: Arc<Account>,
    pub(super) rules: Rules,
    pub(super) principal: Principal,
}

impl Scene {
    pub(super) fn new(job: Job, row: RunRow, briefing: Arc<Briefing>) -> Self {
        let (assistant, account) = (briefing.assistant.clone(), briefing.account.clone());
        let rules = rules::of(&assistant, &briefing.unconfined, &row);
        let principal = Principal::of_assistant(job.account, assistant.id, row.author, scopes());
        Self { job, row, briefing, assistant, account, rules, principal }
    }

    /// Replaces the assistant and the account.
    pub(super) fn brief(&mut self, briefing: Arc<Briefing>) {
        (self.assistant, self.account) = (briefing.assistant.clone(), briefing.account.clone());
        self.rules = rules::of(&self.assistant, &briefing.unconfined, &self.row);
        self.briefing = briefing;
    }

    /// Whether the run answers a customer, so that its final text is the reply.
    pub(super) fn answers_customer(&self) -> bool {
        self.row.origin == super::super::status::Origin::Conversation
    }

    /// The assistant as the actor, at the current time.
    pub(super) fn by(&self, agent: &Agent) -> By {
        By::new(&self.principal, agent.now(), &agent.server.recorder)
    }
}

impl Agent {
    /// Reads the scene of a run. Returns None when this worker has lost the run.
    pub(super) async fn scene(&self, job: &Job) -> db::Result<Option<Arc<Scene>>> {
        let job = *job;
        let read = self.server.store.read(move |tx| row::look(tx, job.account, job.run)).await?;
        let Some(row) = read.filter(|row| row.lease == Some(job.lease)) else { return Ok(None) };
        let briefing = self.briefing(job.account, row.run.assistant_id).await?;
        Ok(briefing.map(|briefing| Arc::new(Scene::new(job, row, briefing))))
    }

    /// Runs a transaction on a run that this worker holds. Returns None when the worker has lost the run.
    pub(super) async fn commit(
        &self,
        scene: &Arc<Scene>,
        work: impl Fn(&mut Tx<'_>, &By, RunRow, &Scene) -> db::Result<Option<ActiveRun>> + Send + 'static,
    ) -> db::Result<Option<ActiveRun>> {
        let (scene, by) = (scene.clone(), scene.by(self));
        let committed = self.server.store.write(move |tx| {
            let Job { account, run, lease } = scene.job;
            match row::hold_leased(tx, account, run, lease)? {
                Some(row) => work(tx, &by, row, &scene),
                None => db::Result::Ok(None),
            }
        });
        committed.await
    }
}
