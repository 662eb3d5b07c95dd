//! Erases a contact permanently.

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::events;
use frontdesk_search::contacts as search;

use super::contact::{Contact, ContactError, ContactId, MISSING};
use super::dependents::Dependents;
use super::event_types::{self, ContactEventData};
use super::sql::{COUNT_ONE_LESS, DELETE, DELETE_CHANNELS, DELETE_PHONES, DELETE_TAGS, DELETE_VALUES};
use super::{erasures, rows};

/// Erases a contact, and has every dependent erase or release its rows.
pub fn erase(tx: &mut Tx<'_>, by: &By, id: ContactId, dependents: Dependents) -> Result<(), ContactError> {
    let contact = rows::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    for dependent in dependents {
        dependent.erase(tx, by, id)?;
    }
    delete(tx, by, id)?;
    erasures::add(tx, by.account, id.uuid())?;
    let erased = Contact { updated_at: by.now, ..contact.erased() };
    events::write(tx, by, event_types::DELETED, &ContactEventData { contact: &erased })?;
    Ok(())
}

/// Deletes a contact's row and its dependent rows, and updates the count for the plan's limit.
pub(super) fn delete(tx: &mut Tx<'_>, by: &By, id: ContactId) -> db::Result<()> {
    delete_attached(tx, by.account, id)?;
    search::changed(tx, id.sequence())?;
    tx.execute(DELETE, &[&by.account, &id])?.exactly(1)?;
    let _no_limit_is_fine = tx.execute(COUNT_ONE_LESS, &[&by.account])?;
    Ok(())
}

fn delete_attached(tx: &mut Tx<'_>, account: AccountId, id: ContactId) -> db::Result<()> {
    for statement in [DELETE_TAGS, DELETE_VALUES, DELETE_CHANNELS, DELETE_PHONES] {
        let _any_number_is_fine = tx.execute(statement, &[&account, &id])?;
    }
    Ok(())
}
