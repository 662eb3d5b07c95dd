//! What a kind of job is.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Topic, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use uuid::Uuid;

use crate::Limits;

/// A kind of job: four functions, and a few more where the defaults do not fit.
///
/// `due`, `claim` and `settle` run inside a transaction and may run twice, so they have no side effects but those on
/// the transaction. `act` runs with no transaction open, and is the only one that may wait for a network.
pub trait Kind: Send + Sync + Sized + 'static {
    /// What it is called in logs, in metrics, and in the lease on a lane.
    const NAME: &'static str;
    /// The topic whose wake-ups name lanes with new work.
    const TOPIC: Topic;
    const LIMITS: Limits;

    /// What jobs queue for: an endpoint, a connection, an account. A kind with a single queue uses `()`.
    type Lane: LaneId;
    /// A claimed row.
    type Job: Send + Sync + 'static;
    /// What came of a job.
    type Outcome: Send + Sync + 'static;
    /// What `settle` has to say after its commit; `()` if nothing.
    type Settled: Send + 'static;

    /// The lanes that have something due. Runs about once a second on every server, so it must use an index.
    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<Self::Lane>>;

    /// Claims up to `claim.most` jobs of a lane, by a statement made with [`claim_sql!`](crate::claim_sql).
    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<Self::Lane>) -> db::Result<Claimed<Self::Job>>;

    /// Does the job.
    fn act(&self, job: Arc<Self::Job>) -> impl Future<Output = Self::Outcome> + Send;

    /// Writes what came of jobs, each only where its lease still holds. The engine keeps the batch and tries again if
    /// the store fails.
    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp)
    -> db::Result<Self::Settled>;

    /// The account whose limit the job counts against.
    fn account(&self, _job: &Self::Job) -> Option<AccountId> {
        None
    }

    /// What an outcome says about its lane.
    fn health(&self, _outcome: &Self::Outcome) -> Health {
        Health::Fine
    }

    /// Runs after the commit of `settle`: the place for logs and metrics.
    fn settled(&self, settled: Self::Settled) {
        drop(settled);
    }

    /// Makes jobs due again that were claimed and not begun, or broken off. Without this they wait for their lease to end.
    fn give_back(&self, _tx: &mut Tx<'_>, _jobs: &[Arc<Self::Job>], _now: Timestamp) -> db::Result<()> {
        Ok(())
    }

    /// Whether there is something to sweep, such as leases of dead servers. Asked before each look.
    fn is_stale(&self, _tx: &mut ReadTx<'_>, _now: Timestamp) -> db::Result<bool> {
        Ok(false)
    }

    /// Sweeps a batch. True when there may be more.
    fn sweep(&self, _tx: &mut Tx<'_>, _now: Timestamp) -> db::Result<bool> {
        Ok(false)
    }

    /// Takes back a batch of all claims, whatever their leases say; true when there may be more. Runs when a server
    /// starts on SQLite, which has no other server that could be at work.
    fn begin_anew(&self, _tx: &mut Tx<'_>, _now: Timestamp) -> db::Result<bool> {
        Ok(false)
    }
}

/// The id of a lane. Wake-ups name lanes by their UUID.
pub trait LaneId: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    fn uuid(self) -> Uuid;
    fn from_uuid(uuid: Uuid) -> Self;
}

impl<T: ?Sized + 'static> LaneId for Id<T> {
    fn uuid(self) -> Uuid {
        Id::uuid(&self)
    }

    fn from_uuid(uuid: Uuid) -> Self {
        Self::from_uuid(uuid)
    }
}

/// What wakes a kind that has a single queue.
pub const ONLY_LANE: Uuid = Uuid::nil();

impl LaneId for () {
    fn uuid(self) -> Uuid {
        ONLY_LANE
    }

    fn from_uuid(_: Uuid) -> Self {}
}

/// What the engine asks for when it claims.
#[derive(Clone, Copy, Debug)]
pub struct Claim<L> {
    pub lane: L,
    pub most: usize,
    pub now: Timestamp,
    /// The token that fences what is claimed: no two claims share one.
    pub lease: Uuid,
    pub leased_until: Timestamp,
}

/// What came of a claim.
#[derive(Debug)]
pub enum Claimed<J> {
    Jobs {
        jobs: Vec<J>,
        /// The lane's pace from now on; `None` leaves it as it is.
        per_second: Option<f64>,
    },
    /// The lane takes no work any more. The claim has failed a batch of what waited; `more` when there may be more.
    Gone { more: bool },
    /// Another server has charge of the lane.
    Elsewhere,
}

impl<J> Claimed<J> {
    /// Jobs of a lane whose pace stays as it is.
    pub fn jobs(jobs: Vec<J>) -> Self {
        Self::Jobs { jobs, per_second: None }
    }
}

/// What an outcome says about its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Fine,
    /// A lane that fails time and again gets few jobs at a time, then one at a measured pace.
    Failing,
    /// A paced lane slows down for a while.
    Overloaded,
}

/// A job and what came of it.
pub struct Done<K: Kind> {
    pub lane: K::Lane,
    pub job: Arc<K::Job>,
    pub outcome: K::Outcome,
}

/// A job on its way from the transaction that created it.
pub(crate) struct Fresh<L, J> {
    pub(crate) lane: L,
    pub(crate) job: J,
    pub(crate) leased_until: Timestamp,
}

/// Hands a job straight to the engine of the kind with this topic, lane and job in this process, once the transaction has
/// committed. The transaction must have asked `tx.has_room(topic, lane)` and must have written the row as claimed under a
/// lease of its own. If the job is lost on the way, its lease ends like any other.
pub fn hand_over<L: LaneId, J: Send + 'static>(
    tx: &mut Tx<'_>,
    topic: Topic,
    lane: L,
    job: J,
    leased_until: Timestamp,
) {
    tx.hand_over(topic, Box::new(Fresh { lane, job, leased_until }));
}
