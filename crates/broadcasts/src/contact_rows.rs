//! What broadcasts do when a contact is erased or merged.

use frontdesk_crm::contacts::{ContactId, Dependent};
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_platform::By;

use crate::broadcast::BroadcastId;
use crate::recipients::{FailureReason, RecipientId, State};

frontdesk_db::statements! {
    /// The recipient stays counted, with its status; the contact's data is removed.
    ERASE = "UPDATE broadcast_recipients SET contact_id = NULL, phone = NULL, params = NULL, message_id = NULL, error = NULL, updated_at = $3,
            status = CASE status WHEN 'pending' THEN 'cancelled' WHEN 'queued' THEN 'cancelled' ELSE status END
        WHERE account_id = $1 AND contact_id = $2";
    SETTLE_ERASED = "INSERT INTO broadcast_counts (account_id, broadcast_id, id, sent, delivered, read, replied, failed, settled)
        SELECT account_id, broadcast_id, $3, 0, 0, 0, 0, 0, 1 FROM broadcast_recipients
        WHERE account_id = $1 AND contact_id = $2 AND status = 'queued'";
    OF_CONTACT = "SELECT broadcast_id, id, status FROM broadcast_recipients WHERE account_id = $1 AND contact_id = $2";
    MOVE = "UPDATE broadcast_recipients SET contact_id = $4 WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    DETACH = "UPDATE broadcast_recipients SET contact_id = NULL WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    CANCEL = "UPDATE broadcast_recipients SET status = 'cancelled', error = $4, updated_at = $5
        WHERE account_id = $1 AND broadcast_id = $2 AND id = $3 AND status = 'pending'";
}

/// Recipients of broadcasts.
pub struct ContactRows;

/// Marker type for the id of the counts row that an erasure adds.
enum Erasure {}

fn recipients(
    tx: &mut ReadTx<'_>,
    by: &By,
    contact: ContactId,
) -> db::Result<Vec<(BroadcastId, RecipientId, State)>> {
    tx.query(OF_CONTACT, &[&by.account, &contact], |row| Ok((row.next()?, row.next()?, row.next()?)))
}

impl Dependent for ContactRows {
    /// A queued message is deleted with its conversation, so no event about it will follow. Its recipient is settled
    /// here.
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
        let settled = by.new_id::<Erasure>();
        let _any_number_is_fine = tx.execute(SETTLE_ERASED, &[&by.account, &contact, &settled])?;
        let _any_number_is_fine = tx.execute(ERASE, &[&by.account, &contact, &by.now])?;
        Ok(())
    }

    /// Two recipients of one broadcast may become one contact, who must not get the message twice. The recipient that
    /// is still pending is cancelled. The row of the contact that was merged away stays, without a contact.
    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
        let (theirs, ours) = (recipients(tx, by, from)?, recipients(tx, by, into)?);
        let failure =
            FailureReason::new("merged", "The contact was merged with another recipient of this broadcast.");
        for (broadcast, id, state) in theirs {
            let rival = ours.iter().find(|(other, ..)| *other == broadcast);
            let Some((_, rival, rival_state)) = rival else {
                tx.execute(MOVE, &[&by.account, &broadcast, &id, &into])?.exactly(1)?;
                continue;
            };
            let waiting = match (state, rival_state) {
                (State::Pending, _) => Some(id),
                (_, State::Pending) => Some(*rival),
                _ => None,
            };
            if let Some(waiting) = waiting {
                let params: &[&dyn db::Param] =
                    &[&by.account, &broadcast, &waiting, &failure.written(), &by.now];
                tx.execute(CANCEL, params)?.exactly(1)?;
            }
            tx.execute(DETACH, &[&by.account, &broadcast, &id])?.exactly(1)?;
        }
        Ok(())
    }
}
