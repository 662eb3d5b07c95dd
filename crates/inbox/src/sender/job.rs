//! Sending as a kind of job: a lane per connection, at the pace that its channel allows.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Store, Tx, only};
use frontdesk_jobs::{
    self as jobs, Chore, Claim, Claimed, Context, Done, Health, Kind, Limits, Stop, Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::Means;
use tokio::sync::watch;

use super::claim::{self, Found, Job};
use super::file::FILE_TIME_MAX;
use super::hand::{self, Verdict};
use super::{pace, settle};
use crate::calls::CALL_TIME_MAX;
use crate::connections::ConnectionId;
use crate::media::Links;
use crate::outbox::{self, QUEUED};

/// The longest that a call takes, with the file that goes along.
const SEND_TIME_MAX: Duration = Duration::from_secs(CALL_TIME_MAX.as_secs() + FILE_TIME_MAX.as_secs());

/// Starts the sender.
pub fn start(means: &Means, context: &Context) -> Worker {
    let links = Links::of(&means.services);
    jobs::start(Sender { means: means.clone(), links }, context)
}

pub(super) struct Sender {
    means: Means,
    links: Links,
}

impl Sender {
    fn acts(&self, now: Timestamp) -> settle::Acts<'_> {
        settle::Acts { ids: &self.means.ids, links: &self.links, now }
    }
}

impl Kind for Sender {
    const NAME: &'static str = "sender";
    const TOPIC: db::Topic = QUEUED;
    const LIMITS: Limits = Limits {
        lane: 64,
        burst: 4,
        overall: 512,
        spare: 64,
        // A claim marks messages as handed over, so what is claimed begins at once.
        ahead: 1,
        per_second: Some(pace::FIRST_PER_SECOND),
        lease: settle::DOUBT_MAX,
        act_time_max: SEND_TIME_MAX,
        settle_max: 256,
        charge: Some(Duration::from_secs(10)),
        // When a message is settled, the next one of its conversation may go.
        settling_frees: true,
        stop: Stop::Finish(Duration::from_secs(SEND_TIME_MAX.as_secs() + 1)),
        ..Limits::DEFAULT
    };

    type Lane = ConnectionId;
    type Job = Job;
    type Outcome = Verdict;
    type Settled = ();

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<ConnectionId>> {
        tx.query(claim::DUE, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<ConnectionId>) -> db::Result<Claimed<Job>> {
        match claim::claim(tx, claim)? {
            Found::Jobs(jobs) => {
                let secrets = &self.means.services.secrets;
                let per_second =
                    jobs.first().map(|job| pace::per_second(&job.line, job.line.settings(secrets).as_ref()));
                Ok(Claimed::Jobs { jobs, per_second })
            }
            Found::Gone(line) => {
                let more = settle::fail_waiting(tx, &self.acts(claim.now), claim.lane, line.as_deref())?;
                Ok(Claimed::Gone { more })
            }
        }
    }

    async fn act(&self, job: Arc<Job>) -> Verdict {
        hand::over(&self.means, &job).await
    }

    fn settle(&self, tx: &mut Tx<'_>, batch: &[Arc<Done<Self>>], now: Timestamp) -> db::Result<()> {
        settle::write(tx, &self.acts(now), batch)
    }

    fn health(&self, verdict: &Verdict) -> Health {
        if verdict.slows() { Health::Overloaded } else { Health::Fine }
    }

    fn give_back(&self, tx: &mut Tx<'_>, jobs: &[Arc<Job>], _now: Timestamp) -> db::Result<()> {
        settle::give_back(tx, jobs)
    }

    fn is_stale(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
        settle::is_stale(tx, now)
    }

    fn sweep(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        settle::sweep(tx, &self.acts(now))
    }
}

/// Starts the worker that looks for conversations that wait although nothing is in front of them.
pub fn start_mender(context: &Context) -> Worker {
    jobs::keep_up(Mender(context.store.clone()), context)
}

struct Mender(Store);

impl Chore for Mender {
    const NAME: &'static str = "conversation mender";
    const TOPIC: Option<db::Topic> = None;
    const PERIOD: Duration = Duration::from_mins(1);

    async fn run(&self, _now: Timestamp, _stopped: &watch::Receiver<bool>) -> db::Result<()> {
        self.0.write(outbox::mend).await
    }
}
