//! What an export has of messages: each with its statuses and reactions.

use std::collections::HashMap;

use frontdesk_db::{self as db, Query, ReadTx, Row};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::export::{Exported, ExportedRows, LineFields};
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::connections::ConnectionId;
use crate::conversations::ConversationId;
use crate::ids::{AssistantRunId, MessageId};
use crate::media::MediaId;
use crate::message::{Direction, MessageStatus, MessageType, SenderType};

/// Messages by conversation. Those of an erased contact, which a worker deletes, are left out.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::found(
    "messages",
    &["messages", "message_statuses", "reactions", "assistant_messages"],
    find,
)
.keyed(&["t.conversation_id", "t.id"])
.only("NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = t.account_id AND e.subject = t.conversation_id)")
.of_contact(
    "t.conversation_id IN (SELECT v.id FROM conversations v WHERE v.account_id = {account} AND v.contact_id = {contact})",
)];

#[derive(Serialize)]
struct ReachedStatus {
    status: MessageStatus,
    at: Timestamp,
    error: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Reaction {
    person: String,
    emoji: String,
    reacted_at: Timestamp,
}

fn find(tx: &mut ReadTx<'_>, account: AccountId, ids: &[Uuid]) -> db::Result<Vec<String>> {
    let mut statuses = by_message(
        tx,
        "SELECT message_id, status, at, error FROM message_statuses WHERE account_id = ",
        " ORDER BY message_id, n",
        (account, ids),
        |row| Ok(ReachedStatus { status: row.next()?, at: row.next()?, error: row.next()? }),
    )?;
    let mut reactions = by_message(
        tx,
        "SELECT message_id, person, emoji, reacted_at FROM reactions WHERE account_id = ",
        " ORDER BY message_id, person",
        (account, ids),
        |row| Ok(Reaction { person: row.next()?, emoji: row.next()?, reacted_at: row.next()? }),
    )?;
    let mut query = Query::new(
        "SELECT m.id, m.conversation_id, m.connection_id, m.direction, m.sender_type, m.type, m.text, m.media_id, m.media_url,
            m.template_name, m.details, m.status, m.error, m.channel_message_id, m.reply_to_message_id, m.author_user_id,
            a.assistant_id, a.run_id
        FROM messages m LEFT JOIN assistant_messages a ON a.account_id = m.account_id AND a.message_id = m.id
        WHERE m.account_id = ",
    );
    query.bind(account).push(" AND m.id IN ").bind_list(ids);
    let found = tx.run(&query, |row| {
        let id: MessageId = row.next()?;
        let line = LineFields::default()
            .with("id", &id)?
            .with("conversation_id", &row.next::<ConversationId>()?)?
            .with("connection_id", &row.next::<ConnectionId>()?)?
            .with("direction", &row.next::<Direction>()?)?
            .with("sender_type", &row.next::<SenderType>()?)?
            .with("type", &row.next::<MessageType>()?)?
            .with("text", &row.next::<Option<String>>()?)?
            .with("media_id", &row.next::<Option<MediaId>>()?)?
            .with("media_url", &row.next::<Option<String>>()?)?
            .with("template_name", &row.next::<Option<String>>()?)?
            .with("details", &row.next::<Option<Box<RawValue>>>()?)?
            .with("status", &row.next::<MessageStatus>()?)?
            .with("error", &row.next::<Option<Box<RawValue>>>()?)?
            .with("channel_message_id", &row.next::<Option<String>>()?)?
            .with("reply_to_message_id", &row.next::<Option<MessageId>>()?)?
            .with("author_user_id", &row.next::<Option<UserId>>()?)?
            .with("assistant_id", &row.next::<Option<AssistantId>>()?)?
            .with("run_id", &row.next::<Option<AssistantRunId>>()?)?
            .with("statuses", &statuses.remove(&id.uuid()).unwrap_or_default())?
            .with("reactions", &reactions.remove(&id.uuid()).unwrap_or_default())?
            .with("created_at", &id.created_at())?;
        Ok((id.uuid(), line.finish()))
    })?;
    let mut lines: HashMap<Uuid, String> = found.into_iter().collect();
    Ok(ids.iter().filter_map(|id| lines.remove(id)).collect())
}

/// Rows of some messages, whose first column is the message.
fn by_message<T>(
    tx: &mut ReadTx<'_>,
    select: &str,
    order: &str,
    (account, ids): (AccountId, &[Uuid]),
    read: impl Fn(&mut Row<'_>) -> db::Result<T>,
) -> db::Result<HashMap<Uuid, Vec<T>>> {
    let mut query = Query::new(select);
    query.bind(account).push(" AND message_id IN ").bind_list(ids).push(order);
    let mut found: HashMap<Uuid, Vec<T>> = HashMap::new();
    tx.run(&query, |row| {
        let id: Uuid = row.next()?;
        found.entry(id).or_default().push(read(row)?);
        Ok(())
    })?;
    Ok(found)
}
