//! The topics that wake the workers of runs.

use frontdesk_db as db;

/// The topic that wakes the worker: one for runs that a customer waits for, and one for all others.
pub(crate) const fn queue_of(is_answer: bool) -> db::Topic {
    if is_answer { "answers" } else { "runs" }
}

/// The topic that tells workers that a run was stopped.
pub(crate) const STOPPED: db::Topic = "runs stopped";
