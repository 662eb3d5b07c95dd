//! Running workers, and waiting until they have nothing left to do.

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// A running worker.
pub struct Worker {
    pub drain: Drain,
    /// Ends after the server was told to stop and the worker has put its work in order.
    pub task: JoinHandle<()>,
}

/// A handle that waits for a worker.
#[derive(Clone)]
pub struct Drain(mpsc::UnboundedSender<oneshot::Sender<()>>);

/// Where a worker hears who waits for it.
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
