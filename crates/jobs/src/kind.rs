//! The trait that defines a kind of job.

use std::sync::Arc;

use frontdesk_db::{self as db, LeaseRange, ReadTx, Topic, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use crate::lane::{Health, LaneId};
use crate::leased_rows::{LeasedRow, LeasedRows};
use crate::limits::Limits;
use crate::queue::Queue;
use crate::sql::Claim;

/// A kind of job: four required functions, and a few more for kinds that the defaults do not fit.
///
/// `due`, `claim` and `settle` run inside a transaction and may run twice, so they have no side effects outside the
/// transaction. `act` runs with no transaction open, and is the only one that may wait for the network.
pub trait Kind: Send + Sync + Sized + 'static {
    /// The name in logs, in metrics, and in the lease on a lane.
    const NAME: &'static str;
    /// The topic whose wake-ups name lanes with new work.
    const TOPIC: Topic;
    const LIMITS: Limits;
    /// The queue by which transactions hand new jobs over, if they do.
    const QUEUE: Queue<Self::Lane, Self::Job> = Queue::new(Self::TOPIC);
    /// The table of the jobs, if it has a `due_at` and a `lease`. Then `give_back` and `take_over` need no code.
    const ROWS: Option<LeasedRows> = None;

    /// The id of a queue of jobs: an endpoint, a connection, an account. A kind with a single queue uses `()`.
    type Lane: LaneId;
    /// A claimed row.
    type Job: Send + Sync + 'static;
    /// The result of a job.
    type Outcome: Send + Sync + 'static;
    /// What `settle` passes to `settled` after its commit; `()` if nothing.
    type Settled: Send + 'static;

    /// The lanes that have something due. Runs about once a second on every server, so it must use an index.
    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<Self::Lane>>;

    /// Claims up to `claim.most` jobs of a lane, with a statement made by [`claim_sql!`](crate::claim_sql).
    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<Self::Lane>) -> db::Result<Claimed<Self::Job>>;

    /// Does the job.
    fn act(&self, job: Arc<Self::Job>) -> impl Future<Output = Self::Outcome> + Send;

    /// Writes the outcomes of jobs, each only if its lease still holds. If the store fails, the engine keeps the batch
    /// and retries.
    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp)
    -> db::Result<Self::Settled>;

    /// The account whose limit the job counts against.
    fn account(&self, _job: &Self::Job) -> Option<AccountId> {
        None
    }

    /// Which attempt this is, from 1, for traces; none if the kind does not count them.
    fn attempt(&self, _job: &Self::Job) -> Option<i64> {
        None
    }

    /// The health of a lane, as shown by one outcome.
    fn health(&self, _outcome: &Self::Outcome) -> Health {
        Health::Fine
    }

    /// Runs after `settle` commits. Use it for logs and metrics.
    fn settled(&self, settled: Self::Settled) {
        drop(settled);
    }

    /// Releases a job whose outcome can never be written. Without this it waits until its lease expires, so a kind whose
    /// claims last as long as the server must do something here.
    fn give_up(&self, _tx: &mut Tx<'_>, _job: &Self::Job) -> db::Result<()> {
        Ok(())
    }

    /// The rows of a job in `ROWS`.
    fn rows(&self, _job: &Self::Job) -> Vec<LeasedRow> {
        Vec::new()
    }

    /// Makes jobs due again that were claimed but not begun, or aborted. Without this they wait until their lease
    /// expires.
    fn give_back(&self, tx: &mut Tx<'_>, jobs: &[Arc<Self::Job>], now: Timestamp) -> db::Result<()> {
        let Some(table) = Self::ROWS else { return Ok(()) };
        jobs.iter().flat_map(|job| self.rows(job)).try_for_each(|row| table.give_back(tx, row, now))
    }

    /// Whether there is anything to sweep, such as leases of dead servers. Runs before each look for due lanes.
    fn is_stale(&self, _tx: &mut ReadTx<'_>, _now: Timestamp) -> db::Result<bool> {
        Ok(false)
    }

    /// Sweeps a batch. Returns true when there may be more.
    fn sweep(&self, _tx: &mut Tx<'_>, _now: Timestamp) -> db::Result<bool> {
        Ok(false)
    }

    /// Releases a batch of claims of a dead server, even if their leases have not expired. Returns true when there may be
    /// more. Runs when a server has died; on SQLite, where no other server can be at work, for all leases at the start.
    fn take_over(&self, tx: &mut Tx<'_>, dead: LeaseRange, now: Timestamp) -> db::Result<bool> {
        Self::ROWS.map_or(Ok(()), |table| table.take_over(tx, dead, now))?;
        Ok(false)
    }

    /// Runs once, before the first claim. On SQLite the claims of the last server are released by then.
    fn begin(&self) {}
}

/// The result of a claim.
#[derive(Debug)]
pub enum Claimed<J> {
    Jobs {
        jobs: Vec<J>,
        /// The lane's new pace; `None` leaves it unchanged.
        per_second: Option<f64>,
    },
    /// The lane accepts no more jobs. The claim has failed a batch of the waiting jobs; `more` is true when there may
    /// be more.
    Gone { more: bool },
    /// Another server holds the lease on the lane.
    Elsewhere,
}

impl<J> Claimed<J> {
    /// Jobs of a lane whose pace does not change.
    pub fn jobs(jobs: Vec<J>) -> Self {
        Self::Jobs { jobs, per_second: None }
    }
}

/// A job and its outcome.
pub struct Done<K: Kind> {
    pub lane: K::Lane,
    pub job: Arc<K::Job>,
    pub outcome: K::Outcome,
}
