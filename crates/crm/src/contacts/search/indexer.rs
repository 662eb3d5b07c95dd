//! The worker that writes new contacts into SQLite's index, many at a time.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Dialect, Store};
use frontdesk_platform::Means;
use frontdesk_platform::turns::{Drains, Turns};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::index::{BEHIND, Fresh};

/// Contacts written into the index in one transaction: some milliseconds' work.
pub const BATCH: usize = 512;
/// How long new contacts gather before they are written.
const GATHERED: Duration = Duration::from_millis(500);
/// How often the worker looks by itself.
const LOOK_PERIOD: Duration = Duration::from_mins(1);
/// Catching up with more than this is told in the log.
const TOLD_MIN: usize = 100_000;

/// A handle to the running worker.
pub struct Indexer(Drains);

impl Indexer {
    /// Starts the worker; it ends when `stopped` says so. PostgreSQL keeps its indexes by itself.
    pub fn start(means: Means, stopped: watch::Receiver<bool>) -> (Self, JoinHandle<()>) {
        let (drains, mut turns) = Turns::new(&means.store, BEHIND, LOOK_PERIOD, stopped);
        let task = tokio::spawn(async move {
            while let Some(mut turn) = turns.next().await {
                if means.store.dialect() != Dialect::Sqlite {
                    continue;
                }
                turns.gather(&mut turn, GATHERED).await;
                if let Err(error) = catch_up(&means.store, &turns.stopped).await {
                    tracing::warn!(%error, "new contacts were not written into the index; searches look at them one by one");
                }
            }
        });
        (Self(drains), task)
    }

    /// Returns once every contact is in the index.
    pub async fn drain(&self) {
        self.0.drain().await;
    }
}

async fn catch_up(store: &Store, stopped: &watch::Receiver<bool>) -> db::Result<()> {
    let mut done = 0;
    while !*stopped.borrow() {
        let fresh = Arc::new(store.scan(|tx| Fresh::read(tx, BATCH)).await?);
        let written = fresh.clone();
        let is_written = store.write_search(move |tx| written.write(tx)).await?;
        done += fresh.len();
        let is_full = fresh.is_full;
        if is_written && fresh.has_changes() {
            store.write(move |tx| fresh.forget_changes(tx)).await?;
        }
        if !is_full {
            break;
        }
    }
    if done >= TOLD_MIN {
        tracing::info!(contacts = done, "the index of contacts has caught up");
    }
    Ok(())
}
