//! Carries out what the scheduler decides.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, LeaseRange, lease};
use frontdesk_kernel::Timestamp;
use frontdesk_trace::{self as trace, Span, SpanKind};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::report::{EngineEvent, Promise, Report};
use super::{Engine, RELEASE_PAUSE, RunningJob, charge_of, held, release, settle};
use crate::drain::Context;
use crate::kind::{Claimed, Done, Kind};
use crate::lane::{ClaimedJob, LaneId};
use crate::scheduler::Effect;
use crate::spawn::spawn;
use crate::sql::Claim;

/// A lease on a lane, to be taken with the next claim.
struct LaneLease {
    name: String,
    holder: Uuid,
    span: Duration,
}

impl<K: Kind> Engine<K> {
    pub(super) fn carry_out(&mut self) {
        for effect in std::mem::take(&mut self.scheduler.effects) {
            match effect {
                Effect::Look => {
                    self.spawn(
                        |kind, context| async move { EngineEvent::Looked(look(&kind, &context).await) },
                    );
                }
                Effect::Claim { lane, most } => self.claim(lane, most),
                Effect::Begin { lane, held, pause } => self.begin(lane, held, pause),
                Effect::Rest { lane, time } => self.spawn(move |_, _| async move {
                    sleep(time).await;
                    EngineEvent::Rested(lane)
                }),
                Effect::Open { lane, room } => self.open(lane, room),
                Effect::Settle(batch) => self.settle(batch),
                Effect::GiveBack(jobs) => self.give_back(jobs),
            }
        }
    }

    /// Where servers take leases on lanes, no job is handed over. New jobs are claimed, because another server may hold
    /// their lane.
    fn open(&self, lane: K::Lane, room: usize) {
        let room = if self.takes_charge().is_some() { 0 } else { room };
        self.mailbox.set_room(lane.uuid(), room);
    }

    /// How long this engine leases a lane, if it does. SQLite has one server, which needs no leases on lanes.
    fn takes_charge(&self) -> Option<Duration> {
        K::LIMITS.charge.filter(|_| self.context.store.is_shared())
    }

    /// Runs a future in a task of its own, which sends its event back to the engine.
    fn spawn<F>(&self, run: impl FnOnce(Arc<K>, Context) -> F)
    where
        F: Future<Output = EngineEvent<K>> + Send + 'static,
    {
        let promise = Promise::new(self.events.clone());
        let run = run(self.kind.clone(), self.context.clone());
        spawn(async move { promise.keep(run.await) });
    }

    fn claim(&mut self, lane: K::Lane, most: usize) {
        let now = (self.context.clock)();
        let lease = db::new_lease();
        let claim = Claim { lane, most, now, lease, leased_until: now + K::LIMITS.lease };
        let charge = self.charge_to_take(lane, now);
        self.spawn(move |kind, context| async move {
            let claiming = kind.clone();
            let claimed = context.store.write(move |tx| {
                if let Some(charge) = &charge
                    && !lease::take(tx, &charge.name, charge.holder, now, charge.span)?
                {
                    return Ok(Claimed::Elsewhere);
                }
                claiming.claim(tx, &claim)
            });
            let claimed = claimed.await;
            if claimed.is_err() && context.store.is_shared() {
                // The commit may have succeeded although its response was lost.
                release(&kind, &context, LeaseRange::only(lease)).await;
            }
            let claimed = claimed.map(|claimed| match claimed {
                Claimed::Jobs { jobs, per_second } => Claimed::Jobs {
                    jobs: jobs.into_iter().map(|job| held(&*kind, job, claim.leased_until, None)).collect(),
                    per_second,
                },
                Claimed::Gone { more } => Claimed::Gone { more },
                Claimed::Elsewhere => Claimed::Elsewhere,
            });
            EngineEvent::Claimed(lane, most, claimed)
        });
    }

