//! Messages of another system.

use std::collections::BTreeMap;

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, FOR_UPDATE, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::UserId;
use frontdesk_platform::By;
use frontdesk_search::messages as search;

use super::sql::{HOLD, IS_THERE, LAST, LAST_INBOUND, WRITE};
use crate::connections::ConnectionId;
use crate::conversations::{ConversationId, preview};
use crate::ids::MessageId;
use crate::media::{self, MediaId};
use crate::message::{Direction, MessageStatus, MessageType, SenderType};

/// A message of another system. Its id says when it was written.
#[derive(Clone, Debug)]
pub struct PastMessage {
    pub id: MessageId,
    pub conversation: ConversationId,
    pub connection: ConnectionId,
    pub sender: SenderType,
    pub kind: MessageType,
    pub text: Option<String>,
    /// A file that is stored already.
    pub media: Option<MediaId>,
    /// The address of a file that is not.
    pub media_url: Option<String>,
    /// More about a place, as JSON.
    pub details: Option<String>,
    pub status: MessageStatus,
    pub author: Option<UserId>,
}

impl PastMessage {
    pub fn direction(&self) -> Direction {
        if self.sender == SenderType::Customer { Direction::Inbound } else { Direction::Outbound }
    }
}

/// What is stored of a message: its direction and text.
type Stored = (Direction, Option<String>);

/// What is stored of messages with these ids, in their order.
pub fn there(tx: &mut ReadTx<'_>, by: &By, ids: &[MessageId]) -> db::Result<Vec<Option<Stored>>> {
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&by.account as &dyn db::Param, id]).collect();
    tx.find_each(IS_THERE, &rows, |row| Ok((row.next()?, row.next()?)))
}

/// The newest message of a conversation, and the newest of the customer.
#[derive(Default)]
struct Newest<'m> {
    any: Option<&'m PastMessage>,
    inbound: Option<MessageId>,
}

/// Writes messages that are not there yet. Those of conversations that were deleted meanwhile are left out; returns how many
/// were written.
pub fn write(tx: &mut Tx<'_>, by: &By, messages: &[PastMessage]) -> db::Result<usize> {
    let mut newest: BTreeMap<ConversationId, Newest<'_>> = BTreeMap::new();
    for message in messages {
        newest.entry(message.conversation).or_default();
    }
    let ids: Vec<ConversationId> = newest.keys().copied().collect();
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&by.account as &dyn db::Param, id]).collect();
    let people = tx.find_each_locked(HOLD, FOR_UPDATE, &rows, only::<ContactId>)?;
    let people: BTreeMap<ConversationId, ContactId> =
        ids.into_iter().zip(people).filter_map(|(id, contact)| Some((id, contact?))).collect();
    let messages: Vec<&PastMessage> =
        messages.iter().filter(|message| people.contains_key(&message.conversation)).collect();
    insert(tx, by, &messages)?;
    for media in messages.iter().filter_map(|message| message.media) {
        media::take(tx, by, media)?;
    }
    for message in &messages {
        let newest = newest.entry(message.conversation).or_default();
        newest.any = newest.any.filter(|known| known.id > message.id).or(Some(message));
        if message.direction() == Direction::Inbound {
            newest.inbound = newest.inbound.max(Some(message.id));
        }
    }
    note(tx, by, &newest, &people)?;
    Ok(messages.len())
}

fn insert(tx: &mut Tx<'_>, by: &By, messages: &[&PastMessage]) -> db::Result<()> {
    let more: Vec<(Direction, Option<String>)> = messages
        .iter()
        .map(|message| (message.direction(), search::column(tx, message.text.as_deref())))
        .collect();
    let rows: Vec<[&dyn db::Param; 14]> = messages
        .iter()
        .zip(&more)
        .map(|(message, (direction, search))| {
            [
                &by.account as &dyn db::Param,
                &message.id,
                &message.conversation,
                &message.connection,
                direction,
                &message.sender,
                &message.kind,
                &message.text,
                &message.media,
                &message.media_url,
                &message.details,
                &message.status,
                &message.author,
                search,
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    tx.insert_each(WRITE, &rows)?;
    let with_text = messages.iter().filter(|message| message.text.is_some());
    search::written(tx, by.account, with_text.map(|message| message.id.uuid()))
}

/// Brings conversations and contacts up to date with their newest messages.
fn note(
    tx: &mut Tx<'_>,
    by: &By,
    newest: &BTreeMap<ConversationId, Newest<'_>>,
    people: &BTreeMap<ConversationId, ContactId>,
) -> db::Result<()> {
    let of_all: Vec<(ConversationId, Timestamp, Option<String>)> = newest
        .iter()
        .filter_map(|(id, newest)| {
            let message = newest.any?;
            Some((*id, message.id.created_at(), message.text.as_deref().map(preview)))
        })
        .collect();
    let rows: Vec<[&dyn db::Param; 4]> =
        of_all.iter().map(|(id, at, text)| [&by.account as &dyn db::Param, id, at, text]).collect();
    let _newer_ones_stay = tx.execute_each(LAST, &rows)?;
    let of_inbound: Vec<(ConversationId, Timestamp)> =
        newest.iter().filter_map(|(id, newest)| Some((*id, newest.inbound?.created_at()))).collect();
    let rows: Vec<[&dyn db::Param; 3]> =
        of_inbound.iter().map(|(id, at)| [&by.account as &dyn db::Param, id, at]).collect();
    let _newer_ones_stay = tx.execute_each(LAST_INBOUND, &rows)?;
    for (id, at) in of_inbound {
        if let Some(contact) = people.get(&id) {
            contacts::note_inbound(tx, by.account, *contact, at)?;
        }
    }
    Ok(())
}
