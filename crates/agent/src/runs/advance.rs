//! Advances a stored run, until it ends: the only place that stores a step. The step, its timeline entries and the run's
//! next state commit in one transaction.

use std::time::Duration;

use frontdesk_db::{self as db, Tx, only};
use frontdesk_inbox::conversations::{self, Handler, Handover, ToHuman};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::UserId;
use frontdesk_platform::{By, Error as PlatformError, events};
use serde_json::json;

use super::event::{self, Logged, RunEventType};
use super::event_types::{self, RunEventData};
use super::machine::{Call, Progress};
use super::row::{self, RunRow};
use super::run::Run;
use super::status::{Act, Origin, RunStatus};
use super::step::{Effect, Input, Rules, step};
use super::topics::STOPPED;
use super::{rules, sql};
use crate::ids::RunId;
use crate::{asks, assistants};

/// How long a worker holds a run without renewing its lease.
pub(crate) const LEASE: Duration = Duration::from_mins(1);
/// A step leaves at least this much of the lease, so that the next model call and tool call fit into it. It renews only
/// a shorter lease, because `due_at` is indexed.
const LEASE_LEFT_MIN: Duration = Duration::from_secs(45);

/// What a worker does next.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    CallModel,
    UseTool(Call),
    RaiseAsk(Call),
    /// Send the final text to the customer whom the run answers.
    Reply(String),
}

impl Next {
    /// The next action of a run after this effect. None when the run stops, temporarily or for good.
    pub(crate) fn of(effect: &Effect, row: &RunRow) -> Option<Self> {
        match effect {
            Effect::CallModel => Some(Self::CallModel),
            Effect::UseTool(call) => Some(Self::UseTool(call.clone())),
            Effect::RaiseAsk(call) => Some(Self::RaiseAsk(call.clone())),
            Effect::Finish(text) if row.origin == Origin::Conversation => Some(Self::Reply(text.clone())),
            Effect::Finish(_) | Effect::Log(_) | Effect::Wait | Effect::Pause(_) | Effect::Fail(_) => None,
        }
    }
}

