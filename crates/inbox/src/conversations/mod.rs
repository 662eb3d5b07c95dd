//! Conversations: the messages of one contact on one connection. A merge of contacts may leave superseded
//! conversations; new messages go to the other one.
//!
//! Every message updates the unread and last-message fields, so no request counts messages.

mod api;
mod bulk;
mod changes;
mod conversation;
pub mod event_types;
mod many;
mod notes;
mod ops;
mod snooze;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::Page;

pub use crate::ids::ConversationChangeId;
pub use api::routes;
pub use bulk::{BULK_CHANGES, ConversationBulk};
pub use changes::{ConversationChange, ConversationChangeKind};
pub(crate) use changes::{erase as erase_changes, list as list_changes};
pub(crate) use conversation::MISSING;
pub use conversation::{
    Conversation, ConversationFilters, ConversationId, ConversationPatch, ConversationStatus, Handler,
    Handover, Snooze, ToAssistant, ToHuman, window_from,
};
pub(crate) use many::say as say_many;
pub use notes::NewConversationNote;
pub use ops::hand_over;
pub(crate) use ops::{
    Speaker, find_or_open, mark_read, mark_unread, note_inbound, note_outbound, patch, reword,
};
pub(crate) use snooze::snooze;
pub use snooze::start as start_snoozes;

/// The columns that [`read`] reads, each with a prefix such as `v.`.
macro_rules! conversation_columns {
    ($of:literal) => {
        concat!(
            $of,
            "id, ",
            $of,
            "contact_id, ",
            $of,
            "channel, ",
            $of,
            "connection_id, ",
            $of,
            "status, ",
            $of,
            "handler, ",
            $of,
            "assistant_id, ",
            $of,
            "assigned_user_id, ",
            $of,
            "unread_count, ",
            $of,
            "last_message_at, ",
            $of,
            "last_message_text, ",
            $of,
            "last_inbound_at, ",
            $of,
            "snoozed_until, ",
            $of,
            "updated_at"
        )
    };
}
pub(crate) use conversation_columns;

macro_rules! select {
    () => {
        concat!("SELECT ", conversation_columns!(""), " FROM conversations ")
    };
}

frontdesk_db::statements! {
    FIND = concat!(select!(), "WHERE account_id = $1 AND id = $2");
    FIND_CURRENT = concat!("SELECT ", conversation_columns!("v."), "
        FROM contacts c JOIN conversations v ON v.account_id = c.account_id AND v.contact_id = c.id
        WHERE c.account_id = $1 AND c.id = $3 AND v.connection_id = $2 AND NOT v.superseded");
    INSERT = "INSERT INTO conversations (account_id, id, contact_id, channel, connection_id, status, handler, unread_count, updated_at)
        VALUES ($1, $2, $3, $4, $5, 'open', 'human', 0, $6) ON CONFLICT (account_id, connection_id, contact_id) WHERE NOT superseded DO NOTHING";
    NOTE_INBOUND = "UPDATE conversations SET unread_count = unread_count + 1, status = $3, last_message_at = $4, last_message_text = $5, updated_at = $4,
        last_inbound_at = CASE WHEN last_inbound_at IS NULL OR last_inbound_at < $6 THEN $6 ELSE last_inbound_at END,
        heard_at = $6, snoozed_until = NULL, handler = $7, assistant_id = $8, opened_at = CASE WHEN $9 THEN $4 ELSE opened_at END,
        handed_off_at = CASE WHEN $7 = 'assistant' THEN NULL ELSE handed_off_at END
        WHERE account_id = $1 AND id = $2";
    NOTE_OUTBOUND = "UPDATE conversations SET last_message_at = $3, last_message_text = $4, updated_at = $3 WHERE account_id = $1 AND id = $2";
    TAKE_OVER = "UPDATE conversations SET handler = 'human', assistant_id = NULL, handed_off_at = NULL WHERE account_id = $1 AND id = $2
        AND (handler = 'assistant' OR handed_off_at IS NOT NULL)";
    UPDATE = "UPDATE conversations SET status = $3, handler = $4, assistant_id = $5, assigned_user_id = $6, unread_count = $7, updated_at = $8,
        opened_at = CASE WHEN $9 THEN $8 ELSE opened_at END, snoozed_until = $10,
        handed_off_at = CASE WHEN $3 = 'closed' OR $4 = 'assistant' THEN NULL WHEN $11 THEN $8 ELSE handed_off_at END
        WHERE account_id = $1 AND id = $2";
    REWORD = "UPDATE conversations SET last_message_text = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    LAST_INBOUND = "SELECT id, channel_message_id FROM messages WHERE account_id = $1 AND conversation_id = $2 AND direction = 'inbound'
        AND channel_message_id IS NOT NULL ORDER BY id DESC LIMIT 1";
}

/// Every statement of conversations, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [STATEMENTS, changes::STATEMENTS, many::STATEMENTS, snooze::STATEMENTS].concat()
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: ConversationId) -> db::Result<Option<Conversation>> {
    tx.find(FIND, &[&account, &id], read)
}

pub(crate) fn find_to_change(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ConversationId,
) -> db::Result<Option<Conversation>> {
    tx.find_to_change(FIND, &[&account, &id], read)
}

pub fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &ConversationFilters,
    page: &Page,
) -> db::Result<Vec<Conversation>> {
    let mut query = Query::new(concat!(select!(), "WHERE account_id = "));
    query.bind(account);
    narrow(&mut query, filters);
    if let Some(before) = page.before {
        query.push(" AND id < ").bind(before);
    }
    query.push(" ORDER BY id DESC LIMIT ").bind(page.fetch());
    tx.run(&query, read)
}

/// Adds the conditions of the filters.
fn narrow(query: &mut Query, filters: &ConversationFilters) {
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(channel) = filters.channel {
        query.push(" AND channel = ").bind(channel);
    }
    if let Some(user) = filters.assigned_user_id {
        query.push(" AND assigned_user_id = ").bind(user);
    }
    if let Some(contact) = filters.contact_id {
        query.push(" AND contact_id = ").bind(contact);
    }
    if let Some(handler) = filters.handler {
        query.push(" AND handler = ").bind(handler);
    }
    match filters.unread {
        Some(true) => query.push(" AND unread_count > 0"),
        Some(false) => query.push(" AND unread_count = 0"),
        None => query,
    };
    if let Some(since) = filters.updated_since {
        query.push(" AND updated_at >= ").bind(since);
    }
}

pub(crate) fn read(row: &mut Row<'_>) -> db::Result<Conversation> {
    let id: ConversationId = row.next()?;
    let mut conversation = Conversation {
        id,
        contact_id: row.next()?,
        channel: row.next()?,
        connection_id: row.next()?,
        status: row.next()?,
        handler: row.next()?,
        assistant_id: row.next()?,
        assigned_user_id: row.next()?,
        unread_count: row.next()?,
        last_message_at: row.next()?,
        last_message_text: row.next()?,
        window_expires_at: row.next::<Option<Timestamp>>()?.map(window_from),
        snoozed_until: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    };
    if !conversation.channel.has_window() {
        conversation.window_expires_at = None;
    }
    Ok(conversation)
}
