//! A thread for the dashboard: messages with their author, error, file and reactions.

use std::collections::HashMap;

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::{Caller, Error};
use frontdesk_web::{List, Listing, Page, Path, Result, choice, resource};

use crate::conversations::{self, ConversationChange, ConversationId, MISSING};
use crate::ids::AssistantRunId;
use crate::media::Links;
use crate::messages::{self, Message, MessageId, SenderType, StatusError};

resource! {
    /// A message, with what stands beside it.
    pub struct ThreadMessage {
        #[serde(flatten)]
        pub message: Message,
        /// The member who sent it; null for a customer, an assistant or a key.
        pub author_user_id: Option<UserId>,
        /// The assistant that sent it.
        pub assistant_id: Option<AssistantId>,
        /// The assistant's run in which it was sent.
        pub run_id: Option<AssistantRunId>,
        /// Why it failed, if it did.
        pub error: Option<StatusError>,
        pub media: Option<MessageMedia>,
        /// One for each person; the latest counts.
        pub reactions: Vec<Reaction>,
    }
}

resource! {
    /// The file of a message.
    pub struct MessageMedia {
        pub content_type: String,
        pub filename: Option<String>,
        /// Bytes; 0 until it has been fetched.
        pub size: i64,
    }
}

choice! {
    /// Whose reaction it is.
    pub enum ReactionFrom {
        Customer => "customer",
        Account => "account",
    }
}

resource! {
    /// An emoji on a message.
    pub struct Reaction {
        pub emoji: String,
        pub from: ReactionFrom,
        pub at: Timestamp,
    }
}

const SELECT: &str = concat!(
    "SELECT ",
    messages::message_columns!("m."),
    ", m.author_user_id, m.error, f.content_type, f.filename, f.bytes, a.assistant_id, a.run_id
    FROM messages m LEFT JOIN media f ON f.account_id = m.account_id AND f.id = m.media_id
    LEFT JOIN assistant_messages a ON a.account_id = m.account_id AND a.message_id = m.id WHERE m.account_id = "
);

pub(super) async fn list(
    caller: Caller,
    Path(id): Path<ConversationId>,
    listing: Listing<()>,
) -> Result<List<ThreadMessage>> {
    let (page, links) = (listing.page.clone(), Links::of(caller.services()));
    let rows = caller
        .scan(move |tx, by| {
            conversations::find(tx, by.account, id)?.ok_or(MISSING)?;
            find(tx, by.account, id, &page, &links, by.now).map_err(Error::from)
        })
        .await?;
    Ok(listing.page.finish(rows, |row| row.message.id.uuid()))
}

/// Lists what happened to a conversation beside its messages.
pub(super) async fn changes(
    caller: Caller,
    Path(id): Path<ConversationId>,
    listing: Listing<()>,
) -> Result<List<ConversationChange>> {
    let page = listing.page.clone();
    let rows = caller
        .scan(move |tx, by| {
            conversations::find(tx, by.account, id)?.ok_or(MISSING)?;
            conversations::list_changes(tx, by.account, id, &page).map_err(Error::from)
        })
        .await?;
    Ok(listing.page.finish(rows, |row| row.id.uuid()))
}

fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    conversation: ConversationId,
    page: &Page,
    links: &Links,
    now: Timestamp,
) -> db::Result<Vec<ThreadMessage>> {
    let mut query = Query::new(SELECT);
    query.bind(account).push(" AND m.conversation_id = ").bind(conversation);
    if let Some(before) = page.before {
        query.push(" AND m.id < ").bind(before);
    }
    query.push(" ORDER BY m.id DESC LIMIT ").bind(page.fetch());
    let mut rows = tx.run(&query, |row| {
        let message = messages::read(row, links, now)?;
        let author: Option<UserId> = row.next()?;
        let error: Option<String> = row.next()?;
        let (content_type, filename, bytes): (Option<String>, Option<String>, Option<i64>) =
            (row.next()?, row.next()?, row.next()?);
        let is_members = message.sender_type == SenderType::Agent;
        let has_media = content_type.is_some() || filename.is_some() || bytes.is_some();
        Ok(ThreadMessage {
            author_user_id: author.filter(|_| is_members),
            assistant_id: row.next()?,
            run_id: row.next()?,
            error: error.as_deref().and_then(messages::read_error),
            media: has_media.then(|| MessageMedia {
                content_type: content_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
                filename,
                size: bytes.unwrap_or(0),
            }),
            message,
            reactions: Vec::new(),
        })
    })?;
    let ids: Vec<MessageId> = rows.iter().map(|row| row.message.id).collect();
    let mut reactions = reactions(tx, account, &ids)?;
    for row in &mut rows {
        row.reactions = reactions.remove(&row.message.id).unwrap_or_default();
    }
    Ok(rows)
}

fn reactions(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    ids: &[MessageId],
) -> db::Result<HashMap<MessageId, Vec<Reaction>>> {
    let mut found: HashMap<MessageId, Vec<Reaction>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let mut query = Query::new("SELECT message_id, emoji, reacted_at FROM reactions WHERE account_id = ");
    query.bind(account).push(" AND message_id IN ").bind_list(ids).push(" ORDER BY reacted_at");
    let rows = tx.run(&query, |row| {
        let message: MessageId = row.next()?;
        Ok((message, Reaction { emoji: row.next()?, from: ReactionFrom::Customer, at: row.next()? }))
    })?;
    for (message, reaction) in rows {
        found.entry(message).or_default().push(reaction);
    }
    Ok(found)
}
