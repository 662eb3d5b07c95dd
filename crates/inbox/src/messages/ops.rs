//! Sending: whom it is for, whether it may be said, and the rows that make it happen.

use std::sync::Arc;

use frontdesk_channels::{Composed, Layout, TemplateFill};
use frontdesk_crm::contacts::{self, ContactError, ContactId, Person, Policy};
use frontdesk_db::{self as db, Query, ReadTx, Tx, only};
use frontdesk_kernel::Phone;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::{Actor, By, Error};
use frontdesk_search::messages as search;
use frontdesk_web::Problems;
use serde_json::json;

use super::MediaKind;
use super::input::{NewMessage, PhoneChannel, TemplateChoice, To, ToPhone};
use super::message::{
    Direction, MISSING, Message, MessageError, MessageId, MessageStatus, MessageType, SenderType,
};
use super::sql::{BY_ASSISTANT, INSERT, NEWER_REPLY, OF_RUN, QUOTED, TARGET};
use crate::connections::{self, Channel, StoredConnection};
use crate::conversations::{self, Conversation, Speaker};
use crate::identities;
use crate::ids::AssistantRunId;
use crate::media::{self, Claim, MediaId, OwnFile};
use crate::outbox::{self, Priority, SendPayload, Subject, Waiting};
use crate::templates;

pub const LANGUAGE_DEFAULT: &str = "en_US";
const NO_CONVERSATION: Error = Error::Missing("conversation");
const NO_CONNECTION: Error = Error::Missing("connection");

/// The connection is not locked: every message that goes over it would wait.
const CONVERSATION_ONLY: &str = "FOR UPDATE OF v";

/// A message as its row is written.
pub(crate) struct NewRow<'a> {
    pub(crate) message: &'a Message,
    pub(crate) connection: connections::ConnectionId,
    pub(crate) media: Option<MediaId>,
    pub(crate) details: Option<String>,
    pub(crate) author: Option<frontdesk_kernel::ids::UserId>,
}

/// Writes a message. False when the channel's id of it is known already.
pub(crate) fn insert(tx: &mut Tx<'_>, by: &By, row: &NewRow<'_>) -> db::Result<bool> {
    let is_new = tx.change(&insertion(tx, by, row))?.any();
    if is_new {
        search::written(tx, by.account, row.message.text.iter().map(|_| row.message.id.uuid()))?;
    }
    Ok(is_new)
}

fn insertion(tx: &ReadTx<'_>, by: &By, row: &NewRow<'_>) -> Query {
    let message = row.message;
    let given = if row.media.is_some() { None } else { message.media_url.clone() };
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(message.id),
        Box::new(message.conversation_id),
        Box::new(row.connection),
        Box::new(message.direction),
        Box::new(message.sender_type),
        Box::new(message.r#type),
        Box::new(message.text.clone()),
        Box::new(row.media),
        Box::new(given),
        Box::new(message.template_name.clone()),
        Box::new(row.details.clone()),
        Box::new(message.status),
        Box::new(message.channel_message_id.clone()),
        Box::new(message.reply_to_message_id),
        Box::new(row.author),
        Box::new(search::column(tx, message.text.as_deref())),
    ];
    Query::whole(INSERT, params)
}

/// Where a message goes.
struct Target {
    connection: StoredConnection,
    conversation: Conversation,
    /// What the channel knows the person by.
    person: String,
    /// Whether the channel itself has named the person so.
    is_person_known: bool,
}

/// What is said, once it is known that it may be.
struct Content {
    kind: MessageType,
    text: Option<String>,
    media_url: Option<String>,
    template_name: Option<String>,
    payload: SendPayload,
}

/// Records a message and queues it for its channel.
pub fn send(tx: &mut Tx<'_>, by: &By, new: &NewMessage) -> Result<Message, MessageError> {
    send_file(tx, by, new, None)
}

