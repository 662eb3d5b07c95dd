//! One row of the inbox.

use std::collections::HashMap;

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Query, ReadTx, Row};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::resource;

use crate::conversations::{self, Conversation, ConversationId, conversation_columns};
use crate::messages::{Direction, MessageId, MessageStatus, MessageType, SenderType};

resource! {
    /// One line of the inbox.
    pub struct InboxRow {
        pub conversation: Conversation,
        pub contact: ContactSummary,
        pub last_message: Option<LastMessage>,
        /// When something was last said; when it began, if nothing was.
        pub last_activity_at: Timestamp,
        /// Since when it waits for a person, after it was handed off; null when nobody is needed.
        pub needs_person_since: Option<Timestamp>,
    }
}

resource! {
    /// A contact, as a line shows it.
    pub struct ContactSummary {
        pub id: ContactId,
        pub name: Option<String>,
        pub phone: Option<String>,
        pub avatar_url: Option<String>,
    }
}

resource! {
    /// The newest message of a conversation.
    pub struct LastMessage {
        pub id: MessageId,
        pub direction: Direction,
        pub sender_type: SenderType,
        pub r#type: MessageType,
        pub text: Option<String>,
        pub status: MessageStatus,
    }
}

/// A row without its last message, and the contact's email address, which is searched too.
pub(super) struct Found {
    pub(super) conversation: Conversation,
    pub(super) contact: ContactSummary,
    pub(super) email: Option<String>,
    pub(super) needs_person_since: Option<Timestamp>,
}

/// The beginning of every query of rows.
pub(super) const SELECT: &str = concat!(
    "SELECT ",
    conversation_columns!("v."),
    ", c.name, c.phone, c.avatar_url, c.email, v.handed_off_at
    FROM conversations v JOIN contacts c ON c.account_id = v.account_id AND c.id = v.contact_id WHERE v.account_id = "
);

pub(super) fn read(row: &mut Row<'_>) -> db::Result<Found> {
    let conversation = conversations::read(row)?;
    let contact = ContactSummary {
        id: conversation.contact_id,
        name: row.next()?,
        phone: row.next()?,
        avatar_url: row.next()?,
    };
    Ok(Found { conversation, contact, email: row.next()?, needs_person_since: row.next()? })
}

/// Reads the rows of these conversations, in no particular order.
pub(super) fn by_ids(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    ids: &[ConversationId],
) -> db::Result<Vec<InboxRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Query::new(SELECT);
    query.bind(account).push(" AND v.id IN ").bind_list(ids);
    let found = tx.run(&query, read)?;
    complete(tx, account, found)
}

/// Adds the last messages to rows.
pub(super) fn complete(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    found: Vec<Found>,
) -> db::Result<Vec<InboxRow>> {
    let ids: Vec<ConversationId> = found.iter().map(|found| found.conversation.id).collect();
    let mut last = last_messages(tx, account, &ids)?;
    let row = |found: Found| InboxRow {
        last_message: last.remove(&found.conversation.id),
        last_activity_at: found.conversation.last_message_at.unwrap_or(found.conversation.created_at),
        needs_person_since: found.needs_person_since,
        conversation: found.conversation,
        contact: found.contact,
    };
    Ok(found.into_iter().map(row).collect())
}

fn last_messages(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    ids: &[ConversationId],
) -> db::Result<HashMap<ConversationId, LastMessage>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query = Query::new(
        "SELECT m.conversation_id, m.id, m.direction, m.sender_type, m.type, m.text, m.status
        FROM conversations v JOIN messages m ON m.account_id = v.account_id AND m.id = (
            SELECT x.id FROM messages x WHERE x.account_id = v.account_id AND x.conversation_id = v.id ORDER BY x.id DESC LIMIT 1)
        WHERE v.account_id = ",
    );
    query.bind(account).push(" AND v.id IN ").bind_list(ids);
    let rows = tx.run(&query, |row| {
        let conversation: ConversationId = row.next()?;
        let message = LastMessage {
            id: row.next()?,
            direction: row.next()?,
            sender_type: row.next()?,
            r#type: row.next()?,
            text: row.next()?,
            status: row.next()?,
        };
        Ok((conversation, message))
    })?;
    Ok(rows.into_iter().collect())
}
