//! The conversations of many contacts on one connection, for outbound messages.
//!
//! The same as [`super::find_or_open`] and [`super::note_outbound`] for one, with one statement per table on
//! PostgreSQL. The transaction has locked the contacts.

use std::collections::HashMap;

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, Dialect, List, Query, Tx};
use frontdesk_platform::By;
use frontdesk_platform::events::{self, NewEvent};

use super::conversation::{Conversation, ConversationId};
use super::event_types::{self, ConversationEventData};
use super::ops::{blank, preview};
use super::{FIND_THREAD, SAID, conversation_columns, read};
use crate::connections::StoredConnection;

const THREADS_MANY: &str = concat!(
    "SELECT ",
    conversation_columns!("v."),
    " FROM unnest($3::uuid[]) AS w (contact_id) JOIN conversations v ON v.account_id = $1 AND v.connection_id = $2
        AND v.contact_id = w.contact_id AND NOT v.superseded ORDER BY v.id FOR UPDATE OF v"
);

frontdesk_db::statements! {
    OPEN = "INSERT INTO conversations (account_id, id, contact_id, channel, connection_id, status, handler, unread_count,
            last_message_at, last_message_text, updated_at)
        VALUES ($1, $2, $3, $4, $5, 'open', 'human', 0, $6, $7, $8)";
}

const OPEN_MANY: &str = "INSERT INTO conversations (account_id, id, contact_id, channel, connection_id, status, handler, unread_count,
        last_message_at, last_message_text, updated_at)
    SELECT $1, w.id, w.contact_id, $2, $3, 'open', 'human', 0, $4, w.text, $4
    FROM unnest($5::uuid[], $6::uuid[], $7::text[]) AS w (id, contact_id, text)
    ON CONFLICT (account_id, connection_id, contact_id) WHERE NOT superseded DO NOTHING";
const SAID_MANY: &str =
    "UPDATE conversations v SET last_message_at = $2, last_message_text = w.text, updated_at = $2
    FROM unnest($3::uuid[], $4::text[]) AS w (id, text) WHERE v.account_id = $1 AND v.id = w.id";

pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[
    ("conversations::THREADS_MANY", THREADS_MANY),
    ("conversations::OPEN_MANY", OPEN_MANY),
    ("conversations::SAID_MANY", SAID_MANY),
];

/// Records an outbound message to each of these different contacts. Returns their conversations in the same
/// order.
pub(crate) fn say(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    said: &[(ContactId, Option<&str>)],
) -> db::Result<Vec<ConversationId>> {
    let mut known: HashMap<ContactId, Conversation> =
        threads(tx, by, connection, said)?.into_iter().map(|thread| (thread.contact_id, thread)).collect();
    let (mut ids, mut opened, mut continued) = (Vec::with_capacity(said.len()), Vec::new(), Vec::new());
    for (contact, text) in said {
        let text = text.map(preview);
        if let Some(thread) = known.remove(contact) {
            ids.push(thread.id);
            continued.push((thread.id, text));
        } else {
            let thread = new(by, connection, *contact, text);
            ids.push(thread.id);
            opened.push(thread);
        }
    }
    go_on(tx, by, &continued)?;
    open(tx, by, connection, &opened)?;
    Ok(ids)
}

fn threads(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    said: &[(ContactId, Option<&str>)],
) -> db::Result<Vec<Conversation>> {
    let contacts: Vec<ContactId> = said.iter().map(|(contact, _)| *contact).collect();
    if tx.dialect() == Dialect::Postgres {
        return tx.query(THREADS_MANY, &[&by.account, &connection.id(), &List(contacts)], read);
    }
    let mut found = Vec::new();
    for contact in contacts {
        found.extend(tx.find(FIND_THREAD, &[&by.account, &connection.id(), &contact], read)?);
    }
    Ok(found)
}

/// A conversation that begins with this message.
fn new(by: &By, connection: &StoredConnection, contact: ContactId, text: Option<String>) -> Conversation {
    let opened = blank(by, connection, contact, by.new_id());
    Conversation { last_message_at: Some(by.now), last_message_text: text, ..opened }
}

fn go_on(tx: &mut Tx<'_>, by: &By, continued: &[(ConversationId, Option<String>)]) -> db::Result<()> {
    if tx.dialect() == Dialect::Sqlite {
        return continued
            .iter()
            .try_for_each(|(id, text)| tx.execute(SAID, &[&by.account, id, &by.now, text])?.exactly(1));
    }
    if continued.is_empty() {
        return Ok(());
    }
    let (ids, texts): (Vec<ConversationId>, Vec<Option<String>>) = continued.iter().cloned().unzip();
    let params: Vec<db::OwnedParam> =
        vec![Box::new(by.account), Box::new(by.now), Box::new(List(ids)), Box::new(List(texts))];
    tx.execute_along(Query::whole(SAID_MANY, params))
}

fn open(tx: &mut Tx<'_>, by: &By, connection: &StoredConnection, opened: &[Conversation]) -> db::Result<()> {
    if opened.is_empty() {
        return Ok(());
    }
    let (channel, connection_id) = (connection.channel(), connection.id());
    let is_whole = if tx.dialect() == Dialect::Postgres {
        let params: &[&dyn db::Param] = &[
            &by.account,
            &channel,
            &connection_id,
            &by.now,
            &List(opened.iter().map(|thread| thread.id).collect()),
            &List(opened.iter().map(|thread| thread.contact_id).collect()),
            &List(opened.iter().map(|thread| thread.last_message_text.as_deref()).collect()),
        ];
        tx.execute(OPEN_MANY, params)?.rows() == opened.len() as u64
    } else {
        let mut rows: Vec<[&dyn db::Param; 8]> = Vec::with_capacity(opened.len());
        for thread in opened {
            rows.push([
                &by.account,
                &thread.id,
                &thread.contact_id,
                &channel,
                &connection_id,
                &by.now,
                &thread.last_message_text,
                &by.now,
            ]);
        }
        tx.insert_rows(OPEN, &rows)?;
        true
    };
    if !is_whole {
        // Another transaction has created one of these conversations. Run again, this finds it.
        return Err(tx.again());
    }
    let met: Vec<ContactId> = opened.iter().map(|thread| thread.contact_id).collect();
    contacts::met_many(tx, by.account, &met, channel.as_str())?;
    let created = opened
        .iter()
        .map(|conversation| NewEvent::new(event_types::CREATED, &ConversationEventData { conversation }));
    events::write_many(tx, by, &created.collect::<db::Result<Vec<NewEvent>>>()?)
}
