//! Old runs are deleted, with their events, asks and model calls. The sums of what models cost stay (`spend`), so reports
//! of usage do not change. Asks of programs, which belong to no run, are deleted likewise.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::sql;
use crate::held_calls;
use crate::ids::RunId;
use crate::spend::CallId;

/// Runs, and model calls, deleted in one transaction.
const RUNS_MAX: i64 = 50;
const CALLS_MAX: i64 = 1_000;

/// Deletes some of an account's runs that ended before a moment, and model calls that were made before it. Returns true
/// when there may be more.
pub fn purge(tx: &mut Tx<'_>, account: AccountId, before: Timestamp) -> db::Result<bool> {
    let old: &[&dyn db::Param] = &[&account, &RunId::first_at(before), &before, &RUNS_MAX];
    let runs = tx.query(sql::OLD_RUNS, old, only::<RunId>)?;
    for run in &runs {
        for statement in [sql::DELETE_EVENTS, sql::DELETE_ASKS, sql::DELETE] {
            let _any_number_is_fine = tx.execute(statement, &[&account, run])?;
        }
    }
    let calls = tx.execute(sql::DELETE_CALLS, &[&account, &CallId::first_at(before), &CALLS_MAX])?.rows();
    let more_held = held_calls::purge(tx, account, before)?;
    Ok(runs.len() as i64 == RUNS_MAX || calls == CALLS_MAX as u64 || more_held)
}
