//! One lane: its claimed jobs, and how many of them may run at a time.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_trace::Context;
use tokio::time::Instant;
use uuid::Uuid;

use crate::limits::Limits;
use crate::pace::Pace;

/// A job that ends within this time is quick, and its lane may burst and claim ahead. A slow lane does not claim ahead,
/// because the data of its jobs may change while they wait.
const QUICK_TIME_MAX: Duration = Duration::from_millis(250);
/// Consecutive failures after which a lane runs few jobs at a time, and after which it runs one at a time with a pause
/// before each. A dead endpoint that refuses at once must not keep the machine busy.
const FAILURES_TO_SLOW: u32 = 3;
const FAILURES_TO_PACE: u32 = 10;
const FAILING_IN_FLIGHT_MAX: usize = 2;
const FAILING_PAUSE: Duration = Duration::from_millis(50);

/// The id of a lane. Wake-ups name lanes by their UUID.
pub trait LaneId: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    fn uuid(self) -> Uuid;
    fn from_uuid(uuid: Uuid) -> Self;
}

impl<T: ?Sized + 'static> LaneId for Id<T> {
    fn uuid(self) -> Uuid {
        Id::uuid(&self)
    }

    fn from_uuid(uuid: Uuid) -> Self {
        Self::from_uuid(uuid)
    }
}

/// The lane that wakes a kind with a single queue.
pub const ONLY_LANE: Uuid = Uuid::nil();

impl LaneId for () {
    fn uuid(self) -> Uuid {
        ONLY_LANE
    }

    fn from_uuid(_: Uuid) -> Self {}
}

/// The health of a lane, as shown by one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Fine,
    /// A lane that fails repeatedly runs few jobs at a time, then one at a time with a pause before each.
    Failing,
    /// A paced lane slows down for a while.
    Overloaded,
}

/// A job that was claimed and has not begun.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ClaimedJob<J> {
    pub(crate) job: J,
    pub(crate) account: Option<AccountId>,
    pub(crate) leased_until: Timestamp,
    /// The trace to which it belongs, if it was handed over by a transaction of this process.
    pub(crate) trace: Option<Context>,
}

pub(crate) struct Lane<J> {
    pub(crate) held: VecDeque<ClaimedJob<J>>,
    pub(crate) in_flight: usize,
    pub(crate) is_claiming: bool,
    /// More jobs may be due than are claimed.
    pub(crate) is_dirty: bool,
    /// The last claim found fewer jobs than it asked for, so only jobs created since then can wait in the store.
    pub(crate) is_caught_up: bool,
    /// It claims no jobs until its rest is over.
    pub(crate) is_resting: bool,
    /// It waits because other lanes use up a shared limit.
    pub(crate) is_waiting: bool,
    pub(crate) pace: Option<Pace>,
    failures: u32,
    is_quick: bool,
}

impl<J> Lane<J> {
    pub(crate) fn new(pace: Option<Pace>) -> Self {
        Self {
            held: VecDeque::new(),
            in_flight: 0,
            is_claiming: false,
            is_dirty: false,
            is_caught_up: false,
            is_resting: false,
            is_waiting: false,
            pace,
            failures: 0,
            is_quick: false,
        }
    }

    fn in_flight_max(&self, limits: &Limits) -> usize {
        match self.failures {
            FAILURES_TO_PACE.. => 1,
            FAILURES_TO_SLOW.. => FAILING_IN_FLIGHT_MAX.min(limits.lane),
            _ if self.is_quick => limits.lane.saturating_mul(limits.burst),
            _ => limits.lane,
        }
    }

    fn held_max(&self, limits: &Limits) -> usize {
        let times = if self.is_quick { limits.ahead } else { 1 };
        self.in_flight_max(limits) * times
    }

    fn taken(&self) -> usize {
        self.held.len() + self.in_flight
    }

    /// How long a job waits before it begins.
    pub(crate) fn pause(&self) -> Duration {
        if self.failures >= FAILURES_TO_PACE { FAILING_PAUSE } else { Duration::ZERO }
    }

    /// How many more jobs may be claimed. A lane that claims ahead claims again when it is half empty, not after every
    /// job.
    pub(crate) fn room(&self, limits: &Limits) -> usize {
        let (taken, most) = (self.taken(), self.held_max(limits));
        let claims_ahead = self.is_quick && limits.ahead > 1;
        if claims_ahead && taken * 2 > most { 0 } else { most.saturating_sub(taken) }
    }

