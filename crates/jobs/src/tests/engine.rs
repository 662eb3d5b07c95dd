//! What the engine of a kind keeps beside its scheduler, as in `crate::engine`.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_fuzz::Dice;
use frontdesk_simulation::Millis;
use tokio::time::Instant;
use uuid::Uuid;

use super::request::{Done, Job, Work};
use crate::lane::LaneId;
use crate::limits::{Limits, Stop};
use crate::scheduler::Scheduler;

/// A lane, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct LaneNumber(pub(super) u64);

impl LaneId for LaneNumber {
    fn uuid(self) -> Uuid {
        Uuid::from_u64_pair(0, self.0)
    }

    fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid.as_u64_pair().1)
    }
}

/// A running job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) lane: LaneNumber,
    pub(super) job: Job,
    /// Where its call is marked as begun.
    pub(super) slot: Option<u64>,
    pub(super) since: Millis,
}

pub(super) struct Engine {
    pub(super) limits: Limits,
    pub(super) scheduler: Scheduler<LaneNumber, Job, Done>,
    pub(super) flights: BTreeMap<u64, Flight>,
    pub(super) charges: BTreeMap<u64, Millis>,
    /// How many new jobs of a lane may be handed over.
    pub(super) rooms: BTreeMap<u64, usize>,
    pub(super) giving_back: usize,
    pub(super) begun: u64,
    /// When it is going to settle.
    pub(super) settle_at: Option<Instant>,
    /// Holds the leases on lanes.
    pub(super) holder: Uuid,
}

impl Engine {
    pub(super) fn new(limits: Limits, holder: Uuid) -> Self {
        Self {
            limits,
            scheduler: Scheduler::new(limits),
            flights: BTreeMap::new(),
            charges: BTreeMap::new(),
            rooms: BTreeMap::new(),
            giving_back: 0,
            begun: 0,
            settle_at: None,
            holder,
        }
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.scheduler.is_at_rest() && self.giving_back == 0
    }

    /// Running jobs, of a lane and in all.
    pub(super) fn running(&self, lane: LaneNumber) -> (usize, usize) {
        (self.flights.values().filter(|flight| flight.lane == lane).count(), self.flights.len())
    }
}

/// Small limits, so that few jobs reach them. Times are those of the sender and the courier, or shorter.
pub(super) fn limits(work: Work, dice: &mut Dice) -> Limits {
    let small = Limits {
        lane: 1 + dice.roll(3),
        overall: 2 + dice.roll(4),
        spare: dice.roll(3),
        burst: 1 + dice.roll(3),
        settle_max: 1 + dice.roll(4),
        settle_pause: Duration::from_millis(dice.roll(2) as u64 * 8),
        ..Limits::DEFAULT
    };
    match work {
        Work::Send => Limits {
            ahead: 1,
            per_second: dice.one_in(2).then_some(20.0),
            lease: Duration::from_mins(10),
            act_time_max: Duration::from_mins(1),
            charge: Some(Duration::from_secs(10)),
            stop: Stop::Finish(Duration::from_secs(31)),
            ..small
        },
        Work::Deliver => Limits {
            ahead: 1 + dice.roll(3),
            lease: Duration::from_secs(90),
            act_time_max: Duration::from_secs(20),
            stop: Stop::GiveBack,
            ..small
        },
    }
}
