//! A server: its engines, its clock and its heartbeat. It does what `crate::engine` and the server's heartbeat do, with every
//! step an event of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_fuzz::Dice;
use frontdesk_kernel::Timestamp;
use frontdesk_simulation::{Millis, Outcome};
use uuid::Uuid;

use super::engine::{Engine, Flight, LaneNumber, limits};
use super::request::{BOTH, Done, Job, LaneClaim, Reply, Request, Work};
use super::sabotage::Sabotage;
use super::world::{Event, World};
use crate::lane::{ClaimedJob, Health};
use crate::limits::{Limits, Stop};
use crate::scheduler::{Effect, Ended, Now};

const START: Millis = 1_800_000_000_000;
pub(super) const SECOND: Millis = 1_000;
/// How often a server looks and beats when nothing goes wrong any more.
const QUIET_PERIOD: Millis = 20_000;
/// How long it is stopped, and how long a start takes.
const DOWN_MAX: usize = 5_000;
/// How long after an unreachable channel or a lost mark a call is tried again.
const AGAIN_PAUSE: Millis = 2_000;
/// How long a stop may take.
const STOP_TIME_MAX: Millis = 31_000;

/// What happens to a server.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    Tick(Work),
    Beat,
    Watch,
    Woken(Work, u64),
    WokenElsewhere(Work),
    /// A transaction of this server has handed a delivery over, claimed until a time.
    Fresh(u64, Job, Millis),
    /// A request was answered; none if it failed or its response was lost.
    Replied(Request, Option<Reply>),
    /// A job begins, by its number.
    Act(Work, u64),
    Ended(Work, u64, Outcome),
    Rested(Work, u64),
    SettleDue(Work),
    /// Waits before it asks again.
    AskAgain(Request),
    StopTimeIsOver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Down,
    Joining,
    Running,
    Stopping,
    Leaving,
}

pub(super) struct Server {
    /// Counts starts and ends. What happens to another life is nobody's.
    pub(super) life: u32,
    pub(super) phase: Phase,
    pub(super) incarnation: u64,
    taken: u64,
    pub(super) skew: Millis,
    pub(super) awake_at: Millis,
    limits: [Limits; 2],
    engines: [Engine; 2],
    slots: u64,
    pub(super) free_slots: Vec<u64>,
    /// Dead servers whose claims this one has released, and when.
    pub(super) released: BTreeMap<u64, Millis>,
}

impl Server {
    pub(super) fn new(dice: &mut Dice) -> Self {
        let limits = BOTH.map(|work| limits(work, dice));
        Self {
            life: 0,
            phase: Phase::Down,
            incarnation: 0,
            taken: 0,
            skew: 0,
            awake_at: 0,
            engines: limits.map(|limits| Engine::new(limits, Uuid::nil())),
            limits,
            slots: 0,
            free_slots: Vec::new(),
            released: BTreeMap::new(),
        }
    }

    pub(super) fn is_alive(&self, life: u32) -> bool {
        self.phase != Phase::Down && self.life == life
    }

    pub(super) fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    pub(super) fn is_stopping(&self) -> bool {
        matches!(self.phase, Phase::Stopping | Phase::Leaving)
    }

    pub(super) fn new_lease(&mut self) -> Uuid {
        self.taken += 1;
        Uuid::from_u64_pair(self.incarnation, self.taken)
    }

    pub(super) fn lease_time(&self, work: Work) -> Millis {
        self.limits[work as usize].lease.as_millis() as Millis
    }

    /// Takes a place for a delivery that is handed over.
    pub(super) fn take_place(&mut self, lane: u64) -> bool {
        let room = self.engines[Work::Deliver as usize].rooms.get_mut(&lane);
        room.filter(|room| **room > 0).map(|room| *room -= 1).is_some()
    }

    fn take_slot(&mut self) -> u64 {
        self.free_slots.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots
        })
    }
}

impl World {
    pub(super) fn engine(&mut self, at: usize, work: Work) -> &mut Engine {
        &mut self.servers[at].engines[work as usize]
    }

    pub(super) fn now_of(&self, at: usize) -> Now {
        Now { clock: Timestamp::from_millis(START + self.clock_of(at)), instant: self.instant() }
    }

    pub(super) fn local(&mut self, at: usize, pause: Millis, what: Happening) {
        let life = self.servers[at].life;
        self.after(pause, Event::Server { at, life, what });
    }

    pub(super) fn ask(&mut self, at: usize, request: Request) {
        let (pause, life) = (self.on_the_way(), self.servers[at].life);
        self.after(pause, Event::Store { from: at, life, request });
    }

    pub(super) fn period(&self, usual: Millis) -> Millis {
        if self.is_settled() { QUIET_PERIOD } else { usual }
    }