    /// How many new jobs may be handed over directly from their transactions. Zero while other jobs may wait in the
    /// store, unless the lane is claiming them now. Without this exception a busy lane would never open, because new
    /// jobs are queued while it claims.
    pub(crate) fn open(&mut self, limits: &Limits, now: Instant) -> usize {
        let others_wait = self.is_dirty && !self.is_claiming;
        if others_wait || !self.is_caught_up || self.failures > 0 {
            return 0;
        }
        let room = self.held_max(limits).saturating_sub(self.taken());
        self.pace.as_mut().map_or(room, |pace| room.min(pace.room(now)))
    }

    /// Removes jobs whose lease might expire before they end. They are released, and run when they are claimed again.
    pub(crate) fn let_go(&mut self, limits: &Limits, now: Timestamp) -> Vec<J> {
        let is_late = |held: &ClaimedJob<J>| held.leased_until < now + limits.act_time_max;
        let late = self.held.iter().take_while(|held| is_late(held)).count();
        self.held.drain(..late).map(|held| held.job).collect()
    }

    /// The next job, if one more may run.
    pub(crate) fn ready(&self, limits: &Limits) -> Option<&ClaimedJob<J>> {
        self.held.front().filter(|_| self.in_flight < self.in_flight_max(limits))
    }

    pub(crate) fn remember(&mut self, health: Health, elapsed: Duration) {
        self.failures = if health == Health::Failing { self.failures.saturating_add(1) } else { 0 };
        self.is_quick = elapsed < QUICK_TIME_MAX;
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.taken() > 0 || self.is_claiming || self.is_dirty
    }

    /// Whether the lane's state can be dropped: it has nothing to do and is not throttled.
    pub(crate) fn is_forgettable(&self) -> bool {
        !self.is_busy() && !self.is_resting && self.failures < FAILURES_TO_SLOW && self.pace.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { lane: 32, ahead: 4, ..Limits::DEFAULT };
    const AHEAD: usize = 128;

    fn quick() -> Lane<u32> {
        let mut lane = Lane { is_caught_up: true, ..Lane::new(None) };
        lane.remember(Health::Fine, Duration::from_millis(1));
        lane
    }

    #[test]
    fn a_lane_opens_once_a_claim_has_left_nothing_waiting() {
        assert_eq!(Lane::<u32>::new(None).open(&LIMITS, Instant::now()), 0, "nobody has looked yet");
        assert_eq!(quick().open(&LIMITS, Instant::now()), AHEAD);
        assert_eq!(Lane { is_caught_up: false, ..quick() }.open(&LIMITS, Instant::now()), 0);
    }

    #[test]
    fn it_stays_open_while_it_claims_and_closes_when_it_has_no_room_to_claim() {
        assert_eq!(
            Lane { is_claiming: true, is_dirty: true, ..quick() }.open(&LIMITS, Instant::now()),
            AHEAD
        );
        let mut full = Lane { is_dirty: true, in_flight: AHEAD - 1, ..quick() };
        assert_eq!((full.room(&LIMITS), full.open(&LIMITS, Instant::now())), (0, 0));
    }

    #[test]
    fn a_quick_lane_has_more_under_way_until_a_job_is_slow() {
        let limits = Limits { lane: 32, burst: 4, ..Limits::DEFAULT };
        assert_eq!(Lane::<u32>::new(None).room(&limits), 32, "nothing has ended yet");
        let mut lane = Lane { in_flight: 100, ..quick() };
        assert_eq!(lane.room(&limits), 28);
        lane.remember(Health::Fine, QUICK_TIME_MAX);
        assert_eq!(lane.room(&limits), 0);
    }

    #[test]
    fn a_lane_that_fails_or_is_slow_gets_less() {
        let mut lane = quick();
        lane.remember(Health::Fine, QUICK_TIME_MAX);
        assert_eq!(lane.open(&LIMITS, Instant::now()), 32);
        lane.remember(Health::Failing, Duration::ZERO);
        assert_eq!((lane.open(&LIMITS, Instant::now()), lane.in_flight_max(&LIMITS)), (0, 32));
        for _ in 1..FAILURES_TO_SLOW {
            lane.remember(Health::Failing, Duration::ZERO);
        }
        assert_eq!((lane.in_flight_max(&LIMITS), lane.pause()), (2, Duration::ZERO));
        for _ in FAILURES_TO_SLOW..FAILURES_TO_PACE {
            lane.remember(Health::Failing, Duration::ZERO);
        }
        assert_eq!((lane.in_flight_max(&LIMITS), lane.pause()), (1, FAILING_PAUSE));
        lane.remember(Health::Fine, Duration::ZERO);
        assert_eq!(lane.open(&LIMITS, Instant::now()), AHEAD);
    }
}
