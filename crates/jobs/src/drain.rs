//! Running workers, and waiting until they have nothing left to do.

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// A running worker.
pub struct Worker {
    pub drain: Drain,
    /// Completes after the server is asked to stop and the worker has released its work.
    pub task: JoinHandle<()>,
}

/// A handle for waiting until a worker has nothing left to do.
#[derive(Clone)]
pub struct Drain(mpsc::UnboundedSender<oneshot::Sender<()>>);

/// The requests of callers that wait for a worker.
pub(crate) type Drains = mpsc::UnboundedReceiver<oneshot::Sender<()>>;

impl Worker {
    pub(crate) fn start<F>(work: impl FnOnce(Drains) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (drain, asked) = mpsc::unbounded_channel();
        Self { drain: Drain(drain), task: tokio::spawn(work(asked)) }
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
