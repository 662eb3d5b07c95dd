//! Syncs that nobody waits for: the vendor has told of a template that is not known here.
//!
//! Which connections are to be synced is kept in the database until it is done, so a crash forgets none. What is told
//! in a burst makes one sync.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::turns::{Drains, Turns};
use frontdesk_platform::{Means, settings};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use uuid::Uuid;

use super::{SyncError, sync};
use crate::connections::{self, ConnectionId};

/// The topic that wakes the syncer.
const ASKED: db::Topic = "templates";
/// Where it is kept which connections are to be synced.
const NAME: &str = "templates_to_sync";
/// A sync waits so long for more of the burst that it is part of.
const BURST: Duration = Duration::from_secs(2);
/// A sync that nobody settled is due again after this long.
const LEASE: Duration = Duration::from_mins(5);
/// Tries, and the pause before the next, which doubles.
const TRIES_MAX: u32 = 6;
const PAUSE: Duration = Duration::from_secs(10);
/// How often the syncer looks by itself.
const LOOK_PERIOD: Duration = Duration::from_secs(1);

/// A sync that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Wanted {
    due_at_millis: i64,
    tries: u32,
    under_way: bool,
}

/// What came of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It is done, or never can be.
    Over,
    Failed,
    /// The server is to end.
    Interrupted,
}

/// All syncs that were asked for, by connection.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct List(BTreeMap<Uuid, Wanted>);

impl List {
    /// What is asked for while it is under way is asked for once more: the vendor's list may have been read before.
    fn ask(&mut self, connection: ConnectionId, now: Timestamp) {
        let fresh = Wanted { due_at_millis: (now + BURST).millis(), tries: 0, under_way: false };
        let wanted = self.0.entry(connection.uuid()).or_insert_with(|| fresh.clone());
        if wanted.under_way {
            *wanted = fresh;
        }
    }

    fn is_due(&self, now: Timestamp) -> bool {
        self.0.values().any(|wanted| wanted.due_at_millis <= now.millis())
    }

    fn claim(&mut self, now: Timestamp) -> Option<ConnectionId> {
        let (connection, wanted) =
            self.0.iter_mut().find(|(_, wanted)| wanted.due_at_millis <= now.millis())?;
        let until = (now + LEASE).millis();
        *wanted = Wanted { due_at_millis: until, tries: wanted.tries + 1, under_way: true };
        Some(ConnectionId::from_uuid(*connection))
    }

    fn settle(&mut self, connection: ConnectionId, outcome: Outcome, now: Timestamp) {
        let Some(wanted) = self.0.get_mut(&connection.uuid()).filter(|wanted| wanted.under_way) else {
            return;
        };
        wanted.under_way = false;
        match outcome {
            Outcome::Failed if wanted.tries < TRIES_MAX => {
                wanted.due_at_millis = (now + PAUSE * (1 << wanted.tries)).millis();
            }
            Outcome::Interrupted => {
                *wanted = Wanted { due_at_millis: now.millis(), tries: 0, under_way: false }
            }
            Outcome::Over | Outcome::Failed => drop(self.0.remove(&connection.uuid())),
        }
    }
}

/// Changes the list. Whoever comes second of two at once is run again.
fn change<T>(tx: &mut Tx<'_>, change: impl FnOnce(&mut List) -> T) -> db::Result<T> {
    let kept = settings::get(tx, NAME)?;
    let mut list = read(kept.as_deref());
    let outcome = change(&mut list);
    let written = serde_json::to_string(&list).map_err(|_| db::Error::Decode("templates to sync"))?;
    if kept.as_deref() != Some(written.as_str()) && !settings::swap(tx, NAME, kept.as_deref(), &written)? {
        return Err(tx.again());
    }
    Ok(outcome)
}

fn read(kept: Option<&str>) -> List {
    kept.and_then(|kept| serde_json::from_str(kept).ok()).unwrap_or_default()
}

/// Asks for a sync of a connection, soon.
pub(super) fn ask(tx: &mut Tx<'_>, connection: ConnectionId, now: Timestamp) -> db::Result<()> {
    change(tx, |list| list.ask(connection, now))?;
    tx.wake(ASKED);
    Ok(())
}

/// A handle to the running syncer.
#[derive(Clone)]
pub struct Syncer {
    drains: Drains,
}

impl Syncer {
    /// Starts the syncer; it works until `stopped` says so.
    pub fn start(means: Means, stopped: watch::Receiver<bool>) -> (Self, tokio::task::JoinHandle<()>) {
        let (drains, mut turns) = Turns::new(&means.store, ASKED, LOOK_PERIOD, stopped);
        let task = tokio::spawn(async move {
            while let Some(_turn) = turns.next().await {
                while sync_one(&means, &mut turns.stopped).await {}
            }
        });
        (Self { drains }, task)
    }