/// Does the same; `file` is the file of ours that the message refers to, if it refers to one.
pub(super) fn send_file(
    tx: &mut Tx<'_>,
    by: &By,
    new: &NewMessage,
    file: Option<&OwnFile>,
) -> Result<Message, MessageError> {
    let target = match new.to() {
        To::Thread(to) => {
            let target = target_in(tx, by, to.conversation_id)?;
            if let Some(seen) = to.last_seen_message_id {
                refuse_after_newer_reply(tx, by, &target, seen)?;
            }
            target
        }
        To::Phone(to) => number(tx, by, to)?,
    };
    let quoted = match new.quotes() {
        Some(id) => Some(quotable(tx, by, &target, id)?),
        None => None,
    };
    let mut content = compose(tx, by, &target, new)?;
    let upload = match file {
        Some(file) => attach(tx, by, &mut content, file)?,
        None => None,
    };
    let id: MessageId = by.new_id();
    let message = Message {
        id,
        conversation_id: target.conversation.id,
        direction: Direction::Outbound,
        sender_type: SenderType::of(by.actor),
        r#type: content.kind,
        text: content.text,
        media_url: content.media_url,
        template_name: content.template_name,
        status: MessageStatus::Sending,
        channel_message_id: None,
        reply_to_message_id: new.quotes(),
        created_at: id.created_at(),
    };
    let row = NewRow {
        message: &message,
        connection: target.connection.id(),
        media: upload,
        details: details(&content.payload),
        author: Some(by.author(tx)?),
    };
    // No channel has a name for it yet, so it cannot be known already.
    let insertion = insertion(tx, by, &row);
    tx.insert_along(insertion)?;
    if let Actor::Assistant(assistant) = by.actor {
        let params: Vec<db::OwnedParam> = vec![Box::new(by.account), Box::new(id), Box::new(assistant)];
        tx.execute_along(Query::whole(BY_ASSISTANT, params))?;
    }
    search::written(tx, by.account, message.text.iter().map(|_| id.uuid()))?;
    let speaker = match message.sender_type {
        SenderType::Agent => Speaker::Person,
        SenderType::Bot | SenderType::Customer => Speaker::Program,
    };
    conversations::note_outbound(tx, by, &target.conversation, message.text.as_deref(), speaker)?;
    let subject = Subject { message: id, conversation: target.conversation.id };
    let waiting = Waiting {
        subject,
        person: target.person,
        payload: content.payload,
        reply_to: quoted,
        written: upload.is_none().then(|| message.clone()),
        is_person_known: target.is_person_known,
    };
    outbox::queue(tx, by, &Arc::new(target.connection), waiting, Priority::Interactive)?;
    Ok(message)
}

/// Sends a file of ours with a message, which shows a link that lasts: the given one may expire. None when the file is
/// not an upload, but one that a customer sent.
fn attach(
    tx: &mut Tx<'_>,
    by: &By,
    content: &mut Content,
    file: &OwnFile,
) -> Result<Option<MediaId>, MessageError> {
    let claimed = media::claim(tx, by.account, file.id, by.now)?;
    content.media_url = Some(file.url.clone());
    let found = match claimed {
        Claim::Taken { filename } => filename,
        Claim::Unavailable => return Err(MessageError::NoUpload),
        Claim::Received => return Ok(None),
    };
    if let SendPayload::Media { upload, filename, .. } = &mut content.payload {
        *upload = Some(file.id.uuid());
        *filename = filename.take().or(found);
    }
    Ok(Some(file.id))
}

/// Notes the run in which an assistant has sent a message.
pub fn note_run(
    tx: &mut Tx<'_>,
    account: AccountId,
    message: MessageId,
    run: AssistantRunId,
) -> db::Result<()> {
    let _none_when_it_was_erased = tx.execute(OF_RUN, &[&account, &message, &run])?;
    Ok(())
}

/// What somebody else has written meanwhile is read before this goes out. The conversation is locked.
fn refuse_after_newer_reply(
    tx: &mut ReadTx<'_>,
    by: &By,
    target: &Target,
    seen: MessageId,
) -> Result<(), MessageError> {
    let me = by.author(tx)?;
    let params: &[&dyn db::Param] = &[&by.account, &target.conversation.id, &seen, &me];
    match tx.find(NEWER_REPLY, params, only::<MessageId>)? {
        Some(_) => Err(MessageError::NewerReply),
        None => Ok(()),
    }
}

/// What the channel calls a message of the same conversation, by which it is quoted.
fn quotable(tx: &mut ReadTx<'_>, by: &By, target: &Target, id: MessageId) -> Result<String, MessageError> {
    let name = tx.find(QUOTED, &[&by.account, &id, &target.conversation.id], only::<Option<String>>)?;
    name.ok_or(MISSING)?.ok_or(MessageError::NotQuotable)
}

