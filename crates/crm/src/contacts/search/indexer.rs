//! The worker that writes new contacts into SQLite's index, in batches.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Dialect, Store};
use frontdesk_jobs::{self as jobs, Chore, Context, Worker};
use frontdesk_kernel::Timestamp;
use tokio::sync::watch;

use super::FILE;
use super::index::{BEHIND, Fresh};

/// Contacts indexed in one transaction, which takes some milliseconds.
pub const BATCH: usize = 512;
/// Indexing at least this many contacts is logged.
const TOLD_MIN: usize = 100_000;

/// Starts the worker. PostgreSQL maintains its indexes itself.
pub fn start(context: &Context) -> Worker {
    jobs::keep_up(Indexer { store: context.store.clone() }, context)
}

struct Indexer {
    store: Store,
}

impl Chore for Indexer {
    const NAME: &'static str = "contact indexer";
    const TOPIC: Option<db::Topic> = Some(BEHIND);
    const PERIOD: Duration = Duration::from_mins(1);
    /// How long new contacts are collected before they are indexed.
    const PATIENCE: Duration = Duration::from_millis(500);

    async fn run(&self, _now: Timestamp, stopped: &watch::Receiver<bool>) -> db::Result<()> {
        if self.store.dialect() == Dialect::Sqlite { catch_up(&self.store, stopped).await } else { Ok(()) }
    }
}

async fn catch_up(store: &Store, stopped: &watch::Receiver<bool>) -> db::Result<()> {
    let mut done = 0;
    while !*stopped.borrow() {
        let fresh = Arc::new(store.scan(|tx| Fresh::read(tx, BATCH)).await?);
        let written = fresh.clone();
        let is_written = store.write_side(&FILE, move |tx| written.write(tx)).await?;
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
