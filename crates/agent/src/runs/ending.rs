//! How runs end.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_inbox::conversations::{self, Handler, Handover, ToHuman};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AssistantId, UserId};
use frontdesk_platform::{By, Error as PlatformError, events};
use serde_json::json;

use super::advance;
use super::event::{self, Logged, RunEventType};
use super::event_types::{self, RunEventData};
use super::row::{self, RunRow};
use super::run::{MISSING, Run, RunError};
use super::sql;
use super::status::{Act, Origin};
use super::step::Input;
use super::topics::STOPPED;
use crate::ids::RunId;
use crate::{asks, assistants};

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Succeeded(String),
    Failed(String),
    Cancelled(&'static str),
}

pub(super) const TAKEN_OVER: &str = "A person took over the conversation.";
const BY_REQUEST: &str = "It was cancelled.";
const WITH_PARENT: &str = "The run that it worked for is over.";
const WITH_ASSISTANT: &str = "Its assistant was deleted.";

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
    let waits = super::machine::Progress::Delegated(child.id.uuid());
    let Some(call) = parent.machine.calls.iter().find(|call| call.progress == waits) else { return Ok(()) };
    let content =
        json!({ "run_id": child.id, "status": child.status, "result": child.result, "error": child.error });
    let input = Input::Returned {
        call: call.id.clone(),
        content: content.to_string(),
        is_error: child.error.is_some(),
        also: None,
    };
    advance::resume(tx, by, parent, input)
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

/// Cancels a run, as POST /runs/{id}/cancel does.
pub fn cancel(tx: &mut Tx<'_>, by: &By, id: RunId) -> Result<Run, RunError> {
    let row = row::hold(tx, by.account, id)?.ok_or(MISSING)?;
    row.run.status.after(Act::Cancel)?;
    Ok(end(tx, by, row, End::Cancelled(BY_REQUEST))?)
}

/// Cancels every run of an assistant that is deleted.
pub(crate) fn cancel_all_of(tx: &mut Tx<'_>, by: &By, assistant: AssistantId) -> db::Result<()> {
    for id in tx.query(sql::OF_ASSISTANT, &[&by.account, &assistant], only::<RunId>)? {
        if let Some(row) = row::hold(tx, by.account, id)?.filter(|row| !row.run.status.is_over()) {
            end(tx, by, row, End::Cancelled(WITH_ASSISTANT))?;
        }
    }
    Ok(())
}
