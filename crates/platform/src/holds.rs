//! Holds: after a restore from a backup, the work of every account waits until the operator resumes it.
//!
//! What was queued at the time of the backup may have been done since by the servers of the lost database. A restored one
//! cannot know. So nothing that was queued is claimed: messages, webhooks, runs, triggers and broadcasts.

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;

use crate::suspensions;

frontdesk_db::statements! {
    HELD = "SELECT min(held_at), count(*) FROM accounts WHERE held_at IS NOT NULL";
    RELEASE = "UPDATE accounts SET held_at = NULL WHERE held_at IS NOT NULL";
}

/// The accounts that are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// When the backup was taken.
    pub since: Timestamp,
    pub accounts: i64,
}

impl Hold {
    /// What waits, and what to do, for the operator.
    pub fn message(&self) -> String {
        format!(
            "this database was restored from a backup of {}: what was queued then waits; run `frontdesk resume-sending` \
             when the servers of the lost database are gone",
            self.since
        )
    }
}

/// The accounts that are held; none if there are none.
pub fn find(tx: &mut ReadTx<'_>) -> db::Result<Option<Hold>> {
    let found = tx.find(HELD, &[], |row| Ok((row.next::<Option<Timestamp>>()?, row.next()?)))?;
    Ok(found.and_then(|(since, accounts)| Some(Hold { since: since?, accounts })))
}

/// Lets the work of all accounts go on. Returns how many were held.
pub fn release(tx: &mut Tx<'_>) -> db::Result<u64> {
    let released = tx.execute(RELEASE, &[])?.rows();
    tx.notify(suspensions::CHANGED)?;
    Ok(released)
}
