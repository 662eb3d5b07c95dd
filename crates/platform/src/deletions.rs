//! Accounts that are being deleted. Every row of such an account is on its way out, so nothing is added: it is suspended,
//! nobody resumes it, and its channels' addresses lead nowhere.
//!
//! The account's own row is the last to go, together with the row that says so.

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use crate::accounts::{self, AccountError};
use crate::auth_version::raise_version;
use crate::suspensions;

frontdesk_db::statements! {
    FIND = "SELECT name, started_at, row_count FROM account_deletions WHERE account_id = $1";
    BEGIN = "INSERT INTO account_deletions (account_id, name, started_at, row_count) VALUES ($1, $2, $3, 0)";
    COUNT = "UPDATE account_deletions SET row_count = row_count + $2 WHERE account_id = $1";
    END = "DELETE FROM account_deletions WHERE account_id = $1";
    DELETE_ACCOUNT = "DELETE FROM accounts WHERE id = $1";
}

/// A deletion that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The account's name.
    pub name: String,
    pub started_at: Timestamp,
    /// The rows that were deleted so far.
    pub rows: u64,
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Option<Deletion>> {
    tx.find(FIND, &[&account], |row| {
        Ok(Deletion { name: row.next()?, started_at: row.next()?, rows: row.next::<i64>()? as u64 })
    })
}

/// Suspends the account and marks it as one that is being deleted, unless it is. Returns the deletion.
pub fn begin(tx: &mut Tx<'_>, account: AccountId, now: Timestamp) -> Result<Deletion, AccountError> {
    if let Some(begun) = find(tx, account)? {
        return Ok(begun);
    }
    let suspended = accounts::suspend(tx, account, true, now)?;
    tx.execute(BEGIN, &[&account, &suspended.name, &now])?.exactly(1)?;
    Ok(Deletion { name: suspended.name, started_at: now, rows: 0 })
}

/// Counts rows that this transaction has deleted.
pub fn count(tx: &mut Tx<'_>, account: AccountId, rows: u64) -> db::Result<()> {
    tx.execute(COUNT, &[&account, &(rows as i64)])?.exactly(1)
}

/// Deletes the account itself. No other table has a row of it any more.
pub fn end(tx: &mut Tx<'_>, account: AccountId) -> db::Result<()> {
    tx.execute(DELETE_ACCOUNT, &[&account])?.exactly(1)?;
    tx.execute(END, &[&account])?.exactly(1)?;
    tx.notify(suspensions::CHANGED)?;
    raise_version(tx)
}
