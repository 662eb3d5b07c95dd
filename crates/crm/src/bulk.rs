//! Changes of many rows in the background, with progress.
//!
//! A job is a row with the request. A worker changes a batch of rows at a time, each together with the job's
//! progress in one transaction, so a crash neither skips a row nor changes one twice. Rows are processed in a
//! fixed order, and rows that are created after the job was accepted are not part of it.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Row, Topic, Tx};
use frontdesk_jobs::{Chore, Context, FAULTS_MAX, Worker, catch_panic, set_aside};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::{By, Caller, Error as PlatformError, ServerContext, not_suspended, store_failure};
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Failure, FieldPath, Input, Items, Problems, Result as WebResult, choice, resource};
use serde_json::{Map, Value};
use tokio::sync::watch;
use uuid::Uuid;

/// Maximum ids of one request.
pub const IDS_MAX: usize = 1_000;
/// Maximum rows changed in one transaction, and its maximum work, in the units of [`BulkKind::work`].
const BATCH_ROWS_MAX: usize = 100;
const BATCH_WORK_MAX: usize = 250;
/// Rows that are counted at a time.
const COUNT_ROWS_MAX: i64 = 1_000;
/// Old jobs deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;
/// A short pause between batches, so that a large job does not block other writes.
const BATCH_PAUSE: Duration = Duration::from_millis(5);

/// The topic that wakes the worker.
const ACCEPTED: Topic = "bulk";