/// What a report of the channel may need to know of a message: a template is found by its language too.
fn details(payload: &SendPayload) -> Option<String> {
    match payload {
        SendPayload::Template { language, .. } => Some(json!({ "language": language }).to_string()),
        _ => None,
    }
}

fn target_in(tx: &mut Tx<'_>, by: &By, id: conversations::ConversationId) -> Result<Target, MessageError> {
    let found = tx.find_locked(TARGET, CONVERSATION_ONLY, &[&by.account, &id], |row| {
        Ok((conversations::read(row)?, connections::read(row)?, row.next::<Option<String>>()?))
    })?;
    let (conversation, connection, person) = found.ok_or(NO_CONVERSATION)?;
    let connection = connected(connection)?;
    let is_person_known = person.is_some();
    let person = match person {
        Some(person) => person,
        None => number_of(tx, by, &connection, conversation.contact_id, None)?,
    };
    Ok(Target { connection, conversation, person, is_person_known })
}

fn number(tx: &mut Tx<'_>, by: &By, to: &ToPhone) -> Result<Target, MessageError> {
    let channel = match to.channel {
        Some(PhoneChannel::PersonalWhatsapp) => Channel::PersonalWhatsapp,
        Some(PhoneChannel::Whatsapp) | None => Channel::Whatsapp,
    };
    let connection = match to.connection_id {
        Some(id) => {
            let connection = connections::find(tx, by.account, id)?.ok_or(NO_CONNECTION)?;
            if connection.channel() != channel {
                let wrong = format!("must be a connection of the channel {channel}");
                return Err(MessageError::Invalid(Problems::one("to.connection_id", wrong)));
            }
            connected(connection)?
        }
        None => usual(tx, by.account, channel)?,
    };
    let contact = contact_of(tx, by, &to.phone)?;
    let conversation = conversations::find_or_open(tx, by, &connection, contact)?;
    let known = identities::person_of(tx, by.account, contact, connection.id())?;
    let known = known.filter(|person| !is_another(person, &to.phone));
    let is_person_known = known.is_some();
    let person = match known {
        Some(person) => person,
        None => number_of(tx, by, &connection, contact, Some(&to.phone))?,
    };
    Ok(Target { connection, conversation, person, is_person_known })
}

fn connected(connection: StoredConnection) -> Result<StoredConnection, MessageError> {
    if connection.is_connected() {
        Ok(connection)
    } else {
        Err(MessageError::NotConnected(Box::new(connection.public)))
    }
}

/// The account's oldest connection on a channel that works.
pub(super) fn usual(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    channel: Channel,
) -> Result<StoredConnection, MessageError> {
    if let Some(connection) = connections::first_connected(tx, account, channel)? {
        return Ok(connection);
    }
    let connections = connections::list(tx, account)?;
    Err(match connections.into_iter().find(|connection| connection.channel() == channel) {
        Some(connection) => MessageError::NotConnected(Box::new(connection.public)),
        None => MessageError::NoneConnected(channel),
    })
}

/// The contact with a number, found or made. A new one counts towards the account's limit.
fn contact_of(tx: &mut Tx<'_>, by: &By, phone: &Phone) -> Result<ContactId, MessageError> {
    let person = Person { phone: Some(phone.clone()), ..Person::default() };
    if let Some(met) = contacts::find_or_create(tx, by, &person, Policy::RECIPIENT)? {
        return Ok(met);
    }
    let limit = contacts::limit(tx, by.account)?.unwrap_or_default();
    Err(ContactError::LimitReached { limit }.into())
}

/// The number by which a channel knows somebody of whom it has no other name.
fn number_of(
    tx: &mut ReadTx<'_>,
    by: &By,
    connection: &StoredConnection,
    contact: ContactId,
    phone: Option<&Phone>,
) -> Result<String, MessageError> {
    let channel = connection.channel();
    let known = match phone {
        Some(phone) => Some(phone.clone()),
        None => contacts::find(tx, by.account, contact)?.and_then(|contact| contact.phone),
    };
    match known {
        Some(phone) if channel.has_numbers() => Ok(phone.digits().to_owned()),
        _ => Err(MessageError::Unreachable(channel)),
    }
}

/// Whether a channel's id of somebody is a number, and not the one that was asked for: a contact's number may change.
pub(super) fn is_another(person: &str, asked: &Phone) -> bool {
    let number = person.split('@').next().unwrap_or(person);
    number.bytes().all(|byte| byte.is_ascii_digit())
        && !person.ends_with("@lid")
        && number.parse::<Phone>().is_ok_and(|number| number.key() != asked.key())
}

