//! A visitor's messages and read receipts.

use frontdesk_channels::{Content, Incoming, Message, Person, Report, ReportStatus};
use frontdesk_db as db;
use frontdesk_kernel::{Email, Text, Timestamp};
use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{ServerContext, store_failure};
use frontdesk_web::page::{LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN, ListMeta};
use frontdesk_web::{
    Failure, Filters, IntoReply as _, List, Pairs, Problems, Reply, Result, data_bytes, filters, input,
    resource,
};
use http::StatusCode;

use super::chat_request::ChatRequest;
use super::conversation::{self, VisitorConversation, VisitorMessage};
use super::limits::Action;
use super::token::Visitor;
use super::visitors::{self, NAME_CHARS_MAX, person};
use crate::connections::StoredConnection;
use crate::inbound;
use crate::media::Links;
use crate::messages::MessageId;
use crate::messages::TEXT_CHARS_MAX;

pub(super) const CLIENT_ID_CHARS_MAX: usize = 64;

input! {
    /// A visitor's message.
    struct NewSaying {
        text: Text<TEXT_CHARS_MAX>,
        /// The page's id of the message. A repeated id changes nothing.
        client_id: Option<Text<CLIENT_ID_CHARS_MAX>>,
        name: Option<Text<NAME_CHARS_MAX>>,
        email: Option<Email>,
    }
}

filters! {
    /// Which part of the conversation to list.
    struct ThreadFilters {
        /// Only messages after this one.
        after: Option<MessageId>,
        limit: Option<i64>,
    }
}

input! {
    /// The last message that the visitor has read.
    struct ReadUpTo {
        message_id: MessageId,
    }
}

resource! {
    /// The messages marked as read.
    struct HasRead {
        message_id: MessageId,
        /// Messages that were not marked before.
        count: i64,
    }
}

/// Stores a visitor's message in the same way as other channels' messages.
pub(super) async fn say(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    let visitor = chat.visitor(Action::Say)?;
    chat.connected()?;
    let new: NewSaying = chat.body()?;
    // Without an id of the page, every request is a new message.
    let name = new.client_id.map_or_else(
        || format!("{}.{}", visitor.id, chat.server.recorder.next::<Message>(chat.request.now)),
        |client_id| conversation::name(visitor.id, client_id.as_str()),
    );
    let introduction = (new.name.map(Text::into_string), new.email);
    let said = store(chat, &visitor, introduction, &name, Content::Text(new.text.into_string())).await?;
    Ok(Reply::new(StatusCode::CREATED, data_bytes(&said)).into())
}

/// Stores a message under a channel id, unless it is stored: the message as the visitor sees it.
pub(super) async fn store(
    chat: &ChatRequest<'_>,
    visitor: &Visitor,
    (name, email): (Option<String>, Option<Email>),
    channel_message_id: &str,
    content: Content,
) -> Result<VisitorMessage> {
    let (server, now) = (chat.server, chat.request.now);
    let given = name.or_else(|| visitor.name.clone());
    let noted = visitors::note_email(chat, visitor, given.as_deref(), email).await;
    noted.map_err(|error| store_failure(&error))?;
    let message = Message {
        channel_message_id: channel_message_id.to_owned(),
        person: Person { id: person(visitor), also: None, phone: None, name: given },
        echo: false,
        at: now,
        content,
        reply_to: None,
    };
    let items = vec![Incoming::Message(message)];
    let stored = inbound::store(server, chat.words.clone(), chat.connection.clone(), items, now).await;
    stored.map_err(|error| store_failure(&error))?;
    find(chat, visitor, channel_message_id).await?.ok_or_else(nothing_here)
}

/// The visitor's message with this channel id, if it is stored.
pub(super) async fn find(
    chat: &ChatRequest<'_>,
    visitor: &Visitor,
    channel_message_id: &str,
) -> Result<Option<VisitorMessage>> {
    let theirs = VisitorConversation::new(&chat.connection, visitor, Links::of(&chat.server.services));
    let (name, now) = (channel_message_id.to_owned(), chat.request.now);
    let said = chat.server.store.read(move |tx| theirs.said(tx, &name, now)).await;
    said.map_err(|error| store_failure(&error))
}

/// The visitor's own conversation, oldest first.
pub(super) async fn list(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    let visitor = chat.visitor(Action::Look)?;
    let filters = ThreadFilters::read(&Pairs::parse(&chat.request.query))?;
    let limit = filters.limit.unwrap_or(LIMIT_DEFAULT);
    if !(LIMIT_MIN..=LIMIT_MAX).contains(&limit) {
        let message = format!("must be from {LIMIT_MIN} to {LIMIT_MAX}");
        return Err(Failure::validation(Problems::one("limit", message)));
    }
    let (server, now) = (chat.server, chat.request.now);
    let theirs = VisitorConversation::new(&chat.connection, &visitor, Links::of(&server.services));
    let after = filters.after.unwrap_or_else(|| MessageId::first_at(Timestamp::from_millis(0)));
    let read = server.store.read(move |tx| match theirs.find(tx)? {
        Some(conversation) => theirs.after(tx, conversation, after, limit + 1, now),
        None => db::Result::Ok(Vec::new()),
    });
    let mut found = read.await.map_err(|error| store_failure(&error))?;
    let has_more = found.len() as i64 > limit;
    found.truncate(limit as usize);
    let news: Vec<MessageId> =
        found.iter().filter(|found| found.is_news).map(|found| found.seen.id).collect();
    report(server, &chat.connection, &news, ReportStatus::Delivered, now)
        .await
        .map_err(|error| store_failure(&error))?;
    let next_cursor = found.last().filter(|_| has_more).map(|last| last.seen.id.to_string());
    let data = found.into_iter().map(|found| found.seen).collect();
    Ok(List { data, meta: ListMeta { next_cursor, has_more, limit } }.reply(StatusCode::OK).into())
}

/// Marks everything up to a message as read.
pub(super) async fn mark_read(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    let visitor = chat.visitor(Action::Look)?;
    let up_to: ReadUpTo = chat.body()?;
    let count = read_up_to(chat, &visitor, up_to.message_id).await.map_err(|error| store_failure(&error))?;
    let has_read = HasRead { message_id: up_to.message_id, count: count as i64 };
    Ok(Reply::new(StatusCode::OK, data_bytes(&has_read)).into())
}

async fn read_up_to(chat: &ChatRequest<'_>, visitor: &Visitor, up_to: MessageId) -> db::Result<usize> {
    let theirs = VisitorConversation::new(&chat.connection, visitor, Links::of(&chat.server.services));
    let unread = chat.server.store.read(move |tx| theirs.unread(tx, up_to)).await?;
    report(chat.server, &chat.connection, &unread, ReportStatus::Read, chat.request.now).await?;
    Ok(unread.len())
}

/// Reports the status of messages to a visitor, like any channel's report.
pub(super) async fn report(
    server: &ServerContext,
    connection: &StoredConnection,
    messages: &[MessageId],
    status: ReportStatus,
    now: Timestamp,
) -> db::Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    let report = |id: &MessageId| {
        let id = id.to_string();
        Report { channel_message_id: id.clone(), our_id: Some(id), status, at: now, error: None }
    };
    inbound::store_reports(server, connection.clone(), messages.iter().map(report).collect(), now).await
}
