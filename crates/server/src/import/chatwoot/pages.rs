//! Messages there, a page at a time, as they become messages here.

use frontdesk_db::{self as db, Row};
use frontdesk_inbox::messages::{MessageId, MessageStatus, SenderType};
use frontdesk_kernel::Id;

use super::attachments::Attachment;
use super::parts::{Part, parts};
use super::source::{Source, micros};
use crate::error::Result;

/// Without lines of activity and private notes.
const PAGE: &str = concat!(
    "SELECT CAST(m.id AS bigint), ", micros!("m.created_at"), ", CAST(m.conversation_id AS bigint), CAST(m.message_type AS bigint),
        left(m.content, 400000), CAST(coalesce(m.status, 0) AS bigint), m.sender_type::text, CAST(m.sender_id AS bigint)
    FROM messages m WHERE m.account_id = $1::bigint AND m.id > $2::bigint AND m.message_type <> 2 AND NOT m.private
    ORDER BY m.id LIMIT $3::bigint"
);
/// Messages that are read at once. A text may have 150,000 characters there.
const PAGE_ROWS: i64 = 250;
const INCOMING: i64 = 0;
const TEMPLATE: i64 = 3;

/// A message there.
#[derive(Clone, Debug)]
pub(super) struct TheirMessage {
    pub(super) id: i64,
    pub(super) created: i64,
    pub(super) conversation: i64,
    kind: i64,
    content: Option<String>,
    status: i64,
    sender_type: Option<String>,
    pub(super) sender_id: Option<i64>,
    pub(super) parts: Vec<Part>,
}

impl TheirMessage {
    /// The messages after a number, with their attachments.
    pub(super) fn page(source: &mut Source, account: i64, after: i64) -> Result<Vec<Self>> {
        let mut page = source.query(PAGE, &[&account, &after, &PAGE_ROWS], Self::read)?;
        let numbers: Vec<i64> = page.iter().map(|message| message.id).collect();
        let mut attachments = Attachment::of(source, &numbers)?;
        for message in &mut page {
            let attached = attachments.remove(&message.id).unwrap_or_default();
            message.parts = parts(message.content.take().as_deref(), &attached);
        }
        Ok(page)
    }

    fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self {
            id: row.next()?,
            created: row.next()?,
            conversation: row.next()?,
            kind: row.next()?,
            content: row.next()?,
            status: row.next()?,
            sender_type: row.next()?,
            sender_id: row.next()?,
            parts: Vec::new(),
        })
    }

    /// The id of a part here, which is the same whenever it is made.
    pub(super) fn id_of(&self, part: usize, origin: u64) -> MessageId {
        Id::imported(self.created, self.id as u64, part as u8, origin)
    }

    pub(super) fn sender(&self) -> SenderType {
        match (self.kind, self.sender_type.as_deref()) {
            (INCOMING, _) => SenderType::Customer,
            (TEMPLATE, _) | (_, Some("AgentBot" | "Captain::Assistant")) => SenderType::Bot,
            _ => SenderType::Agent,
        }
    }

    /// Whether a member wrote it.
    pub(super) fn is_of_member(&self) -> bool {
        self.sender_type.as_deref() == Some("User")
    }

    /// The status, by its number there: sent, delivered, read, failed. A customer's message has been delivered.
    pub(super) fn status(&self) -> MessageStatus {
        match self.status {
            _ if self.kind == INCOMING => MessageStatus::Delivered,
            1 => MessageStatus::Delivered,
            2 => MessageStatus::Read,
            3 => MessageStatus::Failed,
            _ => MessageStatus::Sent,
        }
    }
}
