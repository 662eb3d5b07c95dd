//! The heartbeat of this server, and the takeover of the work of servers that have none any more.
//!
//! It beats until the workers have stopped, because their jobs end under leases of this server.

use std::time::Duration;

use frontdesk_db::{LeaseRange, Store, heartbeat};
use frontdesk_platform::servers;
use tokio::sync::watch;

use super::workers::Workers;
use crate::clock;
use crate::error::Result;

/// How often a server looks whether another one has died.
const WATCH_PERIOD: Duration = Duration::from_millis(500);

/// Registers this server, before its workers claim anything.
pub(super) async fn join(store: &Store) -> Result<()> {
    Ok(heartbeat::join(store, clock::now()).await?)
}

/// Beats until the workers have stopped, and watches the others until they are asked to. SQLite has one server, which nobody
/// has to watch.
pub(super) async fn keep_up(
    store: Store,
    workers: Workers,
    stopping: watch::Receiver<bool>,
    stopped: watch::Receiver<bool>,
) {
    if !store.is_shared() {
        return;
    }
    // A takeover may take long, and must not keep this server from beating.
    tokio::join!(beat_on(&store, stopped.clone()), watch_others(&store, &workers, stopping));
    leave(&store).await;
}

/// Says that this server holds nothing any more, or will not go on with what it holds.
pub(super) async fn leave(store: &Store) {
    if let Err(error) = heartbeat::leave(store).await {
        tracing::debug!(%error, "this server did not say that it has stopped; others notice its silence");
    }
}

async fn beat_on(store: &Store, mut stopped: watch::Receiver<bool>) {
    while pause(heartbeat::BEAT_PERIOD, &mut stopped).await {
        match heartbeat::beat(store, clock::now()).await {
            Ok(true) => {}
            Ok(false) => tracing::warn!(
                "this server was declared dead, or the database has crashed; its jobs are done again by whoever claims them"
            ),
            Err(error) => tracing::warn!(%error, "the heartbeat of this server failed; it is repeated"),
        }
    }
}

async fn watch_others(store: &Store, workers: &Workers, mut stopped: watch::Receiver<bool>) {
    loop {
        if let Err(error) = take_over_all(store, workers).await {
            tracing::warn!(%error, "the work of a dead server was not taken over; trying again");
        }
        if !pause(WATCH_PERIOD, &mut stopped).await {
            return;
        }
    }
}

/// Waits. False when it must stop.
async fn pause(time: Duration, stopped: &mut watch::Receiver<bool>) -> bool {
    tokio::select! {
        () = tokio::time::sleep(time) => true,
        _ = stopped.wait_for(|stopped| *stopped) => false,
    }
}

async fn take_over_all(store: &Store, workers: &Workers) -> Result<()> {
    for dead in heartbeat::dead(store).await? {
        take_over(store, workers, dead).await?;
    }
    take_over_orphans(store, workers).await
}

/// Releases what servers held whose heartbeats were lost in a crash of the database, and which have died with it.
async fn take_over_orphans(store: &Store, workers: &Workers) -> Result<()> {
    let now = clock::now();
    for orphan in store.read(move |tx| servers::orphans(tx, now)).await? {
        workers.take_over(orphan.incarnation.leases()).await?;
        store.write(move |tx| servers::mark_taken_over(tx, &orphan)).await?;
    }
    Ok(())
}

/// Releases everything that a dead server held. Should this fail, it is repeated.
async fn take_over(store: &Store, workers: &Workers, dead: LeaseRange) -> Result<()> {
    workers.take_over(dead).await?;
    heartbeat::forget(store, dead).await?;
    tracing::info!(server = %dead.first, "took over the work of a server that has stopped or died");
    Ok(())
}
