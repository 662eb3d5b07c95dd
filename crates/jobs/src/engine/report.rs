//! What runs beside an engine's task, and what it reports.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db as db;
use tokio::sync::mpsc;

use crate::lane::Held;
use crate::{Claimed, Done, Kind};

pub(super) type Notes<K> = mpsc::UnboundedSender<Note<K>>;

/// What is reported to an engine's task.
pub(super) enum Note<K: Kind> {
    Looked(db::Result<Vec<K::Lane>>),
    /// What came of a claim, and how many jobs it asked for.
    Claimed(K::Lane, usize, db::Result<Claimed<Held<Arc<K::Job>>>>),
    Rested(K::Lane),
    Acted(u64, K::Outcome, Duration),
    Lost(u64),
    Settled(Vec<Arc<Done<K>>>, db::Result<K::Settled>),
    GivenBack,
}

/// The report of one job. If it is dropped before the job has ended, because the job panicked or was broken off, the
/// job is reported as lost.
pub(super) struct Report<K: Kind> {
    number: u64,
    notes: Option<Notes<K>>,
}

impl<K: Kind> Report<K> {
    pub(super) fn new(number: u64, notes: Notes<K>) -> Self {
        Self { number, notes: Some(notes) }
    }

    pub(super) fn acted(mut self, outcome: K::Outcome, elapsed: Duration) {
        self.send(Note::Acted(self.number, outcome, elapsed));
    }

    fn send(&mut self, note: Note<K>) {
        if let Some(notes) = self.notes.take() {
            let _ended_is_fine = notes.send(note);
        }
    }
}

impl<K: Kind> Drop for Report<K> {
    fn drop(&mut self) {
        self.send(Note::Lost(self.number));
    }
}
