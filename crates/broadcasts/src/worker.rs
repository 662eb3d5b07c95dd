//! The worker: one job per broadcast, which adds its recipients and queues their messages.
//!
//! A job works on its broadcast for a while, one transaction at a time, then yields to others. Between transactions it
//! waits for the sender to catch up. Whatever ends the job, the next one continues where the last transaction ended.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_inbox::media::Links;
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, FAULTS_MAX, Kind, LeasedRow, LeasedRows, Limits, Worker,
    catch_panic, set_aside,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::{By, ServerContext};
use tokio::time::timeout;
use uuid::Uuid;

use crate::advance::{self, AdvanceContext, Step};
use crate::broadcast::BroadcastId;
use crate::listener::MOVED;
use crate::recipients::FailureReason;
use crate::row::{self, ADVANCED, Stopping};
use crate::sql::{COUNT_FAULT, DUE, GIVE_UP, ROWS, SETTLE};

/// Maximum transactions of a job before it yields to others.
const STEPS_MAX: usize = 400;
/// How long a job waits for outcomes on this server before it checks whether another server's sender has caught up; how
/// many times it checks in all, and without progress.
const LOOK_PAUSE: Duration = Duration::from_millis(20);
const LOOKS_MAX: usize = 1_000;
const IDLE_LOOKS_MAX: usize = 100;
/// A broadcast whose sender makes no progress is due again after this long.
const IDLE_PAUSE: Duration = Duration::from_secs(1);

/// The error of the recipients that remain when a broadcast keeps failing.
const INTERNAL_ERROR: &str = "internal_error";
const FAILED: &str = "The broadcast stopped because of an internal error. Start another one for these recipients, and report this.";

/// Maximum broadcasts that one look finds.
const DUE_ROWS_MAX: i64 = 500;

/// Starts the worker.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    let links = Links::of(&server.services);
    jobs::start(BroadcastWorker { server: server.clone(), links }, context)
}

struct BroadcastWorker {
    server: ServerContext,
    links: Links,
}

/// A claimed broadcast.
struct Job {
    account: AccountId,
    id: BroadcastId,
    lease: Uuid,
}

/// When a broadcast is due again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Due(Timestamp),
    /// When it is woken.
    Never,
    /// The last step failed, so it is due again at this time.
    Fault(Timestamp),
}

impl Kind for BroadcastWorker {
    const NAME: &'static str = "broadcasts";
    const TOPIC: db::Topic = ADVANCED;
    const LIMITS: Limits = Limits {
        lane: 1,
        account: 8,
        overall: 64,
        lease: Duration::from_secs(90),
        act_time_max: Duration::from_mins(1),
        settling_frees: true,
        ..Limits::DEFAULT
    };
    const ROWS: Option<LeasedRows> = Some(ROWS);

    type Lane = BroadcastId;
    type Job = Job;
    type Outcome = Outcome;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<BroadcastId>> {
        tx.query(DUE, &[&now, &DUE_ROWS_MAX], db::only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<BroadcastId>) -> db::Result<Claimed<Job>> {
        let Claim { lane, most, lease, .. } = *claim;
        let jobs =
            ROWS.claim(tx, claim, most, &[&lane], |row| Ok(Job { account: row.next()?, id: lane, lease }))?;
        Ok(Claimed::jobs(jobs))
    }

    async fn act(&self, job: Arc<Job>) -> Outcome {
        match catch_panic(self.work(&job)).await {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::warn!(broadcast = %job.id, %error, "broadcast step failed; retrying in {} s", IDLE_PAUSE.as_secs());
                if error.is_lasting() && self.is_given_up(&job, &error).await {
                    return Outcome::Never;
                }
                Outcome::Fault((self.server.clock)() + IDLE_PAUSE)
            }
        }
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], _now: Timestamp) -> db::Result<()> {
        batch.iter().try_for_each(|done| match done.outcome {
            Outcome::Due(at) => settle(tx, &done.job, Some(at)),
            Outcome::Never => settle(tx, &done.job, None),
            Outcome::Fault(at) => ROWS.release(tx, done.job.row(), at),
        })
    }

    fn account(&self, job: &Job) -> Option<AccountId> {
        Some(job.account)
    }

    fn rows(&self, job: &Job) -> Vec<LeasedRow> {
        vec![job.row()]
    }
}

impl Job {
    fn row(&self) -> LeasedRow {
        LeasedRow::new(self.account, self.id, self.lease)
    }
}

fn settle(tx: &mut Tx<'_>, job: &Job, due: Option<Timestamp>) -> db::Result<()> {
    let _lost_lease_changes_nothing = tx.execute(SETTLE, &[&job.account, &job.id, &job.lease, &due])?;
    Ok(())
}

