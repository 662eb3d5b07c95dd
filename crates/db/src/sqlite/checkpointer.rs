//! The checkpointer runs next to the writer, so that no commit waits for a checkpoint.
//!
//! It checkpoints committed pages without blocking the writer. Under constant load it cannot checkpoint the
//! end of the log, so beyond a size the writer checkpoints the small rest itself and restarts the log.

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::connection::Connection;

/// The number of changes after which the log is checkpointed, and how long fewer wait.
const JOBS_MAX: usize = 512;
const PERIOD: Duration = Duration::from_secs(1);

/// Notifies the checkpointer of commits; it stops when this is dropped.
pub(crate) struct Checkpointer {
    committed: Sender<()>,
    jobs: usize,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(crate) fn start(path: PathBuf) -> Self {
        let (committed, commits) = crossbeam_channel::bounded(1);
        let thread = std::thread::Builder::new()
            .name("store-checkpoint".into())
            .spawn(move || work(&path, &commits))
            .expect("a thread can be started");
        Self { committed, jobs: 0, thread: Some(thread) }
    }

    pub(crate) fn note(&mut self, jobs: usize) {
        self.jobs += jobs;
        if self.jobs >= JOBS_MAX && self.committed.try_send(()).is_ok() {
            self.jobs = 0;
        }
    }

    /// Stops the checkpointer.
    pub(crate) fn stop(mut self) {
        let thread = self.thread.take();
        drop(self);
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn work(path: &std::path::Path, commits: &Receiver<()>) {
    // Without a connection the writer checkpoints the log itself.
    let Ok(connection) = Connection::open(path) else { return };
    loop {
        match commits.recv_timeout(PERIOD) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {
                // Pages in use are left for the next time.
                let _ = connection.raw.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
