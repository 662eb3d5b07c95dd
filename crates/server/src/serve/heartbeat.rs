//! The heartbeat of this server, and the takeover of the work of servers that have none any more.
//!
//! It beats until the workers have stopped, because their jobs end under leases of this server.

use frontdesk_db::{Dialect, LeaseRange, Store, heartbeat};
use tokio::sync::watch;

use super::workers::Workers;
use crate::clock;
use crate::error::Result;

/// Registers this server, before its workers claim anything.
pub(super) async fn join(store: &Store) -> Result<()> {
    Ok(heartbeat::join(store, clock::now()).await?)
}

/// Beats until the workers have stopped. SQLite has one server, which nobody has to watch.
pub(super) async fn keep_up(store: Store, workers: Workers, mut stopped: watch::Receiver<bool>) {
    if store.dialect() == Dialect::Sqlite {
        return;
    }
    loop {
        if let Err(error) = beat(&store, &workers).await {
            tracing::warn!(%error, "the heartbeat of this server failed; it is repeated");
        }
        tokio::select! {
            () = tokio::time::sleep(heartbeat::BEAT_PERIOD) => {}
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
    }
    if let Err(error) = heartbeat::leave(&store).await {
        tracing::debug!(%error, "this server did not say that it has stopped; others notice its silence");
    }
}

async fn beat(store: &Store, workers: &Workers) -> Result<()> {
    if !heartbeat::beat(store, clock::now()).await? {
        tracing::warn!(
            "this server was declared dead, or the database has crashed; its jobs are done again by whoever claims them"
        );
    }
    for dead in heartbeat::dead(store).await? {
        take_over(store, workers, dead).await?;
    }
    Ok(())
}

/// Releases everything that a dead server held. Should this fail, the next heartbeat repeats it.
async fn take_over(store: &Store, workers: &Workers, dead: LeaseRange) -> Result<()> {
    workers.take_over(dead).await?;
    heartbeat::forget(store, dead).await?;
    tracing::info!(server = %dead.first, "took over the work of a server that has stopped or died");
    Ok(())
}
