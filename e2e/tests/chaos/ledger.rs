//! What was acknowledged, in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Entries>);

#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub(crate) contacts: Vec<Contact>,
    pub(crate) notes: Vec<Note>,
    pub(crate) deals: Vec<Deal>,
    pub(crate) inbound: Vec<Inbound>,
    pub(crate) messages: Vec<Message>,
    pub(crate) runs: Vec<Run>,
    pub(crate) once_triggers: Vec<String>,
    /// The runs that calls from other systems have started.
    pub(crate) hook_runs: Vec<String>,
    pub(crate) reads: Vec<Read>,
    /// The same against a tiny budget, in one minute, when nothing was broken and Redis responded to every server in time.
    pub(crate) quiet_reads: Vec<Read>,
    /// Requests that were refused for no reason, or never acknowledged.
    pub(crate) unacknowledged: Vec<String>,
}

/// The fields as they were last acknowledged.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    pub(crate) id: String,
    pub(crate) name: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub(crate) contact: String,
    pub(crate) body: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Deal {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) stage: String,
}

/// What a customer wrote, and the channel told until it was acknowledged.
#[derive(Clone, Debug)]
pub(crate) struct Inbound {
    pub(crate) channel_id: String,
    pub(crate) from: String,
    pub(crate) text: String,
}

/// What we wrote into a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) conversation: String,
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) id: String,
    /// What the run is told to remember.
    pub(crate) fact: String,
}

/// A request that was counted against a small budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) at: Instant,
    pub(crate) outcome: Counted,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Counted {
    /// It was served: the minute, and what is left in it.
    Served { reset: u64, remaining: u64 },
    /// It was refused with 429.
    Refused { reset: u64 },
    /// No response, or 503: it may have been counted.
    Unknown,
}

impl Ledger {
    pub(crate) fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
