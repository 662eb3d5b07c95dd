//! A run that a worker holds.

use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

use super::row::RunRow;
use crate::ids::RunId;

/// The name of a claimed run and of its lease.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(super) account: AccountId,
    pub(super) run: RunId,
    pub(super) lease: Uuid,
}

/// A claimed run, with its row at the time of the claim.
pub(crate) struct ClaimedRun {
    pub(super) job: Job,
    pub(super) row: RunRow,
    /// A worker that crashed left model calls without an outcome.
    pub(super) has_lost_calls: bool,
}

impl ClaimedRun {
    /// A run that was claimed by the transaction that started it.
    pub(crate) fn fresh(row: RunRow, lease: Uuid) -> Self {
        let job = Job { account: row.account, run: row.run.id, lease };
        Self { job, row, has_lost_calls: false }
    }
}
