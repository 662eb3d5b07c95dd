//! How many jobs of each kind this server has, for those who watch it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The jobs of this server, by kind; clones share them. Each kind reports once per look.
#[derive(Clone, Debug, Default)]
pub struct JobCounts(Arc<Mutex<BTreeMap<&'static str, KindCount>>>);

/// The jobs of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCount {
    /// Jobs that run.
    pub running: usize,
    /// Jobs that are claimed, including those that run.
    pub claimed: usize,
}

impl JobCounts {
    /// The kinds that have any.
    pub fn all(&self) -> BTreeMap<&'static str, KindCount> {
        self.counts().clone()
    }

    pub(crate) fn set(&self, kind: &'static str, count: KindCount) {
        if count == KindCount::default() {
            self.counts().remove(kind);
        } else {
            self.counts().insert(kind, count);
        }
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<&'static str, KindCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
