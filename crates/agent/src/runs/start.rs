//! Starting runs.

use std::time::Duration;

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, Tx};
use frontdesk_inbox::conversations::{self, ConversationId};
use frontdesk_jobs as jobs;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AssistantId, UserId};
use frontdesk_models::MicroUsd;
use frontdesk_platform::accounts::{self, Account};
use frontdesk_platform::{By, Error as PlatformError};

use super::advance::LEASE;
use super::claimed::ClaimedRun;
use super::limits::tree_cost_default;
use super::machine::Machine;
use super::row::{self, NewRow};
use super::run::{NewRun, Run, RunError};
use super::status::Origin;
use crate::assistants::{self, Assistant};
use crate::ids::{RunId, TriggerId};
use crate::spend;

const MICROS_PER_USD: f64 = 1e6;

/// A run that something other than the API starts, such as a trigger.
#[derive(Clone, Debug)]
pub struct Start {
    pub assistant: AssistantId,
    pub goal: String,
    pub contact: Option<ContactId>,
    pub conversation: Option<ConversationId>,
    pub trigger: Option<TriggerId>,
    pub origin: Origin,
    /// Its input comes from outside, so its tools reach only that contact and conversation.
    pub confined: bool,
    pub due_in: Duration,
    pub machine: Machine,
}

/// Starts a run, as POST /runs does.
pub fn start(tx: &mut Tx<'_>, by: &By, new: &NewRun) -> Result<Run, RunError> {
    let mut contact = new.contact_id;
    if let Some(id) = contact
        && !contacts::hold(tx, by.account, id)?
    {
        return Err(PlatformError::Missing("contact").into());
    }
    if let Some(id) = new.conversation_id {
        let conversation =
            conversations::find(tx, by.account, id)?.ok_or(PlatformError::Missing("conversation"))?;
        if contact.is_some_and(|contact| contact != conversation.contact_id) {
            return Err(RunError::OtherContact);
        }
        contact = Some(conversation.contact_id);
    }
    start_with(
        tx,
        by,
        Start {
            assistant: new.assistant_id,
            goal: new.goal.to_string(),
            contact,
            conversation: new.conversation_id,
            trigger: None,
            origin: Origin::Api,
            confined: false,
            due_in: Duration::ZERO,
            machine: Machine::default(),
        },
    )
}

/// Permission to start runs of an assistant, for one transaction.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    assistant: AssistantId,
    author: UserId,
    tree_limit: MicroUsd,
}

/// Starts a run, unless its assistant is disabled or the budget is spent.
pub fn start_with(tx: &mut Tx<'_>, by: &By, start: Start) -> Result<Run, RunError> {
    // PostgreSQL returns the assistant together with the account.
    assistants::expect(tx, by.account, start.assistant)?;
    let account = accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?;
    let launch = may_start(tx, by, &account, start.assistant)?;
    let new = new_row(by, &launch, start);
    store(tx, by, &new)?;
    Ok(new.queued(by.now))
}

/// Checks once for many runs that the assistant is enabled, that its model is allowed and that the budget is not spent.
pub fn may_start(
    tx: &mut Tx<'_>,
    by: &By,
    account: &Account,
    assistant: AssistantId,
) -> Result<Launch, RunError> {
    let found = assistants::find(tx, by.account, assistant)?.ok_or(assistants::MISSING)?;
    if !found.enabled {
        return Err(RunError::AssistantDisabled);
    }
    if !found.has_allowed_model(account) {
        return Err(RunError::ModelNotAllowed);
    }
    if spend::is_exhausted(tx, account, by.now)? {
        return Err(RunError::BudgetExhausted);
    }
    Ok(Launch { assistant, author: by.author(tx)?, tree_limit: tree_limit(&found) })
}

/// Starts one of the runs that were checked. The launch names the assistant.
pub fn start_one(tx: &mut Tx<'_>, by: &By, launch: &Launch, start: Start) -> frontdesk_db::Result<RunId> {
    let new = new_row(by, launch, start);
    store(tx, by, &new)?;
    Ok(new.id)
}

fn new_row(by: &By, launch: &Launch, start: Start) -> NewRow {
    let id: RunId = by.new_id();
    NewRow {
        id,
        assistant: launch.assistant,
        trigger: start.trigger,
        parent: None,
        root: id,
        contact: start.contact,
        conversation: start.conversation,
        origin: start.origin,
        confined: start.confined,
        goal: start.goal,
        tools: None,
        author: launch.author,
        tree_limit_micros: launch.tree_limit.micros() as i64,
        machine: start.machine,
        due_at: by.now + start.due_in,
    }
}

/// The cost limit of a tree of runs of this assistant.
pub(crate) fn tree_limit(assistant: &Assistant) -> MicroUsd {
    match assistant.delegation.max_cost_usd {
        Some(usd) => MicroUsd::from_micros((usd.max(0.0) * MICROS_PER_USD).round() as u64),
        None => tree_cost_default(),
    }
}

/// Stores a run and wakes a worker. If the run is due and the worker of this process has room for it, the run is
/// stored as claimed and goes straight to that worker.
pub(crate) fn store(tx: &mut Tx<'_>, by: &By, new: &NewRow) -> frontdesk_db::Result<()> {
    let queue: jobs::Queue<_, ClaimedRun> = jobs::Queue::new(new.queue());
    let place = if new.due_at > by.now { None } else { queue.take_place(tx, by.account) };
    let Some(place) = place else {
        row::insert(tx, by.account, new, by.now)?;
        queue.wake(tx, by.account);
        return Ok(());
    };
    let (lease, leased_until) = (db::new_lease(), by.now + LEASE);
    row::insert_claimed(tx, by.account, new, lease, leased_until, by.now)?;
    let claimed = ClaimedRun::fresh(new.claimed(by.account, lease, leased_until, by.now), lease);
    place.hand_over(tx, claimed, leased_until);
    Ok(())
}

/// The time from one moment to a later one.
pub(crate) fn span(from: Timestamp, to: Timestamp) -> Duration {
    Duration::from_millis((to.millis() - from.millis()).max(0).unsigned_abs())
}
