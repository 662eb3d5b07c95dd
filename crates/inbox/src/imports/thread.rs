//! Connections and conversations of another system.

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::UserId;
use frontdesk_platform::By;
use frontdesk_platform::sealing::Keyring;
use uuid::Uuid;

use super::sql::{CONNECT, CONVERSATION, CURRENT, OPEN, REMEMBER, STORED, SUPERSEDE};
use crate::connections::{CREDENTIALS, Channel, ConnectionId};
use crate::conversations::{self, ConversationId, ConversationStatus};

/// Credentials of a connection that has none.
const NO_CREDENTIALS: &str = "null";

/// A channel of another system. It is disconnected here: its history is kept, and nothing is sent over it.
#[derive(Clone, Debug)]
pub struct PastConnection {
    pub channel: Channel,
    pub name: String,
    pub address: Option<String>,
    /// Why it is disconnected, and what to do.
    pub reason: String,
}

/// Creates a disconnected connection.
pub fn connection(
    tx: &mut Tx<'_>,
    by: &By,
    keys: &Keyring,
    past: &PastConnection,
) -> db::Result<ConnectionId> {
    let id: ConnectionId = by.new_id();
    let sealed = keys.seal(&CREDENTIALS.at(by.account, id.to_string()), NO_CREDENTIALS);
    let params: &[&dyn db::Param] =
        &[&by.account, &id, &past.channel, &past.name, &past.address, &past.reason, &sealed, &by.now];
    tx.execute(CONNECT, params)?.exactly(1)?;
    Ok(id)
}

/// A conversation of another system, which may have several of one contact on one channel. Only the newest of them is
/// current here: the next message of the customer goes on in it.
#[derive(Clone, Debug)]
pub struct PastConversation {
    pub contact: ContactId,
    pub connection: ConnectionId,
    pub channel: Channel,
    pub status: ConversationStatus,
    pub assigned: Option<UserId>,
    pub snoozed_until: Option<Timestamp>,
    /// Whether it is the newest of its contact on its channel there.
    pub is_newest: bool,
}

/// Creates a conversation at the time of `by`. None if its contact was deleted meanwhile.
pub fn conversation(tx: &mut Tx<'_>, by: &By, past: &PastConversation) -> db::Result<Option<ConversationId>> {
    if !contacts::hold(tx, by.account, past.contact)? {
        return Ok(None);
    }
    let mut is_current = past.is_newest;
    if is_current {
        let params: &[&dyn db::Param] = &[&by.account, &past.connection, &past.contact];
        if let Some(known) = tx.find_to_change(CURRENT, params, conversations::read)? {
            is_current = known.last_message_at.unwrap_or(known.created_at) <= by.now;
            if is_current {
                tx.execute(SUPERSEDE, &[&by.account, &known.id])?.exactly(1)?;
            }
        }
    }
    let (status, snoozed_until) =
        if is_current { (past.status, past.snoozed_until) } else { (ConversationStatus::Closed, None) };
    let (id, is_superseded): (ConversationId, bool) = (by.new_id(), !is_current);
    let params: &[&dyn db::Param] = &[
        &by.account,
        &id,
        &past.contact,
        &past.channel,
        &past.connection,
        &status,
        &past.assigned,
        &snoozed_until,
        &is_superseded,
        &by.now,
    ];
    tx.execute(OPEN, params)?.exactly(1)?;
    contacts::note_channel(tx, by.account, past.contact, past.channel.as_str())?;
    Ok(Some(id))
}

/// The conversation of a contact on a connection that the next message would go to.
pub fn current(
    tx: &mut ReadTx<'_>,
    by: &By,
    connection: ConnectionId,
    contact: ContactId,
) -> db::Result<Option<ConversationId>> {
    let found = tx.find(CURRENT, &[&by.account, &connection, &contact], conversations::read)?;
    Ok(found.map(|conversation| conversation.id))
}

/// Stores by what a channel knows a contact, so that the person is recognised when the channel is connected again.
pub fn known_person(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    person: &str,
    contact: ContactId,
) -> db::Result<()> {
    let _known_already_is_fine = tx.execute(REMEMBER, &[&by.account, &connection, &person, &contact])?;
    Ok(())
}

/// The connections of conversations, in their order. None of those that are gone.
pub fn conversations_there(
    tx: &mut ReadTx<'_>,
    by: &By,
    ids: &[Uuid],
) -> db::Result<Vec<Option<ConnectionId>>> {
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&by.account as &dyn db::Param, id]).collect();
    tx.find_each(CONVERSATION, &rows, only)
}

/// What is stored of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredConversation {
    pub contact: ContactId,
    pub connection: ConnectionId,
    pub status: ConversationStatus,
    /// Whether another conversation of the contact goes on in its place.
    pub is_superseded: bool,
}

/// What is stored of conversations, in their order. None of those that are gone.
pub fn stored_conversations(
    tx: &mut ReadTx<'_>,
    by: &By,
    ids: &[Uuid],
) -> db::Result<Vec<Option<StoredConversation>>> {
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&by.account as &dyn db::Param, id]).collect();
    tx.find_each(STORED, &rows, |row| {
        Ok(StoredConversation {
            contact: row.next()?,
            connection: row.next()?,
            status: row.next()?,
            is_superseded: row.next()?,
        })
    })
}
