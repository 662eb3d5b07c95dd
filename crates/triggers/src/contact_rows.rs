//! What triggers do when a contact is erased or merged.

use frontdesk_crm::contacts::{ContactId, Dependent};
use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;

use crate::sql;

/// Triggers that act on one contact, queued events about contacts, and calls that named them.
pub struct ContactRows;

impl Dependent for ContactRows {
    /// A trigger that acts on the contact stays, and starts no run until it gets another contact.
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
        let _any_number_is_fine = tx.execute(sql::ERASE_CONTACT, &[&by.account, &contact, &by.now])?;
        let _any_number_is_fine = tx.execute(sql::DELETE_EVENTS_OF_CONTACT, &[&by.account, &contact])?;
        let _any_number_is_fine = tx.execute(sql::ERASE_CONTACT_FROM_CALLS, &[&by.account, &contact])?;
        Ok(())
    }

    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
        for statement in [sql::MERGE_CONTACT, sql::MOVE_EVENTS_TO_CONTACT, sql::MOVE_CALLS_TO_CONTACT] {
            let _any_number_is_fine = tx.execute(statement, &[&by.account, &from, &into])?;
        }
        Ok(())
    }
}