    pub(super) fn start(&mut self, at: usize) {
        if self.servers[at].phase != Phase::Down || self.calm_since.is_some() && at > 0 {
            return;
        }
        self.lives += 1;
        let lives = self.lives;
        let server = &mut self.servers[at];
        (server.phase, server.incarnation, server.taken) = (Phase::Joining, lives, 0);
        (server.slots, server.free_slots, server.released) = (0, Vec::new(), BTreeMap::new());
        server.life += 1;
        for work in BOTH {
            let holder = server.new_lease();
            server.engines[work as usize] = Engine::new(server.limits[work as usize], holder);
        }
        self.ask(at, Request::Join(lives));
    }

    pub(super) fn kill(&mut self, at: usize, comes_back: bool) {
        self.servers[at].phase = Phase::Down;
        self.servers[at].life += 1;
        if comes_back {
            let pause = self.dice.roll(DOWN_MAX) as Millis;
            self.after(pause, Event::Start(at));
        }
    }

    /// Asks a server to stop: it ends what runs, releases the rest and leaves.
    pub(super) fn stop(&mut self, at: usize) {
        if !self.servers[at].is_running() {
            return;
        }
        self.servers[at].phase = Phase::Stopping;
        let now = self.now_of(at);
        for work in BOTH {
            let engine = self.engine(at, work);
            engine.rooms.clear();
            engine.scheduler.stop();
            if engine.limits.stop == Stop::GiveBack {
                for (_, flight) in std::mem::take(&mut engine.flights) {
                    engine.scheduler.lost(flight.lane, None, flight.job, now);
                }
            }
            self.carry_out(at, work);
        }
        self.local(at, STOP_TIME_MAX, Happening::StopTimeIsOver);
        self.leave_at_rest(at);
    }

    fn leave_at_rest(&mut self, at: usize) {
        let server = &self.servers[at];
        if server.phase == Phase::Stopping && server.engines.iter().all(Engine::is_at_rest) {
            self.leave(at);
        }
    }

    fn leave(&mut self, at: usize) {
        self.servers[at].phase = Phase::Leaving;
        let engine = self.engine(at, Work::Send);
        let (lanes, holder) = (engine.charges.keys().copied().collect(), engine.holder);
        self.ask(at, Request::GiveUpLanes(lanes, holder));
    }

    pub(super) fn take(&mut self, at: usize, what: Happening) {
        let now = self.now_of(at);
        match what {
            Happening::Tick(work) if self.servers[at].is_running() => {
                if self.sabotage != Some(Sabotage::NeverLook) {
                    self.engine(at, work).scheduler.look();
                }
                let period = self.period(SECOND);
                self.local(at, period, Happening::Tick(work));
            }
            Happening::Beat => {
                let own = self.servers[at].incarnation;
                self.ask(at, Request::Beat(own));
            }
            Happening::Watch if self.servers[at].is_running() => {
                let own = self.servers[at].incarnation;
                self.ask(at, Request::FindDead(own));
            }
            Happening::Woken(work, lane) if self.servers[at].is_running() => {
                self.engine(at, work).scheduler.woken([LaneNumber(lane)], now);
            }
            Happening::WokenElsewhere(work) if self.servers[at].is_running() => {
                let scheduler = &mut self.engine(at, work).scheduler;
                if scheduler.is_idle() {
                    scheduler.look();
                }
            }
            Happening::Fresh(lane, job, until) => {
                let held = held(job, until);
                self.engine(at, Work::Deliver).scheduler.fresh([(LaneNumber(lane), held)], now);
            }
            Happening::Replied(request, reply) => self.replied(at, request, reply),
            Happening::Act(work, number) => self.act(at, work, number),
            Happening::Ended(work, number, outcome) => self.ended(at, work, number, outcome),
            Happening::Rested(work, lane) => self.engine(at, work).scheduler.rested(LaneNumber(lane), now),
            Happening::SettleDue(work)
                if self.engine(at, work).scheduler.settle_at().is_some_and(|due| due <= now.instant) =>
            {
                self.engine(at, work).scheduler.settle();
            }
            Happening::AskAgain(request) => self.ask(at, request),
            Happening::StopTimeIsOver if self.servers[at].phase == Phase::Stopping => self.leave(at),
            _ => {}
        }
        if self.servers[at].phase != Phase::Down {
            for work in BOTH {
                self.carry_out(at, work);
            }
            self.leave_at_rest(at);
        }
    }

