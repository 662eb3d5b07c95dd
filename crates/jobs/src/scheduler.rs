//! The decisions of an engine. The scheduler holds all state of a kind and does no I/O. Each method takes in an event
//! and adds [`Effect`]s for the engine to carry out. Time is an argument.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use tokio::time::Instant;

use crate::job_counts::KindCount;
use crate::kind::Claimed;
use crate::lane::{ClaimedJob, Health, Lane, LaneId};
use crate::limits::{Limits, Stop};
use crate::pace::Pace;
use crate::settle_buffer::SettleBuffer;

mod flow;
#[cfg(test)]
mod tests;

/// An action for the engine. `L` names a lane, `J` is a job, `D` is a job with its outcome.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Effect<L, J, D> {
    /// Look for lanes with something due.
    Look,
    Claim {
        lane: L,
        most: usize,
    },
    /// Begin a job, after a pause.
    Begin {
        lane: L,
        held: ClaimedJob<J>,
        pause: Duration,
    },
    /// Come back to a lane after this time.
    Rest {
        lane: L,
        time: Duration,
    },
    /// Set how many new jobs of a lane may be handed over.
    Open {
        lane: L,
        room: usize,
    },
    Settle(Vec<D>),
    GiveBack(Vec<J>),
}

/// One reading of both clocks. Leases use the first, pace uses the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) clock: Timestamp,
    pub(crate) instant: Instant,
}

/// How a job ended.
pub(crate) struct Ended<D> {
    pub(crate) health: Health,
    pub(crate) elapsed: Duration,
    pub(crate) done: D,
}

pub(crate) struct Scheduler<L, J, D> {
    pub(crate) effects: Vec<Effect<L, J, D>>,
    limits: Limits,
    lanes: HashMap<L, Lane<J>>,
    by_account: HashMap<AccountId, usize>,
    in_flight: usize,
    /// Jobs that are being claimed, for kinds whose jobs begin as soon as they are claimed.
    reserved: usize,
    /// Lanes that wait because other lanes use up a shared limit, in the order of their turns.
    waiting: VecDeque<L>,
    outcomes: SettleBuffer<D>,
    is_looking: bool,
    looks_again: bool,
    is_draining: bool,
    is_stopping: bool,
}