    /// Returns once everything that is due now has been tried.
    pub async fn drain(&self) {
        self.drains.drain().await;
    }
}

/// Makes one of the syncs that are due. False when there is none, or the server is to end.
async fn sync_one(means: &Means, stopped: &mut watch::Receiver<bool>) -> bool {
    let now = (means.clock)();
    // Looking costs little and happens often; claiming is a change.
    let due = means.store.read(move |tx| Ok(read(settings::get(tx, NAME)?.as_deref()).is_due(now))).await;
    if !due.unwrap_or_else(|error: db::Error| {
        tracing::warn!(%error, "the syncer cannot look for what is due");
        false
    }) {
        return false;
    }
    let claimed = means.store.write(move |tx| change(tx, |list| list.claim(now))).await;
    let Ok(Some(connection)) = claimed else { return false };
    let outcome = tokio::select! {
        outcome = attempt(means, connection) => outcome,
        () = end_of(stopped) => Outcome::Interrupted,
    };
    let now = (means.clock)();
    let settled = means.store.write(move |tx| change(tx, |list| list.settle(connection, outcome, now))).await;
    if let Err(error) = settled {
        tracing::warn!(%error, "what came of a sync was not written; it is made again");
    }
    outcome != Outcome::Interrupted
}

async fn end_of(stopped: &mut watch::Receiver<bool>) {
    let _ended_either_way = stopped.wait_for(|stopped| *stopped).await;
}

async fn attempt(means: &Means, connection: ConnectionId) -> Outcome {
    let line = match means.store.read(move |tx| connections::find_in_any_account(tx, connection)).await {
        Ok(Some(line)) => line,
        Ok(None) => return Outcome::Over,
        Err(error) => {
            tracing::warn!(%error, "a connection cannot be read");
            return Outcome::Failed;
        }
    };
    match sync(means, &line).await {
        Ok(count) => {
            tracing::info!(%connection, count, "templates were synced, for one that was not known");
            Outcome::Over
        }
        Err(error) => {
            tracing::warn!(%connection, %error, "templates were not synced");
            match error {
                SyncError::NoTemplates | SyncError::Sealed => Outcome::Over,
                SyncError::Store(_) | SyncError::Unreached(_) | SyncError::Refused { .. } => Outcome::Failed,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn one() -> ConnectionId {
        ConnectionId::from_uuid(Uuid::from_u128(1))
    }

    fn at(seconds: u64) -> Timestamp {
        START + Duration::from_secs(seconds)
    }

    #[test]
    fn a_burst_makes_one_sync() {
        let mut list = List::default();
        for second in 0..2 {
            list.ask(one(), at(second));
            assert_eq!(list.claim(at(second)), None, "it waits for the rest of the burst");
        }
        assert_eq!(list.claim(at(2)), Some(one()));
        assert_eq!(list.claim(at(3)), None);
        list.settle(one(), Outcome::Over, at(4));
        assert_eq!(list, List::default());
    }

    #[test]
    fn what_is_told_during_a_sync_makes_one_more() {
        let mut list = List::default();
        list.ask(one(), at(0));
        assert_eq!(list.claim(at(2)), Some(one()));
        list.ask(one(), at(3));
        list.ask(one(), at(4));
        list.settle(one(), Outcome::Over, at(4));
        assert_eq!(list.claim(at(5)), Some(one()));
        list.settle(one(), Outcome::Over, at(6));
        assert!(!list.is_due(at(100_000)));
    }

    #[test]
    fn a_sync_that_fails_is_tried_again_for_a_while() {
        let mut list = List::default();
        list.ask(one(), at(0));
        let mut now = at(2);
        for _ in 0..TRIES_MAX {
            assert_eq!(list.claim(now), Some(one()));
            list.settle(one(), Outcome::Failed, now);
            assert!(!list.is_due(now + PAUSE));
            now = now + Duration::from_hours(1);
        }
        assert_eq!(list, List::default());
    }

    #[test]
    fn what_a_dead_server_began_is_due_again_and_what_an_ending_one_began_at_once() {
        let mut list = List::default();
        list.ask(one(), at(0));
        assert_eq!(list.claim(at(2)), Some(one()));
        assert!(!list.is_due(at(60)));
        assert_eq!(list.claim(at(2) + LEASE), Some(one()));
        list.settle(one(), Outcome::Interrupted, at(1_000));
        assert_eq!(list.claim(at(1_000)), Some(one()));
    }
}
