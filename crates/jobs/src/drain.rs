//! Running workers: waiting until they have nothing left to do, and having them take over from a dead server.

use std::pin::Pin;
use std::sync::Arc;

use frontdesk_db::{self as db, LeaseRange, Store};
use frontdesk_kernel::{Ids, Timestamp};
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::job_counts::JobCounts;
use crate::spawn::spawn;
use crate::supervisor::{Supervisor, TaskEnd};

/// The dependencies of a worker.
#[derive(Clone)]
pub struct Context {
    pub store: Store,
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub ids: Arc<Ids>,
    /// Becomes true when the server must stop.
    pub stopped: watch::Receiver<bool>,
    /// Starts workers again that panic.
    pub supervisor: Supervisor,
    /// Where workers report how many jobs they have.
    pub counts: JobCounts,
}

/// A running worker.
pub struct Worker {
    pub drain: Drain,
    pub takeover: Takeover,
    /// Completes after the server is asked to stop and the worker has released its work.
    pub task: JoinHandle<()>,
}

/// A handle for waiting until a worker has nothing left to do.
#[derive(Clone)]
pub struct Drain(mpsc::UnboundedSender<oneshot::Sender<()>>);

/// A handle for releasing the claims of a dead server.
#[derive(Clone)]
pub struct Takeover(mpsc::UnboundedSender<TakeoverRequest>);

/// The claims of a dead server, and who waits until they are released.
type TakeoverRequest = (LeaseRange, oneshot::Sender<db::Result<()>>);

/// Makes the future of a worker.
type Work = Box<dyn Fn(Requests) -> Pin<Box<dyn Future<Output = TaskEnd> + Send>> + Send + Sync>;

/// The requests of callers that wait for a worker. A worker that is started again takes them over.
pub(crate) type Requests = OwnedMutexGuard<Asked>;

pub(crate) struct Asked {
    pub(crate) drains: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
    pub(crate) takeovers: mpsc::UnboundedReceiver<TakeoverRequest>,
}

impl Worker {
    /// Starts a worker. `work` is called again when the worker panics.
    pub(crate) fn start<F>(
        name: &'static str,
        context: &Context,
        work: impl Fn(Requests) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = TaskEnd> + Send + 'static,
    {
        Self::start_boxed(name, context, Box::new(move |requests| Box::pin(work(requests))))
    }

    fn start_boxed(name: &'static str, context: &Context, work: Work) -> Self {
        let (drain, drains) = mpsc::unbounded_channel();
        let (takeover, takeovers) = mpsc::unbounded_channel();
        let (asked, work) = (Arc::new(Mutex::new(Asked { drains, takeovers })), Arc::new(work));
        let (supervisor, stopped) = (context.supervisor.clone(), context.stopped.clone());
        let task = spawn(async move {
            let start = || {
                let (asked, work) = (asked.clone(), work.clone());
                async move { work(asked.lock_owned().await).await }
            };
            supervisor.keep_running(name, stopped, start).await;
        });
        Self { drain: Drain(drain), takeover: Takeover(takeover), task }
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

impl Takeover {
    /// Releases what the worker's jobs had claimed on a dead server. A worker that has ended leaves this to others.
    pub async fn from(&self, dead: LeaseRange) -> db::Result<()> {
        let (done, released) = oneshot::channel();
        if self.0.send((dead, done)).is_err() {
            return Err(db::Error::Closed);
        }
        released.await.unwrap_or(Err(db::Error::Closed))
    }
}
