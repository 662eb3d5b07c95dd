//! The conversations of many contacts on one connection, for outbound messages.
//!
//! The same as [`super::find_or_open`] and [`super::note_outbound`] for one. The transaction has locked the contacts.

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, FOR_UPDATE, Tx};
use frontdesk_platform::By;
use frontdesk_platform::events::{self, NewEvent};

use super::conversation::{Conversation, ConversationId};
use super::event_types::{self, ConversationEventData};
use super::ops::{blank, preview};
use super::read;
use super::sql::{CURRENT, NOTE_OUTBOUND, OPEN};
use crate::connections::StoredConnection;

/// Where two transactions create the same conversation.
const ONE_PER_CONTACT: &str = "conversations_thread_key";

/// Records an outbound message to each of these different contacts. Returns their conversations in the same
/// order.
pub(crate) fn say(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    said: &[(ContactId, Option<&str>)],
) -> db::Result<Vec<ConversationId>> {
    let connection_id = connection.id();
    let keys: Vec<[&dyn db::Param; 3]> =
        said.iter().map(|(contact, _)| [&by.account as &dyn db::Param, &connection_id, contact]).collect();
    let known = tx.find_each_locked(CURRENT, FOR_UPDATE, &keys, read)?;
    let (mut ids, mut opened, mut continued) = (Vec::with_capacity(said.len()), Vec::new(), Vec::new());
    for ((contact, text), known) in said.iter().zip(known) {
        let text = text.map(preview);
        if let Some(conversation) = known {
            ids.push(conversation.id);
            continued.push((conversation.id, text));
        } else {
            let conversation = new(by, connection, *contact, text);
            ids.push(conversation.id);
            opened.push(conversation);
        }
    }
    go_on(tx, by, &continued)?;
    open(tx, by, connection, &opened)?;
    Ok(ids)
}

/// A conversation that begins with this message.
fn new(by: &By, connection: &StoredConnection, contact: ContactId, text: Option<String>) -> Conversation {
    let opened = blank(by, connection, contact, by.new_id());
    Conversation { last_message_at: Some(by.now), last_message_text: text, ..opened }
}

fn go_on(tx: &mut Tx<'_>, by: &By, continued: &[(ConversationId, Option<String>)]) -> db::Result<()> {
    let rows: Vec<[&dyn db::Param; 4]> =
        continued.iter().map(|(id, text)| [&by.account as &dyn db::Param, id, &by.now, text]).collect();
    tx.execute_each(NOTE_OUTBOUND, &rows)?.into_iter().try_for_each(|touched| touched.exactly(1))
}

fn open(tx: &mut Tx<'_>, by: &By, connection: &StoredConnection, opened: &[Conversation]) -> db::Result<()> {
    if opened.is_empty() {
        return Ok(());
    }
    let (channel, connection_id) = (connection.channel(), connection.id());
    let mut rows: Vec<[&dyn db::Param; 8]> = Vec::with_capacity(opened.len());
    for conversation in opened {
        let Conversation { id, contact_id, last_message_text, .. } = conversation;
        rows.push([
            &by.account,
            id,
            contact_id,
            &channel,
            &connection_id,
            &by.now,
            last_message_text,
            &by.now,
        ]);
    }
    match tx.insert_each(OPEN, &rows) {
        // Another transaction has created one of these conversations. Run again, this finds it.
        Err(error) if error.is_constraint(ONE_PER_CONTACT) => return Err(tx.again()),
        inserted => inserted?,
    }
    let met: Vec<ContactId> = opened.iter().map(|conversation| conversation.contact_id).collect();
    contacts::note_channels(tx, by.account, &met, channel.as_str())?;
    let created = opened
        .iter()
        .map(|conversation| NewEvent::new(event_types::CREATED, &ConversationEventData { conversation }));
    events::write_many(tx, by, &created.collect::<db::Result<Vec<NewEvent>>>()?)
}
