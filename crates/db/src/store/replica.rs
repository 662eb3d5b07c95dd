//! The read replica: reads of accounts go there while it has every change of the account.
//!
//! The position of the account is read from the primary, where the transaction that changed the account has recorded it
//! before anybody was told of the commit. The replica is asked whether it has come so far in the round trip of the read's
//! first statement. Whatever goes wrong there, the same read is then made on the primary: a replica that is behind, dies,
//! hangs, was promoted or follows another primary costs time and never a request.

mod state;
mod watcher;
mod worker;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::TrySendError;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::job::{ReadOperation, Slot};
use super::pool::Kind;
use super::{Queue, Store, send};
use crate::error::{Error, Result};
use crate::position::{BEGIN_EPOCH, BEGIN_POSITIONS, FIND, Position};
use crate::postgres::Session;
use crate::read_tx::ReadTx;
use crate::scans::{ScanGuard, Scans};
use crate::tx::Tx;
use crate::wake::Wakes;

pub use state::ReplicaReport;
use state::{Cause, ReplicaState};
pub use watcher::look_at_replica;
use watcher::{Identity, Watcher};
use worker::{ReplicaJob, ReplicaOutcome, ReplicaRead, Worker};

/// Serializes servers that begin an epoch.
const EPOCH_LOCK: &str = "replica epoch";
/// Counts reads that may go to a replica, by where they were answered.
const READS: &str = "frontdesk_db_reads_total";
/// Counts reads that the replica did not answer, by cause.
const REFUSALS: &str = "frontdesk_db_replica_refusals_total";

/// The replica's pool.
pub(super) struct Replica {
    queue: Queue<ReplicaJob>,
    scans: Scans,
    state: Arc<ReplicaState>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Replica {
    /// Starts the pool. Fails if the URL names a database that is no replica of this one. A replica that cannot be reached
    /// yet is used later.
    pub(super) fn start(url: &str, primary: &mut Session, size: usize, queue_max: usize) -> Result<Self> {
        let identity = Identity::of(primary)?;
        primary.begin();
        // If this fails, the server does not start, and the session is dropped.
        let epoch = begin_epoch(&mut Tx::postgres(primary, &Wakes::default()))?;
        primary.commit()?;
        let state = Arc::new(ReplicaState::default());
        state.set_epoch(&epoch);
        let mut watcher = Watcher::new(url, identity.clone(), state.clone());
        watcher.look_first()?;
        let (queue, jobs) = crossbeam_channel::bounded(queue_max);
        let size = size.max(2);
        let mut threads: Vec<_> = (0..size)
            .map(|at| {
                let worker = Worker::new(url, identity.clone(), state.clone(), jobs.clone());
                thread(format!("replica-{at}"), move || worker.work())
            })
            .collect();
        threads.push(thread("replica-watcher".to_owned(), move || watcher.watch()));
        let scans = Scans::new((size / 2).max(1));
        Ok(Self { queue: Mutex::new(Some(queue)), scans, state, threads: Mutex::new(threads) })
    }

    pub(super) fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.state.stop();
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }

    async fn run(&self, read: ReplicaRead, outcome: oneshot::Receiver<ReplicaOutcome>) -> Outcome {
        if let Some(operation) = self.enqueue(read)? {
            count_refusal(Cause::Busy);
            return Err(Stopped::Refused(operation));
        }
        outcome.await.map_err(|_| Stopped::Failed(Error::Closed))?.into()
    }

    /// Queues a read. Returns its operation if the queue is full.
    fn enqueue(&self, read: ReplicaRead) -> Result<Option<ReadOperation>, Stopped> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = queue.as_ref().ok_or(Stopped::Failed(Error::Closed))?;
        match sender.try_send(ReplicaJob::Read(read)).map_err(TrySendError::into_inner) {
            Err(ReplicaJob::Read(read)) => Ok(Some(read.operation)),
            Ok(()) | Err(ReplicaJob::Cancel(_)) => Ok(None),
        }
    }
}

type Outcome = Result<(), Stopped>;

/// Why the replica did not answer.
enum Stopped {
    /// The primary can answer.
    Refused(ReadOperation),
    Failed(Error),
}

impl From<ReplicaOutcome> for Outcome {
    fn from(outcome: ReplicaOutcome) -> Self {
        match outcome {
            ReplicaOutcome::Done(done) => done.map_err(Stopped::Failed),
            ReplicaOutcome::Refused(cause, operation) => {
                count_refusal(cause);
                Err(Stopped::Refused(operation))
            }
        }
    }
}

impl Store {
    /// A short read of an account, which a read replica answers if there is one that has every change of the account.
    pub async fn read_replicated<T, E>(
        &self,
        account: Uuid,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        if self.shared.replica.is_none() {
            return self.read(operation).await;
        }
        let slot = Slot::new();
        let operation = slot.read_operation(operation);
        match self.on_replica(account, false, operation).await {
            Ok(()) => {}
            Err(Stopped::Failed(error)) => return Err(error.into()),
            Err(Stopped::Refused(operation)) => {
                self.run(Kind::Read, Box::new(move |tx| operation(tx))).await?;
            }
        }
        slot.take()
    }