    /// The lease to take on a lane, unless this engine holds it for more than half of its span. It is recorded before
    /// it is taken, and forgotten when the claim finds that another server holds it.
    fn charge_to_take(&mut self, lane: K::Lane, now: Timestamp) -> Option<LaneLease> {
        let span = self.takes_charge()?;
        if self.charges.get(&lane).is_some_and(|until| *until > now + span / 2) {
            return None;
        }
        self.charges.insert(lane, now + span);
        Some(LaneLease { name: charge_of::<K>(lane), holder: self.holder, span })
    }

    #[expect(clippy::disallowed_methods, reason = "measures how long it takes")]
    fn begin(&mut self, lane: K::Lane, held: ClaimedJob<Arc<K::Job>>, pause: Duration) {
        let number = self.begun;
        self.begun += 1;
        let ClaimedJob { job, account, trace, .. } = held;
        let (kind, acted_on) = (self.kind.clone(), job.clone());
        let report = Report::new(number, self.events.clone());
        let task = spawn(async move {
            if !pause.is_zero() {
                sleep(pause).await;
            }
            let start = Instant::now();
            let span = span(&*kind, &acted_on, trace);
            let outcome = trace::within!(span, kind.act(acted_on));
            report.acted(outcome, start.elapsed());
        });
        self.flights.insert(number, RunningJob { lane, account, job, task: task.abort_handle() });
    }

    fn settle(&self, batch: Vec<Arc<Done<K>>>) {
        self.spawn(|kind, context| async move {
            EngineEvent::Settled(settle::settle(&kind, &context, batch).await)
        });
    }

    fn give_back(&mut self, jobs: Vec<Arc<K::Job>>) {
        self.giving_back += 1;
        self.spawn(|kind, context| async move {
            while let Err(error) = give_back(&kind, &context, &jobs).await {
                if *context.stopped.borrow() {
                    tracing::warn!(kind = K::NAME, %error, "releasing jobs failed; another server takes them over");
                    break;
                }
                tracing::warn!(kind = K::NAME, %error, "releasing jobs failed; retrying in {} s", RELEASE_PAUSE.as_secs());
                sleep(RELEASE_PAUSE).await;
            }
            EngineEvent::GivenBack
        });
    }
}

/// The span of a job: of the trace of the transaction that handed it over, or of a trace of its own.
fn span<K: Kind>(kind: &K, job: &K::Job, trace: Option<trace::Context>) -> Option<Span> {
    let span = Span::root(trace, SpanKind::Consumer, K::NAME)?;
    span.set("frontdesk.job.kind", K::NAME);
    if let Some(attempt) = kind.attempt(job) {
        span.set("frontdesk.job.attempt", attempt);
    }
    Some(span)
}

async fn give_back<K: Kind>(kind: &Arc<K>, context: &Context, jobs: &[Arc<K::Job>]) -> db::Result<()> {
    let (kind, jobs, now) = (kind.clone(), jobs.to_vec(), (context.clock)());
    let given = context.store.write(move |tx| -> db::Result<()> {
        kind.give_back(tx, &jobs, now)?;
        tx.wake(K::TOPIC);
        Ok(())
    });
    given.await
}

/// Sweeps what is stale, then finds lanes with something due.
async fn look<K: Kind>(kind: &Arc<K>, context: &Context) -> db::Result<Vec<K::Lane>> {
    let mut may_sweep = true;
    loop {
        let (looking, sweeping, now) = (kind.clone(), kind.clone(), (context.clock)());
        let (is_stale, due) = context
            .store
            .read(move |tx| {
                let is_stale = may_sweep && looking.is_stale(tx, now)?;
                let due = if is_stale { Vec::new() } else { looking.due(tx, now)? };
                db::Result::Ok((is_stale, due))
            })
            .await?;
        if !is_stale {
            return Ok(due);
        }
        may_sweep = context.store.write(move |tx| sweeping.sweep(tx, now)).await.unwrap_or_else(|error| {
            tracing::warn!(kind = K::NAME, %error, "sweep failed; retrying with the next look");
            false
        });
    }
}
