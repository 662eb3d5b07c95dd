//! The lane of one endpoint: what is claimed for it, and how much of it may be under way.

use std::collections::VecDeque;
use std::time::Duration;

use frontdesk_kernel::Timestamp;

use super::attempt::{CALL_TIME_MAX, Job};
use super::fresh::Targets;

/// Calls under way to one endpoint, and to one that keeps failing.
const IN_FLIGHT_MAX: usize = 32;
const FAILING_IN_FLIGHT_MAX: usize = 2;
/// What is claimed ahead, so that an endpoint that answers quickly need not wait for the store. For a slow one nothing
/// is: what it waits for may change meanwhile.
const AHEAD: usize = 4;
const QUICK_MILLIS: i64 = 250;
/// Failures in a row after which an endpoint is tried with little, and after which it is tried at a measured pace:
/// a dead endpoint that refuses at once must not keep the machine busy.
const FAILURES_TO_SLOW: u32 = 3;
const FAILURES_TO_PACE: u32 = 10;
const PACE: Duration = Duration::from_millis(50);
/// A full lane of the slowest calls, and half as long again.
pub(super) const LEASE: Duration = Duration::from_secs(CALL_TIME_MAX.as_secs() * AHEAD as u64 * 3 / 2);

#[derive(Default)]
pub(super) struct Lane {
    pub(super) jobs: VecDeque<Job>,
    pub(super) in_flight: usize,
    pub(super) claiming: bool,
    /// There may be more due than is claimed.
    pub(super) dirty: bool,
    /// The last claim found less than there was room for: only what came since then can wait in the store.
    pub(super) caught_up: bool,
    pub(super) targets: Targets,
    failures: u32,
    /// The last call came back quickly.
    quick: bool,
}

impl Lane {
    fn limit(&self) -> usize {
        match self.failures {
            FAILURES_TO_PACE.. => 1,
            FAILURES_TO_SLOW.. => FAILING_IN_FLIGHT_MAX,
            _ => IN_FLIGHT_MAX,
        }
    }

    /// How long a call waits before it begins.
    pub(super) fn pause(&self) -> Duration {
        if self.failures >= FAILURES_TO_PACE { PACE } else { Duration::ZERO }
    }

    /// How many more deliveries may be claimed. A quick lane is filled when it is half empty, not one by one.
    pub(super) fn room(&self) -> usize {
        let held = self.jobs.len() + self.in_flight;
        if !self.quick {
            return self.limit().saturating_sub(held);
        }
        let most = self.limit() * AHEAD;
        if held * 2 > most { 0 } else { most - held }
    }

    /// How many new deliveries may come straight to the lane: none while others may wait for it in the store, but for
    /// the few that it is just claiming. A busy lane would never open without these: while it claims, the next are queued.
    pub(super) fn open(&self) -> usize {
        let waited_for = self.dirty && !self.claiming;
        if waited_for || !self.caught_up || self.failures > 0 {
            return 0;
        }
        let most = if self.quick { self.limit() * AHEAD } else { self.limit() };
        most.saturating_sub(self.jobs.len() + self.in_flight)
    }

    /// Lets go of jobs whose lease might run out before their call ends: whoever takes them back makes it. True when
    /// there were any.
    pub(super) fn let_go(&mut self, now: Timestamp) -> bool {
        let held = self.jobs.len();
        while self.jobs.front().is_some_and(|job| job.leased_until < now + CALL_TIME_MAX) {
            self.jobs.pop_front();
        }
        self.jobs.len() < held
    }

    /// The next job, if one more may be under way.
    pub(super) fn ready(&self) -> Option<&Job> {
        self.jobs.front().filter(|_| self.in_flight < self.limit())
    }

    pub(super) fn remember(&mut self, success: bool, millis: i64) {
        self.failures = if success { 0 } else { self.failures.saturating_add(1) };
        self.quick = millis < QUICK_MILLIS;
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.jobs.is_empty() || self.in_flight > 0 || self.claiming || self.dirty
    }

    /// Nothing is lost by forgetting the lane: should it be due again, it begins anew.
    pub(super) fn is_forgettable(&self) -> bool {
        !self.is_busy() && self.failures < FAILURES_TO_SLOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick() -> Lane {
        let mut lane = Lane { caught_up: true, ..Lane::default() };
        lane.remember(true, 1);
        lane
    }

    #[test]
    fn a_lane_opens_once_a_claim_has_left_nothing_waiting() {
        assert_eq!(Lane::default().open(), 0, "nobody has looked yet");
        assert_eq!(quick().open(), IN_FLIGHT_MAX * AHEAD);
        assert_eq!(Lane { caught_up: false, ..quick() }.open(), 0);
    }

    #[test]
    fn it_stays_open_while_it_claims_and_closes_for_what_it_has_no_room_to_claim() {
        assert_eq!(Lane { claiming: true, dirty: true, ..quick() }.open(), IN_FLIGHT_MAX * AHEAD);
        let full = Lane { dirty: true, in_flight: IN_FLIGHT_MAX * AHEAD - 1, ..quick() };
        assert_eq!((full.room(), full.open()), (0, 0));
    }

    #[test]
    fn an_endpoint_that_fails_or_is_slow_gets_less() {
        let mut lane = quick();
        lane.remember(true, QUICK_MILLIS);
        assert_eq!(lane.open(), IN_FLIGHT_MAX);
        lane.remember(false, 1);
        assert_eq!(lane.open(), 0);
    }
}
