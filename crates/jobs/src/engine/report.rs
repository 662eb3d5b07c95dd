//! The events that other tasks report to an engine's task.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db as db;
use tokio::sync::mpsc;

use super::settle::Settling;
use crate::kind::{Claimed, Kind};
use crate::lane::ClaimedJob;

pub(super) type EventSender<K> = mpsc::UnboundedSender<EngineEvent<K>>;

/// An event for an engine's task.
pub(super) enum EngineEvent<K: Kind> {
    Looked(db::Result<Vec<K::Lane>>),
    /// How many jobs a claim asked for, and its result.
    Claimed(K::Lane, usize, db::Result<Claimed<ClaimedJob<Arc<K::Job>>>>),
    Rested(K::Lane),
    Acted(u64, K::Outcome, Duration),
    Lost(u64),
    Settled(Settling<K>),
    GivenBack,
    /// A task that the engine had started panicked, so its event never comes.
    Broken,
}

/// Reports that a task panicked, unless it is told that the task's event was sent.
pub(super) struct Promise<K: Kind>(Option<EventSender<K>>);

impl<K: Kind> Promise<K> {
    pub(super) fn new(events: EventSender<K>) -> Self {
        Self(Some(events))
    }

    pub(super) fn keep(mut self, event: EngineEvent<K>) {
        self.send(event);
    }

    fn send(&mut self, event: EngineEvent<K>) {
        if let Some(events) = self.0.take() {
            let _ended_is_fine = events.send(event);
        }
    }
}

impl<K: Kind> Drop for Promise<K> {
    fn drop(&mut self) {
        self.send(EngineEvent::Broken);
    }
}

/// The report of one job. If it is dropped before the job has ended, because the job panicked or was aborted, the job
/// is reported as lost.
pub(super) struct Report<K: Kind> {
    number: u64,
    events: Option<EventSender<K>>,
}

impl<K: Kind> Report<K> {
    pub(super) fn new(number: u64, events: EventSender<K>) -> Self {
        Self { number, events: Some(events) }
    }

    pub(super) fn acted(mut self, outcome: K::Outcome, elapsed: Duration) {
        self.send(EngineEvent::Acted(self.number, outcome, elapsed));
    }

    fn send(&mut self, event: EngineEvent<K>) {
        if let Some(events) = self.events.take() {
            let _ended_is_fine = events.send(event);
        }
    }
}

impl<K: Kind> Drop for Report<K> {
    fn drop(&mut self) {
        self.send(EngineEvent::Lost(self.number));
    }
}
