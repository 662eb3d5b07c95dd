//! Sending as a kind of job: a lane per connection, at the pace that its channel allows.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, LeaseRange, MarkSlot, ReadTx, Tx, only};
use frontdesk_jobs::{
    self as jobs, Chore, Claim, Claimed, Context, Done, Health, Kind, Limits, Queue, Stop, Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::ServerContext;
use futures_util::FutureExt;

use super::claim::{self, ClaimResult};
use super::file::{FILE_TIME_MAX, TURN_TIME_MAX};
use super::opened::OpenedConnections;
use super::outcome::SendOutcome;
use super::sql;
use super::{Sender, call, pace, settle, takeover};
use crate::calls::CALL_TIME_MAX;
use crate::connections::{ConnectionId, StoredConnection};
use crate::media::Links;
use crate::outbox::{self, Job, QUEUE, QUEUED};

/// The longest time of a call, including its file: the turn for it, and its upload or its download.
const SEND_TIME_MAX: Duration =
    Duration::from_secs(2 * CALL_TIME_MAX.as_secs() + FILE_TIME_MAX.as_secs() + TURN_TIME_MAX.as_secs());

/// How long calls may take to end when the server stops. Those that still wait for the turn of their file are aborted.
const STOP_TIME_MAX: Duration = Duration::from_secs(CALL_TIME_MAX.as_secs() + FILE_TIME_MAX.as_secs() + 1);

/// Maximum concurrent calls of one connection, if they end quickly.
pub const AT_ONCE_MAX: usize = Sender::LIMITS.lane * Sender::LIMITS.burst;

/// How many more messages over a connection the sender of this process takes at once, without a claim.
pub fn places(tx: &Tx<'_>, connection: &StoredConnection) -> usize {
    QUEUE.places(tx, connection.id())
}

/// Starts the sender.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    let links = Links::of(&server.services);
    jobs::start(Sender { server: server.clone(), links, opened: OpenedConnections::default() }, context)
}

impl Sender {
    fn settle_context(&self, now: Timestamp) -> settle::SettleContext<'_> {
        settle::SettleContext { recorder: &self.server.recorder, links: &self.links, now }
    }
}

impl Kind for Sender {
    const NAME: &'static str = "sender";
    const TOPIC: db::Topic = QUEUED;
    const QUEUE: Queue<ConnectionId, Job> = QUEUE;
    const LIMITS: Limits = Limits {
        lane: 64,
        burst: 4,
        overall: 512,
        spare: 64,
        // A claim marks messages as handed over, so claimed jobs start at once.
        ahead: 1,
        per_second: Some(pace::FIRST_PER_SECOND),
        lease: settle::DOUBT_MAX,
        act_time_max: SEND_TIME_MAX,
        settle_max: 256,
        settle_pause: Duration::from_millis(8),
        charge: Some(Duration::from_secs(10)),
        stop: Stop::Finish(STOP_TIME_MAX),
        ..Limits::DEFAULT
    };

    type Lane = ConnectionId;
    type Job = Job;
    type Outcome = SendOutcome;
    /// The marks of calls that are settled.
    type Settled = Vec<MarkSlot>;

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<ConnectionId>> {
        tx.query(sql::DUE, &[&now], only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<ConnectionId>) -> db::Result<Claimed<Job>> {
        match claim::claim(tx, claim)? {
            ClaimResult::Jobs(jobs) => {
                let secrets = &self.server.services.secrets;
                let per_second = jobs
                    .first()
                    .map(|job| pace::per_second(&job.connection, job.connection.credentials(secrets)));
                Ok(Claimed::Jobs { jobs, per_second })
            }
            ClaimResult::Gone(connection) => {
                let more = settle::fail_waiting(
                    tx,
                    &self.settle_context(claim.now),
                    claim.lane,
                    connection.as_deref(),
                )?;
                Ok(Claimed::Gone { more })
            }
        }
    }

    async fn act(&self, job: Arc<Job>) -> SendOutcome {
        let connection = self.opened.get(&job.connection);
        let call = AssertUnwindSafe(call::send(&self.server, &connection, &job));
        // A row stays claimed as long as this server lives, so every claim must have an outcome.
        call.catch_unwind().await.unwrap_or_else(|_| call::panicked(&job))
    }

    fn settle(
        &self,
        tx: &mut Tx<'_>,
        batch: &[Arc<Done<Self>>],
        now: Timestamp,
    ) -> db::Result<Vec<MarkSlot>> {
        settle::write(tx, &self.settle_context(now), batch)?;
        Ok(batch.iter().filter_map(|done| done.job.mark.get().copied()).collect())
    }

    fn settled(&self, marks: Vec<MarkSlot>) {
        self.server.store.free_marks(marks);
    }

    fn attempt(&self, job: &Job) -> Option<i64> {
        Some(job.tries)
    }

    fn health(&self, outcome: &SendOutcome) -> Health {
        if outcome.slows() { Health::Overloaded } else { Health::Fine }
    }

    fn give_up(&self, tx: &mut Tx<'_>, job: &Job) -> db::Result<()> {
        // The channel may have the message, so it is not sent again.
        settle::doubt(tx, &job.begun(), job.account)
    }

    fn give_back(&self, tx: &mut Tx<'_>, jobs: &[Arc<Job>], _now: Timestamp) -> db::Result<()> {
        settle::give_back(tx, jobs)
    }

    fn is_stale(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
        settle::is_stale(tx, now)
    }

    fn sweep(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        settle::sweep(tx, &self.settle_context(now))
    }

    fn take_over(&self, tx: &mut Tx<'_>, dead: LeaseRange, _now: Timestamp) -> db::Result<bool> {
        let calls = self.server.store.begun_calls(tx, dead)?;
        takeover::take_over(tx, dead, &calls)
    }

    fn begin(&self) {
        self.server.store.begin_marks();
    }
}

/// Starts the worker that looks for conversations that wait although nothing is in front of them.
pub fn start_mender(context: &Context) -> Worker {
    let chore = Chore::every(Duration::from_mins(1), "conversation mender");
    chore.start(context, context.store.clone(), async |store, _stopped| store.write(outbox::mend).await)
}
