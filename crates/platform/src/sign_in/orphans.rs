//! Logins that no membership uses any more are deleted after a while.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;

use super::LoginId;
use super::sql::{CLEAR_CODES, CLEAR_IDENTITIES, DELETE_LOGIN, END_ALL_SESSIONS, LEAVE_LOGIN, ORPHANS};

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
