//! Follow-ups: runs that other runs schedule, and the limits that keep them from multiplying.
//!
//! A follow-up about a conversation is scheduled only while the assistant handles the conversation, and a person who takes
//! over cancels it. So none is left when the assistant gets the conversation back.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Tx, only};
use frontdesk_inbox::conversations::ConversationId;
use frontdesk_platform::{Actor, By};

use super::advance::{self, End, TAKEN_OVER};
use super::limits::{FOLLOW_UP_DEPTH_MAX, FOLLOW_UPS_PENDING_MAX};
use super::row::{self, RunRow};
use super::sql;
use super::status::{Origin, RunStatus};

/// Why a run may not schedule another follow-up, if it may not. The model reads this text.
pub(crate) fn refusal(tx: &mut Tx<'_>, by: &By, row: &RunRow) -> db::Result<Option<String>> {
    if row.machine.follow_up_depth >= FOLLOW_UP_DEPTH_MAX {
        return Ok(Some(format!(
            "A chain of follow-ups may be {FOLLOW_UP_DEPTH_MAX} long, and this run is the last of one. Finish without another."
        )));
    }
    if pending(tx, by, row.run.contact_id, row)? < FOLLOW_UPS_PENDING_MAX {
        return Ok(None);
    }
    Ok(Some(format!(
        "{FOLLOW_UPS_PENDING_MAX} follow-ups are scheduled already, which is the limit. Finish without another."
    )))
}

/// The scheduled follow-ups about the run's contact or, without one, those of its assistant about no contact.
fn pending(tx: &mut Tx<'_>, by: &By, contact: Option<ContactId>, row: &RunRow) -> db::Result<i64> {
    let assistant = row.run.assistant_id;
    // Runs that schedule at the same time count one after the other.
    let found = if let Some(contact) = contact {
        tx.lock(format!("follow-ups {} {contact}", by.account))?;
        tx.find(sql::PENDING_OF_CONTACT, &[&by.account, &contact], only)?
    } else {
        tx.lock(format!("follow-ups {} {assistant}", by.account))?;
        tx.find(sql::PENDING_OF_ASSISTANT, &[&by.account, &assistant], only)?
    };
    Ok(found.unwrap_or(0))
}

/// Cancels the follow-ups of a conversation that goes to a person. An assistant that hands off cancels those that have not
/// started, because it may be at work in one itself.
pub(crate) fn cancel_of(tx: &mut Tx<'_>, by: &By, conversation: ConversationId) -> db::Result<()> {
    let is_assistant = matches!(by.actor, Actor::Assistant(_));
    for row in row::hold_of_conversation(tx, by.account, conversation, Origin::FollowUp)? {
        let is_scheduled = row.run.status == RunStatus::Queued && row.run.started_at.is_none();
        if is_scheduled || !is_assistant {
            advance::end(tx, by, row, End::Cancelled(TAKEN_OVER))?;
        }
    }
    Ok(())
}
