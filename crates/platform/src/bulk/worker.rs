//! The worker that carries out bulk jobs, one batch of rows at a time.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Tx};
use frontdesk_jobs::{Chore, Context, FAULTS_MAX, Worker, catch_panic, set_aside};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use tokio::sync::watch;
use uuid::Uuid;

use super::job::{ACCEPTED, BulkJobId, BulkStatus};
use super::request::{BulkError, BulkKind, BulkRequest};
use super::sql::{self, StoredJob};
use crate::by::By;
use crate::public_endpoint::ServerContext;

/// Maximum rows changed in one transaction, and its maximum work, in the units of [`BulkRequest::work`].
const BATCH_ROWS_MAX: usize = 100;
const BATCH_WORK_MAX: usize = 250;
/// A short pause between batches, so that a large job does not block other writes.
const BATCH_PAUSE: Duration = Duration::from_millis(5);

/// Starts the worker.
pub fn start(server: &ServerContext, context: &Context, kinds: &'static [BulkKind]) -> Worker {
    CHORE.start(context, BulkWorker { server: server.clone(), kinds }, BulkWorker::run)
}

const CHORE: Chore = Chore::every(Duration::from_secs(5), NAME).woken_by(ACCEPTED);
const NAME: &str = "bulk changes";

#[derive(Clone)]
struct BulkWorker {
    server: ServerContext,
    kinds: &'static [BulkKind],
}

impl BulkWorker {
    async fn run(self, stopped: watch::Receiver<bool>) -> db::Result<()> {
        while !*stopped.borrow() {
            let store = &self.server.store;
            let Some(job) = store.read(|tx| tx.find(sql::NEXT, &[], sql::read)).await? else { break };
            let (account, id) = (job.account, job.resource.id);
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
    async fn advance(&self, job: StoredJob) -> db::Result<()> {
        let ServerContext { store, clock, recorder, .. } = &self.server;
        let kind = self.kinds.iter().find(|kind| kind.name == job.kind);
        let request = kind.map(|kind| (kind.read)(&job.request)).transpose()?;
        let most = request.as_ref().map_or(BATCH_ROWS_MAX, |request| rows_max(request.work()));
        let next = match request.as_ref().map(|request| (request.clone(), request.ids())) {
            None => Ok(Vec::new()),
            Some((_, Some(ids))) => Ok(ids.into_iter().skip(job.processed() as usize).take(most).collect()),
            Some((request, None)) => {
                let (by, below) = (By::system(job.account, clock(), recorder), job.below);
                store.scan(move |tx| request.chosen(tx, &by, below, most as i64)).await
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
        let batch = Batch { request, is_last: ids.len() < most, ids };
        store.write(move |tx| step(tx, &by, &job, &batch)).await
    }
}

/// Puts a job off whose batch failed. Returns true if it failed once too often, and has ended.
fn put_off(tx: &mut Tx<'_>, account: AccountId, id: BulkJobId, now: Timestamp) -> db::Result<bool> {
    let status = tx.find(sql::PUT_OFF, &[&account, &id, &FAULTS_MAX, &now], db::only::<BulkStatus>)?;
    Ok(status == Some(BulkStatus::Failed))
}

/// How many rows fit into a batch, if each has this much work.
fn rows_max(work: usize) -> usize {
    (BATCH_WORK_MAX / work.max(1)).clamp(1, BATCH_ROWS_MAX)
}

/// The rows of one transaction.
struct Batch {
    /// None if this server does not know the kind.
    request: Option<Arc<dyn BulkRequest>>,
    ids: Vec<Uuid>,
    is_last: bool,
}

fn step(tx: &mut Tx<'_>, by: &By, job: &StoredJob, batch: &Batch) -> db::Result<()> {
    let current = tx.find_to_change(sql::FIND, &[&job.account, &job.resource.id], sql::read)?;
    let Some(mut current) = current.filter(|current| current.processed() == job.processed()) else {
        // Another server has continued it.
        return Ok(());
    };
    let shown = &mut current.resource;
    if shown.status != BulkStatus::Running {
        return Ok(());
    }
    // All transactions lock rows in the order of their ids.
    let mut ordered = batch.ids.clone();
    ordered.sort_unstable();
    let changed = match &batch.request {
        Some(request) => request.change(tx, by, &ordered)?,
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
    tx.execute(sql::ADVANCE, params)?.exactly(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_bounded_by_work_and_not_only_by_rows() {
        assert_eq!([0, 1, 2, 10, 201, 1_000].map(rows_max), [100, 100, 100, 25, 1, 1]);
    }
}
