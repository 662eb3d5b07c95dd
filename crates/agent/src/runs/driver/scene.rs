//! What a step needs to know about its run.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Scope;
use frontdesk_kernel::scope::Scopes;
use frontdesk_platform::accounts::{self, Account};
use frontdesk_platform::{By, Principal};

use super::super::advance::Next;
use super::super::row::{self, RunRow};
use super::super::rules;
use super::super::step::Rules;
use super::{Agent, Job};
use crate::assistants::{self, Assistant};

frontdesk_db::statements! {
    HOLD_CONVERSATION = "SELECT id FROM conversations WHERE account_id = $1 AND id = $2";
}

/// What tools need of the API. A tool decides what it calls; these only keep it to the wings that it is about.
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
pub(super) struct Scene {
    pub(super) job: Job,
    pub(super) row: RunRow,
    pub(super) assistant: Assistant,
    pub(super) account: Account,
    pub(super) rules: Rules,
    pub(super) principal: Principal,
}

impl Scene {
    /// Whether the run answers a customer, so that its words are the reply.
    pub(super) fn answers_customer(&self) -> bool {
        self.row.origin == super::super::status::Origin::Conversation
    }

    /// The assistant, acting now.
    pub(super) fn by(&self, agent: &Agent) -> By {
        By::new(&self.principal, agent.now(), &agent.server.recorder)
    }
}

fn load(tx: &mut ReadTx<'_>, job: Job) -> db::Result<Option<Scene>> {
    let Some(row) = row::look(tx, job.account, job.run)?.filter(|row| row.lease == Some(job.lease)) else {
        return Ok(None);
    };
    let assistant = assistants::find(tx, job.account, row.run.assistant_id)?;
    let account = accounts::find(tx, job.account)?;
    let (Some(assistant), Some(account)) = (assistant, account) else { return Ok(None) };
    let rules = rules::of(&assistant, &row);
    let principal = Principal::of_assistant(job.account, assistant.id, row.author, scopes());
    Ok(Some(Scene { job, row, assistant, account, rules, principal }))
}

impl Agent {
    /// The scene of a run that this worker still has.
    pub(super) async fn scene(&self, job: &Job) -> db::Result<Option<Arc<Scene>>> {
        let job = *job;
        let scene = self.server.store.read(move |tx| load(tx, job)).await?;
        Ok(scene.map(Arc::new))
    }

    /// Runs a transaction on a run that this worker still has. None when it has lost it.
    pub(super) async fn commit(
        &self,
        scene: &Arc<Scene>,
        work: impl Fn(&mut Tx<'_>, &By, RunRow, &Scene) -> db::Result<Option<Next>> + Send + 'static,
    ) -> db::Result<Option<Next>> {
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
