//! The messages of a run's conversation since it was last opened.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_inbox::conversations::ConversationId;
use frontdesk_inbox::media::MediaId;
use frontdesk_inbox::messages::{Direction, MessageId, MessageType, SenderType};
use frontdesk_kernel::{Id, Timestamp};
use uuid::Uuid;

use super::Agent;
use super::sql;
use super::step_context::StepContext;

/// Maximum messages that are read when an assistant reads the whole history.
const MESSAGES_MAX: i64 = 1_000;
/// Maximum unanswered messages of the customer that are read whatever the limit.
const UNANSWERED_MAX: i64 = 20;

/// A message as the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HistoryMessage {
    pub(super) id: MessageId,
    pub(super) direction: Direction,
    pub(super) sender: SenderType,
    pub(super) kind: MessageType,
    pub(super) text: Option<String>,
    pub(super) media: Option<MediaId>,
    pub(super) filename: Option<String>,
    /// The transcript of a voice note, or the description of a photo.
    pub(super) transcript: Option<String>,
    /// Its media is being transcribed or described.
    pub(super) is_being_read: bool,
}

/// The messages that a run's model reads, oldest first.
pub(super) async fn read(agent: &Agent, context: &Arc<StepContext>) -> db::Result<Vec<HistoryMessage>> {
    let Some(conversation) = context.row.run.conversation_id else { return Ok(Vec::new()) };
    let context = context.clone();
    agent.server.store.read(move |tx| find(tx, &context, conversation)).await
}

fn find(
    tx: &mut ReadTx<'_>,
    context: &StepContext,
    conversation: ConversationId,
) -> db::Result<Vec<HistoryMessage>> {
    let account = context.job.account;
    let opened: Option<Timestamp> = tx.find(sql::OPENED, &[&account, &conversation], db::only)?.flatten();
    let from: MessageId = opened.map_or(MessageId::from_uuid(Uuid::nil()), Id::first_at);
    let until = MessageId::from_uuid(context.row.machine.history_until.unwrap_or(Uuid::max()));
    let limit = context.assistant.history_limit;
    let fetched = limit.unwrap_or(MESSAGES_MAX).min(MESSAGES_MAX) + UNANSWERED_MAX;
    let mut said = tx.query(sql::SAID, &[&account, &conversation, &from, &until, &fetched], |row| {
        Ok(HistoryMessage {
            id: row.next()?,
            direction: row.next()?,
            sender: row.next()?,
            kind: row.next()?,
            text: row.next()?,
            media: row.next()?,
            filename: row.next()?,
            transcript: row.next()?,
            is_being_read: row.next()?,
        })
    })?;
    said.reverse();
    Ok(window(said, limit, context.answers_customer()))
}

/// The last messages, up to the limit. A run that answers a customer always reads the customer's messages since the
/// last reply: a limit of 0 leaves out only the messages before them.
fn window(said: Vec<HistoryMessage>, limit: Option<i64>, keeps_unanswered: bool) -> Vec<HistoryMessage> {
    let Some(limit) = limit else { return said };
    let unanswered = said.iter().rev().take_while(|one| one.direction == Direction::Inbound).count();
    let kept = if keeps_unanswered { unanswered.min(UNANSWERED_MAX as usize) } else { 0 };
    let most = usize::try_from(limit).unwrap_or(0).max(kept);
    let skipped = said.len().saturating_sub(most);
    said.into_iter().skip(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(id: u128, direction: Direction) -> HistoryMessage {
        HistoryMessage {
            id: MessageId::from_uuid(Uuid::from_u128(id)),
            direction,
            sender: SenderType::Customer,
            kind: MessageType::Text,
            text: None,
            media: None,
            filename: None,
            transcript: None,
            is_being_read: false,
        }
    }

    #[test]
    fn a_limit_never_hides_what_is_to_be_answered() {
        use Direction::{Inbound, Outbound};
        let messages: Vec<HistoryMessage> = [Inbound, Outbound, Inbound, Outbound, Inbound, Inbound]
            .into_iter()
            .zip(1..)
            .map(|(d, n)| said(n, d))
            .collect();
        let ids = |limit, answers| -> Vec<u128> {
            window(messages.clone(), limit, answers).iter().map(|one| one.id.uuid().as_u128()).collect()
        };
        assert_eq!(ids(None, true), [1, 2, 3, 4, 5, 6]);
        assert_eq!(ids(Some(3), true), [4, 5, 6]);
        assert_eq!(ids(Some(0), true), [5, 6]);
        assert_eq!(ids(Some(0), false), [0; 0]);
    }
}