/// A stored run that its worker continues.
#[derive(Clone, Debug)]
pub(crate) struct ActiveRun {
    pub(crate) row: RunRow,
    pub(crate) next: Next,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Succeeded(String),
    Failed(String),
    Cancelled(&'static str),
}

pub(super) const TAKEN_OVER: &str = "A person took over the conversation.";
const WITH_PARENT: &str = "The run that it worked for is over.";

/// Takes steps of a run that this worker holds and that this transaction has locked. The worker has already carried out
/// the effects in between, so only the last effect counts, unless an earlier one fails or pauses the run. Returns None
/// when the run waits, pauses or is over.
pub(crate) fn advance(
    tx: &mut Tx<'_>,
    by: &By,
    mut row: RunRow,
    inputs: Vec<Input>,
    rules: &Rules,
) -> db::Result<Option<ActiveRun>> {
    if !row.machine.begun {
        events::write(tx, by, event_types::STARTED, &RunEventData { run: &row.run })?;
    }
    let mut last = Effect::Wait;
    for input in inputs {
        last = take(tx, by, &mut row, input, rules)?;
        if matches!(last, Effect::Fail(_) | Effect::Pause(_)) {
            break;
        }
    }
    if let Some(next) = Next::of(&last, &row) {
        if row.due_at.is_none_or(|due| due < by.now + LEASE_LEFT_MIN) {
            row.due_at = Some(by.now + LEASE);
        }
        row::save(tx, &mut row, by.now)?;
        return Ok(Some(ActiveRun { row, next }));
    }
    match last {
        Effect::Pause(pause) => release(tx, by, &mut row, Act::Queue, Some(pause))?,
        Effect::Fail(error) => drop(end(tx, by, row, End::Failed(error))?),
        Effect::Finish(text) => drop(end(tx, by, row, End::Succeeded(text))?),
        _ => release(tx, by, &mut row, Act::Wait, None)?,
    }
    Ok(None)
}

/// Applies an input to a run, without storing it. The last of the effects says how the run continues.
pub(crate) fn apply(row: &mut RunRow, input: Input, rules: &Rules, now: Timestamp) -> Vec<Effect> {
    row.machine.active_millis += (now.millis() - row.run.updated_at.millis()).max(0);
    row.run.updated_at = now;
    let (machine, effects) = step(std::mem::take(&mut row.machine), input, rules);
    row.machine = machine;
    effects
}

/// Gives a run an input that it waits for, and queues the run. If a worker holds the run, it sees the input at its
/// next step.
pub(crate) fn resume(tx: &mut Tx<'_>, by: &By, mut row: RunRow, input: Input) -> db::Result<()> {
    let assistant = assistants::find(tx, by.account, row.run.assistant_id)?;
    let unconfined = assistants::unconfined_tools(tx, by.account, row.run.assistant_id)?;
    let rules = assistant.map(|assistant| rules::of(&assistant, &unconfined, &row)).unwrap_or_default();
    // Only the time with a worker is active time.
    if row.run.status != RunStatus::Running {
        row.run.updated_at = by.now;
    }
    let effect = take(tx, by, &mut row, input, &rules)?;
    match effect {
        Effect::Fail(error) => {
            end(tx, by, row, End::Failed(error))?;
            Ok(())
        }
        Effect::Wait => row::save(tx, &mut row, by.now),
        _ if row.run.status == RunStatus::Waiting => {
            release(tx, by, &mut row, Act::Queue, Some(Duration::ZERO))
        }
        _ => row::save(tx, &mut row, by.now),
    }
}

/// Applies an input, writes its timeline entries, and returns the last effect.
fn take(tx: &mut Tx<'_>, by: &By, row: &mut RunRow, input: Input, rules: &Rules) -> db::Result<Effect> {
    let mut effects = apply(row, input, rules, by.now);
    let last = effects.pop().ok_or(db::Error::Decode("effect"))?;
    for effect in effects {
        if let Effect::Log(logged) = effect {
            event::log(tx, by, row.run.id, &logged)?;
        }
    }
    Ok(last)
}

/// Releases a run. A worker claims it again when it is due, or once it gets an input.
fn release(tx: &mut Tx<'_>, by: &By, row: &mut RunRow, act: Act, due_in: Option<Duration>) -> db::Result<()> {
    row.run.status = row.run.status.after(act).map_err(|_| db::Error::Decode("status"))?;
    row.due_at = due_in.map(|pause| by.now + pause);
    row.lease = None;
    row::save(tx, row, by.now)?;
    if due_in.is_some() {
        tx.wake_about(row.queue(), by.account.uuid());
    }
    Ok(())
}

/// Ends a run that this transaction has locked, and resumes its parent. Unless the run succeeded, its sub-runs and
/// asks are cancelled. If a run that answers a customer fails, its conversation goes to a person, so that the
/// customer is not left waiting.
pub(crate) fn end(tx: &mut Tx<'_>, by: &By, mut row: RunRow, end: End) -> db::Result<Run> {
    let (act, logged) = close(&mut row, &end, by.now)?;
    row::save(tx, &mut row, by.now)?;
    event::log(tx, by, row.run.id, &logged)?;
    if act != Act::Succeed {
        asks::cancel_of(tx, by, row.run.id)?;
        cancel_children(tx, by, &row)?;
        tx.wake(STOPPED);
    }
    events::write(tx, by, event_types::FINISHED, &RunEventData { run: &row.run })?;
    if let Some(parent) = row.run.parent_run_id {
        tell_parent(tx, by, parent, &row.run)?;
    }
    if act == Act::Fail && row.origin == Origin::Conversation {
        leave_to_person(tx, by, &row)?;
    }
    Ok(row.run)
}

/// Sets the final state of a run, and returns the last entry of its timeline.
fn close(row: &mut RunRow, end: &End, now: Timestamp) -> db::Result<(Act, Logged)> {
    let (act, kind) = match end {
        End::Succeeded(_) => (Act::Succeed, RunEventType::Finished),
        End::Failed(_) => (Act::Fail, RunEventType::Failed),
        End::Cancelled(_) => (Act::Cancel, RunEventType::Cancelled),
    };
    row.run.status = row.run.status.after(act).map_err(|_| db::Error::Decode("status"))?;
    // PostgreSQL cannot store a NUL character, and a model may write one.
    match end {
        End::Succeeded(text) => row.run.result = Some(text.replace('\0', "")),
        End::Failed(error) => row.run.error = Some(error.replace('\0', "")),
        End::Cancelled(reason) => row.run.error = Some((*reason).to_owned()),
    }
    (row.run.finished_at, row.due_at, row.lease) = (Some(now), None, None);
    let data = json!({ "result": row.run.result, "error": row.run.error });
    Ok((act, Logged { kind, data }))
}

fn cancel_children(tx: &mut Tx<'_>, by: &By, row: &RunRow) -> db::Result<()> {
    let params: &[&dyn db::Param] = &[&by.account, &row.root, &row.run.id];
    for child in tx.query(sql::CHILDREN, params, only::<RunId>)? {
        if let Some(child) = row::hold(tx, by.account, child)?.filter(|child| !child.run.status.is_over()) {
            end(tx, by, child, End::Cancelled(WITH_PARENT))?;
        }
    }
    Ok(())
}

/// Gives a sub-run's result to the run that waits for it.
fn tell_parent(tx: &mut Tx<'_>, by: &By, parent: RunId, child: &Run) -> db::Result<()> {
    let Some(parent) = row::hold(tx, by.account, parent)?.filter(|parent| !parent.run.status.is_over())
    else {
        return Ok(());
    };
    let waits = Progress::Delegated(child.id.uuid());
    let Some(call) = parent.machine.calls.iter().find(|call| call.progress == waits) else { return Ok(()) };
    let content =
        json!({ "run_id": child.id, "status": child.status, "result": child.result, "error": child.error });
    let input = Input::Returned {
        call: call.id.clone(),
        content: content.to_string(),
        is_error: child.error.is_some(),
        also: None,
    };
    resume(tx, by, parent, input)
}

/// Hands a run's conversation to a person, if the run's assistant still has it.
fn leave_to_person(tx: &mut Tx<'_>, by: &By, row: &RunRow) -> db::Result<()> {
    let Some(id) = row.run.conversation_id else { return Ok(()) };
    let conversation = conversations::find(tx, by.account, id)?;
    let is_ours = conversation.is_some_and(|conversation| {
        conversation.handler == Handler::Assistant && conversation.assistant_id == Some(row.run.assistant_id)
    });
    if !is_ours {
        return Ok(());
    }
    let assistant = assistants::find(tx, by.account, row.run.assistant_id)?;
    hand_to(tx, by, id, assistant.and_then(|assistant| assistant.default_handoff_user_id))
}

/// Hands a conversation to a member, or to people without an assigned member when that member is gone.
pub(crate) fn hand_to(
    tx: &mut Tx<'_>,
    by: &By,
    conversation: conversations::ConversationId,
    member: Option<UserId>,
) -> db::Result<()> {
    let to = |user_id| Handover::Human(ToHuman { user_id });
    let handed = match conversations::hand_over(tx, by, conversation, &to(member)) {
        Err(PlatformError::Missing("member")) => conversations::hand_over(tx, by, conversation, &to(None)),
        handed => handed,
    };
    match handed {
        // A conversation that is gone needs no handover.
        Ok(_) | Err(PlatformError::Missing(_)) => Ok(()),
        Err(PlatformError::Store(error)) => Err(error),
    }
}
