//! The server's tasks that are no workers. One that panics is started again.

use frontdesk_jobs::{Supervisor, TaskEnd};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Starts tasks.
pub(super) struct Tasks {
    pub(super) supervisor: Supervisor,
    pub(super) stopped: watch::Receiver<bool>,
}

impl Tasks {
    /// Starts a task, which ends when the receiver that it gets becomes true. It is started again if it panics.
    pub(super) fn start<F>(
        &self,
        name: &'static str,
        work: impl Fn(watch::Receiver<bool>) -> F + Send + Sync + 'static,
    ) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (supervisor, stopped) = (self.supervisor.clone(), self.stopped.clone());
        tokio::spawn(async move {
            let start = || {
                let running = work(stopped.clone());
                async move {
                    running.await;
                    TaskEnd::Done
                }
            };
            supervisor.keep_running(name, stopped.clone(), start).await;
        })
    }
}
