//! Changes of conversations.

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, Query, ReadTx, Tx};
use frontdesk_kernel::ids::UserId;
use frontdesk_kernel::{Patch, Timestamp};
use frontdesk_platform::events::{self, EventType};
use frontdesk_platform::{Actor, By, Error, members};
use frontdesk_web::Given;

use super::changes;
use super::conversation::{
    Conversation, ConversationId, ConversationPatch, ConversationStatus, Handler, Handover, MISSING,
    window_from,
};
use super::event_types::{self, ConversationEventData};
use super::sql::{
    FIND_CURRENT, INSERT, LAST_INBOUND, NOTE_INBOUND, NOTE_OUTBOUND, REWORD, TAKE_OVER, UPDATE,
};
use super::{find_to_change, read};
use crate::answerers;
use crate::connections::{self, StoredConnection};
use crate::ids::MessageId;
use crate::outbox::{self, Subject};

/// Maximum characters of a message in a list of conversations.
const PREVIEW_CHARS_MAX: usize = 200;

const NO_MEMBER: Error = Error::Missing("member");
const NO_ASSISTANT: Error = Error::Missing("assistant");

/// Finds or creates the conversation of a contact on a connection, and locks it until the transaction ends. The
/// event of a new conversation is written with its first message, in the same transaction.
pub(crate) fn find_or_open(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    contact: ContactId,
) -> db::Result<Conversation> {
    // Locks the contact too, so that it is neither erased nor merged in the meantime.
    let params: &[&dyn db::Param] = &[&by.account, &connection.id(), &contact];
    if let Some(found) = tx.find_to_change(FIND_CURRENT, params, read)? {
        return Ok(found);
    }
    if !contacts::hold(tx, by.account, contact)? {
        // The contact was erased or merged since it was found.
        return Err(tx.again());
    }
    let id: ConversationId = by.new_id();
    if !tx
        .execute(INSERT, &[&by.account, &id, &contact, &connection.channel(), &connection.id(), &by.now])?
        .any()
    {
        // Another transaction has created the same conversation.
        return Err(tx.again());
    }
    contacts::note_channel(tx, by.account, contact, connection.channel().as_str())?;
    Ok(blank(by, connection, contact, id))
}

/// A new conversation without messages.
pub(super) fn blank(
    by: &By,
    connection: &StoredConnection,
    contact: ContactId,
    id: ConversationId,
) -> Conversation {
    Conversation {
        id,
        contact_id: contact,
        channel: connection.channel(),
        connection_id: connection.id(),
        status: ConversationStatus::Open,
        handler: Handler::Human,
        assistant_id: None,
        assigned_user_id: None,
        unread_count: 0,
        last_message_at: None,
        last_message_text: None,
        window_expires_at: None,
        snoozed_until: None,
        created_at: id.created_at(),
        updated_at: by.now,
    }
}

/// Records a customer's message, at the channel's time. This transaction has locked the conversation and its
/// contact, so no statement here needs its own round trip.
pub(crate) fn note_inbound(
    tx: &mut Tx<'_>,
    by: &By,
    conversation: &Conversation,
    text: Option<&str>,
    at: Timestamp,
) -> db::Result<()> {
    let mut now = spoken(by, conversation, text);
    now.unread_count += 1;
    if now.snoozed_until.is_some() {
        now = now.with_status(ConversationStatus::Open);
    }
    let is_opened = conversation.last_message_at.is_none() || now.status == ConversationStatus::Closed;
    if is_opened {
        now = now.with_status(ConversationStatus::Open);
        now.assistant_id = answerers::of_connection(tx, by.account, now.channel, now.connection_id)?;
        now.handler = if now.assistant_id.is_some() { Handler::Assistant } else { Handler::Human };
    }
    if now.channel.has_window() {
        now.window_expires_at = now.window_expires_at.max(Some(window_from(at)));
    }
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(now.id),
        Box::new(now.status),
        Box::new(by.now),
        Box::new(now.last_message_text.clone()),
        Box::new(at),
        Box::new(now.handler),
        Box::new(now.assistant_id),
        Box::new(is_opened),
    ];
    tx.execute_along(Query::whole(NOTE_INBOUND, params))?;
    changes::record(tx, by, conversation, &now)?;
    contacts::note_inbound(tx, by.account, conversation.contact_id, at)?;
    write_event(tx, by, conversation, &now)
}