    /// A read of an account that may take long, as [`Store::scan_for`], which a read replica answers if there is one that has
    /// every change of the account.
    pub async fn scan_replicated<T, E>(
        &self,
        account: Uuid,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let slot = Slot::new();
        let operation = slot.read_operation(operation);
        match self.on_replica(account, true, operation).await {
            Ok(()) => {}
            Err(Stopped::Failed(error)) => return Err(error.into()),
            Err(Stopped::Refused(operation)) => self.run_scan(Some(account), operation).await?,
        }
        slot.take()
    }

    /// The state of the read replica, if one is configured.
    pub fn replica(&self) -> Option<ReplicaReport> {
        self.shared.replica.as_ref().map(|replica| replica.state.report())
    }

    /// Boxed, so that it is compiled here and not in every crate that reads.
    fn on_replica(
        &self,
        account: Uuid,
        is_long: bool,
        operation: ReadOperation,
    ) -> std::pin::Pin<Box<dyn Future<Output = Outcome> + Send + '_>> {
        Box::pin(async move {
            let Some(replica) = &self.shared.replica else { return Err(Stopped::Refused(operation)) };
            let outcome = self.try_replica(replica, account, is_long, operation).await;
            let target = if outcome.is_ok() { "replica" } else { "primary" };
            metrics::counter!(READS, "target" => target).increment(1);
            outcome
        })
    }

    async fn try_replica(
        &self,
        replica: &Replica,
        account: Uuid,
        is_long: bool,
        operation: ReadOperation,
    ) -> Outcome {
        if !replica.state.is_usable() {
            count_refusal(Cause::Unused);
            return Err(Stopped::Refused(operation));
        }
        let Some(needed) = self.position(replica, account).await else {
            count_refusal(Cause::UnknownPosition);
            return Err(Stopped::Refused(operation));
        };
        let mut guard = None;
        if is_long {
            let slot = replica.scans.slot(Some(account)).await.map_err(Stopped::Failed)?;
            guard = Some(Arc::new(ScanGuard::new(slot, Some(self.shared.scan_time_max))));
        }
        let _caller = guard.clone().map(|guard| ReplicaCaller { replica, guard });
        let (reply, outcome) = oneshot::channel();
        replica.run(ReplicaRead { operation, guard, needed, reply }, outcome).await
    }

    /// The position of an account. None if it is not known, because the database has crashed or was promoted.
    async fn position(&self, replica: &Replica, account: Uuid) -> Option<Position> {
        let find = move |tx: &mut ReadTx<'_>| find_position(tx, account);
        let found = self.read_single(find).await.ok()?;
        if found.is_none() {
            // If this fails, the next read tries it again.
            let _ = self.write(begin_epoch).await;
        }
        if let Some(found) = &found {
            replica.state.set_epoch(&found.epoch);
        }
        found
    }
}

fn find_position(tx: &mut ReadTx<'_>, account: Uuid) -> Result<Option<Position>> {
    tx.find(FIND, &[&account], |row| Ok(Position { epoch: row.next()?, place: row.next()? }))
}

/// Begins an epoch unless there is one, and returns its name.
#[expect(clippy::disallowed_methods, reason = "a name that no other epoch has; nothing depends on its value")]
fn begin_epoch(tx: &mut Tx<'_>) -> Result<String> {
    tx.lock(EPOCH_LOCK.to_owned())?;
    if let Some(found) = find_position(tx, Uuid::nil())? {
        return Ok(found.epoch);
    }
    let epoch = Uuid::from_u128(rand::random()).simple().to_string();
    tx.execute(BEGIN_EPOCH, &[&epoch])?.exactly(1)?;
    tx.execute(BEGIN_POSITIONS, &[])?.exactly(1)?;
    tracing::info!(epoch, "a new epoch of positions begins, which read replicas must have come to");
    Ok(epoch)
}

/// The caller of a long read on the replica. When it is dropped, the read is interrupted unless it has finished.
struct ReplicaCaller<'r> {
    replica: &'r Replica,
    guard: Arc<ScanGuard>,
}

impl Drop for ReplicaCaller<'_> {
    fn drop(&mut self) {
        if self.guard.abandon() {
            // If the queue is full, the statement runs until its deadline.
            let _ = send(&self.replica.queue, ReplicaJob::Cancel(self.guard.clone()));
        }
    }
}

fn count_refusal(cause: Cause) {
    metrics::counter!(REFUSALS, "cause" => cause.name()).increment(1);
}

fn thread(name: String, work: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    std::thread::Builder::new().name(name).spawn(work).expect("a thread can be started")
}
