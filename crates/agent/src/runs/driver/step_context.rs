//! The context of a step: its run, and the assistant and the account as they were when the step began.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_inbox::conversations::{self, Handler};
use frontdesk_kernel::Scope;
use frontdesk_kernel::scope::Scopes;
use frontdesk_platform::accounts::Account;
use frontdesk_platform::{By, Principal};
use serde_json::json;

use super::super::advance::{ActiveRun, advance};
use super::super::claimed::Job;
use super::super::event::Logged;
use super::super::machine::Call;
use super::super::row::{self, RunRow};
use super::super::rules;
use super::super::status::Origin;
use super::super::step::{Input, Rules};
use super::Agent;
use super::loaded_assistant::LoadedAssistant;
use crate::assistants::Assistant;
use crate::tools::Refused;

/// The text for a run of a conversation that the assistant does not handle.
pub(super) const HANDLED_BY_OTHERS: &str = "This assistant does not handle the conversation, so this run may not write into it. Leave it to the person who does.";

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
pub(super) struct StepContext {
    pub(super) job: Job,
    pub(super) row: RunRow,
    pub(super) loaded: Arc<LoadedAssistant>,
    pub(super) assistant: Arc<Assistant>,
    pub(super) account: Arc<Account>,
    pub(super) rules: Rules,
    pub(super) principal: Principal,
}

impl StepContext {
    pub(super) fn new(job: Job, row: RunRow, loaded: Arc<LoadedAssistant>) -> Self {
        let (assistant, account) = (loaded.assistant.clone(), loaded.account.clone());
        let rules = rules::of(&assistant, &loaded.unconfined, &row);
        let principal = Principal::of_assistant(job.account, assistant.id, row.author, scopes());
        Self { job, row, loaded, assistant, account, rules, principal }
    }

    /// Replaces the assistant and the account.
    pub(super) fn replace_assistant(&mut self, loaded: Arc<LoadedAssistant>) {
        (self.assistant, self.account) = (loaded.assistant.clone(), loaded.account.clone());
        self.rules = rules::of(&self.assistant, &loaded.unconfined, &self.row);
        self.loaded = loaded;
    }

    /// Whether the run answers a customer, so that its final text is the reply.
    pub(super) fn answers_customer(&self) -> bool {
        self.row.origin == Origin::Conversation
    }

    /// The assistant as the actor, at the current time.
    pub(super) fn by(&self, agent: &Agent) -> By {
        By::new(&self.principal, agent.now(), &agent.server.recorder)
    }
}

impl Agent {
    /// Reads the context of the next step of a run. Returns None when this worker has lost the run.
    pub(super) async fn step_context(&self, job: &Job) -> db::Result<Option<Arc<StepContext>>> {
        let job = *job;
        let read = self.server.store.read(move |tx| row::look(tx, job.account, job.run)).await?;
        let Some(row) = read.filter(|row| row.lease == Some(job.lease)) else { return Ok(None) };
        let loaded = self.load_assistant(job.account, row.run.assistant_id).await?;
        Ok(loaded.map(|loaded| Arc::new(StepContext::new(job, row, loaded))))
    }

    /// Runs a transaction on a run that this worker holds. Returns None when the worker has lost the run.
    pub(super) async fn commit(
        &self,
        context: &Arc<StepContext>,
        work: impl Fn(&mut Tx<'_>, &By, RunRow, &StepContext) -> db::Result<Option<ActiveRun>> + Send + 'static,
    ) -> db::Result<Option<ActiveRun>> {
        let (context, by) = (context.clone(), context.by(self));
        let committed = self.server.store.write(move |tx| {
            let Job { account, run, lease } = context.job;
            match row::hold_leased(tx, account, run, lease)? {
                Some(row) => work(tx, &by, row, &context),
                None => db::Result::Ok(None),
            }
        });
        committed.await
    }
}

/// Whether the run's assistant still has its conversation.
pub(super) fn has_conversation(tx: &mut ReadTx<'_>, context: &StepContext) -> db::Result<bool> {
    let Some(id) = context.row.run.conversation_id else { return Ok(true) };
    let conversation = conversations::find(tx, context.job.account, id)?;
    Ok(conversation.is_some_and(|conversation| {
        conversation.handler == Handler::Assistant && conversation.assistant_id == Some(context.assistant.id)
    }))
}

/// Stores the outcome of a tool call that changed nothing.
pub(super) async fn returned(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    outcome: Result<String, Refused>,
) -> db::Result<Option<ActiveRun>> {
    let (content, is_error) = match outcome {
        Ok(content) => (content, false),
        Err(Refused(message)) => (json!({ "error": { "message": message } }).to_string(), true),
    };
    store_result(agent, context, call, content, is_error, None).await
}

/// Stores the outcome of a tool call.
pub(super) async fn store_result(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    content: String,
    is_error: bool,
    also: Option<Logged>,
) -> db::Result<Option<ActiveRun>> {
    let input = Input::Returned { call: call.id.clone(), content, is_error, also };
    let stored = agent.commit(context, move |tx, by, held, context| {
        advance(tx, by, held, vec![input.clone()], &context.rules)
    });
    stored.await
}
