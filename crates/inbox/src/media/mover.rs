//! The worker that moves new files out of the database to where new files go.
//!
//! A file is stored in the database first, in the transaction or the pieces of the request that brings it. So no request
//! waits for another system, and a place that does not work refuses nobody's file.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, Health, Kind, LeasedRow, LeasedRows, Limits, Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::ServerContext;
use uuid::Uuid;

use super::MediaId;
use super::files::MediaFiles;
use super::sql::{MOVE_LATER, MOVES, MOVES_DUE};
use super::transfer::{Pace, TransferError, Transferred, transfer};

/// The topic that wakes the worker.
const QUEUED: db::Topic = "file moves";
/// Maximum files that are moved at a time: of one account, and of all.
const ACCOUNT_SLOTS_MAX: usize = 2;
const SLOTS_MAX: usize = 8;
const SPARE_SLOTS_MAX: usize = 8;
/// The deadline of one file, and its lease, which is longer.
const ACT_TIME_MAX: Duration = Duration::from_mins(30);
const LEASE: Duration = Duration::from_mins(35);
/// The pause before the next try, which doubles up to `PAUSE_MAX`.
const PAUSE: Duration = Duration::from_secs(5);
const PAUSE_MAX: Duration = Duration::from_mins(10);

const _: () = assert!(LEASE.as_secs() > ACT_TIME_MAX.as_secs());

/// Wakes the worker for a file that was stored to be moved.
pub(super) fn wake(tx: &mut Tx<'_>, account: AccountId) {
    tx.wake_about(QUEUED, account.uuid());
}

/// Starts the worker. Without another place it claims nothing.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::start(Mover { files: MediaFiles::of(server), pace: Pace::default() }, context)
}

struct Mover {
    files: MediaFiles,
    pace: Pace,
}

struct Job {
    account: AccountId,
    media: MediaId,
    tries: i64,
    lease: Uuid,
}

impl Kind for Mover {
    const NAME: &'static str = "file moves";
    const TOPIC: db::Topic = QUEUED;
    const LIMITS: Limits = Limits {
        lane: ACCOUNT_SLOTS_MAX,
        overall: SLOTS_MAX,
        spare: SPARE_SLOTS_MAX,
        lease: LEASE,
        act_time_max: ACT_TIME_MAX,
        ..Limits::DEFAULT
    };
    const ROWS: Option<LeasedRows> = Some(MOVES);

    type Lane = AccountId;
    type Job = Job;
    type Outcome = Result<Transferred, TransferError>;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<AccountId>> {
        match self.files.places.target() {
            Some(_) => tx.query(MOVES_DUE, &[&now], only),
            None => Ok(Vec::new()),
        }
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<AccountId>) -> db::Result<Claimed<Job>> {
        if self.files.places.target().is_none() {
            return Ok(Claimed::jobs(Vec::new()));
        }
        let jobs = MOVES.claim(tx, claim, claim.most, &[&claim.lane], |row| {
            Ok(Job { account: claim.lane, media: row.next()?, tries: row.next()?, lease: claim.lease })
        })?;
        Ok(Claimed::jobs(jobs))
    }

    async fn act(&self, job: Arc<Job>) -> Self::Outcome {
        let to = self.files.places.target();
        let moved = transfer(&self.files, job.account, job.media, to, &self.pace);
        match tokio::time::timeout(ACT_TIME_MAX, moved).await {
            Ok(moved) => moved,
            // It is tried again, and its copy is in the queue of removals.
            Err(_) => Err(TransferError::Store(db::Error::TooLong)),
        }
    }

    /// A file that was moved is no job any more.
    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        for done in batch {
            let Job { account, media, lease, tries } = &*done.job;
            let due = match &done.outcome {
                Ok(Transferred::Moved { .. }) => continue,
                Ok(Transferred::NothingToDo) => now,
                Err(error) => {
                    let pause = (PAUSE * (1 << (*tries).clamp(0, 10))).min(PAUSE_MAX);
                    tracing::warn!(%media, %error, "a file stays in the database; retrying in {} s", pause.as_secs());
                    now + pause
                }
            };
            let _lost_lease_changes_nothing = tx.execute(MOVE_LATER, &[account, media, lease, &due])?;
        }
        Ok(())
    }

    fn account(&self, job: &Job) -> Option<AccountId> {
        Some(job.account)
    }

    fn health(&self, outcome: &Self::Outcome) -> Health {
        if outcome.is_ok() { Health::Fine } else { Health::Failing }
    }

    fn rows(&self, job: &Job) -> Vec<LeasedRow> {
        vec![LeasedRow::new(job.account, job.media, job.lease)]
    }
}
