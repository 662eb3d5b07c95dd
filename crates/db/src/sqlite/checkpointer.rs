//! The checkpointer: folds the log into the file beside the writer, so that no commit has to wait for it.
//!
//! It takes what is committed and leaves the writer alone. Under a load that never pauses it cannot fold the very end
//! of the log, so past a size the writer folds the little that is left by itself and begins the log anew.

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::connection::Connection;

/// Changes after which the log is folded, and how long fewer wait.
const JOBS_MAX: usize = 512;
const PERIOD: Duration = Duration::from_secs(1);

/// Tells the checkpointer what was committed; it ends when this is dropped.
pub(crate) struct Checkpointer {
    committed: Sender<()>,
    jobs: usize,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(crate) fn start(path: PathBuf) -> Self {
        let (committed, heard) = crossbeam_channel::bounded(1);
        let thread = std::thread::Builder::new()
            .name("store-checkpoint".into())
            .spawn(move || work(&path, &heard))
            .expect("a thread can be started");
        Self { committed, jobs: 0, thread: Some(thread) }
    }

    pub(super) fn note(&mut self, jobs: usize) {
        self.jobs += jobs;
        if self.jobs >= JOBS_MAX && self.committed.try_send(()).is_ok() {
            self.jobs = 0;
        }
    }

    /// Ends the checkpointer.
    pub(super) fn stop(mut self) {
        let thread = self.thread.take();
        drop(self);
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn work(path: &std::path::Path, heard: &Receiver<()>) {
    // Without a connection the writer folds the log by itself.
    let Ok(connection) = Connection::open(path) else { return };
    loop {
        match heard.recv_timeout(PERIOD) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {
                // What is being read or written meanwhile stays for the next time.
                let _ = connection.raw.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
