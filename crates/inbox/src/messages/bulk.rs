//! Messages to many people over one connection, such as a broadcast's. They are sent after other messages.
//!
//! The same as sending one message, for many.

use frontdesk_channels::Composed;
use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Phone, Timestamp};
use frontdesk_platform::By;
use frontdesk_search::messages as search;
use serde_json::json;

use super::history::MessageFailure;
use super::many::{self, Key};
use super::message::{Direction, Message, MessageError, MessageId, MessageStatus, MessageType, SenderType};
use super::ops::{is_another, usual};
use super::sql::INSERT_NEW;
use super::status::Change;
use crate::connections::{Channel, ConnectionId, StoredConnection};
use crate::media::Links;
use crate::outbox::{self, CALL_OVER_AFTER, Priority, SendPayload, Subject, Waiting};
use crate::{conversations, identities};

/// The reason of a message that was withdrawn before it was sent.
pub const WITHDRAWN: &str = "withdrawn";

/// The account's oldest connected connection on a channel.
pub fn connection_for(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    channel: Channel,
) -> Result<StoredConnection, MessageError> {
    usual(tx, account, channel)
}

/// The common fields of the messages.
#[derive(Clone, Debug)]
pub struct Batch<'b> {
    pub connection: &'b StoredConnection,
    pub sender: SenderType,
    pub author: UserId,
    /// The template and its language; none for plain text.
    pub template: Option<(&'b str, &'b str)>,
    pub media_url: Option<&'b str>,
}

/// One of the messages.
#[derive(Clone, Debug)]
pub struct Addressed {
    pub contact: ContactId,
    pub phone: Phone,
    /// The filled-in template; without a template, only its text counts.
    pub composed: Composed,
}

/// Stores messages to different contacts and queues them. Returns their ids in the same order. The
/// transaction has locked the contacts.
pub fn send_many(
    tx: &mut Tx<'_>,
    by: &By,
    batch: &Batch<'_>,
    messages: Vec<Addressed>,
) -> db::Result<Vec<MessageId>> {
    let persons = persons(tx, by, batch.connection, &messages)?;
    let said: Vec<(ContactId, Option<&str>)> =
        messages.iter().map(|message| (message.contact, text(&message.composed))).collect();
    let conversations = conversations::say_many(tx, by, batch.connection, &said)?;
    let subjects: Vec<Subject> = conversations
        .into_iter()
        .map(|conversation| Subject { message: by.new_id(), conversation })
        .collect();
    let texts: Vec<Option<&str>> = messages.iter().map(|message| text(&message.composed)).collect();
    insert(tx, by, batch, &subjects, &texts)?;
    let waiting: Vec<Waiting> = messages
        .into_iter()
        .zip(persons)
        .zip(&subjects)
        .map(|((message, (person, is_person_known)), subject)| Waiting {
            subject: *subject,
            person,
            written: Some(written(batch, *subject, text(&message.composed))),
            payload: payload(batch, message.composed),
            reply_to: None,
            is_person_known,
        })
        .collect();
    outbox::queue_many(tx, by, batch.connection, waiting, Priority::Bulk)?;
    Ok(subjects.into_iter().map(|subject| subject.message).collect())
}

fn text(composed: &Composed) -> Option<&str> {
    Some(composed.text.as_str()).filter(|text| !text.is_empty())
}

/// The message whose row [`insert`] writes.
fn written(batch: &Batch<'_>, subject: Subject, text: Option<&str>) -> Message {
    Message {
        id: subject.message,
        conversation_id: subject.conversation,
        direction: Direction::Outbound,
        sender_type: batch.sender,
        r#type: kind(batch),
        text: text.map(ToOwned::to_owned),
        media_url: batch.media_url.map(ToOwned::to_owned),
        template_name: batch.template.map(|(name, _)| name.to_owned()),
        status: MessageStatus::Sending,
        channel_message_id: None,
        reply_to_message_id: None,
        created_at: subject.message.created_at(),
    }
}

