//! A visitor's view of a conversation: their messages, and the messages to them that have not failed.

use frontdesk_db::{self as db, ReadTx, Row, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::resource;

use super::sql::{AFTER, READ_BY_TEAM, RECENT, SAID, THREAD, UNREAD};
use super::token::{Visitor, VisitorId};
use super::visitors::person;
use crate::connections::{ConnectionId, StoredConnection};
use crate::conversations::ConversationId;
use crate::media::{Links, MediaId};
use crate::messages::{Direction, MessageId, MessageStatus, MessageType, SenderType};

/// Messages that are marked as read at a time; older ones were marked before.
const READ_ROWS_MAX: i64 = 500;

resource! {
    /// A visitor's view of a message.
    pub(super) struct VisitorMessage {
        pub(super) id: MessageId,
        /// `inbound` is from the visitor.
        pub(super) direction: Direction,
        pub(super) sender_type: SenderType,
        pub(super) r#type: MessageType,
        pub(super) text: Option<String>,
        pub(super) media_url: Option<String>,
        /// The name of the file, if it has one.
        pub(super) filename: Option<String>,
        /// The page's id of the visitor's message.
        pub(super) client_id: Option<String>,
        pub(super) created_at: Timestamp,
    }
}

/// A message, and whether it is not yet marked as delivered.
#[derive(Clone, Debug)]
pub(super) struct StreamedMessage {
    pub(super) seen: VisitorMessage,
    pub(super) is_news: bool,
}

/// The conversation to read, and how to show its messages.
#[derive(Clone)]
pub(super) struct VisitorConversation {
    account: AccountId,
    connection: ConnectionId,
    visitor: VisitorId,
    person: String,
    links: Links,
}

impl VisitorConversation {
    pub(super) fn new(connection: &StoredConnection, visitor: &Visitor, links: Links) -> Self {
        let (account, connection) = (connection.account, connection.id());
        Self { account, connection, visitor: visitor.id, person: person(visitor), links }
    }

    /// The visitor's conversation, once they have written.
    pub(super) fn find(&self, tx: &mut ReadTx<'_>) -> db::Result<Option<ConversationId>> {
        tx.find(THREAD, &[&self.account, &self.connection, &self.person], only)
    }

    /// The messages after one, oldest first.
    pub(super) fn after(
        &self,
        tx: &mut ReadTx<'_>,
        conversation: ConversationId,
        after: MessageId,
        rows_max: i64,
        now: Timestamp,
    ) -> db::Result<Vec<StreamedMessage>> {
        let params: &[&dyn db::Param] = &[&self.account, &conversation, &after, &rows_max];
        tx.query(AFTER, params, |row| self.read(row, now))
    }

    /// The latest messages, oldest first.
    pub(super) fn recent(
        &self,
        tx: &mut ReadTx<'_>,
        conversation: ConversationId,
        rows_max: i64,
        now: Timestamp,
    ) -> db::Result<Vec<StreamedMessage>> {
        let params: &[&dyn db::Param] = &[&self.account, &conversation, &rows_max];
        let mut found = tx.query(RECENT, params, |row| self.read(row, now))?;
        found.reverse();
        Ok(found)
    }

    /// The message with this channel id.
    pub(super) fn said(
        &self,
        tx: &mut ReadTx<'_>,
        name: &str,
        now: Timestamp,
    ) -> db::Result<Option<VisitorMessage>> {
        let params: &[&dyn db::Param] = &[&self.account, &self.connection, &name];
        Ok(tx.find(SAID, params, |row| self.read(row, now))?.map(|found| found.seen))
    }

    /// Messages to the visitor up to one that are not marked as read.
    pub(super) fn unread(&self, tx: &mut ReadTx<'_>, up_to: MessageId) -> db::Result<Vec<MessageId>> {
        let Some(conversation) = self.find(tx)? else { return Ok(Vec::new()) };
        tx.query(UNREAD, &[&self.account, &conversation, &up_to, &READ_ROWS_MAX], only)
    }

    /// The visitor's last message, if the team has read the conversation.
    pub(super) fn read_by_team(
        &self,
        tx: &mut ReadTx<'_>,
        conversation: ConversationId,
    ) -> db::Result<Option<MessageId>> {
        tx.find(READ_BY_TEAM, &[&self.account, &conversation], only)
    }

    fn read(&self, row: &mut Row<'_>, now: Timestamp) -> db::Result<StreamedMessage> {
        let id: MessageId = row.next()?;
        let (direction, sender_type, kind, text) = (row.next()?, row.next()?, row.next()?, row.next()?);
        let (media, given): (Option<MediaId>, Option<String>) = (row.next()?, row.next()?);
        let filename: Option<String> = row.next()?;
        let status: MessageStatus = row.next()?;
        let name: Option<String> = row.next()?;
        let seen = VisitorMessage {
            id,
            direction,
            sender_type,
            r#type: kind,
            text,
            media_url: media.map(|media| self.links.to(media, now)).or(given),
            filename,
            client_id: name.as_deref().and_then(|name| client_id(self.visitor, name)),
            created_at: id.created_at(),
        };
        let unnoted = matches!(status, MessageStatus::Sending | MessageStatus::Sent);
        Ok(StreamedMessage { is_news: direction == Direction::Outbound && unnoted, seen })
    }
}

/// The channel id of a visitor's message: the same for a retry, and unique among all messages.
pub(super) fn name(visitor: VisitorId, client_id: &str) -> String {
    format!("{visitor}:{client_id}")
}

fn client_id(visitor: VisitorId, name: &str) -> Option<String> {
    name.strip_prefix(&format!("{visitor}:")).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_page_gets_its_own_name_of_a_message_back() {
        let visitor = VisitorId::from_uuid(Uuid::from_u128(7));
        let other = VisitorId::from_uuid(Uuid::from_u128(8));
        assert_eq!(client_id(visitor, &name(visitor, "a:b")).as_deref(), Some("a:b"));
        assert_eq!(client_id(other, &name(visitor, "a:b")), None);
        assert_ne!(name(visitor, "1"), name(other, "1"));
    }
}