/// Who writes for the business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// A person, who handles the conversation from now on.
    Person,
    /// A program or an assistant.
    Program,
}

/// Records a message of the business. This transaction has locked the conversation.
pub(crate) fn note_outbound(
    tx: &mut Tx<'_>,
    by: &By,
    conversation: &Conversation,
    text: Option<&str>,
    speaker: Speaker,
) -> db::Result<()> {
    let mut now = spoken(by, conversation, text);
    let is_taken_over = speaker == Speaker::Person && conversation.handler == Handler::Assistant;
    if is_taken_over {
        (now.handler, now.assistant_id) = (Handler::Human, None);
    }
    if speaker == Speaker::Person {
        tx.execute_along(Query::whole(TAKE_OVER, vec![Box::new(by.account), Box::new(now.id)]))?;
    }
    changes::record(tx, by, conversation, &now)?;
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(now.id),
        Box::new(by.now),
        Box::new(now.last_message_text.clone()),
    ];
    tx.execute_along(Query::whole(NOTE_OUTBOUND, params))?;
    write_event(tx, by, conversation, &now)?;
    if is_taken_over {
        events::write(tx, by, event_types::HANDED_OVER, &ConversationEventData { conversation: &now })?;
    }
    Ok(())
}

/// The last message has got a text. This transaction has locked the conversation.
pub(crate) fn reword(tx: &mut Tx<'_>, by: &By, conversation: &Conversation, text: &str) -> db::Result<()> {
    let now =
        Conversation { last_message_text: Some(preview(text)), updated_at: by.now, ..conversation.clone() };
    tx.execute(REWORD, &[&by.account, &now.id, &now.last_message_text, &now.updated_at])?.exactly(1)?;
    events::write(tx, by, event_types::UPDATED, &ConversationEventData { conversation: &now })?;
    Ok(())
}

/// The conversation after a new message.
fn spoken(by: &By, before: &Conversation, text: Option<&str>) -> Conversation {
    Conversation {
        last_message_at: Some(by.now),
        last_message_text: text.map(preview),
        updated_at: by.now,
        ..before.clone()
    }
}

/// Writes the event of a conversation that was created or reopened.
fn write_event(tx: &mut Tx<'_>, by: &By, before: &Conversation, now: &Conversation) -> db::Result<()> {
    let event = match before.last_message_at {
        None => event_types::CREATED,
        Some(_) if before.status != now.status => event_types::UPDATED,
        Some(_) => return Ok(()),
    };
    events::write(tx, by, event, &ConversationEventData { conversation: now })?;
    Ok(())
}

/// The beginning of a text, for a list of conversations.
pub(crate) fn preview(text: &str) -> String {
    text.chars().take(PREVIEW_CHARS_MAX).collect()
}

pub(crate) fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    id: ConversationId,
    patch: &ConversationPatch,
) -> Result<Conversation, Error> {
    let before = find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let mut conversation = before.clone();
    if let Given::Value(status) = patch.status {
        conversation = conversation.with_status(status);
    }
    match patch.assigned_user_id {
        Patch::Keep => {}
        Patch::Clear => conversation.assigned_user_id = None,
        Patch::Set(user) => conversation.assigned_user_id = Some(member(tx, by, user)?),
    }
    write(tx, by, &before, conversation, event_types::UPDATED)
}

