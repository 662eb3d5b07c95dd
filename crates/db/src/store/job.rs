//! A caller's closure as a job of an engine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::oneshot;

use crate::wake::AfterCommit;
use crate::{Error, Result, Tx};

/// A closure that an engine runs, and the caller who waits for it.
pub(crate) trait Job: Send {
    /// Runs the closure. False if it failed and its changes must be rolled back.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// Sends wake-ups after a commit, then sends the caller the closure's result or the commit's failure.
    fn finish(self: Box<Self>, outcome: &Result<()>, publish: &mut dyn FnMut(AfterCommit));
    /// Whether the caller still waits for the result.
    fn is_wanted(&self) -> bool;
}

/// The closure of one caller.
pub(super) struct Task<F, T, E> {
    operation: F,
    result: Option<Result<T, E>>,
    after_commit: AfterCommit,
    refusals: Arc<AtomicU64>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Task<F, T, E> {
    pub(super) fn new(operation: F, refusals: Arc<AtomicU64>, caller: oneshot::Sender<Result<T, E>>) -> Self {
        Self { operation, result: None, after_commit: AfterCommit::default(), refusals, caller }
    }
}

impl<F, T, E> Job for Task<F, T, E>
where
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> bool {
        let result = catch_unwind(AssertUnwindSafe(|| (self.operation)(tx)))
            .unwrap_or_else(|_| Err(Error::Panicked.into()));
        let done = result.is_ok();
        if tx.refusal().is_some() {
            self.refusals.fetch_add(1, Ordering::Relaxed);
        }
        self.after_commit = if done { tx.take_after_commit() } else { AfterCommit::default() };
        self.result = Some(result);
        done
    }

    fn finish(self: Box<Self>, outcome: &Result<()>, publish: &mut dyn FnMut(AfterCommit)) {
        let Self { operation, result, after_commit, refusals, caller } = *self;
        let result = match (outcome, result) {
            (Ok(()), Some(result)) => {
                publish(after_commit);
                result
            }
            (Ok(()), None) => Err(Error::Closed.into()),
            (Err(error), _) => {
                if error.refuses_writes() {
                    refusals.fetch_add(1, Ordering::Relaxed);
                }
                Err(error.clone().into())
            }
        };
        // The closure is dropped before the caller resumes, so that nothing it captured outlives the call.
        drop(operation);
        // The caller may have disconnected; the change is made all the same.
        let _ = caller.send(result);
    }

    fn is_wanted(&self) -> bool {
        !self.caller.is_closed()
    }
}