fn kind(batch: &Batch<'_>) -> MessageType {
    if batch.template.is_some() { MessageType::Template } else { MessageType::Text }
}

fn payload(batch: &Batch<'_>, composed: Composed) -> SendPayload {
    match batch.template {
        Some((name, language)) => {
            SendPayload::Template { name: name.to_owned(), language: language.to_owned(), composed }
        }
        None => SendPayload::Text { text: composed.text },
    }
}

/// The address of each person, and whether it is the channel's own id; else it is the phone number.
fn persons(
    tx: &mut ReadTx<'_>,
    by: &By,
    connection: &StoredConnection,
    messages: &[Addressed],
) -> db::Result<Vec<(String, bool)>> {
    let contacts: Vec<ContactId> = messages.iter().map(|message| message.contact).collect();
    let known = identities::persons_of(tx, by.account, &contacts, connection.id())?;
    let person = |(known, message): (Option<String>, &Addressed)| match known
        .filter(|person| !is_another(person, &message.phone))
    {
        Some(person) => (person, true),
        None => (message.phone.digits().to_owned(), false),
    };
    Ok(known.into_iter().zip(messages).map(person).collect())
}

fn insert(
    tx: &mut Tx<'_>,
    by: &By,
    batch: &Batch<'_>,
    subjects: &[Subject],
    texts: &[Option<&str>],
) -> db::Result<()> {
    let (direction, kind) = (Direction::Outbound, kind(batch));
    let details = batch.template.map(|(_, language)| json!({ "language": language }).to_string());
    let (name, connection) = (batch.template.map(|(name, _)| name), batch.connection.id());
    let searched: Vec<Option<String>> = texts.iter().map(|text| search::column(tx, *text)).collect();
    let mut rows: Vec<[&dyn db::Param; 13]> = Vec::with_capacity(subjects.len());
    for ((subject, text), searched) in subjects.iter().zip(texts).zip(&searched) {
        rows.push([
            &by.account,
            &subject.message,
            &subject.conversation,
            &connection,
            &direction,
            &batch.sender,
            &kind,
            text,
            &batch.media_url,
            &name,
            &details,
            &batch.author,
            searched,
        ]);
    }
    tx.insert_each(INSERT_NEW, &rows)?;
    let with_text = subjects.iter().zip(texts).filter(|(_, text)| text.is_some());
    search::written(tx, by.account, with_text.map(|(subject, _)| subject.message.uuid()))
}

/// Withdraws messages that are not sent yet. They fail with the reason [`WITHDRAWN`]. Those whose call has
/// started stay as they are.
pub fn withdraw(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    messages: &[MessageId],
    links: &Links,
    why: &str,
) -> db::Result<()> {
    let withdrawn = outbox::withdraw(tx, by.account, messages)?;
    if withdrawn.is_empty() {
        return Ok(());
    }
    let keys = withdrawn.iter().map(|message| Key { account: by.account, connection, message: *message });
    let mut standing = many::hold(tx, keys.collect(), links, by.now)?;
    let error =
        MessageFailure { code: WITHDRAWN.to_owned(), reason: WITHDRAWN.to_owned(), message: why.to_owned() };
    let changes = withdrawn.iter().filter_map(|message| {
        let change = Change {
            status: MessageStatus::Failed,
            channel_message_id: None,
            error: Some(error.clone()),
            at: None,
        };
        Some((by.account, standing.remove(message)?, change))
    });
    many::advance_many(tx, &[(by.account, by.clone())].into(), changes.collect())
}

/// Whether one of these messages may still be sent: it is queued again, or its call is running.
pub fn any_outstanding(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    messages: &[MessageId],
    now: Timestamp,
) -> db::Result<bool> {
    outbox::any_outstanding(tx, account, messages, now - CALL_OVER_AFTER)
}
