//! Takes over the messages that a dead server had claimed.
//!
//! A message whose call had not begun is queued again, in its place. A call that had begun, or may have, has an unknown
//! outcome. Either way the row loses its lease, so no row is looked at twice, and the dead server, should it wake up, can
//! settle none of them.

use frontdesk_db::{self as db, BegunCalls, LeaseRange, Mark, Tx};
use frontdesk_kernel::ids::AccountId;

use super::settle;
use super::sql::HELD_BY;

/// Rows that are taken over in one transaction.
const ROWS_MAX: i64 = 500;

/// Takes over a batch. True if there may be more.
pub(super) fn take_over(tx: &mut Tx<'_>, dead: LeaseRange, calls: &BegunCalls) -> db::Result<bool> {
    tx.plan_by_index()?;
    let held = tx.query(HELD_BY, &[&dead.first, &dead.last, &ROWS_MAX], |row| {
        let account: AccountId = row.next()?;
        Ok((account, Mark { lease: row.next()?, row: row.next()?, part: row.next()? }))
    })?;
    let mut queued = 0;
    for (account, call) in &held {
        if calls.has_not_begun(call) {
            settle::give_back_call(tx, call, *account)?;
            queued += 1;
        } else {
            settle::doubt(tx, call, *account)?;
        }
    }
    if !held.is_empty() {
        let in_doubt = held.len() - queued;
        tracing::info!(queued, in_doubt, "took over messages of a dead server");
    }
    Ok(held.len() as i64 == ROWS_MAX)
}
