//! Running workers, and waiting until they have nothing left to do.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::{Context, TaskEnd};

/// A running worker.
pub struct Worker {
    pub drain: Drain,
    /// Completes after the server is asked to stop and the worker has released its work.
    pub task: JoinHandle<()>,
}

/// A handle for waiting until a worker has nothing left to do.
#[derive(Clone)]
pub struct Drain(mpsc::UnboundedSender<oneshot::Sender<()>>);

/// The requests of callers that wait for a worker. A worker that is started again takes them over.
pub(crate) type Drains = OwnedMutexGuard<mpsc::UnboundedReceiver<oneshot::Sender<()>>>;

impl Worker {
    /// Starts a worker. `work` is called again when the worker panics.
    pub(crate) fn start<F>(
        name: &'static str,
        context: &Context,
        work: impl Fn(Drains) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = TaskEnd> + Send + 'static,
    {
        let (drain, asked) = mpsc::unbounded_channel();
        let (asked, work) = (Arc::new(Mutex::new(asked)), Arc::new(work));
        let (supervisor, stopped) = (context.supervisor.clone(), context.stopped.clone());
        let task = tokio::spawn(async move {
            let start = || {
                let (asked, work) = (asked.clone(), work.clone());
                async move { work(asked.lock_owned().await).await }
            };
            supervisor.keep_running(name, stopped, start).await;
        });
        Self { drain: Drain(drain), task }
    }
}

impl Drain {
    /// Returns once everything that is due now has been tried.
    pub async fn wait(&self) {
        let (done, drained) = oneshot::channel();
        if self.0.send(done).is_ok() {
            let _ended_either_way = drained.await;
        }
    }
}
