//! What happens to runs about a contact that is erased or merged.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db as db;
use frontdesk_platform::By;

use super::advance;
use super::row::hold;
use super::sql;
use crate::ids::RunId;

/// Cancels the active runs about an erased contact, and erases the content of all runs about it.
pub(crate) fn erase_of(tx: &mut db::Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
    for id in tx.query(sql::ACTIVE_OF_CONTACT, &[&by.account, &contact], db::only::<RunId>)? {
        if let Some(run) = hold(tx, by.account, id)?.filter(|run| !run.run.status.is_over()) {
            advance::end(tx, by, run, advance::End::Cancelled("Its contact was erased."))?;
        }
    }
    for statement in [sql::FORGET_EVENTS, sql::FORGET_CONTACT] {
        let _any_number_is_fine = tx.execute(statement, &[&by.account, &contact])?;
    }
    Ok(())
}

/// Moves the runs about one contact to another.
pub(crate) fn repoint(tx: &mut db::Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(sql::MOVE_CONTACT, &[&by.account, &from, &into])?;
    Ok(())
}
