//! The driver: carries out what the steps of runs ask for, on the job engine.
//!
//! A lane is an account. A job is a run that is due, held under a lease that each commit renews. Everything that the driver
//! does is a step that is stored before the next begins, so a run that loses its worker goes on with another one.

mod asking;
mod briefing;
mod draft;
mod drive;
mod history;
mod listening;
mod own_tools;
mod prompt;
mod reply;
mod scene;
mod shared_reads;
mod spending;
mod step_writer;
mod think;
mod tool_use;
mod voice;

pub use prompt::as_record;

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Claim, ClaimSql, Claimed, Context, Done, Kind, Limits, Stop, Worker, claim_sql,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_models::{Models, ModelsConfig};
use frontdesk_platform::accounts::{self, Account};
use frontdesk_platform::{By, Dispatcher, ServerContext};
use uuid::Uuid;

use super::advance::LEASE;
use super::row::RunRow;
use super::{QUEUED, row};
use crate::assistants::Assistant;
use crate::ids::RunId;
use crate::{asks, spend};

use briefing::Briefings;
use step_writer::StepWriter;

/// Runs at work in one account, and in all.
const ACCOUNT_RUNS_MAX: usize = 512;
const RUNS_MAX: usize = 1_024;
/// A run whose lease would end before this is not begun.
const BEGIN_TIME_MAX: Duration = Duration::from_secs(20);
/// A run that answers a customer is due at the time when the customer has been quiet for a while, so it is looked for often.
const LOOK_PERIOD: Duration = Duration::from_millis(250);
/// Runs get this long to come to the end of a step when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// A run that met a fault of the store is taken up again after this.
const FAULT_PAUSE: Duration = Duration::from_secs(5);

/// Calls without an outcome that one sweep settles.
const STALE_CALLS_MAX: i64 = 50;

/// What is claimed is due again when its lease ends.
pub(crate) const CLAIM: ClaimSql = claim_sql!(
    "runs::CLAIM",
    update: ["UPDATE runs SET status = 'running', due_at = $2, lease = $4, started_at = coalesce(started_at, $1), updated_at = $1"],
    key: "account_id, id",
    from: ["FROM runs WHERE account_id = $5 AND due_at <= $1 ORDER BY due_at LIMIT $3"],
    returning: "id",
);

frontdesk_db::statements! {
    DUE = "SELECT DISTINCT account_id FROM runs WHERE due_at <= $1";
    GIVE_BACK = "UPDATE runs SET status = 'queued', due_at = $4, lease = NULL WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'running'";
    BEGIN_ANEW = "UPDATE runs SET status = 'queued', due_at = $1, lease = NULL WHERE due_at > $1 AND lease IS NOT NULL AND status = 'running'";
}

/// Every statement of the driver, by name.
pub(crate) fn statements() -> Vec<(&'static str, &'static str)> {
    [STATEMENTS, &[CLAIM.statement()], scene::STATEMENTS, history::STATEMENTS, step_writer::STATEMENTS]
        .concat()
}

/// Statements that only PostgreSQL is asked.
pub(crate) fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    [&[CLAIM.postgres_statement()], step_writer::POSTGRES_STATEMENTS].concat()
}

/// What runs work with.
pub struct Agent {
    pub server: ServerContext,
    /// The way to the operations that tools call.
    pub dispatcher: Arc<Dispatcher>,
    pub models: Models,
    pub settings: ModelsConfig,
    /// Random numbers, which spread retries.
    pub chance: fn() -> u64,
    briefings: Briefings,
    step_writer: StepWriter,
}

impl Agent {
    pub fn new(
        server: ServerContext,
        dispatcher: Arc<Dispatcher>,
        models: Models,
        settings: ModelsConfig,
        chance: fn() -> u64,
    ) -> Self {
        let step_writer = StepWriter::new(server.clone());
        let briefings = Briefings::default();
        Self { server, dispatcher, models, settings, chance, briefings, step_writer }
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.server.clock)()
    }

    /// The model of an assistant.
    pub(crate) fn model_of(&self, assistant: &Assistant, account: &Account) -> String {
        let chosen = assistant.model.clone().or_else(|| account.model.clone());
        chosen.unwrap_or_else(|| self.settings.chat_model().to_owned())
    }
}

