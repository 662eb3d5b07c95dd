//! Logins that no membership uses any more are deleted after a while.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;

use super::LoginId;

/// Logins deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 100;

frontdesk_db::statements! {
    ORPHANS = "SELECT l.id FROM logins l WHERE l.updated_at < $1 AND NOT EXISTS
        (SELECT 1 FROM members m WHERE m.login_id = l.id AND (m.removed_at IS NULL OR m.removed_at >= $1)) LIMIT $2";
    LEAVE = "UPDATE members SET login_id = NULL WHERE login_id = $1 AND removed_at IS NOT NULL";
    END_SESSIONS = "DELETE FROM sessions WHERE login_id = $1";
    CLEAR_CODES = "DELETE FROM recovery_codes WHERE login_id = $1";
    DELETE = "DELETE FROM logins WHERE id = $1";
}

/// Deletes some of the logins whose last membership ended before a moment. Returns true when there may be more.
pub fn forget(tx: &mut Tx<'_>, before: Timestamp) -> db::Result<bool> {
    let orphans = tx.query(ORPHANS, &[&before, &FORGET_ROWS_MAX], only::<LoginId>)?;
    for login in &orphans {
        for statement in [LEAVE, END_SESSIONS, CLEAR_CODES, DELETE] {
            let _any_number_is_fine = tx.execute(statement, &[login])?;
        }
    }
    Ok(orphans.len() as i64 == FORGET_ROWS_MAX)
}
