//! Logins that no membership uses any more are deleted after a while.

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::LoginId;
use super::sql::{
    CLEAR_CODES, CLEAR_IDENTITIES, DELETE_LOGIN, DETACH_MEMBERS, END_ALL_SESSIONS, LEAVE_LOGIN, LOGINS_KEPT,
    LOGINS_OF_ACCOUNT_ALONE, ORPHANS,
};

/// Logins deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 100;

/// Deletes some of the logins whose last membership ended before a moment. Returns true when there may be more.
pub fn forget(tx: &mut Tx<'_>, before: Timestamp) -> db::Result<bool> {
    let orphans = tx.query(ORPHANS, &[&before, &FORGET_ROWS_MAX], only::<LoginId>)?;
    for login in &orphans {
        for statement in [LEAVE_LOGIN, END_ALL_SESSIONS, CLEAR_CODES, CLEAR_IDENTITIES, DELETE_LOGIN] {
            let _any_number_is_fine = tx.execute(statement, &[login])?;
        }
    }
    Ok(orphans.len() as i64 == FORGET_ROWS_MAX)
}

/// Deletes some of the logins that only members of this account use. Returns how many.
pub fn forget_of(tx: &mut Tx<'_>, account: AccountId) -> db::Result<u64> {
    let logins = tx.query(LOGINS_OF_ACCOUNT_ALONE, &[&account, &FORGET_ROWS_MAX], only::<LoginId>)?;
    for login in &logins {
        for statement in [DETACH_MEMBERS, END_ALL_SESSIONS, CLEAR_CODES, CLEAR_IDENTITIES, DELETE_LOGIN] {
            let _any_number_is_fine = tx.execute(statement, &[login])?;
        }
    }
    Ok(logins.len() as u64)
}

/// How many logins that were made in this account are used by members of others.
pub fn kept_of(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<u64> {
    Ok(tx.find(LOGINS_KEPT, &[&account], only::<i64>)?.unwrap_or(0) as u64)
}
