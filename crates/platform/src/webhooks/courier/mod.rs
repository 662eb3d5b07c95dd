//! The courier calls endpoints with due deliveries and settles the outcomes.
//!
//! Every endpoint is a lane, so a slow or dead endpoint delays no other, and one account's flood delays no
//! other account. An endpoint that keeps failing gets few calls at a time.

mod attempt;
mod claim;
mod settle;
mod target;

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, LeaseRange, ReadTx, Tx};
use frontdesk_jobs::{
    self as jobs, Claim, Claimed, Context, Done, Health, Kind, Limits, Place, Queue, Stop, Worker,
};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use attempt::{CALL_TIME_MAX, Outcome};
use claim::Job;
use settle::Disabled;
use target::Targets;

use super::{EndpointId, QUEUED, Subscriber, deliveries};
use crate::by::By;
use crate::events::WrittenEvent;
use crate::public_endpoint::ServerContext;

/// How much a fast endpoint claims ahead, in multiples of its limit.
const AHEAD: usize = 4;
/// One and a half times as long as a full lane of the slowest calls takes.
const LEASE: Duration = Duration::from_secs(CALL_TIME_MAX.as_secs() * AHEAD as u64 * 3 / 2);

/// Every statement of the courier, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [claim::STATEMENTS, &[claim::CLAIM.statement()], settle::STATEMENTS].concat()
}

/// The statements that run only on PostgreSQL.
pub fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    vec![claim::CLAIM.postgres_statement()]
}

/// The deliveries that wait.
pub(crate) use claim::BACKLOG;

/// Starts the courier.
pub fn start(server: &ServerContext, context: &Context) -> Worker {
    jobs::start(Courier { server: server.clone(), targets: Targets::default() }, context)
}

/// The queue of deliveries.
pub(super) const QUEUE: Queue<EndpointId, Job> = Queue::new(QUEUED);

struct Courier {
    server: ServerContext,
    targets: Targets,
}

impl Kind for Courier {
    const NAME: &'static str = "courier";
    const TOPIC: db::Topic = QUEUED;
    const QUEUE: Queue<EndpointId, Job> = QUEUE;
    const LIMITS: Limits = Limits {
        lane: 32,
        account: 128,
        overall: 512,
        spare: 128,
        ahead: AHEAD,
        lease: LEASE,
        act_time_max: CALL_TIME_MAX,
        settle_max: 128,
        settle_wait: Duration::from_millis(3),
        stop: Stop::Finish(Duration::from_secs(CALL_TIME_MAX.as_secs() + 1)),
        ..Limits::DEFAULT
    };

    type Lane = EndpointId;
    type Job = Job;
    type Outcome = Outcome;
    type Settled = Vec<Disabled>;

    fn due(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<EndpointId>> {
        tx.query(claim::DUE, &[&now], db::only)
    }

    fn claim(&self, tx: &mut Tx<'_>, claim: &Claim<EndpointId>) -> db::Result<Claimed<Job>> {
        claim::claim(tx, claim)
    }

    async fn act(&self, job: Arc<Job>) -> Outcome {
        let target = self.targets.of(&job, &self.server.services.secrets, (self.server.clock)());
        attempt::make(&self.server, &job, &target).await
    }

    fn settle(
        &self,
        tx: &mut Tx<'_>,
        batch: &[Arc<Done<Self>>],
        _now: Timestamp,
    ) -> db::Result<Vec<Disabled>> {
        settle::write(tx, batch, self.server.recorder.ids())
    }

    fn settled(&self, disabled: Vec<Disabled>) {
        for Disabled { account, endpoint, reason } in disabled {
            tracing::warn!(%account, %endpoint, reason, "a webhook endpoint was switched off");
            metrics::counter!("frontdesk_webhook_endpoints_disabled_total").increment(1);
        }
    }

    fn account(&self, job: &Job) -> Option<AccountId> {
        Some(job.account)
    }

    fn attempt(&self, job: &Job) -> Option<i64> {
        Some(job.attempts + 1)
    }

    fn health(&self, outcome: &Outcome) -> Health {
        if outcome.is_success() { Health::Fine } else { Health::Failing }
    }

    fn give_back(&self, tx: &mut Tx<'_>, jobs: &[Arc<Job>], now: Timestamp) -> db::Result<()> {
        claim::give_back(tx, jobs, now)
    }

    fn is_stale(&self, tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
        claim::any_expired(tx, now)
    }

    fn sweep(&self, tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
        claim::take_back_expired(tx, now)
    }

    fn take_over(&self, tx: &mut Tx<'_>, dead: LeaseRange, now: Timestamp) -> db::Result<bool> {
        claim::take_over(tx, dead, now)
    }
}

/// Writes a delivery as claimed and hands it to the courier of this process.
pub(super) fn hand_over(
    tx: &mut Tx<'_>,
    by: &By,
    event: &WrittenEvent<'_>,
    to: Subscriber,
    place: Place<EndpointId, Job>,
) -> db::Result<()> {
    let (lease, leased_until) = (db::new_lease(), by.now + LEASE);
    let delivery =
        deliveries::insert_claimed(tx, by, to.id, event.id, event.event_type, lease, leased_until)?;
    let job = Job {
        account: by.account,
        endpoint: to.id,
        delivery,
        event: event.id,
        event_type: event.event_type.to_owned(),
        attempts: 0,
        step: 0,
        lease,
        route: Arc::new(to.route),
        data: event.data.to_owned(),
    };
    place.hand_over(tx, job, leased_until);
    Ok(())
}
