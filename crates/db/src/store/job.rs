//! A caller's closure as a job of an engine.
//!
//! The closure alone knows the type of its result. The rest is not generic, so that it is compiled once and not once per
//! closure.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;
use uuid::Uuid;

use super::traced::TransactionSpan;
use crate::error::{Error, Result};
use crate::read_tx::ReadTx;
use crate::slow::now;
use crate::tx::Tx;
use crate::wake::AfterCommit;
use crate::watch::Watch;

/// A closure that puts its result into a slot. False if it failed and its changes must be rolled back.
pub(super) type Operation = Box<dyn Fn(&mut Tx<'_>) -> bool + Send>;
/// An [`Operation`] that only reads.
pub(super) type ReadOperation = Box<dyn Fn(&mut ReadTx<'_>) -> bool + Send>;

/// The place of an operation's result. The last run counts.
pub(super) struct Slot<T, E>(Arc<Mutex<Option<Result<T, E>>>>);

impl<T, E: From<Error>> Slot<T, E> {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(None)))
    }

    fn put(&self, result: Result<T, E>) -> bool {
        let done = result.is_ok();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        done
    }

    pub(super) fn take(&self) -> Result<T, E> {
        let result = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.unwrap_or_else(|| Err(Error::Closed.into()))
    }
}

impl<T: Send + 'static, E: From<Error> + Send + 'static> Slot<T, E> {
    pub(super) fn operation(
        &self,
        operation: impl Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Operation {
        let slot = Self(self.0.clone());
        Box::new(move |tx| slot.put(operation(tx)))
    }

    pub(super) fn read_operation(
        &self,
        operation: impl Fn(&mut ReadTx<'_>) -> Result<T, E> + Send + 'static,
    ) -> ReadOperation {
        let slot = Self(self.0.clone());
        Box::new(move |tx| slot.put(operation(tx)))
    }
}

/// An operation that an engine runs, and the caller who waits for it.
pub(super) struct Job {
    operation: Operation,
    /// Whether it ran to its end; an error if it panicked.
    ran: Result<()>,
    after_commit: AfterCommit,
    refusals: Arc<AtomicU64>,
    caller: oneshot::Sender<Result<()>>,
    /// When it was queued, until it runs.
    queued: Option<Instant>,
    /// Its span, if it belongs to a trace.
    span: Option<Box<TransactionSpan>>,
}

impl Job {
    pub(super) fn new(
        operation: Operation,
        refusals: Arc<AtomicU64>,
        span: Option<Box<TransactionSpan>>,
    ) -> (Self, oneshot::Receiver<Result<()>>) {
        let (caller, response) = oneshot::channel();
        let after_commit = AfterCommit::default();
        let queued = Some(now());
        (Self { operation, ran: Err(Error::Closed), after_commit, refusals, caller, queued, span }, response)
    }

    /// Runs the operation. False if it failed and its changes must be rolled back.
    pub(super) fn run(&mut self, tx: &mut Tx<'_>, watch: &Watch) -> bool {
        if let Some(queued) = self.queued.take() {
            watch.waited(queued.elapsed());
        }
        let entered = self.span.as_mut().map(|span| span.enter());
        let ran = catch_unwind(AssertUnwindSafe(|| (self.operation)(tx))).map_err(|_| Error::Panicked);
        drop(entered);
        let done = matches!(ran, Ok(true));
        if let Some(span) = &mut self.span {
            span.ran(tx, done);
        }
        if tx.refusal().is_some() {
            self.refusals.fetch_add(1, Ordering::Relaxed);
        }
        self.after_commit = if done { tx.take_after_commit() } else { AfterCommit::default() };
        // In one order, so that no two transactions wait for each other when they record positions.
        self.after_commit.accounts.sort_unstable();
        self.ran = ran.map(|_done| ());
        done
    }

    /// The accounts that it has changed, if it ran to its end.
    pub(super) fn changed_accounts(&self) -> &[Uuid] {
        &self.after_commit.accounts
    }

    /// Sends wake-ups after a commit, then tells the caller that the result is there, or the commit's failure.
    pub(super) fn finish(self, outcome: &Result<()>, publish: &mut dyn FnMut(AfterCommit)) {
        let Self { operation, ran, after_commit, refusals, caller, span, .. } = self;
        if let Some(span) = span {
            span.end(outcome.is_ok());
        }
        if let Err(error) = outcome
            && error.refuses_writes()
        {
            refusals.fetch_add(1, Ordering::Relaxed);
        }
        if outcome.is_ok() && ran.is_ok() {
            publish(after_commit);
        }
        // The closure is dropped before the caller resumes, so that nothing it captured outlives the call.
        drop(operation);
        // The caller may have disconnected; the change is made all the same.
        let _ = caller.send(outcome.clone().and(ran));
    }

    /// Whether the caller still waits for the result.
    pub(super) fn is_wanted(&self) -> bool {
        !self.caller.is_closed()
    }
}
