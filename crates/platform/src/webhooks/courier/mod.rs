//! The courier: takes deliveries that are due, calls their endpoints, and settles what came of it.
//!
//! Every endpoint has a lane of its own with its own bound, and every account a bound over its lanes, so a slow or dead
//! endpoint delays no other and one account's flood delays no other account's. An endpoint that keeps failing is tried
//! with little at a time. What is taken is held under a lease: if this process dies, it is due again for any server
//! when the lease runs out; if it was only slow, its late word changes nothing.
//!
//! It is one task that owns all of its state. Looking, claiming, calling and settling run beside it and report back.

mod attempt;
mod claim;
mod fresh;
mod lane;
mod settle;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Handed, Marks};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use attempt::Outcome;
use claim::Claimed;
use fresh::Fresh;
use lane::Lane;

use super::{EndpointId, QUEUED};
use crate::Means;
use crate::gathering::{Gathering, until};
use crate::sealing::Keyring;

pub(crate) use fresh::hand_over;

/// Calls under way at a time, in all and for one account.
const IN_FLIGHT_MAX: usize = 512;
const ACCOUNT_IN_FLIGHT_MAX: usize = 128;
/// Past those, an endpoint with nothing under way may still begin one call, so that full bounds delay nobody.
const SPARE: usize = 128;
/// How often the courier looks by itself for what is due; commits of this process wake it at once.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// Outcomes settled in one transaction, and how long the first waits for company.
const SETTLE_MAX: usize = 128;
const SETTLE_WAIT: Duration = Duration::from_millis(3);
/// Calls under way get this long to end when the server stops.
const FAREWELL: Duration = Duration::from_secs(16);

/// Every statement of the courier, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [claim::STATEMENTS, settle::STATEMENTS].concat()
}

/// Those that only PostgreSQL is asked.
pub fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    [&[("courier::CLAIM_POSTGRES", claim::CLAIM_POSTGRES)], settle::POSTGRES_STATEMENTS].concat()
}

/// A handle to the running courier.
#[derive(Clone)]
pub struct Courier {
    notes: mpsc::UnboundedSender<Note>,
}

/// What is reported to the courier's task.
enum Note {
    /// Endpoints with deliveries that are due.
    Due(db::Result<Vec<EndpointId>>),
    Claimed(EndpointId, usize, db::Result<Claimed>),
    Done(Arc<Outcome>),
    Settled(Vec<Arc<Outcome>>, db::Result<()>),
    /// Somebody wants to know when nothing is due any more.
    Drain(oneshot::Sender<()>),
}

impl Courier {
    /// Starts the courier; it works until `stopped` says so.
    pub fn start(means: Means, stopped: watch::Receiver<bool>) -> (Self, tokio::task::JoinHandle<()>) {
        let (notes, inbox) = mpsc::unbounded_channel();
        let desk = Desk {
            marks: means.store.wakes().marks(QUEUED),
            means,
            notes: notes.clone(),
            lanes: HashMap::new(),
            by_account: HashMap::new(),
            in_flight: 0,
            waiting: Vec::new(),
            outcomes: Gathering::new(SETTLE_MAX, SETTLE_WAIT),
            looking: false,
            look_again: false,
            drains: Vec::new(),
            stopping: false,
        };
        let task = tokio::spawn(desk.work(inbox, stopped));
        (Self { notes }, task)
    }

    /// Returns once every delivery that is due now has been tried.
    pub async fn drain(&self) {
        let (done, drained) = oneshot::channel();
        if self.notes.send(Note::Drain(done)).is_ok() {
            let _ = drained.await;
        }
    }
}

/// The courier's task and all that it knows.
struct Desk {
    means: Means,
    notes: mpsc::UnboundedSender<Note>,
    /// What commits of this process are about, and what they hand over.
    marks: Arc<Marks>,
    lanes: HashMap<EndpointId, Lane>,
    by_account: HashMap<AccountId, usize>,
    in_flight: usize,
    /// Lanes that have work and wait for a bound over all or over their account.
    waiting: Vec<EndpointId>,
    outcomes: Gathering<Arc<Outcome>>,
    looking: bool,
    look_again: bool,
    drains: Vec<oneshot::Sender<()>>,
    stopping: bool,
}