/// Starts the worker of runs.
pub fn start(agent: Arc<Agent>, context: &Context) -> Worker {
    jobs::start(Runner { agent }, context)
}

struct Runner {
    agent: Arc<Agent>,
}

/// A claimed run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    account: AccountId,
    run: RunId,
    lease: Uuid,
}

/// A claimed run as it was when it was claimed.
pub(crate) struct ClaimedRun {
    job: Job,
    row: RunRow,
    /// A worker that died has left calls of the model without an outcome.
    has_lost_calls: bool,
}

/// What came of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Everything is stored.
    Over,
    /// The store failed; the run goes on later where it was.
    Fault,
}

impl Kind for Runner {
    const NAME: &'static str = "runs";
    const TOPIC: db::Topic = QUEUED;
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
        tx.query(DUE, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<AccountId>) -> db::Result<Claimed<ClaimedRun>> {
        let Claim { lane, most, now, lease, leased_until } = *claim;
        let params: &[&dyn db::Param] = &[&now, &leased_until, &(most as i64), &lease, &lane];
        let ids = CLAIM.query(tx, params, only::<RunId>)?;
        let lost = spend::with_lost_calls(tx, lane, &ids)?;
        let claimed = row::look_many(tx, lane, &ids)?.into_iter().map(|row| ClaimedRun {
            job: Job { account: lane, run: row.run.id, lease },
            has_lost_calls: lost.contains(&row.run.id),
            row,
        });
        Ok(Claimed::jobs(claimed.collect()))
    }

    async fn act(&self, claimed: Arc<ClaimedRun>) -> Outcome {
        match drive::drive(&self.agent, &claimed).await {
            Ok(()) => Outcome::Over,
            Err(error) => {
                tracing::warn!(run = %claimed.job.run, %error, "a run met a fault of the store; it goes on in a while");
                Outcome::Fault
            }
        }
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        for done in batch.iter().filter(|done| done.outcome == Outcome::Fault) {
            give_back(tx, &done.job.job, now + FAULT_PAUSE)?;
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
        Ok(asks::any_due(tx, now)? || !spend::stale(tx, now, 1)?.is_empty())
    }

    fn sweep(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        let by = |account| By::system(account, now, &self.agent.server.recorder);
        let more = settle_stale(tx, now, by)?;
        Ok(asks::expire(tx, now, by)? || more)
    }

    fn begin_anew(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        let _any_number_is_fine = tx.execute(BEGIN_ANEW, &[&now])?;
        Ok(false)
    }
}

/// Settles calls that nobody settled, because the run ended while its worker was dead. True when there may be more.
fn settle_stale(tx: &mut Tx<'_>, now: Timestamp, by: impl Fn(AccountId) -> By) -> db::Result<bool> {
    let stale = spend::stale(tx, now, STALE_CALLS_MAX)?;
    for call in &stale {
        let Some(account) = accounts::find(tx, call.account)? else { continue };
        spend::settle(tx, &by(call.account), &account, call.id, None)?;
        // A call of no run, such as a transcription, has none to tell.
        let params: &[&dyn db::Param] = &[&call.account, &call.run, &call.micros, &0_i64, &0_i64];
        let _no_run_is_fine = tx.execute(row::ADD_COST, params)?;
    }
    Ok(stale.len() as i64 == STALE_CALLS_MAX)
}

fn give_back(tx: &mut Tx<'_>, job: &Job, due_at: Timestamp) -> db::Result<()> {
    let _settled_already_is_fine = tx.execute(GIVE_BACK, &[&job.account, &job.run, &job.lease, &due_at])?;
    Ok(())
}