frontdesk_db::statements! {
    INSERT = "INSERT INTO bulk_jobs (account_id, id, kind, request, total, done, failed, status, below, updated_at)
        VALUES ($1, $2, $3, $4, $5, 0, 0, $6, $7, $8)";
    FIND = "SELECT account_id, id, kind, request, total, done, failed, status, below FROM bulk_jobs WHERE account_id = $1 AND id = $2";
    NEXT = concat!("SELECT account_id, id, kind, request, total, done, failed, status, below FROM bulk_jobs
        WHERE status = 'running' AND ", not_suspended!("bulk_jobs.account_id"), " ORDER BY updated_at LIMIT 1");
    ADVANCE = "UPDATE bulk_jobs SET total = $3, done = $4, failed = $5, status = $6, below = $7, updated_at = $8, faults = 0 WHERE account_id = $1 AND id = $2";
    FORGET = "DELETE FROM bulk_jobs WHERE status <> 'running' AND (account_id, id) IN
        (SELECT account_id, id FROM bulk_jobs WHERE account_id = $1 AND id < $2 AND status <> 'running' LIMIT $3)";
    /// A job whose batch failed goes behind the others. One that keeps failing ends.
    PUT_OFF = "UPDATE bulk_jobs SET faults = faults + 1, status = CASE WHEN faults + 1 >= $3 THEN 'failed' ELSE status END, updated_at = $4
        WHERE account_id = $1 AND id = $2 AND status = 'running' RETURNING status";
}

choice! {
    /// Where a job stands; `failed` when no row could be changed, or when the job kept failing.
    pub enum BulkStatus {
        Running => "running",
        Done => "done",
        Failed => "failed",
    }
}

frontdesk_db::text_column!(BulkStatus);

pub type BulkJobId = Id<BulkJob>;

resource! {
    /// A change of many rows.
    pub struct BulkJob {
        pub id: BulkJobId,
        /// Rows that are to be changed.
        pub total: i64,
        /// Rows that were changed, or were already as wanted.
        pub done: i64,
        /// Rows that could not be changed: they were deleted meanwhile, or what the change names was.
        pub failed: i64,
        pub status: BulkStatus,
    }
}

impl Example for BulkJob {
    fn example() -> Self {
        Self { id: example::id(), total: 120, done: 100, failed: 0, status: BulkStatus::Running }
    }
}

/// A kind of row that can be changed in bulk. A request has `ids` or `filter`, and what to change.
pub trait BulkKind: Send + Sync {
    /// The stored name of this kind.
    fn word(&self) -> &'static str;

    /// Rejects a request with ids that the account does not have.
    fn check(&self, tx: &mut ReadTx<'_>, by: &By, request: &Value) -> Result<(), BulkError>;

    /// Rows that match the request's filter with ids below this one, newest first.
    fn chosen(
        &self,
        tx: &mut ReadTx<'_>,
        by: &By,
        request: &Value,
        below: Uuid,
        limit: i64,
    ) -> Result<Vec<Uuid>, BulkError>;

    /// How much a transaction has to do for one row: about one statement for each unit.
    fn work(&self, request: &Value) -> usize;

    /// Changes rows. Returns how many of them can be changed.
    fn change(&self, tx: &mut Tx<'_>, by: &By, request: &Value, ids: &[Uuid]) -> db::Result<usize>;
}

/// Why a job was not accepted, or does not continue.
#[derive(Debug, thiserror::Error)]
pub enum BulkError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("{0}")]
    Refused(Failure),
}

impl From<BulkError> for Failure {
    fn from(error: BulkError) -> Self {
        match error {
            BulkError::Store(error) => store_failure(&error),
            BulkError::Refused(failure) => failure,
        }
    }
}

impl From<PlatformError> for BulkError {
    fn from(error: PlatformError) -> Self {
        match error {
            PlatformError::Store(error) => Self::Store(error),
            missing @ PlatformError::Missing(_) => Self::Refused(missing.into()),
        }
    }
}

/// Adds a problem for every id that does not exist, at its place in the field.
pub fn check_ids<T, E>(
    problems: &mut Problems,
    field: &str,
    ids: impl IntoIterator<Item = Id<T>>,
    noun: &str,
    mut exists: impl FnMut(Id<T>) -> Result<bool, E>,
) -> Result<(), E> {
    for (at, id) in ids.into_iter().enumerate() {
        if !exists(id)? {
            problems.add(format!("{field}.{at}"), format!("must be a {noun} of this account"));
        }
    }
    Ok(())
}

/// Refuses a request that has problems.
pub fn refuse(problems: Problems) -> Result<(), BulkError> {
    if problems.is_empty() { Ok(()) } else { Err(BulkError::Refused(Failure::validation(problems))) }
}

/// A rule of every request: exactly one of `ids` and `filter`.
pub fn chooses_once(request: &Map<String, Value>, problems: &mut Problems) {
    let has = |field: &str| request.get(field).is_some_and(|value| !value.is_null());
    if has("ids") == has("filter") {
        problems.add("ids", "must be given, or else filter, and not both");
    }
}

/// The ids of a request; none if it has a filter.
fn ids_of(request: &Value) -> Option<Vec<Uuid>> {
    let ids = request.get("ids")?.as_array()?;
    Some(ids.iter().filter_map(|id| id.as_str()?.parse().ok()).collect())
}

/// Accepts a request, which runs in the background.
pub async fn accept(caller: &Caller, kind: &'static dyn BulkKind, request: Value) -> WebResult<BulkJob> {
    let request = Arc::new(request);
    let checked = request.clone();
    caller.read(move |tx, by| kind.check(tx, by, &checked)).await?;
    // Rows that are created from now on are not part of it.
    let below: Uuid = caller.by.new_id::<BulkJob>().uuid();
    let total = match ids_of(&request) {
        Some(ids) => ids.len() as i64,
        None => count(caller, kind, &request, below).await?,
    };
    caller
        .write(move |tx, by| -> Result<BulkJob, BulkError> {
            let status = if total == 0 { BulkStatus::Done } else { BulkStatus::Running };
            let job = BulkJob { id: by.new_id(), total, done: 0, failed: 0, status };
            let params: &[&dyn db::Param] =
                &[&by.account, &job.id, &kind.word(), &request.to_string(), &total, &status, &below, &by.now];
            tx.execute(INSERT, params)?.exactly(1)?;
            tx.wake(ACCEPTED);
            Ok(job)
        })
        .await
}

async fn count(
    caller: &Caller,
    kind: &'static dyn BulkKind,
    request: &Arc<Value>,
    below: Uuid,
) -> WebResult<i64> {
    let (mut total, mut below) = (0, below);
    loop {
        let (asked, from) = (request.clone(), below);
        let ids = caller.scan(move |tx, by| kind.chosen(tx, by, &asked, from, COUNT_ROWS_MAX)).await?;
        total += ids.len() as i64;
        match ids.last() {
            Some(last) if ids.len() as i64 == COUNT_ROWS_MAX => below = *last,
            _ => return Ok(total),
        }
    }
}

/// A job of the account and of this kind.
pub async fn get(caller: &Caller, kind: &'static dyn BulkKind, id: BulkJobId) -> WebResult<BulkJob> {
    caller
        .read(move |tx, by| -> Result<BulkJob, PlatformError> {
            let found = tx.find(FIND, &[&by.account, &id], read)?.filter(|job| job.kind == kind.word());
            Ok(found.ok_or(PlatformError::Missing("bulk job"))?.shown)
        })
        .await
}

/// Deletes some of an account's jobs that are over and were accepted before a moment. Returns true when there may be
/// more.
pub fn forget(tx: &mut Tx<'_>, account: AccountId, before: Timestamp) -> db::Result<bool> {
    let before = BulkJobId::first_at(before);
    Ok(tx.execute(FORGET, &[&account, &before, &FORGET_ROWS_MAX])?.rows() == FORGET_ROWS_MAX as u64)
}

/// Starts the worker.
pub fn start(server: &ServerContext, context: &Context, kinds: &'static [&'static dyn BulkKind]) -> Worker {
    CHORE.start(context, Bulk { server: server.clone(), kinds }, Bulk::run)
}

