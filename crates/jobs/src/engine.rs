//! The engine of a kind: one task that receives events, asks its scheduler what to do, and does it.
//!
//! Looking, claiming, acting and settling run in tasks of their own and report back to this one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use frontdesk_db::{self as db, LeaseRange, Mailbox};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_trace as trace;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};
use uuid::Uuid;

use crate::drain::{Asked, Context, Requests, Worker};
use crate::kind::{Claimed, Done, Kind};
use crate::lane::{ClaimedJob, LaneId};
use crate::queue::NewJob;
use crate::scheduler::{Ended, Now, Scheduler};
use crate::spawn::spawn;
use crate::supervisor::TaskEnd;

mod effects;
mod report;
mod settle;
mod shutdown;
#[cfg(test)]
mod tests;

use report::{EngineEvent, EventSender};
use settle::Settling;

/// How long the engine waits before it tries again to release claims.
const RELEASE_PAUSE: Duration = Duration::from_secs(1);

/// Starts the engine of a kind. If its task panics, another one takes over: jobs that were claimed by the first are
/// claimed again when their leases expire.
pub fn start<K: Kind>(kind: K, context: &Context) -> Worker {
    let (kind, ours) = (Arc::new(kind), context.clone());
    let holder = db::new_lease();
    let is_first = AtomicBool::new(true);
    Worker::start(K::NAME, context, move |requests| {
        let (events, inbox) = mpsc::unbounded_channel();
        let engine = Engine::new(kind.clone(), ours.clone(), holder, events);
        engine.work(inbox, requests, is_first.swap(false, Ordering::Relaxed))
    })
}

struct Engine<K: Kind> {
    kind: Arc<K>,
    context: Context,
    /// Holds the leases on lanes.
    holder: Uuid,
    /// The lanes that commits in this process wake, and the jobs that they hand over.
    mailbox: Arc<Mailbox<NewJob<K::Lane, K::Job>>>,
    events: EventSender<K>,
    scheduler: Scheduler<K::Lane, Arc<K::Job>, Arc<Done<K>>>,
    /// Running jobs, by the number that each got when it began.
    flights: HashMap<u64, RunningJob<K>>,
    begun: u64,
    /// Until when this engine holds the lease on each lane.
    charges: HashMap<K::Lane, Timestamp>,
    giving_back: usize,
    drains: Vec<oneshot::Sender<()>>,
    /// Metrics of finished jobs. Looking one up by its labels takes longer than counting.
    done: metrics::Counter,
    seconds: metrics::Histogram,
}

/// A running job.
struct RunningJob<K: Kind> {
    lane: K::Lane,
    account: Option<AccountId>,
    job: Arc<K::Job>,
    task: AbortHandle,
}

impl<K: Kind> Engine<K> {
    fn new(kind: Arc<K>, context: Context, holder: Uuid, events: EventSender<K>) -> Self {
        Self {
            kind,
            mailbox: context.store.wakes().mailbox(K::QUEUE.topic()),
            context,
            holder,
            events,
            scheduler: Scheduler::new(K::LIMITS),
            flights: HashMap::new(),
            begun: 0,
            charges: HashMap::new(),
            giving_back: 0,
            drains: Vec::new(),
            done: metrics::counter!("frontdesk_jobs_total", "kind" => K::NAME, "outcome" => "done"),
            seconds: metrics::histogram!("frontdesk_job_seconds", "kind" => K::NAME),
        }
    }