impl Desk {
    async fn work(mut self, mut inbox: mpsc::UnboundedReceiver<Note>, mut stopped: watch::Receiver<bool>) {
        let marks = self.marks.clone();
        let mut others = self.means.store.wakes().subscribe_elsewhere(QUEUED);
        let mut tick = tokio::time::interval(LOOK_PERIOD);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let across = self.means.store.dialect() == db::Dialect::Postgres;
        if !across && let Err(error) = claim::begin_anew(&self.means.store, (self.means.clock)()).await {
            tracing::warn!(%error, "deliveries that were under way wait until their lease runs out");
        }
        loop {
            let settle_at = self.outcomes.due_at();
            tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => break,
                Some(note) = inbox.recv() => self.take(note),
                () = marks.wait() => self.heard(),
                () = until(settle_at), if settle_at.is_some() => self.settle(),
                // Other servers tell that there is work, but not for whom.
                Ok(()) = others.changed(), if across && self.is_idle() => self.look(),
                _ = tick.tick() => self.look(),
            }
        }
        self.farewell(inbox).await;
    }

    fn is_idle(&self) -> bool {
        self.in_flight == 0 && !self.looking
    }

    fn take(&mut self, note: Note) {
        match note {
            Note::Due(found) => self.found(found),
            Note::Claimed(endpoint, asked, claimed) => self.claimed(endpoint, asked, claimed),
            Note::Done(outcome) => self.done(outcome),
            Note::Settled(batch, result) => self.settled(batch, result),
            Note::Drain(done) => {
                self.drains.push(done);
                self.look_again = true;
                self.look();
            }
        }
        self.check_drained();
    }

    fn heard(&mut self) {
        self.handed(self.marks.take_handed());
        self.marked(self.marks.take());
        self.check_drained();
    }

    /// Takes deliveries that their own transactions claimed for us.
    fn handed(&mut self, handed: Vec<Handed>) {
        let (now, keys) = ((self.means.clock)(), self.means.services.secrets.clone());
        for endpoint in self.sort_in(handed, &keys, now) {
            self.pump(endpoint);
            self.open(endpoint);
        }
    }

    /// Puts what was handed over into the lanes; returns which.
    fn sort_in(&mut self, handed: Vec<Handed>, keys: &Keyring, now: Timestamp) -> HashSet<EndpointId> {
        let mut endpoints = HashSet::new();
        for fresh in handed.into_iter().filter_map(|handed| handed.downcast::<Fresh>().ok()) {
            let endpoint = fresh.endpoint;
            let lane = self.lanes.entry(endpoint).or_default();
            let job = fresh.into_job(&mut lane.targets, keys, now);
            lane.jobs.push_back(job);
            endpoints.insert(endpoint);
        }
        endpoints
    }

    /// Says how many new deliveries an endpoint's lane takes straight from their transactions.
    fn open(&self, endpoint: EndpointId) {
        let room = if self.stopping { 0 } else { self.lanes.get(&endpoint).map_or(0, Lane::open) };
        self.marks.set_room(endpoint.uuid(), room);
    }

    fn marked(&mut self, endpoints: HashSet<uuid::Uuid>) {
        for endpoint in endpoints.into_iter().map(EndpointId::from_uuid) {
            self.lanes.entry(endpoint).or_default().dirty = true;
            self.fill(endpoint);
            self.open(endpoint);
        }
    }

    /// Looks for endpoints with something due, and takes back what dead servers held.
    fn look(&mut self) {
        if self.looking {
            self.look_again = true;
            return;
        }
        self.looking = true;
        self.look_again = false;
        self.lanes.retain(|endpoint, lane| {
            let keep = !lane.is_forgettable();
            if !keep {
                self.marks.set_room(endpoint.uuid(), 0);
            }
            keep
        });
        let (means, notes) = (self.means.clone(), self.notes.clone());
        tokio::spawn(async move {
            let now = (means.clock)();
            let _ = notes.send(Note::Due(claim::due(&means.store, now).await));
        });
    }

    fn found(&mut self, found: db::Result<Vec<EndpointId>>) {
        self.looking = false;
        match found {
            Ok(endpoints) => self.marked(endpoints.into_iter().map(|endpoint| endpoint.uuid()).collect()),
            Err(error) => tracing::warn!(%error, "the courier cannot look for what is due"),
        }
        if self.look_again {
            self.look();
        }
    }

    /// Claims what is due for a lane, if it has room.
    fn fill(&mut self, endpoint: EndpointId) {
        let Some(lane) = self.lanes.get_mut(&endpoint) else { return };
        let room = lane.room();
        if self.stopping || !lane.dirty || lane.claiming || room == 0 {
            return;
        }
        lane.dirty = false;
        lane.claiming = true;
        let (means, notes) = (self.means.clone(), self.notes.clone());
        tokio::spawn(async move {
            let claimed = claim::claim(&means, endpoint, room).await;
            let _ = notes.send(Note::Claimed(endpoint, room, claimed));
        });
    }

    fn claimed(&mut self, endpoint: EndpointId, asked: usize, claimed: db::Result<Claimed>) {
        let lane = self.lanes.entry(endpoint).or_default();
        lane.claiming = false;
        match claimed {
            Ok(Claimed::Jobs(jobs)) => {
                lane.caught_up = jobs.len() < asked;
                lane.dirty |= !lane.caught_up;
                lane.jobs.extend(jobs);
                self.pump(endpoint);
                self.fill(endpoint);
            }
            // The endpoint is gone or switched off: what waited for it has failed, a batch at a time.
            Ok(Claimed::Failed { more }) => {
                lane.dirty |= more;
                self.fill(endpoint);
            }
            Err(error) => tracing::warn!(%error, "the courier cannot claim"),
        }
        self.open(endpoint);
    }

    /// Starts as many calls of a lane as its bounds allow.
    fn pump(&mut self, endpoint: EndpointId) {
        let now = (self.means.clock)();
        if self.lanes.get_mut(&endpoint).is_some_and(|lane| lane.let_go(now)) {
            self.look();
        }
        let Some(lane) = self.lanes.get_mut(&endpoint) else { return };
        while let Some(job) = lane.ready() {
            let of_account = self.by_account.entry(job.account).or_default();
            let spare = if lane.in_flight == 0 { SPARE } else { 0 };
            if self.in_flight >= IN_FLIGHT_MAX + spare || *of_account >= ACCOUNT_IN_FLIGHT_MAX + spare {
                if !self.waiting.contains(&endpoint) {
                    self.waiting.push(endpoint);
                }
                return;
            }
            *of_account += 1;
            self.in_flight += 1;
            lane.in_flight += 1;
            let job = lane.jobs.pop_front().expect("a ready job is there");
            let pause = if self.drains.is_empty() { lane.pause() } else { Duration::ZERO };
            let (means, notes) = (self.means.clone(), self.notes.clone());
            tokio::spawn(async move {
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                let outcome = attempt::make(&means, job).await;
                let _ = notes.send(Note::Done(Arc::new(outcome)));
            });
        }
    }

    fn done(&mut self, outcome: Arc<Outcome>) {
        self.in_flight -= 1;
        if let Some(count) = self.by_account.get_mut(&outcome.account) {
            *count -= 1;
            if *count == 0 {
                self.by_account.remove(&outcome.account);
            }
        }
        let endpoint = outcome.endpoint;
        if let Some(lane) = self.lanes.get_mut(&endpoint) {
            lane.in_flight -= 1;
            lane.remember(outcome.is_success(), outcome.millis);
        }
        if self.outcomes.add(outcome) {
            self.settle();
        }
        for waiting in std::mem::take(&mut self.waiting) {
            self.pump(waiting);
        }
        self.pump(endpoint);
        self.fill(endpoint);
        self.open(endpoint);
    }

    /// Settles what has come in.
    fn settle(&mut self) {
        let Some(batch) = self.outcomes.begin() else { return };
        let (means, notes) = (self.means.clone(), self.notes.clone());
        tokio::spawn(async move {
            let result = settle::settle(&means, &batch).await;
            let _ = notes.send(Note::Settled(batch, result));
        });
    }

    fn settled(&mut self, batch: Vec<Arc<Outcome>>, result: db::Result<()>) {
        if let Err(error) = result {
            tracing::warn!(%error, "the courier cannot settle; it tries again");
            self.outcomes.failed(batch);
            return;
        }
        self.outcomes.written();
        self.settle();
    }

    fn check_drained(&mut self) {
        let busy = self.in_flight > 0
            || self.looking
            || self.look_again
            || !self.outcomes.is_idle()
            || !self.marks.is_empty()
            || self.lanes.values().any(Lane::is_busy);
        if !busy {
            for drain in self.drains.drain(..) {
                let _ = drain.send(());
            }
        }
    }

    /// Lets calls under way end, settles them, and gives back what was claimed and not begun.
    async fn farewell(mut self, mut inbox: mpsc::UnboundedReceiver<Note>) {
        self.stopping = true;
        self.marks.close();
        self.give_back().await;
        let end = Instant::now() + FAREWELL;
        while self.in_flight > 0 || !self.outcomes.is_idle() || self.lanes.values().any(|lane| lane.claiming)
        {
            self.settle();
            match tokio::time::timeout_at(end, inbox.recv()).await {
                Ok(Some(Note::Claimed(endpoint, _, Ok(Claimed::Jobs(jobs))))) => {
                    self.lanes.entry(endpoint).or_default().claiming = false;
                    claim::give_back(&self.means.store, jobs, (self.means.clock)()).await;
                }
                Ok(Some(note)) => self.take(note),
                Ok(None) | Err(_) => break,
            }
        }
        self.give_back().await;
    }

    /// Returns what was claimed or handed over and not begun.
    async fn give_back(&mut self) {
        let (now, keys) = ((self.means.clock)(), self.means.services.secrets.clone());
        self.sort_in(self.marks.take_handed(), &keys, now);
        let unbegun: Vec<_> = self.lanes.values_mut().flat_map(|lane| lane.jobs.drain(..)).collect();
        claim::give_back(&self.means.store, unbegun, now).await;
    }
}

/// How long what is claimed is held: as long as a full lane of the slowest calls takes, and some.
fn leased_until(now: Timestamp) -> Timestamp {
    now + lane::LEASE
}