/// Hands the conversation to an assistant or to a person.
pub fn hand_over(
    tx: &mut Tx<'_>,
    by: &By,
    id: ConversationId,
    handover: &Handover,
) -> Result<Conversation, Error> {
    let before = find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let mut conversation = before.clone();
    let mut needs_person = false;
    match handover {
        Handover::Assistant(to) => {
            if !answerers::exists(tx, by.account, to.assistant_id)? {
                return Err(NO_ASSISTANT);
            }
            (conversation.handler, conversation.assistant_id) = (Handler::Assistant, Some(to.assistant_id));
        }
        Handover::Human(to) => {
            conversation.handler = Handler::Human;
            conversation.assistant_id = None;
            if let Some(user) = to.user_id {
                conversation.assigned_user_id = Some(member(tx, by, user)?);
            }
            let is_taken = matches!(by.actor, Actor::Member(me) if to.user_id == Some(me));
            needs_person = before.handler == Handler::Assistant && !is_taken;
        }
    }
    write_handed(tx, by, &before, conversation, event_types::HANDED_OVER, needs_person)
}

/// Marks the conversation as read, and sends the channel's read receipt if it has one.
pub(crate) fn mark_read(tx: &mut Tx<'_>, by: &By, id: ConversationId) -> Result<Conversation, Error> {
    let before = find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    if before.unread_count == 0 {
        return Ok(before);
    }
    let conversation = Conversation { unread_count: 0, ..before.clone() };
    let last = tx.find(LAST_INBOUND, &[&by.account, &id], |row| {
        Ok((row.next::<MessageId>()?, row.next::<String>()?))
    })?;
    if let Some((message, channel_message_id)) = last
        && let Some(connection) = connections::find(tx, by.account, before.connection_id)?
        && connection.is_connected()
    {
        let subject = Subject { message, conversation: id };
        outbox::queue_receipt(tx, by, &connection, subject, before.contact_id, &channel_message_id)?;
    }
    write(tx, by, &before, conversation, event_types::UPDATED)
}

/// The conversation is to be looked at again. It counts as one unread message; the customer is told nothing.
pub(crate) fn mark_unread(tx: &mut Tx<'_>, by: &By, id: ConversationId) -> Result<Conversation, Error> {
    let before = find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let conversation = Conversation { unread_count: before.unread_count.max(1), ..before.clone() };
    write(tx, by, &before, conversation, event_types::UPDATED)
}

fn member(tx: &mut ReadTx<'_>, by: &By, user: UserId) -> Result<UserId, Error> {
    if members::is_active(tx, by.account, user)? { Ok(user) } else { Err(NO_MEMBER) }
}

/// Writes what has changed, and its event.
pub(super) fn write(
    tx: &mut Tx<'_>,
    by: &By,
    before: &Conversation,
    now: Conversation,
    event: EventType<ConversationEventData<'_>>,
) -> Result<Conversation, Error> {
    write_handed(tx, by, before, now, event, false)
}

/// Does the same; `needs_person` says that the conversation waits for a person from now on.
fn write_handed(
    tx: &mut Tx<'_>,
    by: &By,
    before: &Conversation,
    mut now: Conversation,
    event: EventType<ConversationEventData<'_>>,
    needs_person: bool,
) -> Result<Conversation, Error> {
    let parts = |conversation: &Conversation| {
        (
            conversation.status,
            conversation.handler,
            conversation.assistant_id,
            conversation.assigned_user_id,
            conversation.unread_count,
            conversation.snoozed_until,
        )
    };
    if parts(before) == parts(&now) {
        return Ok(now);
    }
    now.updated_at = by.now;
    let params: &[&dyn db::Param] = &[
        &by.account,
        &now.id,
        &now.status,
        &now.handler,
        &now.assistant_id,
        &now.assigned_user_id,
        &now.unread_count,
        &now.updated_at,
        &(before.status == ConversationStatus::Closed && now.status != ConversationStatus::Closed),
        &now.snoozed_until,
        &needs_person,
    ];
    tx.execute(UPDATE, params)?.exactly(1)?;
    changes::record(tx, by, before, &now)?;
    events::write(tx, by, event, &ConversationEventData { conversation: &now })?;
    Ok(now)
}
