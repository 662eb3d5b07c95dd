//! How jobs flow through lanes: how many are claimed, which begin, and whose turn it is.

use std::time::Duration;

use super::{Effect, Now, Scheduler};
use crate::lane::{Lane, LaneId};
use crate::pace::Pace;

/// The result of an attempt to begin a lane's next job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    Yes,
    /// There is no next job, or the lane runs as many as it may.
    Nothing,
    /// A limit that lanes share is reached.
    Blocked,
}

impl<L: LaneId, J, D> Scheduler<L, J, D> {
    pub(super) fn lane(&mut self, id: L, now: Now) -> &mut Lane<J> {
        let per_second = self.limits.per_second;
        self.lanes
            .entry(id)
            .or_insert_with(|| Lane::new(per_second.map(|per_second| Pace::new(per_second, now.instant))))
    }

    /// Whether nothing is claimed ahead, so that a claim counts against the limits at once.
    pub(super) fn begins_at_once(&self) -> bool {
        self.limits.ahead == 1
    }

    /// Claims due jobs of a lane, as many as its limits and its pace allow.
    pub(super) fn fill(&mut self, id: L, now: Now) {
        let limits = self.limits;
        let taken = self.in_flight + self.reserved;
        let Some(lane) = self.lanes.get_mut(&id) else { return };
        if self.is_stopping || !lane.is_dirty || lane.is_claiming || lane.is_resting {
            return;
        }
        let mut room = lane.room(&limits);
        if room == 0 {
            return;
        }
        if limits.ahead == 1 {
            let is_idle = lane.in_flight == 0 && taken < limits.overall.saturating_add(limits.spare);
            room = room.min(limits.overall.saturating_sub(taken).max(usize::from(is_idle)));
            if room == 0 {
                self.wait(id);
                return;
            }
        }
        if let Some(pace) = &mut lane.pace
            && !self.is_draining
        {
            room = room.min(pace.room(now.instant));
            if room == 0 {
                let time = pace.wait(now.instant);
                self.rest(id, time, now);
                return;
            }
        }
        lane.is_dirty = false;
        lane.is_claiming = true;
        if limits.ahead == 1 {
            self.reserved += room;
        }
        self.effects.push(Effect::Claim { lane: id, most: room });
    }

    pub(super) fn rest(&mut self, id: L, time: Duration, now: Now) {
        if !std::mem::replace(&mut self.lane(id, now).is_resting, true) {
            self.effects.push(Effect::Rest { lane: id, time });
        }
    }

    /// Begins as many jobs of a lane as the limits allow.
    pub(super) fn pump(&mut self, id: L, now: Now) {
        loop {
            match self.begin_next(id, now) {
                Begun::Yes => {}
                Begun::Nothing => return,
                Begun::Blocked => return self.wait(id),
            }
        }
    }

    fn begin_next(&mut self, id: L, now: Now) -> Begun {
        let limits = self.limits;
        let late = self.lanes.get_mut(&id).map(|lane| lane.let_go(&limits, now.clock)).unwrap_or_default();
        if !late.is_empty() {
            self.effects.push(Effect::GiveBack(late));
        }
        let Some(lane) = self.lanes.get_mut(&id).filter(|_| !self.is_stopping) else { return Begun::Nothing };
        let Some(next) = lane.ready(&limits) else { return Begun::Nothing };
        let spare = if lane.in_flight == 0 { limits.spare } else { 0 };
        let account = next.account;
        let of_account = account.and_then(|account| self.by_account.get(&account)).copied().unwrap_or(0);
        if self.in_flight >= limits.overall.saturating_add(spare)
            || of_account >= limits.account.saturating_add(spare)
        {
            return Begun::Blocked;
        }
        if let Some(account) = account {
            self.by_account.insert(account, of_account + 1);
        }
        self.in_flight += 1;
        lane.in_flight += 1;
        let pause = if self.is_draining { Duration::ZERO } else { lane.pause() };
        let Some(held) = lane.held.pop_front() else { return Begun::Nothing };
        self.effects.push(Effect::Begin { lane: id, held, pause });
        Begun::Yes
    }

    fn wait(&mut self, id: L) {
        if let Some(lane) = self.lanes.get_mut(&id)
            && !std::mem::replace(&mut lane.is_waiting, true)
        {
            self.waiting.push_back(id);
        }
    }

    /// Waiting lanes take turns, one job each. A lane that had its turn goes behind those that are still blocked.
    pub(super) fn serve_waiting(&mut self, now: Now) {
        let mut served = Vec::new();
        for id in std::mem::take(&mut self.waiting) {
            match self.begin_next(id, now) {
                Begun::Blocked => self.waiting.push_back(id),
                begun => {
                    if let Some(lane) = self.lanes.get_mut(&id) {
                        lane.is_waiting = false;
                        served.push((id, begun));
                    }
                }
            }
        }
        for (id, begun) in served {
            match begun {
                Begun::Yes => self.pump(id, now),
                Begun::Nothing | Begun::Blocked => self.fill(id, now),
            }
        }
    }

    /// Sets how many new jobs a lane takes directly from their transactions.
    pub(super) fn open(&mut self, id: L, now: Now) {
        let limits = self.limits;
        let mut room = match self.lanes.get_mut(&id) {
            Some(lane) if !self.is_stopping => lane.open(&limits, now.instant),
            _ => 0,
        };
        if self.begins_at_once() {
            room = room.min(limits.overall.saturating_sub(self.in_flight + self.reserved));
        }
        self.effects.push(Effect::Open { lane: id, room });
    }
}