const CHORE: Chore = Chore::every(Duration::from_secs(5), NAME).woken_by(ACCEPTED);
const NAME: &str = "bulk changes";

#[derive(Clone)]
struct Bulk {
    server: ServerContext,
    kinds: &'static [&'static dyn BulkKind],
}

/// A stored job.
#[derive(Clone)]
struct Job {
    account: AccountId,
    kind: String,
    request: Value,
    below: Uuid,
    shown: BulkJob,
}

impl Job {
    /// The number of processed rows.
    fn over(&self) -> i64 {
        self.shown.done + self.shown.failed
    }
}

impl Bulk {
    async fn run(self, stopped: watch::Receiver<bool>) -> db::Result<()> {
        while !*stopped.borrow() {
            let store = &self.server.store;
            let Some(job) = store.read(|tx| tx.find(NEXT, &[], read)).await? else { break };
            let (account, id) = (job.account, job.shown.id);
            match catch_panic(self.advance(job)).await {
                Err(error) if error.is_lasting() => {
                    tracing::warn!(job = %id, %error, "a bulk job's batch failed and will be retried");
                    let now = (self.server.clock)();
                    if store.write(move |tx| put_off(tx, account, id, now)).await? {
                        set_aside(NAME, id, &error);
                    }
                }
                advanced => advanced?,
            }
            tokio::time::sleep(BATCH_PAUSE).await;
        }
        Ok(())
    }

