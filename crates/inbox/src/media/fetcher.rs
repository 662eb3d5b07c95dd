//! The fetcher: what came with messages is brought home in the background.
//!
//! It has a fixed number of slots. Each holds one fetch, which has a deadline over all of it, and takes the next as soon
//! as it is free, so a slow download delays no other while there is a free slot.

use std::collections::HashMap;
use std::time::Duration;

use frontdesk_db::{self as db, Dialect, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::Means;
use frontdesk_platform::turns::{Drains, Turn, Turns};
use tokio::sync::watch;
use tokio::task::{Id as TaskId, JoinSet};

use super::fetch::{FETCH_TIME_MAX, Fetched, Trouble, fetch};
use super::{MediaId, QUEUED, Source};
use crate::connections::ConnectionId;

/// Fetches at a time.
const SLOTS_MAX: usize = 16;
/// A fetch that nobody settled is due again after this long, which is longer than any takes.
const LEASE: Duration = Duration::from_mins(10);
/// Tries, and the pause before the next, which doubles.
const TRIES_MAX: i64 = 6;
const PAUSE: Duration = Duration::from_secs(5);
/// How often the fetcher looks by itself.
const LOOK_PERIOD: Duration = Duration::from_secs(2);

const _: () = assert!(LEASE.as_secs() > FETCH_TIME_MAX.as_secs());

macro_rules! claim {
    ($lock:literal) => {
        concat!(
            "UPDATE media SET due_at = $2, tries = tries + 1 WHERE (account_id, id) IN (
                SELECT account_id, id FROM media WHERE state = 'pending' AND due_at <= $1 ORDER BY due_at LIMIT $3 ", $lock,
            ") RETURNING account_id, id, connection_id, kind, source, content_type, filename, tries"
        )
    };
}

frontdesk_db::statements! {
    DUE = "SELECT id FROM media WHERE state = 'pending' AND due_at <= $1 LIMIT 1";
    CLAIM = claim!("");
    STORED = "UPDATE media SET state = 'stored', content_type = $3, bytes = $4 WHERE account_id = $1 AND id = $2 AND state = 'pending'";
    AGAIN = "UPDATE media SET due_at = $3, error = $4 WHERE account_id = $1 AND id = $2 AND state = 'pending'";
    FAILED = "UPDATE media SET state = 'failed', error = $3 WHERE account_id = $1 AND id = $2 AND state = 'pending'";
    GIVE_BACK = "UPDATE media SET due_at = $4, tries = tries - 1 WHERE account_id = $1 AND id = $2 AND state = 'pending' AND due_at = $3";
    CLEAR_ERASED = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2
        AND NOT EXISTS (SELECT 1 FROM media m WHERE m.account_id = $1 AND m.id = $2)";
    CLEAR = "DELETE FROM media_chunks WHERE account_id = $1 AND media_id = $2";
}

/// PostgreSQL passes over what another server is just claiming.
pub(crate) const CLAIM_POSTGRES: &str = claim!("FOR UPDATE SKIP LOCKED");

/// A handle to the running fetcher.
#[derive(Clone)]
pub struct Fetcher {
    drains: Drains,
}

/// A claimed row.
pub(super) struct Job {
    pub(super) account: AccountId,
    pub(super) media: MediaId,
    pub(super) connection: ConnectionId,
    pub(super) kind: String,
    pub(super) source: Option<Source>,
    pub(super) content_type: Option<String>,
    pub(super) filename: Option<String>,
    tries: i64,
    leased_until: Timestamp,
}

/// A fetch under way, by which it is given back.
struct Lease {
    account: AccountId,
    media: MediaId,
    until: Timestamp,
}

impl Fetcher {
    /// Starts the fetcher; it works until `stopped` says so.
    pub fn start(means: Means, stopped: watch::Receiver<bool>) -> (Self, tokio::task::JoinHandle<()>) {
        let (drains, turns) = Turns::new(&means.store, QUEUED, LOOK_PERIOD, stopped);
        let desk = Desk { means, slots: JoinSet::new(), under_way: HashMap::new(), waiting: Vec::new() };
        (Self { drains }, tokio::spawn(desk.work(turns)))
    }

    /// Returns once everything that is due now has been tried.
    pub async fn drain(&self) {
        self.drains.drain().await;
    }
}

/// The fetcher's task and all that it knows.
struct Desk {
    means: Means,
    slots: JoinSet<()>,
    under_way: HashMap<TaskId, Lease>,
    /// Those who wait until nothing is due and nothing is under way.
    waiting: Vec<Turn>,
}

impl Desk {
    async fn work(mut self, mut turns: Turns) {
        loop {
            tokio::select! {
                turn = turns.next() => match turn {
                    Some(turn) => self.waiting.extend(Some(turn).filter(Turn::is_awaited)),
                    None => break,
                },
                Some(ended) = self.slots.join_next_with_id(), if !self.slots.is_empty() => {
                    let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
                    self.under_way.remove(&id);
                }
            }
            self.fill().await;
            if self.slots.is_empty() {
                self.waiting.clear();
            }
        }
        self.slots.shutdown().await;
        self.give_back().await;
    }

    /// Puts what is due into the free slots.
    async fn fill(&mut self) {
        let free = SLOTS_MAX - self.slots.len();
        if free == 0 {
            return;
        }
        for job in claim_due(&self.means, free).await {
            let lease = Lease { account: job.account, media: job.media, until: job.leased_until };
            let means = self.means.clone();
            let task = self.slots.spawn(async move { settle(&means, &job, fetch(&means, &job).await).await });
            self.under_way.insert(task.id(), lease);
        }
    }

    /// Makes what was under way due at once, as if it had never been claimed, so that the next server need not wait for
    /// the lease to run out. What was settled meanwhile has no lease of ours any more.
    async fn give_back(self) {
        let now = (self.means.clock)();
        let under_way: Vec<Lease> = self.under_way.into_values().collect();
        if under_way.is_empty() {
            return;
        }
        let given = self
            .means
            .store
            .write(move |tx| -> db::Result<()> {
                for Lease { account, media, until } in &under_way {
                    let _settled_already_is_fine = tx.execute(GIVE_BACK, &[account, media, until, &now])?;
                }
                tx.wake(QUEUED);
                Ok(())
            })
            .await;
        if let Err(error) = given {
            tracing::warn!(%error, "media under way is fetched again only when its lease runs out");
        }
    }
}

async fn claim_due(means: &Means, most: usize) -> Vec<Job> {
    let now = (means.clock)();
    // Looking costs little and happens often; claiming is a change.
    let due = means.store.read(move |tx| tx.find(DUE, &[&now], only::<MediaId>)).await;
    if matches!(due, Ok(None)) {
        return Vec::new();
    }
    let claimed = means.store.write(move |tx| claim(tx, now, most as i64)).await;
    claimed.unwrap_or_else(|error| {
        tracing::warn!(%error, "media cannot be claimed");
        Vec::new()
    })
}

fn claim(tx: &mut Tx<'_>, now: Timestamp, most: i64) -> db::Result<Vec<Job>> {
    let leased_until = now + LEASE;
    let sql = if tx.dialect() == Dialect::Postgres { CLAIM_POSTGRES } else { CLAIM };
    tx.query(sql, &[&now, &leased_until, &most], |row| {
        Ok(Job {
            account: row.next()?,
            media: row.next()?,
            connection: row.next()?,
            kind: row.next()?,
            source: serde_json::from_str(&row.next::<String>()?).ok(),
            content_type: row.next()?,
            filename: row.next()?,
            tries: row.next()?,
            leased_until,
        })
    })
}

async fn settle(means: &Means, job: &Job, outcome: Result<Fetched, Trouble>) {
    let (account, media, tries, now) = (job.account, job.media, job.tries, (means.clock)());
    let written = means
        .store
        .write(move |tx| -> db::Result<()> {
            let settled = match &outcome {
                Ok(fetched) => {
                    let bytes = fetched.bytes as i64;
                    tx.execute(STORED, &[&account, &media, &fetched.content_type, &bytes])?
                }
                Err(Trouble::ForNow(why)) if tries < TRIES_MAX => {
                    let due = now + PAUSE * (1 << tries.clamp(0, 10));
                    tx.execute(AGAIN, &[&account, &media, &due, why])?
                }
                Err(Trouble::ForNow(why) | Trouble::ForGood(why)) => {
                    tracing::info!(media = %media, why, "media was not fetched");
                    let _any_number_is_fine = tx.execute(CLEAR, &[&account, &media])?;
                    tx.execute(FAILED, &[&account, &media, why])?
                }
            };
            if !settled.any() {
                // Another settled it, or its message was erased meanwhile.
                let _any_number_is_fine = tx.execute(CLEAR_ERASED, &[&account, &media])?;
            }
            Ok(())
        })
        .await;
    if let Err(error) = written {
        tracing::warn!(%error, "what came of a fetch was not written; it is tried again");
    }
}
