//! Erases and merges the inbox's rows of a contact.

use frontdesk_crm::contacts::{ContactId, Dependent, erasures};
use frontdesk_crm::notes;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;
use frontdesk_platform::events;

use crate::connections::ConnectionId;
use crate::conversations::event_types::{self, ConversationEventData};
use crate::conversations::{self, ConversationId, ConversationStatus};
use crate::media;
use crate::web_chat;

frontdesk_db::statements! {
    THREADS = "SELECT id, connection_id, status, superseded, last_message_at FROM conversations WHERE account_id = $1 AND contact_id = $2 ORDER BY id";
    HOLD = "SELECT id FROM conversations WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM conversations WHERE account_id = $1 AND id = $2";
    DELETE_SENDS = "DELETE FROM sends WHERE account_id = $1 AND connection_id = $2 AND conversation_id = $3";
    RELEASE_MEDIA = "UPDATE media SET uses = uses - c.n FROM (SELECT media_id, count(*) AS n FROM messages
            WHERE account_id = $1 AND conversation_id = $2 AND media_id IS NOT NULL GROUP BY media_id) AS c
        WHERE account_id = $1 AND id = c.media_id";
    DELETE_MEDIA = "DELETE FROM media WHERE account_id = $1 AND uses <= 0 AND id IN (
        SELECT media_id FROM messages WHERE account_id = $1 AND conversation_id = $2 AND media_id IS NOT NULL)";
    DELETE_IDENTITIES = "DELETE FROM identities WHERE account_id = $1 AND contact_id = $2";
    MOVE_IDENTITIES = "UPDATE identities SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2";
    SUPERSEDE = "UPDATE conversations SET superseded = true, status = 'closed', snoozed_until = NULL, handed_off_at = NULL, updated_at = $3 WHERE account_id = $1 AND id = $2";
    MOVE = "UPDATE conversations SET contact_id = $3, updated_at = $4 WHERE account_id = $1 AND contact_id = $2";
}

/// Conversations with their notes, messages, media and identities of contacts.
pub struct ContactRows;

#[derive(Clone, Copy, Debug)]
struct ContactConversation {
    id: ConversationId,
    connection: ConnectionId,
    status: ConversationStatus,
    superseded: bool,
    last_message_at: Option<Timestamp>,
}

/// The contact is locked, and conversations are created only under that lock, so there will be no others.
fn conversations_of(
    tx: &mut ReadTx<'_>,
    by: &By,
    contact: ContactId,
) -> db::Result<Vec<ContactConversation>> {
    tx.query(THREADS, &[&by.account, &contact], |row| {
        Ok(ContactConversation {
            id: row.next()?,
            connection: row.next()?,
            status: row.next()?,
            superseded: row.next()?,
            last_message_at: row.next()?,
        })
    })
}

impl Dependent for ContactRows {
    /// Everything that shows a message is deleted now: its conversation, its media and its queued sends.
    /// There may be many messages, so they are deleted later in batches; nothing finds them any more.
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
        for conversation in conversations_of(tx, by, contact)? {
            // Waits for transactions that are adding a message, so that the following statements see it.
            tx.execute(DELETE, &[&by.account, &conversation.id])?.exactly(1)?;
            let _any_number_is_fine =
                tx.execute(DELETE_SENDS, &[&by.account, &conversation.connection, &conversation.id])?;
            let _any_number_is_fine = tx.execute(RELEASE_MEDIA, &[&by.account, &conversation.id])?;
            media::remove_files_of_conversation(tx, by.account, conversation.id, by.now)?;
            let _any_number_is_fine = tx.execute(DELETE_MEDIA, &[&by.account, &conversation.id])?;
            conversations::erase_changes(tx, by.account, conversation.id)?;
            web_chat::erase_visits(tx, by.account, conversation.connection, conversation.id)?;
            notes::erase_of_conversation(tx, by.account, conversation.id)?;
            erasures::add(tx, by.account, conversation.id.uuid())?;
        }
        let _any_number_is_fine = tx.execute(DELETE_IDENTITIES, &[&by.account, &contact])?;
        Ok(())
    }

    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
        let (theirs, ours) = (conversations_of(tx, by, from)?, conversations_of(tx, by, into)?);
        let mut all: Vec<ConversationId> =
            theirs.iter().chain(&ours).map(|conversation| conversation.id).collect();
        all.sort_unstable();
        for id in all {
            tx.find_to_change(HOLD, &[&by.account, &id], db::only::<ConversationId>)?;
        }
        let mut closed = Vec::new();
        for conversation in theirs.iter().filter(|conversation| !conversation.superseded) {
            let rival = ours.iter().find(|own| own.connection == conversation.connection && !own.superseded);
            if let Some(rival) = rival {
                let earlier = *earlier(conversation, rival);
                tx.execute(SUPERSEDE, &[&by.account, &earlier.id, &by.now])?.exactly(1)?;
                closed.extend((earlier.status != ConversationStatus::Closed).then_some(earlier.id));
            }
        }
        let _any_number_is_fine = tx.execute(MOVE, &[&by.account, &from, &into, &by.now])?;
        let _any_number_is_fine = tx.execute(MOVE_IDENTITIES, &[&by.account, &from, &into])?;
        for id in closed {
            let now = conversations::find(tx, by.account, id)?.ok_or(db::Error::Decode("conversation"))?;
            let event = ConversationEventData { conversation: &now };
            events::write(tx, by, event_types::UPDATED, &event)?;
        }
        Ok(())
    }
}

/// The conversation whose last activity is earlier; of two without messages, the older one.
fn earlier<'a>(one: &'a ContactConversation, other: &'a ContactConversation) -> &'a ContactConversation {
    if (one.last_message_at, one.id) < (other.last_message_at, other.id) { one } else { other }
}
