//! Rows that other slices and crates keep about contacts.
//!
//! They are above contacts, so they implement [`Dependent`], and the server passes all of them to [`crate::routes`]. If
//! one is left out, its tables fail the test that looks for an erased contact in every table.

use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;

use super::contact::ContactId;

/// What a slice does with its rows when a contact is erased or merged. The contact's row is locked.
pub trait Dependent: Sync {
    /// Erases everything about the contact. Rows that outlive it lose their contact. Rows that are too many for one transaction are hidden now and
    /// queued with [`super::erasures::add`].
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()>;

    /// Moves everything about one contact to another.
    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()>;
}

/// Rows that stay when their contact is erased, and move to the other contact in a merge. The statement points them from one
/// contact to another, or to none: the account, both contacts and the time.
pub struct Repointed(pub &'static str);

impl Repointed {
    fn repoint(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: Option<ContactId>) -> db::Result<()> {
        let _any_number_is_fine = tx.execute(self.0, &[&by.account, &from, &into, &by.now])?;
        Ok(())
    }
}

impl Dependent for Repointed {
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
        self.repoint(tx, by, contact, None)
    }

    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
        self.repoint(tx, by, from, Some(into))
    }
}

/// Everything that keeps rows about contacts.
pub type Dependents = &'static [&'static dyn Dependent];
