//! The world of a history: the time, what is going to happen, the store, the network and the servers.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_fuzz::Dice;
use frontdesk_simulation::{Millis, Outcome};
use tokio::time::Instant;

use super::faults::{Fault, Rates};
use super::judge::{Judge, Tally};
use super::request::{BOTH, Job, Reply, Request, Store, Work};
use super::sabotage::Sabotage;
use super::server::{Happening, Server};

/// How long faults last, and the longest time that everything may take.
const FAULTS_MIN: Millis = 8_000;
const FAULTS_MORE: usize = 12_000;
const TIME_MAX: Millis = 3 * 60 * 60 * 1_000;
/// After this time without faults there is one server, which need not look often.
const SETTLED_AFTER: Millis = 15_000;
/// The longest time on the way.
const LATE_MAX: Millis = 10_000;
/// How long a caller waits for a response.
const CALL_TIME_MAX: Millis = 20_000;

/// Something that is going to happen.
#[derive(Debug)]
pub(super) enum Event {
    /// To a server, in one of its lives. A suspended server gets it when it is awake.
    Server {
        at: usize,
        life: u32,
        what: Happening,
    },
    /// A request arrives at the store.
    Store {
        from: usize,
        life: u32,
        request: Request,
    },
    /// A request is done although its caller has given up.
    Late {
        from: usize,
        request: Request,
    },
    /// A call arrives outside.
    Call {
        from: usize,
        life: u32,
        work: Work,
        number: u64,
        job: Job,
    },
    /// Somebody creates a job.
    Create(Work),
    Start(usize),
    Fault(Fault),
    Calm,
}

pub(super) struct World {
    pub(super) dice: Dice,
    /// The time of the database's clock, in milliseconds since the beginning.
    pub(super) now: Millis,
    pub(super) base: Instant,
    events: BTreeMap<(Millis, u64), Event>,
    numbered: u64,
    pub(super) store: Store,
    /// The store fails until then.
    pub(super) down_until: Millis,
    pub(super) servers: Vec<Server>,
    pub(super) lives: u64,
    pub(super) lanes: usize,
    jobs: u64,
    pub(super) rates: Rates,
    pub(super) calm_since: Option<Millis>,
    pub(super) sabotage: Option<Sabotage>,
    pub(super) judge: Judge,
    /// When nothing was left to do.
    over_at: Option<Millis>,
    /// What happened, if somebody wants to read it.
    log: Option<Vec<String>>,
}

/// Runs the history of a seed.
pub(super) fn history(seed: u64, sabotage: Option<Sabotage>, base: Instant) -> Result<Tally, String> {
    let mut world = World::new(seed, sabotage, base);
    world.run();
    world.judge.conclude(&world.store)
}

/// What happened in the history of a seed.
pub(super) fn log_of(seed: u64, sabotage: Option<Sabotage>, base: Instant) -> Vec<String> {
    let mut world = World::new(seed, sabotage, base);
    world.log = Some(Vec::new());
    world.run();
    world.log.unwrap_or_default()
}

impl World {
    fn new(seed: u64, sabotage: Option<Sabotage>, base: Instant) -> Self {
        let mut dice = Dice::new(seed);
        let rates = Rates::roll(&mut dice);
        let lanes = 1 + dice.roll(2);
        let mut world = Self {
            now: 0,
            base,
            events: BTreeMap::new(),
            numbered: 0,
            store: Store::default(),
            down_until: 0,
            servers: Vec::new(),
            lives: 0,
            lanes,
            jobs: 0,
            rates,
            calm_since: None,
            sabotage,
            judge: Judge::new(rates.clocks),
            over_at: None,
            log: None,
            dice,
        };
        for at in 0..=world.dice.roll(3) {
            let server = Server::new(&mut world.dice);
            world.servers.push(server);
            world.after(0, Event::Start(at));
        }
        let end = FAULTS_MIN + world.dice.roll(FAULTS_MORE) as Millis;
        for work in BOTH {
            for _ in 0..3 + world.dice.roll(rates.jobs_max - 2) {
                let at = world.dice.roll(end as usize) as Millis;
                world.after(at, Event::Create(work));
            }
        }
        for (at, fault) in rates.faults(end, &mut world.dice) {
            world.after(at, Event::Fault(fault));
        }
        world.after(end, Event::Calm);
        world
    }

