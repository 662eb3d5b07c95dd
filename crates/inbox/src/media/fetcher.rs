//! The fetcher downloads messages' media in the background.
//!
//! Each account has a lane with few slots, so its slow downloads delay only its own. A fetch has an overall deadline, and
//! one that is too slow ends early.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, Kind, LeasedRow, LeasedRows, Limits, Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::ServerContext;

use super::fetch::{FETCH_TIME_MAX, FetchFailure, Fetched, Job, fetch};
use super::sql::{AGAIN, CLEAR, CLEAR_ERASED, DUE, FAILED, ROWS, STORED};
use super::{QUEUED, mover, moves_new_files};

/// Maximum concurrent fetches: of one account, and of all. An account that fetches nothing may begin one beyond that, up
/// to `SPARE_SLOTS_MAX` more in all.
const ACCOUNT_SLOTS_MAX: usize = 4;
const SLOTS_MAX: usize = 32;
const SPARE_SLOTS_MAX: usize = 32;
/// A fetch that is not settled is due again after this long, which is longer than any fetch takes.
const LEASE: Duration = Duration::from_mins(10);
/// Maximum tries, and the pause before the next one, which doubles.
const TRIES_MAX: i64 = 6;
const PAUSE: Duration = Duration::from_secs(5);

const _: () = assert!(LEASE.as_secs() > FETCH_TIME_MAX.as_secs());

/// Starts the fetcher.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::start(Fetcher { server: server.clone() }, context)
}

struct Fetcher {
    server: ServerContext,
}

impl Kind for Fetcher {
    const NAME: &'static str = "fetcher";
    const TOPIC: db::Topic = QUEUED;
    const LIMITS: Limits = Limits {
        lane: ACCOUNT_SLOTS_MAX,
        overall: SLOTS_MAX,
        spare: SPARE_SLOTS_MAX,
        lease: LEASE,
        act_time_max: FETCH_TIME_MAX,
        ..Limits::DEFAULT
    };
    const ROWS: Option<LeasedRows> = Some(ROWS);

    type Lane = AccountId;
    type Job = Job;
    type Outcome = Result<Fetched, FetchFailure>;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<AccountId>> {
        tx.query(DUE, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<AccountId>) -> db::Result<Claimed<Job>> {
        let jobs = ROWS.claim(tx, claim, claim.most, &[&claim.lane], |row| {
            Ok(Job {
                account: claim.lane,
                media: row.next()?,
                connection: row.next()?,
                kind: row.next()?,
                source: serde_json::from_str(&row.next::<String>()?).ok(),
                content_type: row.next()?,
                filename: row.next()?,
                tries: row.next()?,
                lease: claim.lease,
            })
        })?;
        Ok(Claimed::jobs(jobs))
    }

    async fn act(&self, job: Arc<Job>) -> Self::Outcome {
        fetch(&self.server, &job).await
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        let moves = moves_new_files(&self.server.services);
        batch.iter().try_for_each(|done| settle(tx, &done.job, &done.outcome, moves, now))
    }

    fn rows(&self, job: &Job) -> Vec<LeasedRow> {
        vec![LeasedRow::new(job.account, job.media, job.lease)]
    }
}

fn settle(
    tx: &mut Tx<'_>,
    job: &Job,
    outcome: &Result<Fetched, FetchFailure>,
    moves: bool,
    now: Timestamp,
) -> db::Result<()> {
    let Job { account, media, lease, tries, .. } = job;
    let is_settled = match outcome {
        Ok(fetched) => {
            let bytes = fetched.bytes as i64;
            if moves {
                mover::wake(tx, *account);
            }
            let (content_type, sha256) = (&fetched.content_type, &fetched.sha256[..]);
            let params: &[&dyn db::Param] =
                &[account, media, lease, content_type, &bytes, &sha256, &moves, &now];
            tx.execute(STORED, params)?.any()
        }
        Err(FetchFailure::ForNow(why)) if *tries < TRIES_MAX => {
            let due = now + PAUSE * (1 << (*tries).clamp(0, 10));
            tx.execute(AGAIN, &[account, media, lease, &due, why])?.any()
        }
        Err(FetchFailure::ForNow(why) | FetchFailure::ForGood(why)) => {
            let has_failed = tx.execute(FAILED, &[account, media, lease, why])?.any();
            if has_failed {
                tracing::info!(%media, why, "media fetch failed");
                let _any_number_is_fine = tx.execute(CLEAR, &[account, media])?;
            }
            has_failed
        }
    };
    if !is_settled {
        // The lease was lost, or the message was erased.
        let _any_number_is_fine = tx.execute(CLEAR_ERASED, &[account, media])?;
    }
    Ok(())
}
