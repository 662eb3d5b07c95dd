//! Updates memories, runs and asks when a contact is erased or merged.

use frontdesk_crm::contacts::{ContactId, Dependent};
use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;

use crate::{asks, held_calls, memories, runs};

/// Memories, runs and asks about contacts.
pub struct ContactRows;

impl Dependent for ContactRows {
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
        memories::erase_of(tx, by.account, contact)?;
        asks::forget(tx, by.account, contact)?;
        held_calls::erase_of(tx, by, contact)?;
        runs::erase_of(tx, by, contact)
    }

    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
        memories::repoint(tx, by.account, from, into)?;
        held_calls::repoint(tx, by.account, from, into)?;
        runs::repoint(tx, by, from, into)
    }
}
