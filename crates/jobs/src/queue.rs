//! Queues: how a transaction hands a new job to the engine of its own process.
//!
//! The job is written as claimed under a lease, so that it need not be looked for. If it is lost on the way, its lease
//! expires like any other.

use std::marker::PhantomData;

use frontdesk_db::{self as db, Topic, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_trace as trace;

use crate::lane::LaneId;

/// The queue of a kind of job, by its topic. The kind and those who create jobs name the same queue, so they agree on
/// the types of lanes and jobs.
#[derive(Debug)]
pub struct Queue<L, J> {
    topic: Topic,
    types: PhantomData<fn() -> (L, J)>,
}

/// Room for one job in a lane. It is free again when this is dropped, or when the transaction is rolled back.
pub struct Place<L, J> {
    lane: L,
    place: db::Place<NewJob<L, J>>,
}

/// A job handed over by the transaction that created it.
pub(crate) struct NewJob<L, J> {
    pub(crate) lane: L,
    pub(crate) job: J,
    pub(crate) leased_until: Timestamp,
    /// The transaction that handed it over, if its trace is recorded.
    pub(crate) trace: Option<trace::Context>,
}

impl<L: LaneId, J: Send + 'static> Queue<L, J> {
    pub const fn new(topic: Topic) -> Self {
        Self { topic, types: PhantomData }
    }

    pub const fn topic(&self) -> Topic {
        self.topic
    }

    /// Wakes the engine once the transaction has committed.
    pub fn wake(&self, tx: &mut Tx<'_>, lane: L) {
        tx.wake_about(self.topic, lane.uuid());
    }

    /// Takes a place in a lane of this process's engine, if it has room.
    pub fn take_place(&self, tx: &Tx<'_>, lane: L) -> Option<Place<L, J>> {
        tx.take_place(self.topic, lane.uuid()).map(|place| Place { lane, place })
    }

    /// How many more jobs a lane of this process's engine has room for.
    pub fn places(&self, tx: &Tx<'_>, lane: L) -> usize {
        tx.places::<NewJob<L, J>>(self.topic, lane.uuid())
    }
}

impl<L, J> Clone for Queue<L, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L, J> Copy for Queue<L, J> {}

impl<L: LaneId, J: Send + 'static> Place<L, J> {
    /// Hands a job over, once the transaction commits. Its row must be written as claimed.
    pub fn hand_over(self, tx: &mut Tx<'_>, job: J, leased_until: Timestamp) {
        let Self { lane, place } = self;
        tx.hand_over(place, NewJob { lane, job, leased_until, trace: trace::current() });
    }
}
