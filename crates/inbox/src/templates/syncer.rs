//! Background syncs, after the vendor has mentioned an unknown template, and before links to examples expire.
//!
//! Queued syncs are rows, so a crash loses none. A burst of requests makes one sync.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, Kind, LeasedRow, LeasedRows, Limits, ONLY_LANE, Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::ServerContext;
use uuid::Uuid;

use super::sql::{ASK, DUE, OVER, ROWS};
use super::{SyncError, sync};
use crate::connections::{self, ConnectionId};

/// The topic that wakes the syncer.
const ASKED: db::Topic = "templates";
/// A sync waits this long for further requests of a burst.
const BURST: Duration = Duration::from_secs(2);
/// Links to examples are read again this long before the first of them expires, but no sooner than after this pause.
const AHEAD_SECONDS: i64 = 2 * 24 * 60 * 60;
const REFRESH_PAUSE: Duration = Duration::from_hours(24);
/// Maximum tries, and the pause before the next one, which doubles.
const TRIES_MAX: i64 = 6;
const PAUSE: Duration = Duration::from_secs(10);

/// Queues a sync of a connection.
pub(super) fn ask(
    tx: &mut Tx<'_>,
    account: AccountId,
    connection: ConnectionId,
    now: Timestamp,
) -> db::Result<()> {
    ask_at(tx, account, connection, now + BURST)
}

/// Queues a sync that reads links again before they expire at `expiry`, in Unix seconds.
pub(super) fn ask_before(
    tx: &mut Tx<'_>,
    account: AccountId,
    connection: ConnectionId,
    expiry: i64,
    now: Timestamp,
) -> db::Result<()> {
    let due = Timestamp::from_millis((expiry - AHEAD_SECONDS) * 1_000).max(now + REFRESH_PAUSE);
    ask_at(tx, account, connection, due)
}

fn ask_at(tx: &mut Tx<'_>, account: AccountId, connection: ConnectionId, due: Timestamp) -> db::Result<()> {
    let _asked_for_sooner_is_fine = tx.execute(ASK, &[&account, &connection, &due])?;
    tx.wake_about(ASKED, ONLY_LANE);
    Ok(())
}

/// Starts the syncer.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::start(Syncer { server: server.clone() }, context)
}

struct Syncer {
    server: ServerContext,
}

/// A claimed row.
struct Job {
    account: AccountId,
    connection: ConnectionId,
    tries: i64,
    lease: Uuid,
}

/// The outcome of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It is done, or cannot succeed.
    Over,
    Failed,
}

impl Kind for Syncer {
    const NAME: &'static str = "template syncer";
    const TOPIC: db::Topic = ASKED;
    const LIMITS: Limits = Limits { lane: 1, ..Limits::DEFAULT };
    const ROWS: Option<LeasedRows> = Some(ROWS);

    type Lane = ();
    type Job = Job;
    type Outcome = Outcome;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<()>> {
        let due = tx.find(DUE, &[&now], only::<ConnectionId>)?;
        Ok(due.map(|_| ()).into_iter().collect())
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<()>) -> db::Result<Claimed<Job>> {
        self::claim(tx, claim).map(Claimed::jobs)
    }

    async fn act(&self, job: Arc<Job>) -> Outcome {
        attempt(&self.server, job.connection).await
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        batch.iter().try_for_each(|done| settle(tx, &done.job, done.outcome, now))
    }

    fn rows(&self, job: &Job) -> Vec<LeasedRow> {
        vec![job.row()]
    }
}

impl Job {
    fn row(&self) -> LeasedRow {
        LeasedRow::new(self.account, self.connection, self.lease)
    }
}

fn claim(tx: &mut Tx<'_>, claim: &Claim<()>) -> db::Result<Vec<Job>> {
    ROWS.claim(tx, claim, claim.most, &[], |row| {
        Ok(Job { account: row.next()?, connection: row.next()?, tries: row.next()?, lease: claim.lease })
    })
}

fn settle(tx: &mut Tx<'_>, job: &Job, outcome: Outcome, now: Timestamp) -> db::Result<()> {
    if outcome == Outcome::Failed && job.tries < TRIES_MAX {
        let pause = PAUSE * (1 << job.tries.clamp(0, TRIES_MAX));
        return ROWS.release(tx, job.row(), now + pause);
    }
    let _lost_lease_changes_nothing = tx.execute(OVER, &[&job.account, &job.connection, &job.lease])?;
    Ok(())
}

async fn attempt(server: &ServerContext, connection_id: ConnectionId) -> Outcome {
    let connection =
        match server.store.read(move |tx| connections::find_in_any_account(tx, connection_id)).await {
            Ok(Some(connection)) => connection,
            Ok(None) => return Outcome::Over,
            Err(error) => {
                tracing::warn!(%error, "reading the connection failed; retrying later");
                return Outcome::Failed;
            }
        };
    match sync(server, &connection).await {
        Ok(count) => {
            tracing::info!(%connection_id, count, "templates synced");
            Outcome::Over
        }
        Err(error) => {
            tracing::warn!(%connection_id, %error, "template sync failed");
            match error {
                SyncError::NoTemplates | SyncError::Sealed => Outcome::Over,
                SyncError::Store(_) | SyncError::Unreached(_) | SyncError::Refused { .. } => Outcome::Failed,
            }
        }
    }
}

#[cfg(test)]
mod tests;