    async fn work(
        mut self,
        mut inbox: mpsc::UnboundedReceiver<EngineEvent<K>>,
        mut requests: Requests,
        is_first: bool,
    ) -> TaskEnd {
        let Asked { drains, takeovers } = &mut *requests;
        let (store, mailbox) = (self.context.store.clone(), self.mailbox.clone());
        let mut stopped = self.context.stopped.clone();
        let mut elsewhere = store.wakes().subscribe_elsewhere(K::TOPIC);
        let mut tick = interval(K::LIMITS.look_period);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let has_others = store.is_shared();
        // On SQLite what the last server had claimed is released before anything is claimed. Jobs of an engine that
        // panicked may still run, so only the first engine does this.
        if is_first && (has_others || release(&self.kind, &self.context, LeaseRange::ALL).await) {
            self.kind.begin();
        }
        loop {
            let settle_at = self.scheduler.settle_at();
            tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => break,
                Some(event) = inbox.recv() => match event {
                    EngineEvent::Broken => return TaskEnd::Broken,
                    event => self.take(event),
                },
                () = mailbox.wait() => self.read_mailbox(),
                () = until(settle_at), if settle_at.is_some() => self.scheduler.settle(),
                Some(drained) = drains.recv() => self.drain(drained),
                Some((dead, released)) = takeovers.recv() => self.take_over_from(dead, released),
                // Another server says that there is work, but not in which lane.
                Ok(()) = elsewhere.changed(), if has_others && self.scheduler.is_idle() => self.scheduler.look(),
                _ = tick.tick() => self.look(),
            }
            self.carry_out();
            self.check_drained();
        }
        self.shut_down(inbox).await;
        TaskEnd::Done
    }

    /// Releases what a dead server had claimed. The next look finds it.
    fn take_over_from(&self, dead: LeaseRange, released: oneshot::Sender<db::Result<()>>) {
        let (kind, context) = (self.kind.clone(), self.context.clone());
        spawn(async move {
            let _gone_is_fine = released.send(take_over(&kind, &context, dead).await);
        });
    }

    #[expect(clippy::disallowed_methods, reason = "pace is kept by a clock that nobody sets")]
    fn now(&self) -> Now {
        Now { clock: (self.context.clock)(), instant: Instant::now() }
    }

    fn look(&mut self) {
        self.report_counts();
        self.scheduler.look();
    }

    fn report_counts(&self) {
        let count = self.scheduler.count();
        metrics::gauge!("frontdesk_jobs_in_flight", "kind" => K::NAME).set(count.running as f64);
        self.context.counts.set(K::NAME, count);
    }

    /// Takes the jobs and wake-ups that commits in this process left.
    fn read_mailbox(&mut self) {
        let now = self.now();
        self.take_new_jobs(now);
        self.scheduler.woken(self.mailbox.take_woken().into_iter().map(K::Lane::from_uuid), now);
    }

    fn take_new_jobs(&mut self, now: Now) {
        let jobs = self.mailbox.take_jobs().into_iter();
        let jobs = jobs.map(|NewJob { lane, job, leased_until, trace }| {
            (lane, held(&*self.kind, job, leased_until, trace))
        });
        self.scheduler.fresh(jobs, now);
    }

    fn drain(&mut self, drained: oneshot::Sender<()>) {
        self.drains.push(drained);
        self.scheduler.set_draining(true);
        // A look that is under way may have missed jobs that became due since. This look runs after it.
        self.scheduler.look();
    }

    fn check_drained(&mut self) {
        let is_idle = self.mailbox.is_empty() && self.giving_back == 0;
        if !self.drains.is_empty() && is_idle && self.scheduler.is_drained() {
            self.scheduler.set_draining(false);
            for drained in self.drains.drain(..) {
                let _gone_is_fine = drained.send(());
            }
        }
    }

    fn take(&mut self, event: EngineEvent<K>) {
        let now = self.now();
        match event {
            EngineEvent::Looked(found) => {
                let due = unless_failed::<K, _>(found, "cannot look for what is due; it looks again");
                self.scheduler.looked(due, now);
            }
            EngineEvent::Claimed(lane, asked, claimed) => {
                let claimed = unless_failed::<K, _>(claimed, "cannot claim; it tries again");
                match claimed {
                    Some(Claimed::Elsewhere) => drop(self.charges.remove(&lane)),
                    // The lease on the lane may or may not be taken. The next claim takes it again, and shutdown
                    // releases it.
                    None => {
                        self.charges.entry(lane).and_modify(|until| *until = now.clock);
                    }
                    Some(_) => {}
                }
                self.scheduler.claimed(lane, asked, claimed, now);
            }
            EngineEvent::Rested(lane) => self.scheduler.rested(lane, now),
            EngineEvent::Acted(number, outcome, elapsed) => self.acted(number, outcome, elapsed, now),
            EngineEvent::Lost(number) => self.lost(number, now),
            EngineEvent::Settled(Settling { settled, lanes, again }) => {
                for settled in settled {
                    self.kind.settled(settled);
                }
                self.scheduler.settled(lanes, again, now);
            }
            EngineEvent::GivenBack => {
                self.giving_back -= 1;
                if !*self.context.stopped.borrow() {
                    self.scheduler.look();
                }
            }
            // The server stops, so the engine is not started again.
            EngineEvent::Broken => {}
        }
    }

    fn acted(&mut self, number: u64, outcome: K::Outcome, elapsed: Duration, now: Now) {
        let Some(RunningJob { lane, account, job, .. }) = self.flights.remove(&number) else { return };
        self.done.increment(1);
        self.seconds.record(elapsed.as_secs_f64());
        let health = self.kind.health(&outcome);
        let done = Arc::new(Done { lane, job, outcome });
        self.scheduler.ended(lane, account, Ended { health, elapsed, done }, now);
    }

    /// A job panicked or was aborted, so its outcome is unknown.
    fn lost(&mut self, number: u64, now: Now) {
        let Some(RunningJob { lane, account, job, .. }) = self.flights.remove(&number) else { return };
        metrics::counter!("frontdesk_jobs_total", "kind" => K::NAME, "outcome" => "lost").increment(1);
        self.scheduler.lost(lane, account, job, now);
    }
}

/// Releases claims, however often the store fails. False if the server stops before that.
async fn release<K: Kind>(kind: &Arc<K>, context: &Context, leases: LeaseRange) -> bool {
    while let Err(error) = take_over(kind, context, leases).await {
        tracing::warn!(kind = K::NAME, %error, "releasing claims failed; retrying in {} s", RELEASE_PAUSE.as_secs());
        if *context.stopped.borrow() {
            return false;
        }
        sleep(RELEASE_PAUSE).await;
    }
    true
}

/// Releases all claims under these leases.
async fn take_over<K: Kind>(kind: &Arc<K>, context: &Context, dead: LeaseRange) -> db::Result<()> {
    loop {
        let (kind, now) = (kind.clone(), (context.clock)());
        if !context.store.write(move |tx| kind.take_over(tx, dead, now)).await? {
            return Ok(());
        }
    }
}

/// The value, or `None` and a log line on failure.
fn unless_failed<K: Kind, T>(result: db::Result<T>, what: &str) -> Option<T> {
    result.inspect_err(|error| tracing::warn!(kind = K::NAME, %error, "{what}")).ok()
}

fn held<K: Kind>(
    kind: &K,
    job: K::Job,
    leased_until: Timestamp,
    trace: Option<trace::Context>,
) -> ClaimedJob<Arc<K::Job>> {
    ClaimedJob { account: kind.account(&job), job: Arc::new(job), leased_until, trace }
}

/// The name of the lease on a lane.
fn charge_of<K: Kind>(lane: K::Lane) -> String {
    format!("{} {}", K::NAME, lane.uuid())
}

/// Waits until a moment. Never returns when there is none.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
