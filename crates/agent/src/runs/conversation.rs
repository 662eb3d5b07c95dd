//! Runs that answer customers. Everything here happens in the transaction of the message or of the handover.
//!
//! Messages in quick succession start one run. A message that arrives before the reply is sent replaces the run, and
//! the new run is told what the tools of the replaced run did. When a person takes over, the runs that answer the
//! conversation and its follow-ups are cancelled.

use std::time::Duration;

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Query, ReadTx, Tx, only};
use frontdesk_inbox::answerers;
use frontdesk_inbox::connections::{Channel, ConnectionId};
use frontdesk_inbox::conversations::{ConversationId, Handler};
use frontdesk_inbox::messages::{Direction, MessageId};
use frontdesk_kernel::ids::AssistantId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::hours::Hours;
use frontdesk_platform::{Actor, By, Error as PlatformError};

use super::advance::{self, End, TAKEN_OVER};
use super::follow_ups;
use super::limits::{GATHER_TIME_MAX, MESSAGE_AGE_MAX, QUIET_TIME, REPLIES_PER_HOUR_MAX};
use super::machine::Machine;
use super::row::{self, RunRow};
use super::run::RunError;
use super::sql;
use super::start::{Start, start_with};
use super::status::{Origin, RunStatus};
use crate::assistants::{self, Assistant, is_open};
use crate::ids::RunId;

const GOAL: &str = "Reply to the customer.";
const REPLACED: &str = "The customer wrote again before the reply was sent, so another run replies.";
const HOUR: Duration = Duration::from_hours(1);

struct ConversationRow {
    contact: ContactId,
    channel: Channel,
    connection: ConnectionId,
    heard_at: Option<Timestamp>,
    assistant: AssistantId,
    timezone: String,
    business_hours: Option<String>,
}

/// A conversation as a handover event describes it.
pub(crate) struct HandedOver {
    pub(crate) id: ConversationId,
    pub(crate) contact: ContactId,
    pub(crate) handler: Handler,
    pub(crate) assistant: Option<AssistantId>,
}

/// Prefetches whether the account has an assistant, with the next statement. Most messages are for people and should
/// not wait for this query.
pub(crate) fn expect(tx: &mut ReadTx<'_>, by: &By) -> db::Result<()> {
    tx.prefetch(Query::whole(sql::ANY_ASSISTANT, vec![Box::new(by.account)]))
}

/// Whether the account has an assistant.
pub(crate) fn any_assistant(tx: &mut ReadTx<'_>, by: &By) -> db::Result<bool> {
    Ok(tx.find(sql::ANY_ASSISTANT, &[&by.account], only::<AssistantId>)?.is_some())
}

/// Handles a customer's message in a conversation.
pub(crate) fn received(
    tx: &mut Tx<'_>,
    by: &By,
    message: MessageId,
    conversation: ConversationId,
) -> db::Result<()> {
    let found = tx.find(sql::CONVERSATION, &[&by.account, &conversation], |row| {
        Ok(ConversationRow {
            contact: row.next()?,
            channel: row.next()?,
            connection: row.next()?,
            heard_at: row.next()?,
            assistant: row.next()?,
            timezone: row.next()?,
            business_hours: row.next()?,
        })
    })?;
    let Some(found) = found else { return Ok(()) };
    let Some(assistant) = assistants::find(tx, by.account, found.assistant)? else { return Ok(()) };
    if !answers(&assistant, &found, by.now) {
        return Ok(());
    }
    begin(tx, by, &assistant, (conversation, found.contact), message, QUIET_TIME)
}

/// Whether an assistant answers a message now: the message is on one of its targets and recent, and its hours are
/// open. An assistant without targets answers the conversations that it was handed.
fn answers(assistant: &Assistant, found: &ConversationRow, now: Timestamp) -> bool {
    let business: Option<Hours> =
        found.business_hours.as_ref().and_then(|text| serde_json::from_str(text).ok());
    let is_met = |target: &String| answerers::is_met(target, found.channel, found.connection);
    let is_target = assistant.targets.is_empty() || assistant.targets.iter().any(is_met);
    let is_recent = found.heard_at.is_some_and(|at| at >= now - MESSAGE_AGE_MAX);
    is_target && is_recent && is_open(&assistant.schedule, business.as_ref(), &found.timezone, now)
}

