//! Messages of conversations.
//!
//! An outbound message is stored as `sending` together with its row in the queue, in one transaction; after
//! that only the channel can refuse it. Its status never goes back.

mod api;
pub mod bulk;
pub(crate) mod early;
pub mod event_types;
mod exported;
mod fill;
mod history;
mod input;
mod many;
mod message;
mod ops;
mod reports;
pub mod search;
mod sql;
mod status;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::Page;

pub use crate::ids::AssistantRunId;
pub use api::routes;
pub use early::forget as forget_early;
pub(crate) use early::{apply as apply_early, reported as reported_early};
pub(crate) use exported::EXPORTED;
pub use fill::fill_text;
pub(crate) use history::{MessageFailure, began_as_sent};
pub use history::{StatusChange, StatusError};
pub(crate) use input::TEXT_CHARS_MAX;
pub use input::{MediaKind, NewMessage, WebUrl};
pub(crate) use many::{Accepted, Key, Named, advance_many, hold, mark_sent, owners};
pub use message::{
    Direction, Message, MessageError, MessageFilters, MessageId, MessageStatus, MessageType, SenderType,
};
pub use ops::{LANGUAGE_DEFAULT, approved_template, note_run, send};
pub(crate) use ops::{NewRow, insert};
pub(crate) use reports::{REPORT_ROWS_MAX, catch_up, read_before};
pub use status::UNKNOWN_OUTCOME;
pub(crate) use status::{Change, advance, locate, stop_channel};

use crate::conversations::ConversationId;
use crate::media::{self, Links};
pub(crate) use sql::message_columns;
use sql::{ATTACH, FIND, columns};

/// Every statement of messages, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}

/// Statements that run only on SQLite.
pub fn sqlite_statements() -> Vec<(&'static str, &'static str)> {
    many::SQLITE_STATEMENTS.to_vec()
}

pub fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: MessageId,
    links: &Links,
    now: Timestamp,
) -> db::Result<Option<Message>> {
    tx.find(FIND, &[&account, &id], |row| read(row, links, now))
}

/// Attaches our own media to a message, so that it is shown and erased with it.
pub fn attach(
    tx: &mut Tx<'_>,
    account: AccountId,
    message: MessageId,
    media: media::MediaId,
) -> db::Result<()> {
    tx.execute(ATTACH, &[&account, &message, &media])?.exactly(1)
}

pub fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    conversation: ConversationId,
    filters: &MessageFilters,
    page: &Page,
    links: &Links,
    now: Timestamp,
) -> db::Result<Vec<Message>> {
    let mut query = Query::new(concat!(columns!(), "WHERE account_id = "));
    query.bind(account).push(" AND conversation_id = ").bind(conversation);
    if let Some(direction) = filters.direction {
        query.push(" AND direction = ").bind(direction);
    }
    if let Some(kind) = filters.r#type {
        query.push(" AND type = ").bind(kind);
    }
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(before) = page.before {
        query.push(" AND id < ").bind(before);
    }
    query.push(" ORDER BY id DESC LIMIT ").bind(page.fetch());
    tx.run(&query, |row| read(row, links, now))
}

/// The stored error of a failed message.
pub(crate) fn read_error(kept: &str) -> Option<StatusError> {
    serde_json::from_str::<MessageFailure>(kept).ok().map(StatusError::from)
}

pub(crate) fn read(row: &mut Row<'_>, links: &Links, now: Timestamp) -> db::Result<Message> {
    let id: MessageId = row.next()?;
    let (conversation_id, direction, sender_type, kind, text) =
        (row.next()?, row.next()?, row.next()?, row.next()?, row.next()?);
    let media: Option<media::MediaId> = row.next()?;
    let given: Option<String> = row.next()?;
    Ok(Message {
        id,
        conversation_id,
        direction,
        sender_type,
        r#type: kind,
        text,
        media_url: media.map(|media| links.to(media, now)).or(given),
        template_name: row.next()?,
        status: row.next()?,
        channel_message_id: row.next()?,
        reply_to_message_id: row.next()?,
        created_at: id.created_at(),
    })
}