    /// Does what a scheduler has decided.
    fn carry_out(&mut self, at: usize, work: Work) {
        let clock = self.clock_of(at);
        for effect in std::mem::take(&mut self.engine(at, work).scheduler.effects) {
            match effect {
                Effect::Look => self.ask(at, Request::Look(work, clock)),
                Effect::Claim { lane, most } => self.claim(at, work, lane.0, most),
                Effect::Begin { lane, held, pause } => {
                    let engine = self.engine(at, work);
                    let number = engine.begun;
                    engine.begun += 1;
                    let flight = Flight { lane, job: held.job, slot: None, since: clock };
                    engine.flights.insert(number, flight);
                    let ((of_lane, all), limits) = (engine.running(lane), engine.limits);
                    if of_lane > limits.lane * limits.burst || all > limits.overall + limits.spare {
                        self.judge
                            .fail(format!("{of_lane} jobs of a lane run, {all} in all, with {limits:?}"));
                    }
                    self.local(at, pause.as_millis() as Millis, Happening::Act(work, number));
                }
                Effect::Rest { lane, time } => {
                    self.local(at, time.as_millis() as Millis + 1, Happening::Rested(work, lane.0));
                }
                Effect::Open { lane, room } => {
                    // Where servers take leases on lanes, no job is handed over.
                    let room = if work == Work::Send { 0 } else { room };
                    self.engine(at, work).rooms.insert(lane.0, room);
                }
                Effect::Settle(batch) => self.ask(at, Request::Settle(work, batch, clock)),
                Effect::GiveBack(jobs) => {
                    self.engine(at, work).giving_back += 1;
                    self.ask(at, Request::GiveBack(work, jobs, clock));
                }
            }
        }
        let settle_at = self.engine(at, work).scheduler.settle_at();
        let known = std::mem::replace(&mut self.engine(at, work).settle_at, settle_at);
        if let Some(due) = settle_at.filter(|due| known != Some(*due)) {
            let pause = due.saturating_duration_since(self.instant()).as_millis() as Millis;
            self.local(at, pause, Happening::SettleDue(work));
        }
    }

    fn claim(&mut self, at: usize, work: Work, lane: u64, most: usize) {
        let now = self.clock_of(at);
        let lease = self.servers[at].new_lease();
        let until = now + self.servers[at].lease_time(work);
        let engine = self.engine(at, work);
        let mut charge = None;
        if let Some(span) = engine.limits.charge.map(|span| span.as_millis() as Millis)
            && engine.charges.get(&lane).is_none_or(|until| *until <= now + span / 2)
        {
            engine.charges.insert(lane, now + span);
            charge = Some((engine.holder, span));
        }
        self.ask(at, Request::Claim(work, LaneClaim { lane, most, now, lease, until, charge }));
    }

    /// A job begins. A call that must not be made twice is marked before it.
    fn act(&mut self, at: usize, work: Work, number: u64) {
        let Some(flight) = self.engine(at, work).flights.get(&number).copied() else { return };
        if work == Work::Send && self.sabotage != Some(Sabotage::MarkAfterCall) {
            let slot = self.servers[at].take_slot();
            self.ask(at, Request::Mark { number, slot, job: flight.job });
        } else {
            self.make_call(at, work, number, flight.job);
        }
    }

    pub(super) fn marked(&mut self, at: usize, number: u64, slot: u64, job: Job, is_made: bool) {
        let Some(flight) = self.engine(at, Work::Send).flights.get_mut(&number) else { return };
        if is_made {
            flight.slot = Some(slot);
            self.make_call(at, Work::Send, number, job);
        } else {
            self.ended(at, Work::Send, number, Outcome::Again(AGAIN_PAUSE));
        }
    }

    fn make_call(&mut self, at: usize, work: Work, number: u64, job: Job) {
        let (pause, life) = (self.on_the_way(), self.servers[at].life);
        self.after(pause, Event::Call { from: at, life, work, number, job });
    }

    fn ended(&mut self, at: usize, work: Work, number: u64, outcome: Outcome) {
        let (now, clock) = (self.now_of(at), self.clock_of(at));
        let Some(flight) = self.engine(at, work).flights.remove(&number) else { return };
        if work == Work::Send && self.sabotage == Some(Sabotage::MarkAfterCall) {
            let slot = self.servers[at].take_slot();
            self.ask(at, Request::Mark { number, slot, job: flight.job });
        }
        let health = match (work, outcome) {
            (Work::Send, Outcome::Again(_)) => Health::Overloaded,
            (Work::Deliver, Outcome::Again(_)) => Health::Failing,
            _ => Health::Fine,
        };
        let elapsed = Duration::from_millis((clock - flight.since).max(0) as u64);
        let done = Done { lane: flight.lane.0, job: flight.job, outcome, slot: flight.slot };
        let ended = Ended { health, elapsed, done };
        self.engine(at, work).scheduler.ended(flight.lane, None, ended, now);
    }
}

pub(super) fn held(job: Job, until: Millis) -> ClaimedJob<Job> {
    ClaimedJob { job, account: None, leased_until: Timestamp::from_millis(START + until), trace: None }
}
