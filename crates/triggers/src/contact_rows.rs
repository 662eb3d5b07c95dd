//! What triggers do when a contact is erased or merged.

use frontdesk_crm::contacts::{ContactId, Dependent};
use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;

use crate::events;

frontdesk_db::statements! {
    /// A firing that is under way holds the contact, so it ends before this.
    ERASE = "UPDATE triggers SET contact_id = NULL, last_error = 'contact_missing', updated_at = $3 WHERE account_id = $1 AND contact_id = $2";
    /// A firing that is under way finds its lease gone, and starts over with the other contact.
    MERGE = "UPDATE triggers SET contact_id = $3, due_at = next_fire_at, lease = NULL WHERE account_id = $1 AND contact_id = $2";
}

/// Triggers that act on one contact, and queued events about contacts.
pub struct ContactRows;

impl Dependent for ContactRows {
    /// A trigger that acts on the contact stays, and starts no run until it gets another contact.
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
        let _any_number_is_fine = tx.execute(ERASE, &[&by.account, &contact, &by.now])?;
        let _any_number_is_fine = tx.execute(events::FORGET_CONTACT, &[&by.account, &contact])?;
        Ok(())
    }

    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
        for statement in [MERGE, events::MOVE_CONTACT] {
            let _any_number_is_fine = tx.execute(statement, &[&by.account, &from, &into])?;
        }
        Ok(())
    }
}
