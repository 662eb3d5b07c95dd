//! Statements and row mapping of deals.

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::export::{Columns, ExportedRows, line};

use super::deal::{Deal, DealId};

/// The columns that [`read`] maps.
macro_rules! columns {
    () => {
        "SELECT id, title, value, currency, pipeline_id, stage_id, contact_id, owner_user_id, status, lost_reason, \
         expected_close_date, closed_at, updated_at FROM deals WHERE account_id = "
    };
}

pub(super) const SELECT: &str = columns!();

/// The columns of a change of a deal, and the name of its key.
pub(super) const SELECT_CHANGES: &str =
    "SELECT h.id, h.deal_id, h.kind, h.old_value, h.new_value, h.old_contact_id,
    h.new_contact_id, h.by_user_id, h.by_assistant_id, h.by_key_id, k.name FROM ";

frontdesk_db::statements! {
    REPOINT = "UPDATE deals SET contact_id = $3, updated_at = $4 WHERE account_id = $1 AND contact_id = $2";
    FIND = concat!(columns!(), "$1 AND id = $2");
    INSERT = "INSERT INTO deals (account_id, id, title, search, value, currency, pipeline_id, stage_id, contact_id, owner_user_id,
        status, lost_reason, expected_close_date, closed_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    UPDATE = "UPDATE deals SET title = $3, search = $4, value = $5, currency = $6, pipeline_id = $7, stage_id = $8, contact_id = $9,
        owner_user_id = $10, status = $11, lost_reason = $12, expected_close_date = $13, closed_at = $14, updated_at = $15
        WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM deals WHERE account_id = $1 AND id = $2";
    INSERT_CHANGE = "INSERT INTO deal_changes (account_id, deal_id, id, kind, old_value, new_value, old_contact_id, new_contact_id,
        by_user_id, by_assistant_id, by_key_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    ERASE_CHANGES = "DELETE FROM deal_changes WHERE account_id = $1 AND deal_id = $2";
    FORGET_OLD_CONTACT = "UPDATE deal_changes SET old_contact_id = NULL WHERE account_id = $1 AND old_contact_id = $2";
    FORGET_NEW_CONTACT = "UPDATE deal_changes SET new_contact_id = NULL WHERE account_id = $1 AND new_contact_id = $2";
    MOVE_OLD_CONTACT = "UPDATE deal_changes SET old_contact_id = $3 WHERE account_id = $1 AND old_contact_id = $2";
    MOVE_NEW_CONTACT = "UPDATE deal_changes SET new_contact_id = $3 WHERE account_id = $1 AND new_contact_id = $2";
}

/// Forget and move a contact in both of the columns that name one.
pub(super) const FORGET_CONTACT: [&str; 2] = [FORGET_OLD_CONTACT, FORGET_NEW_CONTACT];
pub(super) const MOVE_CONTACT: [&str; 2] = [MOVE_OLD_CONTACT, MOVE_NEW_CONTACT];

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: DealId) -> db::Result<Option<Deal>> {
    tx.find(FIND, &[&account, &id], read)
}

/// The same, to be changed in this transaction. Other writers wait for the row lock, and then see this
/// change.
pub(super) fn find_to_change(tx: &mut Tx<'_>, account: AccountId, id: DealId) -> db::Result<Option<Deal>> {
    tx.find_to_change(FIND, &[&account, &id], read)
}

pub(super) fn insert(tx: &mut Tx<'_>, by: &By, deal: &Deal) -> db::Result<()> {
    write(tx, by, INSERT, deal)
}

pub(super) fn update(tx: &mut Tx<'_>, by: &By, deal: &Deal) -> db::Result<()> {
    write(tx, by, UPDATE, deal)
}

fn write(tx: &mut Tx<'_>, by: &By, statement: &str, deal: &Deal) -> db::Result<()> {
    let params: &[&dyn db::Param] = &[
        &by.account,
        &deal.id,
        &deal.title,
        &deal.title.to_lowercase(),
        &deal.value,
        &deal.currency,
        &deal.pipeline_id,
        &deal.stage_id,
        &deal.contact_id,
        &deal.owner_user_id,
        &deal.status,
        &deal.lost_reason,
        &deal.expected_close_date.map(|date| date.to_string()),
        &deal.closed_at,
        &deal.updated_at,
    ];
    match tx.execute(statement, params) {
        // The stage was deleted since the lookup. Run again, this reports it as missing.
        Err(error) if error.is_constraint("deals_stage_fkey") => Err(tx.again()),
        written => written?.exactly(1),
    }
}

pub(super) const EXPORTED: ExportedRows = ExportedRows::new(
    "deals",
    &["deals"],
    Columns {
        sql: "t.id, t.title, t.value, t.currency, t.pipeline_id, t.stage_id, t.contact_id, t.owner_user_id, t.status, t.lost_reason,
            t.expected_close_date, t.closed_at, t.updated_at",
        line: |row, _| line(&read(row)?),
    },
)
.of_contact("t.contact_id = {contact}");

pub(super) fn read(row: &mut Row<'_>) -> db::Result<Deal> {
    let id: DealId = row.next()?;
    Ok(Deal {
        id,
        title: row.next()?,
        value: row.next()?,
        currency: row.next()?,
        pipeline_id: row.next()?,
        stage_id: row.next()?,
        contact_id: row.next()?,
        owner_user_id: row.next()?,
        status: row.next()?,
        lost_reason: row.next()?,
        expected_close_date: row.next()?,
        closed_at: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}