    /// Changes the next rows of a job.
    async fn advance(&self, job: Job) -> db::Result<()> {
        let ServerContext { store, clock, recorder, .. } = &self.server;
        let kind = self.kinds.iter().copied().find(|kind| kind.word() == job.kind);
        let most = kind.map_or(BATCH_ROWS_MAX, |kind| rows_max(kind.work(&job.request)));
        let next = match (kind, ids_of(&job.request)) {
            (None, _) => Ok(Vec::new()),
            (Some(_), Some(ids)) => Ok(ids.into_iter().skip(job.over() as usize).take(most).collect()),
            (Some(kind), None) => {
                let (by, job) = (By::system(job.account, clock(), recorder), job.clone());
                store.scan(move |tx| kind.chosen(tx, &by, &job.request, job.below, most as i64)).await
            }
        };
        let ids: Vec<Uuid> = match next {
            Ok(ids) => ids,
            Err(BulkError::Store(error)) => return Err(error),
            // The filter's subject was deleted, so nothing more is selected.
            Err(BulkError::Refused(_)) => Vec::new(),
        };
        // Each batch has a time of its own: a client that reads changes since a time must not miss rows of a long job.
        let by = By::system(job.account, clock(), recorder);
        let batch = Batch { is_last: ids.len() < most, ids };
        store.write(move |tx| step(tx, &by, kind, &job, &batch)).await
    }
}

/// Puts a job off whose batch failed. Returns true if it failed once too often, and has ended.
fn put_off(tx: &mut Tx<'_>, account: AccountId, id: BulkJobId, now: Timestamp) -> db::Result<bool> {
    let status = tx.find(PUT_OFF, &[&account, &id, &FAULTS_MAX, &now], db::only::<BulkStatus>)?;
    Ok(status == Some(BulkStatus::Failed))
}

/// How many rows fit into a batch, if each has this much work.
fn rows_max(work: usize) -> usize {
    (BATCH_WORK_MAX / work.max(1)).clamp(1, BATCH_ROWS_MAX)
}

/// The rows of one transaction.
struct Batch {
    ids: Vec<Uuid>,
    is_last: bool,
}

fn step(
    tx: &mut Tx<'_>,
    by: &By,
    kind: Option<&'static dyn BulkKind>,
    job: &Job,
    batch: &Batch,
) -> db::Result<()> {
    let current = tx.find_to_change(FIND, &[&job.account, &job.shown.id], read)?;
    let Some(mut current) = current.filter(|current| current.over() == job.over()) else {
        // Another server has continued it.
        return Ok(());
    };
    let shown = &mut current.shown;
    if shown.status != BulkStatus::Running {
        return Ok(());
    }
    // All transactions lock rows in the order of their ids.
    let mut ordered = batch.ids.clone();
    ordered.sort_unstable();
    let changed = match kind {
        Some(kind) => kind.change(tx, by, &current.request, &ordered)?,
        None => 0,
    };
    shown.done += changed as i64;
    shown.failed += (ordered.len() - changed) as i64;
    if batch.is_last {
        // Rows that stopped matching the filter were not changed.
        shown.total = shown.done + shown.failed;
        shown.status = if shown.total > 0 && shown.done == 0 { BulkStatus::Failed } else { BulkStatus::Done };
    }
    let below = batch.ids.last().copied().unwrap_or(current.below);
    let params: &[&dyn db::Param] =
        &[&job.account, &shown.id, &shown.total, &shown.done, &shown.failed, &shown.status, &below, &by.now];
    tx.execute(ADVANCE, params)?.exactly(1)
}

fn read(row: &mut Row<'_>) -> db::Result<Job> {
    let (account, id, kind) = (row.next()?, row.next()?, row.next()?);
    let request = serde_json::from_str(&row.next::<String>()?).map_err(|_| db::Error::Decode("request"))?;
    let shown =
        BulkJob { id, total: row.next()?, done: row.next()?, failed: row.next()?, status: row.next()? };
    Ok(Job { account, kind, request, below: row.next()?, shown })
}

/// Ids that a request names.
pub type BulkIds<T> = Items<Id<T>, IDS_MAX>;

/// Parses a stored request.
pub fn reread<T: Input>(request: &Value) -> db::Result<T> {
    let read = T::read(Some(request), &mut FieldPath::root(), &mut Problems::new());
    read.ok_or(db::Error::Decode("request"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_bounded_by_work_and_not_only_by_rows() {
        assert_eq!([0, 1, 2, 10, 201, 1_000].map(rows_max), [100, 100, 100, 25, 1, 1]);
    }
}
