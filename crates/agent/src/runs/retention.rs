//! Old runs are deleted, with their events, asks and model calls. The sums of what models cost stay (`spend`), so reports
//! of usage do not change.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use crate::ids::RunId;
use crate::spend::CallId;

/// Runs, and model calls, deleted in one transaction.
const RUNS_MAX: i64 = 50;
const CALLS_MAX: i64 = 1_000;

frontdesk_db::statements! {
    /// A run stays while the tree that it belongs to is at work.
    OLD = "SELECT r.id FROM runs r WHERE r.account_id = $1 AND r.id < $2 AND r.finished_at < $3
        AND NOT EXISTS (SELECT 1 FROM runs root WHERE root.account_id = $1 AND root.id = r.root_run_id AND root.status IN ('queued', 'running', 'waiting'))
        ORDER BY r.id LIMIT $4";
    DELETE_EVENTS = "DELETE FROM run_events WHERE account_id = $1 AND run_id = $2";
    DELETE_ASKS = "DELETE FROM asks WHERE account_id = $1 AND raised_by = $2";
    DELETE = "DELETE FROM runs WHERE account_id = $1 AND id = $2";
    DELETE_CALLS = "DELETE FROM ai_calls WHERE (account_id, id) IN
        (SELECT account_id, id FROM ai_calls WHERE account_id = $1 AND id < $2 AND state <> 'reserved' LIMIT $3)";
}

/// Deletes some of an account's runs that ended before a moment, and model calls that were made before it. Returns true
/// when there may be more.
pub fn purge(tx: &mut Tx<'_>, account: AccountId, before: Timestamp) -> db::Result<bool> {
    let old: &[&dyn db::Param] = &[&account, &RunId::first_at(before), &before, &RUNS_MAX];
    let runs = tx.query(OLD, old, only::<RunId>)?;
    for run in &runs {
        for statement in [DELETE_EVENTS, DELETE_ASKS, DELETE] {
            let _any_number_is_fine = tx.execute(statement, &[&account, run])?;
        }
    }
    let calls = tx.execute(DELETE_CALLS, &[&account, &CallId::first_at(before), &CALLS_MAX])?.rows();
    Ok(runs.len() as i64 == RUNS_MAX || calls == CALLS_MAX as u64)
}
