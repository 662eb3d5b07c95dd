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
mod sql;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::export::{Columns, Exported, ExportedRows, LineFields, line_with};
use frontdesk_platform::export_columns;
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
    Speaker, find_or_open, mark_read, mark_unread, note_inbound, note_outbound, patch, preview, reword,
};
pub(crate) use snooze::snooze;
pub use snooze::start as start_snoozes;
pub use sql::STATEMENTS;
pub(crate) use sql::conversation_columns;
use sql::{FIND, select};

/// Every statement of conversations, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    STATEMENTS.to_vec()
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

/// What happened to conversations, and conversations. Those of a merged contact that have ended by the merge are superseded.
pub(crate) const EXPORTED: &[&dyn Exported] = &[
    &ExportedRows::new(
        "conversation_changes",
        &["conversation_changes"],
        export_columns!(
            "conversation_id": ConversationId, "id": ConversationChangeId, "kind": String, "by_user_id": Option<UserId>,
            "by_assistant_id": Option<AssistantId>, "user_id": Option<UserId>, "assistant_id": Option<AssistantId>,
        ),
    )
    .keyed(&["t.conversation_id", "t.id"])
    .of_contact(
        "t.conversation_id IN (SELECT v.id FROM conversations v WHERE v.account_id = {account} AND v.contact_id = {contact})",
    ),
    &ExportedRows::new(
        "conversations",
        &["conversations"],
        Columns {
            sql: concat!(conversation_columns!("t."), ", t.superseded, t.opened_at, t.handed_off_at"),
            line: |row, _| {
                let conversation = read(row)?;
                let more = LineFields::default()
                    .with("superseded", &row.next::<bool>()?)?
                    .with("opened_at", &row.next::<Option<Timestamp>>()?)?
                    .with("handed_off_at", &row.next::<Option<Timestamp>>()?)?;
                line_with(&conversation, more)
            },
        },
    )
    .of_contact("t.contact_id = {contact}"),
];

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
