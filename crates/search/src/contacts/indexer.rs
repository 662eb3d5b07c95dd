//! The worker that writes new contacts into SQLite's index, in batches.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Store};
use frontdesk_jobs::{Chore, Context, Worker};
use tokio::sync::watch;

use super::file::FILE;
use super::index::{BEHIND, Fresh};

/// Contacts indexed in one transaction, which takes some milliseconds.
pub const BATCH: usize = 512;
/// Indexing at least this many contacts is logged.
const TOLD_MIN: usize = 100_000;

/// Starts the worker. PostgreSQL maintains its indexes itself.
pub fn start(context: &Context) -> Worker {
    CHORE.start(context, context.store.clone(), catch_up)
}

/// New contacts are collected for a moment before they are indexed.
const CHORE: Chore = Chore::every(Duration::from_mins(1), "contact indexer")
    .woken_by(BEHIND)
    .gathering_for(Duration::from_millis(500));

pub(crate) async fn catch_up(store: Store, stopped: watch::Receiver<bool>) -> db::Result<()> {
    if !store.has_side_files() {
        return Ok(());
    }
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