impl<L: LaneId, J, D> Scheduler<L, J, D> {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            effects: Vec::new(),
            outcomes: SettleBuffer::new(&limits),
            limits,
            lanes: HashMap::new(),
            by_account: HashMap::new(),
            in_flight: 0,
            reserved: 0,
            waiting: VecDeque::new(),
            is_looking: false,
            looks_again: false,
            is_draining: false,
            is_stopping: false,
        }
    }

    /// Asks for a look. If one is under way, another follows it.
    pub(crate) fn look(&mut self) {
        if self.is_looking {
            self.looks_again = true;
            return;
        }
        self.is_looking = true;
        self.looks_again = false;
        let Self { lanes, effects, .. } = self;
        lanes.retain(|lane, state| {
            let is_kept = !state.is_forgettable();
            if !is_kept {
                effects.push(Effect::Open { lane: *lane, room: 0 });
            }
            is_kept
        });
        self.effects.push(Effect::Look);
    }

    /// A look has ended; `None` when it failed.
    pub(crate) fn looked(&mut self, due: Option<Vec<L>>, now: Now) {
        self.is_looking = false;
        self.woken(due.into_iter().flatten(), now);
        if self.looks_again {
            self.look();
        }
    }

    /// These lanes may have something due.
    pub(crate) fn woken(&mut self, lanes: impl IntoIterator<Item = L>, now: Now) {
        for lane in lanes {
            self.lane(lane, now).is_dirty = true;
            self.fill(lane, now);
            self.open(lane, now);
        }
    }

    /// Takes jobs that were claimed by the transactions that created them.
    pub(crate) fn fresh(&mut self, jobs: impl IntoIterator<Item = (L, ClaimedJob<J>)>, now: Now) {
        let mut lanes = HashSet::new();
        for (lane, held) in jobs {
            if self.is_stopping {
                self.effects.push(Effect::GiveBack(vec![held.job]));
                continue;
            }
            let state = self.lane(lane, now);
            state.held.push_back(held);
            if let Some(pace) = &mut state.pace {
                pace.take(1);
            }
            lanes.insert(lane);
        }
        for lane in lanes {
            self.pump(lane, now);
            self.open(lane, now);
        }
    }

    /// A claim of `asked` jobs has ended; `None` when it failed.
    pub(crate) fn claimed(&mut self, id: L, asked: usize, claimed: Option<Claimed<ClaimedJob<J>>>, now: Now) {
        if self.begins_at_once() {
            self.reserved -= asked;
        }
        self.lane(id, now).is_claiming = false;
        match claimed {
            Some(Claimed::Jobs { jobs, .. }) if self.is_stopping => {
                self.effects.push(Effect::GiveBack(jobs.into_iter().map(|held| held.job).collect()));
            }
            Some(Claimed::Jobs { jobs, per_second }) => {
                let lane = self.lane(id, now);
                lane.is_caught_up = jobs.len() < asked;
                lane.is_dirty |= !lane.is_caught_up;
                if let Some(per_second) = per_second {
                    lane.pace.get_or_insert_with(|| Pace::new(per_second, now.instant)).set(per_second);
                }
                if let Some(pace) = &mut lane.pace {
                    pace.take(jobs.len());
                }
                lane.held.extend(jobs);
                self.pump(id, now);
                self.fill(id, now);
            }
            Some(Claimed::Gone { more }) => {
                self.lane(id, now).is_dirty |= more;
                self.fill(id, now);
            }
            Some(Claimed::Elsewhere) => {}
            // The waiting jobs may be due much later than the next look, so the lane stays dirty.
            None => {
                self.lane(id, now).is_dirty = true;
                self.rest(id, self.limits.look_period, now);
            }
        }
        self.open(id, now);
    }

    /// A lane's rest is over.
    pub(crate) fn rested(&mut self, id: L, now: Now) {
        self.lane(id, now).is_resting = false;
        self.fill(id, now);
    }

    /// A job has ended.
    pub(crate) fn ended(&mut self, id: L, account: Option<AccountId>, ended: Ended<D>, now: Now) {
        let Ended { health, elapsed, done } = ended;
        let lane = self.lane(id, now);
        lane.remember(health, elapsed);
        if health == Health::Overloaded
            && let Some(pace) = &mut lane.pace
        {
            pace.slow_down(now.instant);
        }
        if self.outcomes.add(done, now.instant) {
            self.settle();
        }
        self.leave(id, account, now);
    }

    /// A job panicked or was aborted, so its outcome is unknown. With [`Stop::GiveBack`], a stopping server releases
    /// it. Otherwise its lease expires.
    pub(crate) fn lost(&mut self, id: L, account: Option<AccountId>, job: J, now: Now) {
        if self.is_stopping && self.limits.stop == Stop::GiveBack {
            self.effects.push(Effect::GiveBack(vec![job]));
        }
        self.leave(id, account, now);
    }

    /// A job no longer runs, so others may begin.
    fn leave(&mut self, id: L, account: Option<AccountId>, now: Now) {
        self.in_flight -= 1;
        if let Some(account) = account
            && let Some(count) = self.by_account.get_mut(&account)
        {
            *count -= 1;
            if *count == 0 {
                self.by_account.remove(&account);
            }
        }
        self.lane(id, now).in_flight -= 1;
        self.serve_waiting(now);
        self.pump(id, now);
        self.fill(id, now);
        self.open(id, now);
    }

    /// Settles the gathered outcomes, unless a batch is being written.
    pub(crate) fn settle(&mut self) {
        self.effects.extend(self.outcomes.begin().map(Effect::Settle));
    }

    /// When to settle the gathered outcomes.
    pub(crate) fn settle_at(&self) -> Option<Instant> {
        self.outcomes.due_at()
    }

    /// A batch with outcomes of these lanes was written, except for some outcomes that are tried again.
    pub(crate) fn settled(&mut self, lanes: impl IntoIterator<Item = L>, again: Vec<D>, now: Now) {
        if !again.is_empty() {
            self.outcomes.failed(again, now.instant);
        } else if self.outcomes.written(now.instant) {
            self.settle();
        }
        if self.limits.settling_frees {
            let lanes: HashSet<L> = lanes.into_iter().collect();
            self.woken(lanes, now);
        }
    }

    /// Sets whether a caller waits for all due work to end. Such work ignores the pace.
    pub(crate) fn set_draining(&mut self, is_draining: bool) {
        self.is_draining = is_draining;
    }

    /// Whether no known job is due and nothing is under way.
    pub(crate) fn is_drained(&self) -> bool {
        self.is_at_rest() && !self.is_looking && !self.looks_again && !self.lanes.values().any(Lane::is_busy)
    }

    /// Stops claiming and beginning jobs, and releases those that have not begun.
    pub(crate) fn stop(&mut self) {
        self.is_stopping = true;
        // In the order of the lanes, so that a simulation can be repeated.
        let mut lanes: Vec<(&L, &mut Lane<J>)> = self.lanes.iter_mut().collect();
        lanes.sort_unstable_by_key(|(id, _)| **id);
        let held = lanes.into_iter().flat_map(|(_, lane)| lane.held.drain(..));
        let held: Vec<J> = held.map(|held| held.job).collect();
        if !held.is_empty() {
            self.effects.push(Effect::GiveBack(held));
        }
        self.settle();
    }

    /// Whether nothing is under way, being claimed or waiting to be settled.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.in_flight == 0 && self.outcomes.is_idle() && !self.lanes.values().any(|lane| lane.is_claiming)
    }

    /// Whether no job runs and no look is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight == 0 && !self.is_looking
    }

    /// The jobs that run or are claimed. Those whose outcome is being written no longer count.
    pub(crate) fn count(&self) -> KindCount {
        let waiting: usize = self.lanes.values().map(|lane| lane.held.len()).sum();
        KindCount { running: self.in_flight, claimed: self.in_flight + waiting }
    }
}
