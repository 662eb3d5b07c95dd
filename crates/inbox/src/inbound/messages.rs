//! Customers' messages, and messages that the business sent from another device.

use frontdesk_channels::{Content, MediaKind, MediaSource, Message as IncomingMessage};
use frontdesk_db::{self as db, Param, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;
use frontdesk_platform::{events, notices};
use serde_json::json;

use super::context::{Context, prefer};
use super::known;
use super::sql::{KNOWN, REACT, REACTED_TO, UNDER_WAY, UNREACT};
use crate::connections::{Channel, StoredConnection};
use crate::conversations::{self, Conversation, ConversationId, Speaker};
use crate::media::{self, MediaId};
use crate::messages::event_types::{self, MessageEventData};
use crate::messages::{
    Change, Direction, Message, MessageId, MessageStatus, MessageType, NewRow, SenderType, advance,
    apply_early, began_as_sent, catch_up, insert, locate,
};
use crate::{identities, outbox};

/// The longest text that is stored; channels allow less.
const TEXT_CHARS_MAX: usize = 65_536;

/// Stores a customer's message.
pub(super) fn received(
    tx: &mut Tx<'_>,
    by: &By,
    context: &Context,
    incoming: &IncomingMessage,
) -> db::Result<()> {
    let connection = &context.connection;
    events::expect(tx, by)?;
    let Some(conversation) = find_conversation(tx, by, connection, incoming)? else { return Ok(()) };
    let Some(message) = store(tx, by, context, incoming, &conversation, SenderType::Customer)? else {
        return Ok(());
    };
    // A clock ahead of ours must not keep the window open for longer than a day.
    let at = incoming.at.min(by.now);
    conversations::note_inbound(tx, by, &conversation, message.text.as_deref(), at)?;
    outbox::wrote(tx, by, connection, conversation.id)?;
    events::write(tx, by, event_types::RECEIVED, &MessageEventData { message: &message })?;
    if let Content::Text(text) = &incoming.content
        && let Some(stop) = context.words.meaning(text)
    {
        prefer(tx, by, conversation.contact_id, stop, connection.channel().as_str())?;
    }
    Ok(())
}

/// The conversation of a customer's message, locked with its contact. None if the message is already stored.
/// For a known customer this is not checked here: the insert finds out.
fn find_conversation(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    incoming: &IncomingMessage,
) -> db::Result<Option<Conversation>> {
    if let Some(conversation) = known::find(tx, by.account, connection.id(), &incoming.person)? {
        return Ok(Some(conversation));
    }
    if find_message(tx, by, connection, &incoming.channel_message_id)?.is_some() {
        return Ok(None);
    }
    let contact = identities::find_or_create_contact(tx, by, connection, &incoming.person)?;
    conversations::find_or_open(tx, by, connection, contact).map(Some)
}

/// The business wrote from another device, or the channel echoes a message that we sent.
pub(super) fn echoed(
    tx: &mut Tx<'_>,
    by: &By,
    context: &Context,
    incoming: &IncomingMessage,
) -> db::Result<()> {
    let connection = &context.connection;
    if find_message(tx, by, connection, &incoming.channel_message_id)?.is_some() {
        return Ok(());
    }
    let contact = identities::find_or_create_contact(tx, by, connection, &incoming.person)?;
    let conversation = conversations::find_or_open(tx, by, connection, contact)?;
    let text = text_of(&incoming.content);
    let ours = tx.find(UNDER_WAY, &[&connection.id(), &conversation.id, &text], |row| {
        Ok((row.next::<MessageId>()?, row.next::<i64>()?))
    })?;
    if let Some((id, tries)) = ours
        && let Some(sent) = locate(tx, by, connection.id(), Some(id), None)?
    {
        let named = Some(incoming.channel_message_id.clone());
        let change = Change {
            status: MessageStatus::Sent,
            channel_message_id: named,
            error: None,
            at: Some(incoming.at),
        };
        advance(tx, by, &context.links, &sent, &change)?;
        apply_early(tx, by, &context.links, connection.id(), &incoming.channel_message_id)?;
        catch_up(tx, by, &context.links, connection, id, tries)?;
        return outbox::went_out(tx, by.account, id);
    }
    if let Some(message) = store(tx, by, context, incoming, &conversation, SenderType::Agent)? {
        // Only a person writes from another device.
        conversations::note_outbound(tx, by, &conversation, message.text.as_deref(), Speaker::Person)?;
        events::write(tx, by, event_types::SENT, &MessageEventData { message: &message })?;
    }
    Ok(())
}

/// A reaction to a message, or its removal.
pub(super) fn reacted(
    tx: &mut Tx<'_>,
    by: &By,
    context: &Context,
    person: &str,
    channel_message_id: &str,
    emoji: Option<&str>,
    at: Timestamp,
) -> db::Result<()> {
    let named: [&dyn Param; 3] = [&by.account, &context.connection.id(), &channel_message_id];
    let found =
        tx.find(REACTED_TO, &named, |row| Ok((row.next::<MessageId>()?, row.next::<ConversationId>()?)))?;
    let Some((message, conversation)) = found else { return Ok(()) };
    let touched = match emoji {
        Some(emoji) => tx.execute(REACT, &[&by.account, &message, &person, &emoji, &at])?,
        None => tx.execute(UNREACT, &[&by.account, &message, &person, &at])?,
    };
    // An older report than the stored one changes nothing.
    if touched.any() {
        notices::thread_changed(tx, by, conversation);
    }
    Ok(())
}

fn find_message(
    tx: &mut ReadTx<'_>,
    by: &By,
    connection: &StoredConnection,
    channel_message_id: &str,
) -> db::Result<Option<MessageId>> {
    tx.find(KNOWN, &[&by.account, &connection.id(), &channel_message_id], only)
}

/// Inserts a message. None if another transaction has inserted it.
fn store(
    tx: &mut Tx<'_>,
    by: &By,
    context: &Context,
    incoming: &IncomingMessage,
    conversation: &Conversation,
    sender: SenderType,
) -> db::Result<Option<Message>> {
    let connection = &context.connection;
    let media = match &incoming.content {
        Content::Media { source, .. } => Some(stored_file(connection, source).unwrap_or_else(|| by.new_id())),
        _ => None,
    };
    let reply_to_message_id = match &incoming.reply_to {
        Some(id) => find_message(tx, by, connection, id)?,
        None => None,
    };
    let outbound = sender != SenderType::Customer;
    let id: MessageId = by.new_id();
    let message = Message {
        id,
        conversation_id: conversation.id,
        direction: if outbound { Direction::Outbound } else { Direction::Inbound },
        sender_type: sender,
        r#type: type_of(&incoming.content),
        text: text_of(&incoming.content),
        media_url: media.map(|media| context.links.to(media, by.now)),
        template_name: None,
        // A customer's message is delivered; its status does not change.
        status: if outbound { MessageStatus::Sent } else { MessageStatus::Delivered },
        channel_message_id: Some(incoming.channel_message_id.clone()),
        reply_to_message_id,
        created_at: id.created_at(),
    };
    let row = NewRow {
        message: &message,
        connection: connection.id(),
        media,
        details: details_of(&incoming.content),
        author: None,
    };
    if !insert(tx, by, &row)? {
        return Ok(None);
    }
    if outbound {
        began_as_sent(tx, by, id, incoming.at)?;
    }
    if let (Some(media), Content::Media { kind, source, .. }) = (media, &incoming.content) {
        match stored_file(connection, source) {
            Some(stored) => media::take(tx, by, stored)?,
            None => media::expect(tx, by, media, connection.id(), kind.as_str(), source)?,
        }
    }
    Ok(Some(message))
}

/// The file of a website visitor, which is stored already. The files of other channels are fetched.
fn stored_file(connection: &StoredConnection, source: &MediaSource) -> Option<MediaId> {
    if connection.channel() != Channel::WebChat {
        return None;
    }
    source.id.as_deref()?.parse().ok()
}

fn type_of(content: &Content) -> MessageType {
    match content {
        Content::Text(_) => MessageType::Text,
        Content::Media { kind: MediaKind::Image, .. } => MessageType::Image,
        Content::Media { kind: MediaKind::Video, .. } => MessageType::Video,
        Content::Media { kind: MediaKind::Audio, .. } => MessageType::Audio,
        Content::Media { kind: MediaKind::Document, .. } => MessageType::Document,
        Content::Location { .. } => MessageType::Location,
        Content::Choice { .. } => MessageType::Interactive,
    }
}

fn text_of(content: &Content) -> Option<String> {
    let text = match content {
        Content::Text(text) => Some(text.clone()),
        Content::Media { caption, .. } => caption.clone(),
        Content::Choice { title, .. } => Some(title.clone()),
        Content::Location { latitude, longitude, name, address } => {
            let place =
                [name.as_deref(), address.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(", ");
            let spot = format!("{latitude}, {longitude}");
            Some(if place.is_empty() { spot } else { format!("{place} ({spot})") })
        }
    };
    text.map(|text| text.chars().take(TEXT_CHARS_MAX).collect())
}

fn details_of(content: &Content) -> Option<String> {
    match content {
        Content::Location { latitude, longitude, name, address } => Some(
            json!({ "latitude": latitude, "longitude": longitude, "name": name, "address": address })
                .to_string(),
        ),
        Content::Choice { id, title } => Some(json!({ "id": id, "title": title }).to_string()),
        Content::Text(_) | Content::Media { .. } => None,
    }
}
