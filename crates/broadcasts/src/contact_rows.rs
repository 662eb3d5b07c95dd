//! What broadcasts do when a contact is erased or merged.

use frontdesk_crm::contacts::{ContactId, Dependent};
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_platform::By;

use crate::broadcast::BroadcastId;
use crate::recipients::{FailureReason, RecipientId, State};
use crate::sql::{CANCEL_OF_CONTACT, DETACH, ERASE, MOVE_CONTACT, OF_CONTACT, SETTLE_ERASED};

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
                tx.execute(MOVE_CONTACT, &[&by.account, &broadcast, &id, &into])?.exactly(1)?;
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
                tx.execute(CANCEL_OF_CONTACT, params)?.exactly(1)?;
            }
            tx.execute(DETACH, &[&by.account, &broadcast, &id])?.exactly(1)?;
        }
        Ok(())
    }
}
