//! The workers of runs: one for runs that a customer waits for, and one for all others. Each has its own
//! limits, so that a trigger with hundreds of targets does not keep customers waiting.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, LeaseRange, ReadTx, Tx, only};
use frontdesk_jobs::{self as jobs, Claim, Claimed, Context, Done, Kind, Limits, Stop, Worker, catch_panic};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::notices;
use frontdesk_platform::{By, accounts};

use super::super::advance::LEASE;
use super::super::claimed::{ClaimedRun, Job};
use super::super::sql as run_sql;
use super::super::topics::queue_of;
use super::super::{ask_expiry, row};
use super::drive::{self, Driven};
use super::sql;
use super::{Agent, faults};
use crate::ids::RunId;
use crate::spend;

/// Maximum concurrent runs of one account, and of all accounts.
const ACCOUNT_RUNS_MAX: usize = 512;
const RUNS_MAX: usize = 1_024;
/// A run whose lease ends sooner than this is not started.
const BEGIN_TIME_MAX: Duration = Duration::from_secs(20);
/// A run that answers a customer is due once the customer has been quiet for a while, so workers poll often.
const LOOK_PERIOD: Duration = Duration::from_millis(250);
/// When the server stops, runs have this long to finish their step.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// A run that failed with a store error is retried after this time.
const FAULT_PAUSE: Duration = Duration::from_secs(5);

/// Maximum calls without an outcome that one sweep settles.
const STALE_CALLS_MAX: i64 = 50;

/// Starts the worker for runs that customers' messages started, and for their sub-runs.
pub fn start_answers(agent: Arc<Agent>, context: &Context) -> Worker {
    jobs::start(Runner::<true> { agent }, context)
}

/// Starts the worker for all other runs.
pub fn start(agent: Arc<Agent>, context: &Context) -> Worker {
    jobs::start(Runner::<false> { agent }, context)
}

struct Runner<const ANSWERS: bool> {
    agent: Arc<Agent>,
}

/// The outcome of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Everything is stored.
    Over,
    /// The store failed. The run resumes later from its stored state.
    Fault,
    /// The account was suspended. The run continues when it is resumed.
    Suspended,
}

impl<const ANSWERS: bool> Kind for Runner<ANSWERS> {
    const NAME: &'static str = if ANSWERS { "answers" } else { "runs" };
    const TOPIC: db::Topic = queue_of(ANSWERS);
    const LIMITS: Limits = Limits {
        lane: ACCOUNT_RUNS_MAX,
        overall: RUNS_MAX,
        lease: LEASE,
        act_time_max: BEGIN_TIME_MAX,
        look_period: LOOK_PERIOD,
        stop: Stop::Finish(STOP_TIME_MAX),
        ..Limits::DEFAULT
    };

    type Lane = AccountId;
    type Job = ClaimedRun;
    type Outcome = Outcome;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<AccountId>> {
        tx.plan_by_index()?;
        tx.query(if ANSWERS { sql::DUE_ANSWERS } else { sql::DUE }, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<AccountId>) -> db::Result<Claimed<ClaimedRun>> {
        let Claim { lane, most, now, lease, leased_until } = *claim;
        let params: &[&dyn db::Param] = &[&now, &leased_until, &(most as i64), &lease, &lane];
        tx.plan_by_index()?;
        let claim = if ANSWERS { sql::CLAIM_ANSWERS } else { sql::CLAIM };
        let ids = claim.query(tx, params, only::<RunId>)?;
        for run in &ids {
            notices::changed(tx, lane, notices::RUNS, Some(run.uuid()));
        }
        let lost = spend::with_lost_calls(tx, lane, &ids)?;
        let rows = match row::look_many(tx, lane, &ids) {
            Err(db::Error::Decode(_)) => faults::readable(tx, Self::NAME, lane, &ids, lease, now)?,
            rows => rows?,
        };
        let claimed = rows.into_iter().map(|row| ClaimedRun {
            job: Job { account: lane, run: row.run.id, lease },
            has_lost_calls: lost.contains(&row.run.id),
            row,
        });
        Ok(Claimed::jobs(claimed.collect()))
    }

    async fn act(&self, claimed: Arc<ClaimedRun>) -> Outcome {
        match catch_panic(drive::drive(&self.agent, &claimed)).await {
            Ok(Driven::Over) => Outcome::Over,
            Ok(Driven::Suspended) => Outcome::Suspended,
            Err(error) => {
                tracing::warn!(run = %claimed.job.run, %error, "run step failed; retrying in {FAULT_PAUSE:?}");
                if error.is_lasting()
                    && faults::is_given_up(&self.agent, Self::NAME, claimed.job, &error).await
                {
                    return Outcome::Over;
                }
                Outcome::Fault
            }
        }
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        for done in batch {
            match done.outcome {
                Outcome::Over => {}
                Outcome::Fault => give_back(tx, &done.job.job, now + FAULT_PAUSE)?,
                Outcome::Suspended => give_back(tx, &done.job.job, now)?,
            }
        }
        Ok(())
    }

    fn account(&self, claimed: &ClaimedRun) -> Option<AccountId> {
        Some(claimed.job.account)
    }

    fn give_back(&self, tx: &mut Tx<'_>, runs: &[Arc<ClaimedRun>], now: Timestamp) -> db::Result<()> {
        runs.iter().try_for_each(|claimed| give_back(tx, &claimed.job, now))
    }

    fn is_stale(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
        // One of the two workers sweeps for both.
        Ok(!ANSWERS && (ask_expiry::any_due(tx, now)? || !spend::stale(tx, now, 1)?.is_empty()))
    }

    fn sweep(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        let by = |account| By::system(account, now, &self.agent.server.recorder);
        let more = settle_stale(tx, now, by)?;
        Ok(ask_expiry::expire(tx, now, by)? || more)
    }

    fn take_over(&self, tx: &mut Tx<'_>, dead: LeaseRange, now: Timestamp) -> db::Result<bool> {
        tx.plan_by_index()?;
        let _any_number_is_fine = tx.execute(sql::TAKE_OVER, &[&now, &dead.first, &dead.last, &ANSWERS])?;
        Ok(false)
    }
}

/// Settles calls that were left open because the run ended while its worker was dead. Returns true when there may be
/// more.
fn settle_stale(tx: &mut Tx<'_>, now: Timestamp, by: impl Fn(AccountId) -> By) -> db::Result<bool> {
    let stale = spend::stale(tx, now, STALE_CALLS_MAX)?;
    for (account, call) in &stale {
        let Some(settings) = accounts::find(tx, *account)? else { continue };
        if spend::settle(tx, &by(*account), &settings, call)? {
            // A call without a run, such as a transcription, has no run to update.
            let cost = call.cost().micros() as i64;
            let params: &[&dyn db::Param] = &[account, &call.reservation.run, &cost, &0_i64, &0_i64];
            let _no_run_is_fine = tx.execute(run_sql::ADD_COST, params)?;
        }
    }
    Ok(stale.len() as i64 == STALE_CALLS_MAX)
}

fn give_back(tx: &mut Tx<'_>, job: &Job, due_at: Timestamp) -> db::Result<()> {
    let _settled_already_is_fine =
        tx.execute(sql::GIVE_BACK, &[&job.account, &job.run, &job.lease, &due_at])?;
    Ok(())
}