/// Handles the handover of a conversation.
pub(crate) fn handed_over(tx: &mut Tx<'_>, by: &By, handed: &HandedOver) -> db::Result<()> {
    if let (Handler::Assistant, Some(assistant)) = (handed.handler, handed.assistant) {
        let last = tx.find(sql::LAST_MESSAGE, &[&by.account, &handed.id], |row| {
            Ok((row.next::<MessageId>()?, row.next::<Direction>()?))
        })?;
        let Some((message, Direction::Inbound)) = last else { return Ok(()) };
        let Some(assistant) = assistants::find(tx, by.account, assistant)? else { return Ok(()) };
        return begin(tx, by, &assistant, (handed.id, handed.contact), message, Duration::ZERO);
    }
    // An assistant that hands off ends its own run.
    if !matches!(by.actor, Actor::Assistant(_)) {
        for row in row::hold_of_conversation(tx, by.account, handed.id, Origin::Conversation)? {
            advance::end(tx, by, row, End::Cancelled(TAKEN_OVER))?;
        }
    }
    follow_ups::cancel_of(tx, by, handed.id)
}

/// Starts a run that answers a message, or adds the message to a run that has not started.
fn begin(
    tx: &mut Tx<'_>,
    by: &By,
    assistant: &Assistant,
    (conversation, contact): (ConversationId, ContactId),
    message: MessageId,
    quiet: Duration,
) -> db::Result<()> {
    let active = row::hold_of_conversation(tx, by.account, conversation, Origin::Conversation)?;
    let mut done_before = Vec::new();
    for mut row in active {
        if is_gathering(&row) {
            row.machine.history_until = Some(message.uuid());
            row.due_at = Some(due(row.run.created_at, by.now, quiet));
            row::save(tx, &mut row, by.now)?;
            tx.wake_about(row.queue(), by.account.uuid());
            return Ok(());
        }
        // A run that waits for a person resumes once the person answers.
        if row.run.status != RunStatus::Waiting {
            done_before = row.machine.completed_calls();
            advance::end(tx, by, row, End::Cancelled(REPLACED))?;
        }
    }
    if replies_in_an_hour(tx, by, conversation)? >= REPLIES_PER_HOUR_MAX {
        return advance::hand_to(tx, by, conversation, assistant.default_handoff_user_id);
    }
    let start = Start {
        assistant: assistant.id,
        goal: GOAL.to_owned(),
        contact: Some(contact),
        conversation: Some(conversation),
        trigger: None,
        origin: Origin::Conversation,
        confined: true,
        due_in: quiet,
        machine: Machine { history_until: Some(message.uuid()), done_before, ..Machine::default() },
    };
    match start_with(tx, by, start) {
        Ok(_) => Ok(()),
        Err(RunError::Platform(PlatformError::Store(error))) => Err(error),
        // The run cannot start, so a person answers.
        Err(_) => advance::hand_to(tx, by, conversation, assistant.default_handoff_user_id),
    }
}

/// Whether a run has not started, so that it can answer one more message.
fn is_gathering(row: &RunRow) -> bool {
    row.run.status == RunStatus::Queued && row.run.started_at.is_none()
}

/// When a run is due: once the customer has been quiet for a while, but not too long after the first message.
fn due(first: Timestamp, now: Timestamp, quiet: Duration) -> Timestamp {
    (now + quiet).min((first + GATHER_TIME_MAX).max(now))
}

fn replies_in_an_hour(tx: &mut Tx<'_>, by: &By, conversation: ConversationId) -> db::Result<i64> {
    let since: RunId = Id::first_at(by.now - HOUR);
    Ok(tx.find(sql::REPLIES, &[&by.account, &conversation, &since], only)?.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_starts_when_the_customer_is_quiet_and_never_much_later() {
        let first = Timestamp::from_millis(1_000_000);
        let at = |millis: u64| first + Duration::from_millis(millis);
        assert_eq!(due(first, first, QUIET_TIME), at(1_500));
        assert_eq!(due(first, at(1_000), QUIET_TIME), at(2_500));
        assert_eq!(due(first, at(7_000), QUIET_TIME), at(8_000));
        assert_eq!(due(first, at(9_000), QUIET_TIME), at(9_000), "it is late already");
    }
}
