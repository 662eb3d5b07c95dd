//! The heartbeat of this server, and the takeover of the work of servers that have none any more.
//!
//! It beats until the workers have stopped, because their jobs end under leases of this server.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use frontdesk_db::{LeaseRange, Store, heartbeat};
use frontdesk_platform::servers;
use tokio::sync::watch;
use uuid::Uuid;

use super::workers::Workers;
use crate::clock;
use crate::error::Result;

/// How often a server looks whether another one has died.
const WATCH_PERIOD: Duration = Duration::from_millis(500);
/// How long a dead server is remembered after its work was taken over. A claim that it had sent may be committed late: it is
/// released when the server is forgotten, and until then its marks tell that no call has begun.
const REMEMBERED: Duration = Duration::from_mins(1);

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
    let mut remembered = Remembered::default();
    loop {
        if let Err(error) = take_over_all(store, workers, &mut remembered).await {
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

async fn take_over_all(store: &Store, workers: &Workers, remembered: &mut Remembered) -> Result<()> {
    for (dead, step) in remembered.steps(&heartbeat::dead(store).await?, Instant::now()) {
        workers.take_over(dead).await?;
        match step {
            Step::Release => {
                if heartbeat::release(store, dead).await? {
                    tracing::info!(server = %dead.first, "took over the work of a server that has stopped or died");
                }
                remembered.released.insert(dead.first, Instant::now());
            }
            Step::Forget => heartbeat::forget(store, dead).await?,
        }
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

/// What to do with a dead server after its claims are released again. Should it fail, it is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Release what it held by name, and remember it.
    Release,
    /// The same, and forget it.
    Forget,
}

/// The dead servers whose work this server has taken over, and since when.
#[derive(Default)]
struct Remembered {
    released: HashMap<Uuid, Instant>,
}

impl Remembered {
    /// What is to be done with these dead servers. Others are forgotten by now.
    fn steps(&mut self, all_dead: &[LeaseRange], now: Instant) -> Vec<(LeaseRange, Step)> {
        self.released.retain(|server, _| all_dead.iter().any(|dead| dead.first == *server));
        let step = |dead: &LeaseRange| match self.released.get(&dead.first) {
            None => Some((*dead, Step::Release)),
            Some(since) if now.duration_since(*since) >= REMEMBERED => Some((*dead, Step::Forget)),
            Some(_) => None,
        };
        all_dead.iter().filter_map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_server_is_released_at_once_and_forgotten_after_a_minute() {
        let of = |number| LeaseRange {
            first: Uuid::from_u64_pair(number, 0),
            last: Uuid::from_u64_pair(number, u64::MAX),
        };
        let (dead, now) = (of(1), Instant::now());
        let mut remembered = Remembered::default();
        assert_eq!(remembered.steps(&[dead], now), [(dead, Step::Release)]);
        assert_eq!(remembered.steps(&[dead], now), [(dead, Step::Release)], "it has failed so far");
        remembered.released.insert(dead.first, now);
        let almost = now + Duration::from_secs(59);
        assert_eq!(remembered.steps(&[dead, of(2)], almost), [(of(2), Step::Release)]);
        assert_eq!(remembered.steps(&[dead], now + REMEMBERED), [(dead, Step::Forget)]);
        assert_eq!(remembered.steps(&[], now + REMEMBERED), []);
        assert!(remembered.released.is_empty(), "another server has forgotten it");
    }
}