impl BroadcastWorker {
    /// Counts a fault of a broadcast. One that keeps failing is stopped; one that fails even then is set aside as failed,
    /// and true is returned.
    async fn is_given_up(&self, job: &Job, error: &db::Error) -> bool {
        match self.stop_if_needed(job).await {
            Ok(true) => {
                set_aside(Self::NAME, job.id, error);
                true
            }
            Ok(false) => false,
            Err(failed) => {
                tracing::warn!(broadcast = %job.id, error = %failed, "a failing broadcast could not be stopped; retrying in {} s", IDLE_PAUSE.as_secs());
                false
            }
        }
    }

    async fn stop_if_needed(&self, job: &Job) -> db::Result<bool> {
        let (account, id, lease) = (job.account, job.id, job.lease);
        let now = (self.server.clock)();
        self.server
            .store
            .write(move |tx| -> db::Result<bool> {
                let faults = tx.find(COUNT_FAULT, &[&account, &id, &lease], db::only::<i64>)?;
                match faults {
                    Some(faults) if faults >= 2 * FAULTS_MAX => {
                        let _lost_lease_changes_nothing = tx.execute(GIVE_UP, &[&account, &id, &lease])?;
                        return Ok(true);
                    }
                    Some(FAULTS_MAX) => {
                        if let Ok(Some(mut broadcast)) = row::find_leased(tx, account, id, lease) {
                            broadcast.stopping =
                                Some(Stopping::Failure(FailureReason::new(INTERNAL_ERROR, FAILED)));
                            broadcast.save(tx, now)?;
                        }
                    }
                    _ => {}
                }
                Ok(false)
            })
            .await
    }

    async fn work(&self, job: &Job) -> db::Result<Outcome> {
        let mut looks = LOOKS_MAX;
        for _ in 0..STEPS_MAX {
            match self.step(job).await? {
                // If the lease is lost, the outcome changes nothing.
                None => return Ok(Outcome::Due((self.server.clock)())),
                Some(Step::More) => {}
                Some(Step::Over) => return Ok(Outcome::Never),
                Some(Step::At(at)) => return Ok(Outcome::Due(at)),
                Some(Step::When { outstanding }) => {
                    let now = || (self.server.clock)();
                    match self.catch_up(job, outstanding, &mut looks).await? {
                        CaughtUp::Yes => {}
                        CaughtUp::NotYet => return Ok(Outcome::Due(now())),
                        CaughtUp::Idle => return Ok(Outcome::Due(now() + IDLE_PAUSE)),
                    }
                }
            }
        }
        Ok(Outcome::Due((self.server.clock)()))
    }

    /// Runs one transaction. Returns `None` when the lease is lost or the account is suspended.
    async fn step(&self, job: &Job) -> db::Result<Option<Step>> {
        let (account, id, lease) = (job.account, job.id, job.lease);
        let (services, links) = (self.server.services.clone(), self.links.clone());
        let (recorder, now) = (self.server.recorder.clone(), (self.server.clock)());
        self.server
            .store
            .write(move |tx| {
                tx.plan_by_index()?;
                let Some(mut broadcast) = row::find_leased(tx, account, id, lease)? else { return Ok(None) };
                let by = By::system(account, now, &recorder).after(broadcast.resource.updated_at);
                let tools = AdvanceContext { links: &links, keys: &services.secrets };
                advance::advance(tx, &by, &tools, &mut broadcast).map(Some)
            })
            .await
    }

    /// Waits until at most `wanted` recipients are outstanding.
    async fn catch_up(&self, job: &Job, wanted: i64, looks: &mut usize) -> db::Result<CaughtUp> {
        let (account, id) = (job.account, job.id);
        let mut moved = self.server.store.wakes().subscribe(MOVED);
        let (mut last, mut idle) = (i64::MAX, 0);
        while *looks > 0 {
            moved.mark_unchanged();
            let broadcast = self.server.store.read(move |tx| row::find(tx, account, id)).await?;
            let Some(broadcast) = broadcast else { return Ok(CaughtUp::Yes) };
            let outstanding = broadcast.outstanding();
            if outstanding <= wanted || broadcast.stopping.is_some() {
                return Ok(CaughtUp::Yes);
            }
            if outstanding < last {
                (last, idle) = (outstanding, 0);
            }
            *looks -= 1;
            if timeout(LOOK_PAUSE, moved.changed()).await.is_err() {
                idle += 1;
            }
            if idle > IDLE_LOOKS_MAX {
                return Ok(CaughtUp::Idle);
            }
        }
        Ok(CaughtUp::NotYet)
    }
}

/// Whether the sender has caught up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CaughtUp {
    Yes,
    /// It makes progress.
    NotYet,
    /// It makes no progress.
    Idle,
}