    fn run(&mut self) {
        while let Some(((at, number), event)) = self.events.pop_first() {
            if at > TIME_MAX {
                return;
            }
            self.now = at;
            if let &Event::Server { at: server, .. } = &event
                && self.servers[server].awake_at > at
            {
                let awake_at = self.servers[server].awake_at;
                self.events.insert((awake_at, number), event);
                continue;
            }
            if let Some(log) = &mut self.log {
                log.push(format!("{at:>8} ms  {event:?}"));
            }
            self.happen(event);
            let is_over = self.calm_since.is_some() && Judge::is_over(&self.store);
            self.over_at = is_over.then(|| self.over_at.unwrap_or(at));
            // Calls that are on their way may still arrive.
            if self.over_at.is_some_and(|over| at > over + LATE_MAX) || self.judge.wrong.is_some() {
                return;
            }
        }
    }

    pub(super) fn after(&mut self, pause: Millis, event: Event) {
        self.numbered += 1;
        self.events.insert((self.now + pause, self.numbered), event);
    }

    /// A time on the way, usually short.
    pub(super) fn on_the_way(&mut self) -> Millis {
        let most = *self.dice.pick(&[2, 5, 20, 100, self.rates.delay_max]);
        self.dice.roll(most) as Millis
    }

    /// Whether everything was quiet for so long that periods can be long.
    pub(super) fn is_settled(&self) -> bool {
        self.calm_since.is_some_and(|since| self.now > since + SETTLED_AFTER)
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Server { at, life, what } => {
                if self.servers[at].is_alive(life) {
                    self.take(at, what);
                }
            }
            Event::Store { from, life, request } => self.transact(from, life, request),
            Event::Late { from, request } => drop(self.write(from, &request)),
            Event::Call { from, life, work, number, job } => self.call(from, life, work, number, job),
            Event::Create(work) => self.create(work),
            Event::Start(at) => self.start(at),
            Event::Fault(fault) => self.strike(fault),
            Event::Calm => self.calm(),
        }
    }

    /// A request arrives at the store. It or its response may be lost, or the caller may give up before it is done.
    fn transact(&mut self, from: usize, life: u32, request: Request) {
        let lost = if self.calm_since.is_none() { self.rates.lost } else { 0 };
        let is_lost = self.now < self.down_until || self.dice.roll(1_000) < lost;
        let mut reply = None;
        // Bytes that a killed process had written may arrive, or not.
        let arrives = self.servers[from].is_alive(life) || self.dice.one_in(2);
        if !is_lost && arrives {
            let written = self.write(from, &request);
            reply = Some(written).filter(|_| self.dice.roll(1_000) >= lost);
        } else if arrives && !matches!(request, Request::Claim(..)) && self.dice.one_in(3) {
            let pause = self.dice.roll(self.rates.delay_max) as Millis;
            self.after(pause, Event::Late { from, request: request.clone() });
        }
        let pause = self.on_the_way();
        self.after(pause, Event::Server { at: from, life, what: Happening::Replied(request, reply) });
    }

    /// Runs a transaction.
    fn write(&mut self, from: usize, request: &Request) -> Reply {
        let written = self.store.run(request, self.now, self.sabotage);
        self.observe(request, &written);
        self.wake_after(from, request);
        written
    }

    fn observe(&mut self, request: &Request, reply: &Reply) {
        match (request, reply) {
            (Request::Mark { job, .. }, Reply::Flag(true)) => self.judge.mark(job.row),
            (Request::Look(Work::Send, _), _) => self.judge.note_overdue(&self.store),
            (Request::Claim(Work::Send, _), Reply::Claimed(Some(jobs))) => {
                for job in jobs {
                    self.judge.claim(*job, &self.store);
                }
            }
            _ => {}
        }
    }

    /// Commits wake those who wait for more of the same.
    fn wake_after(&mut self, from: usize, request: &Request) {
        match request {
            Request::Settle(work, batch, _) => {
                let lanes: Vec<u64> = batch.iter().map(|done| done.lane).collect();
                for lane in lanes {
                    self.wake(from, *work, lane);
                }
            }
            Request::GiveBack(work, ..) => self.wake_others(from, *work),
            _ => {}
        }
    }

    /// Wakes the engine of this process, and tells other servers.
    fn wake(&mut self, at: usize, work: Work, lane: u64) {
        let life = self.servers[at].life;
        self.after(0, Event::Server { at, life, what: Happening::Woken(work, lane) });
        self.wake_others(at, work);
    }

    fn wake_others(&mut self, from: usize, work: Work) {
        for at in (0..self.servers.len()).filter(|at| *at != from) {
            if self.dice.roll(1_000) >= self.rates.wakes_lost {
                let (pause, life) = (self.on_the_way(), self.servers[at].life);
                self.after(pause, Event::Server { at, life, what: Happening::WokenElsewhere(work) });
            }
        }
    }

    /// A call arrives at a channel or a receiver. Its response may be lost.
    fn call(&mut self, from: usize, life: u32, work: Work, number: u64, job: Job) {
        let luck = if self.calm_since.is_some() { 99 } else { self.dice.roll(100) };
        let is_lost = luck < self.rates.calls_lost;
        let outcome = match (work, luck % 10) {
            (_, 0 | 1) => Outcome::Again(500 + self.dice.roll(3_000) as Millis),
            (Work::Send, 2) if self.dice.one_in(3) => {
                self.judge.refuse(job.row);
                Outcome::Refused
            }
            (Work::Send, _) => {
                self.judge.arrive(job.row, &self.store);
                Outcome::Accepted
            }
            (Work::Deliver, _) => {
                self.judge.deliver(job.row);
                Outcome::Accepted
            }
        };
        let (outcome, pause) = match (is_lost, work) {
            (false, _) => (outcome, self.on_the_way() + self.dice.roll(200) as Millis),
            (true, Work::Send) => (Outcome::Unknown, CALL_TIME_MAX),
            (true, Work::Deliver) => (Outcome::Again(1_000), CALL_TIME_MAX / 3),
        };
        self.after(pause, Event::Server { at: from, life, what: Happening::Ended(work, number, outcome) });
    }

    /// A request of a client creates a job, on any server that runs.
    fn create(&mut self, work: Work) {
        let running: Vec<usize> =
            (0..self.servers.len()).filter(|at| self.servers[*at].is_running()).collect();
        if running.is_empty() || self.now < self.down_until {
            self.after(500, Event::Create(work));
            return;
        }
        let (at, lane) = (*self.dice.pick(&running), self.dice.roll(self.lanes) as u64);
        self.jobs += 1;
        let (id, clock) = (self.jobs, self.clock_of(at));
        match work {
            Work::Send => self.store.sends.insert(id, lane, lane * 10 + self.dice.roll(2) as u64, clock),
            Work::Deliver if self.servers[at].take_place(lane) => {
                let (lease, until) =
                    (self.servers[at].new_lease(), clock + self.servers[at].lease_time(work));
                self.store.deliveries.insert_claimed(id, lane, lease, until);
                let fresh = Happening::Fresh(lane, Job { row: id, lease }, until);
                let life = self.servers[at].life;
                self.after(0, Event::Server { at, life, what: fresh });
                return;
            }
            Work::Deliver => self.store.deliveries.insert(id, lane, clock),
        }
        self.wake(at, work, lane);
    }

    /// What a server's clock shows.
    pub(super) fn clock_of(&self, at: usize) -> Millis {
        self.now + self.servers[at].skew
    }

    pub(super) fn instant(&self) -> Instant {
        self.base + Duration::from_millis(self.now as u64)
    }
}
