//! SQLite's writer: one thread that runs queued jobs in one transaction, and commits once for all.
//!
//! A job gets its result only after its commit. Jobs of one batch run one after the other without savepoints,
//! which full-text indexes make expensive. If one fails after it has changed rows, the batch is rolled back
//! and run again with a savepoint around each job, so that a failure never undoes another job's change.

use std::cell::Cell;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use super::job::Job;
use crate::error::{Error, Result};
use crate::sqlite::{Checkpointer, Connection, Prepared, execute};
use crate::tx::Tx;
use crate::wake::Wakes;
use crate::watch::Watch;

/// Maximum changes in one commit: such a batch takes some tens of milliseconds.
const BATCH_JOBS_MAX: usize = 256;
/// A batch takes further jobs for this many times as long as the last commit took, so most of the writer's time goes into
/// jobs on a slow disk too.
const BATCH_PER_COMMIT: u32 = 4;
/// It takes further jobs for at least this long. If it took all that came, every caller would wait for one commit and the
/// writer would then wait for all of them. Smaller batches keep both at work.
const BATCH_TIME_MIN: Duration = Duration::from_millis(2);

/// A server's writer checkpoints the log itself only beyond this many pages; the checkpointer does it long
/// before. Its cache, in KiB, is smaller than a reader's: SQLite goes through all of the cache at the end of most
/// commits, which costs more than the pages that are read again.
const SET_UP: &str = "PRAGMA wal_autocheckpoint = 16384; PRAGMA cache_size = -4096";

pub(super) struct Writer {
    pub(super) queue: Sender<Job>,
    pub(super) thread: JoinHandle<()>,
}

impl Writer {
    /// A server has a checkpointer next to its writer; a command ends too soon to need one.
    pub(super) fn start(
        name: &str,
        connection: Connection,
        queue_max: usize,
        wakes: Wakes,
        checkpointer: Option<Checkpointer>,
        watch: Arc<Watch>,
    ) -> Self {
        let (queue, jobs) = crossbeam_channel::bounded(queue_max);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&connection, &jobs, &wakes, &watch, checkpointer))
            .expect("a thread can be started");
        Self { queue, thread }
    }
}

fn work(
    connection: &Connection,
    jobs: &Receiver<Job>,
    wakes: &Wakes,
    watch: &Watch,
    mut checkpointer: Option<Checkpointer>,
) {
    if checkpointer.is_some() {
        let _ = connection.raw.execute_batch(SET_UP);
    }
    let runner = BatchRunner {
        connection,
        prepared: Prepared::new(&connection.raw),
        wakes,
        watch,
        commit_time: Cell::default(),
    };
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        let outcome = match runner.run_batch(&mut batch, jobs) {
            Ok(BatchOutcome::Committed) => Ok(()),
            Ok(BatchOutcome::RolledBack) => runner.run_with_savepoints(&mut batch),
            Err(error) => Err(error),
        };
        if outcome.is_err() && !connection.raw.is_autocommit() {
            let _ = connection.raw.execute_batch("ROLLBACK");
        }
        if let Some(checkpointer) = &mut checkpointer {
            checkpointer.note(batch.len());
        }
        for job in batch {
            job.finish(&outcome, &mut |after_commit| wakes.publish(after_commit));
        }
    }
    if let Some(checkpointer) = checkpointer {
        checkpointer.stop();
    }
    // Checkpoints the log at the end, so that the next start has nothing to recover.
    let _ = connection.raw.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
}

#[expect(clippy::disallowed_methods, reason = "how long a commit takes is no time that anyone sets")]
fn now() -> Instant {
    Instant::now()
}

enum BatchOutcome {
    Committed,
    /// A job failed after it had changed rows.
    RolledBack,
}

/// Runs batches of jobs on the writer's connection.
struct BatchRunner<'w> {
    connection: &'w Connection,
    prepared: Prepared<'w>,
    wakes: &'w Wakes,
    watch: &'w Watch,
    /// How long the last commit took.
    commit_time: Cell<Duration>,
}

impl BatchRunner<'_> {
    /// How long a batch takes further jobs.
    fn batch_time(&self) -> Duration {
        (self.commit_time.get() * BATCH_PER_COMMIT).max(BATCH_TIME_MIN)
    }

    /// Runs the batch, and jobs that are queued in the meantime, in one transaction.
    fn run_batch(&self, batch: &mut Vec<Job>, jobs: &Receiver<Job>) -> Result<BatchOutcome> {
        self.control("BEGIN IMMEDIATE")?;
        let raw = &self.connection.raw;
        let begun = now();
        let mut at = 0;
        while at < batch.len() {
            let before = raw.total_changes();
            let done = self.run(&mut batch[at])?;
            at += 1;
            if !done && raw.total_changes() != before {
                self.control("ROLLBACK")?;
                return Ok(BatchOutcome::RolledBack);
            }
            if at == batch.len()
                && at < BATCH_JOBS_MAX
                && begun.elapsed() < self.batch_time()
                && let Ok(next) = jobs.try_recv()
            {
                batch.push(next);
            }
        }
        let ran = now();
        self.control("COMMIT")?;
        self.commit_time.set(ran.elapsed());
        if let Some(slow) = &self.watch.slow {
            slow.note_commit(&[], ran.elapsed());
        }
        Ok(BatchOutcome::Committed)
    }

    /// Runs the batch in one transaction, with a savepoint around each job.
    fn run_with_savepoints(&self, batch: &mut [Job]) -> Result<()> {
        self.control("BEGIN IMMEDIATE")?;
        for job in batch {
            self.control("SAVEPOINT job")?;
            if !self.run(job)? {
                self.control("ROLLBACK TO job")?;
            }
            self.control("RELEASE job")?;
        }
        self.control("COMMIT")
    }

    /// Runs a job. False if it failed.
    fn run(&self, job: &mut Job) -> Result<bool> {
        let tx = Tx::sqlite(&self.prepared, &self.connection.names, Some(self.wakes));
        let mut tx = tx.watched_by(self.watch.slow.as_ref());
        let done = job.run(&mut tx, self.watch);
        if self.connection.raw.is_autocommit() { Err(rollback_cause(&tx)) } else { Ok(done) }
    }

    fn control(&self, sql: &str) -> Result<()> {
        execute(&self.prepared, &self.connection.names, sql, &[]).map(|_| ())
    }
}

/// Why SQLite itself rolled the transaction back, as it does when the disk is full.
fn rollback_cause(tx: &Tx<'_>) -> Error {
    tx.refusal().cloned().unwrap_or_else(|| Error::Engine("SQLite undid the transaction".into()))
}
