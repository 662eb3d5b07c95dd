//! What goes wrong in a history, and how often.

use frontdesk_fuzz::Dice;
use frontdesk_simulation::Millis;

use super::world::{Event, World};

/// The longest time of a suspension. Servers are declared dead after five seconds.
const SUSPENDED_MAX: usize = 15_000;
/// The largest difference of a clock that servers accept, and that of a wrong clock.
const SKEW_ACCEPTED: usize = 2_000;
const SKEW_MAX: usize = 10 * 60 * 1_000;

/// How often things go wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// Requests and responses that are lost, and wake-ups, in a thousand.
    pub(super) lost: usize,
    pub(super) wakes_lost: usize,
    /// Calls in a hundred that get no response.
    pub(super) calls_lost: usize,
    /// The longest time on the way.
    pub(super) delay_max: usize,
    /// Whether clocks are set.
    pub(super) clocks: bool,
    /// The longest time between two faults of servers.
    period: usize,
    crashes: bool,
    /// The most jobs of a kind.
    pub(super) jobs_max: usize,
}

/// Something that happens to a server or to the database.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    Kill(usize),
    Stop(usize),
    Suspend(usize, Millis),
    SetClock(usize, Millis),
    CrashDatabase(Millis),
}

impl Rates {
    pub(super) fn roll(dice: &mut Dice) -> Self {
        if dice.one_in(8) { Self::worst(dice) } else { Self::usual(dice) }
    }

    /// Many jobs, and much that comes late: here one fault meets the next.
    fn worst(dice: &mut Dice) -> Self {
        let rates = Self { lost: 200, calls_lost: 25, delay_max: 8_000, clocks: false, ..Self::usual(dice) };
        Self { jobs_max: 40, ..rates }
    }

    fn usual(dice: &mut Dice) -> Self {
        Self {
            lost: *dice.pick(&[0, 10, 50, 150]),
            wakes_lost: *dice.pick(&[0, 100, 500, 1_000]),
            calls_lost: *dice.pick(&[0, 3, 15]),
            delay_max: *dice.pick(&[100, 1_000, 8_000]),
            clocks: dice.one_in(3),
            period: *dice.pick(&[1_000, 3_000, 10_000]),
            crashes: dice.one_in(6),
            jobs_max: 10,
        }
    }

    /// The faults of a history, with their times.
    pub(super) fn faults(&self, end: Millis, dice: &mut Dice) -> Vec<(Millis, Fault)> {
        let mut faults = Vec::new();
        let mut at = 0;
        loop {
            at += dice.roll(self.period) as Millis;
            if at >= end {
                return faults;
            }
            let server = dice.roll(3);
            let skew_max = if self.clocks { SKEW_MAX } else { SKEW_ACCEPTED };
            let fault = match dice.roll(8) {
                0..3 => Fault::Kill(server),
                3 => Fault::Stop(server),
                4 | 5 => Fault::Suspend(server, dice.roll(SUSPENDED_MAX) as Millis),
                6 if self.crashes => Fault::CrashDatabase(dice.roll(4_000) as Millis),
                _ => Fault::SetClock(server, dice.roll(skew_max) as Millis - skew_max as Millis / 2),
            };
            faults.push((at, fault));
        }
    }
}

impl World {
    pub(super) fn strike(&mut self, fault: Fault) {
        let known = self.servers.len();
        match fault {
            Fault::Kill(at) => self.kill(at % known, true),
            Fault::Stop(at) => match self.servers[at % known].awake_at - self.now {
                // It notices when it is awake. Meanwhile others may have its work.
                asleep @ 1.. => self.after(asleep, Event::Fault(fault)),
                _ => self.stop(at % known),
            },
            Fault::Suspend(at, time) => self.servers[at % known].awake_at = self.now + time,
            Fault::SetClock(at, skew) => self.servers[at % known].skew = skew,
            Fault::CrashDatabase(time) => {
                self.judge.forget_marks(&self.store);
                self.store.servers.crash();
                self.down_until = self.now + time;
            }
        }
    }

    /// The faults are over, and all servers but one are gone.
    pub(super) fn calm(&mut self) {
        self.calm_since = Some(self.now);
        (self.down_until, self.servers[0].awake_at) = (0, 0);
        for at in 1..self.servers.len() {
            self.kill(at, false);
        }
        if !self.servers[0].is_running() {
            self.kill(0, false);
            self.after(0, Event::Start(0));
        }
    }
}