/// The layout of a template that may be sent over a connection.
pub fn approved_template(
    tx: &mut ReadTx<'_>,
    connection: &StoredConnection,
    name: &str,
    language: &str,
) -> Result<Layout, MessageError> {
    let found =
        templates::find(tx, connection.account, connection.id(), name, language)?.ok_or_else(|| {
            MessageError::TemplateNotFound { name: name.to_owned(), language: language.to_owned() }
        })?;
    if found.status != templates::TemplateStatus::Approved {
        return Err(MessageError::TemplateNotApproved(found.status.to_string()));
    }
    Ok(found.layout)
}

fn compose(tx: &mut ReadTx<'_>, by: &By, target: &Target, new: &NewMessage) -> Result<Content, MessageError> {
    let channel = target.connection.channel();
    match new {
        NewMessage::Text(new) => {
            within_window(target, by)?;
            let text = new.text.as_str().to_owned();
            if let Some(wrong) = channel.too_long(&text) {
                return Err(MessageError::Invalid(Problems::one("text", wrong)));
            }
            let payload = SendPayload::Text { text: text.clone() };
            Ok(Content {
                kind: MessageType::Text,
                text: Some(text),
                media_url: None,
                template_name: None,
                payload,
            })
        }
        NewMessage::Media(new) => {
            within_window(target, by)?;
            let media = &new.media;
            let (url, caption) =
                (media.url.as_str().to_owned(), media.caption.as_ref().map(ToString::to_string));
            // Where media has no caption, that goes as a text.
            if let Some(wrong) = caption.as_deref().and_then(|caption| channel.too_long(caption)) {
                return Err(MessageError::Invalid(Problems::one("media.caption", wrong)));
            }
            let payload = SendPayload::Media {
                kind: media.kind.as_str().to_owned(),
                url: url.clone(),
                caption: caption.clone(),
                filename: media.filename.as_ref().map(ToString::to_string),
                upload: None,
            };
            let kind = match media.kind {
                MediaKind::Image => MessageType::Image,
                MediaKind::Video => MessageType::Video,
                MediaKind::Document => MessageType::Document,
                MediaKind::Audio => MessageType::Audio,
            };
            Ok(Content { kind, text: caption, media_url: Some(url), template_name: None, payload })
        }
        NewMessage::Template(new) => {
            if channel != Channel::Whatsapp {
                return Err(MessageError::NoTemplates(channel));
            }
            let composed = fill(tx, &target.connection, &new.template)?;
            let name = new.template.name.as_str().to_owned();
            let text = Some(composed.text.clone()).filter(|text| !text.is_empty());
            let media_url = composed.media_url().map(ToOwned::to_owned);
            let payload = SendPayload::Template {
                name: name.clone(),
                language: language(&new.template).to_owned(),
                composed,
            };
            Ok(Content { kind: MessageType::Template, text, media_url, template_name: Some(name), payload })
        }
    }
}

fn within_window(target: &Target, by: &By) -> Result<(), MessageError> {
    if target.conversation.takes_free_text(by.now) { Ok(()) } else { Err(MessageError::OutsideWindow) }
}

fn language(choice: &TemplateChoice) -> &str {
    choice.language.as_ref().map_or(LANGUAGE_DEFAULT, |language| language.as_str())
}

fn fill(
    tx: &mut ReadTx<'_>,
    connection: &StoredConnection,
    choice: &TemplateChoice,
) -> Result<Composed, MessageError> {
    let (name, language) = (choice.name.as_str(), language(choice));
    let layout = approved_template(tx, connection, name, language)?;
    let fill = TemplateFill {
        body_params: choice
            .body_params
            .iter()
            .flat_map(|params| &params.0)
            .map(|one| one.0.clone())
            .collect(),
        header_text: choice.header_text.as_ref().map(ToString::to_string),
        header_media_url: choice.header_media_url.as_ref().map(|url| url.as_str().to_owned()),
        button_params: choice
            .button_params
            .iter()
            .flat_map(|params| &params.0)
            .filter_map(|(index, value)| Some((index.parse().ok()?, value.0.clone())))
            .collect(),
    };
    layout.compose(&fill).map_err(MessageError::TemplateMismatch)
}
