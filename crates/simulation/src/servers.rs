//! Servers: their heartbeats, the marks of calls that have begun, and the leases on lanes.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::millis::Millis;

/// A server without a heartbeat for longer is dead.
const SILENCE_MAX: Millis = 5_000;
/// A lease that ends later than its span and this much was taken before the clock was set back.
const AHEAD_MAX: Millis = 60 * 60 * 1_000;

/// The leases from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseRange {
    pub first: Uuid,
    pub last: Uuid,
}

impl LeaseRange {
    /// All that a server can take.
    pub fn of_server(server: u64) -> Self {
        Self { first: Uuid::from_u64_pair(server, 0), last: Uuid::from_u64_pair(server, u64::MAX) }
    }

    pub fn only(lease: Uuid) -> Self {
        Self { first: lease, last: lease }
    }

    pub fn contains(&self, lease: Uuid) -> bool {
        (self.first..=self.last).contains(&lease)
    }
}

/// The server that took a lease.
fn server_of(lease: Uuid) -> u64 {
    lease.as_u64_pair().0
}

#[derive(Clone, Copy, Debug)]
struct Beat {
    at: Millis,
    is_dead: bool,
    is_silenced: bool,
}

/// What is known of the calls that a server has begun.
#[derive(Clone, Debug, Default)]
pub struct Begun {
    known: Option<u64>,
    calls: BTreeSet<(Uuid, u64)>,
}

impl Begun {
    /// Whether the call of a row under a lease has certainly not begun.
    pub fn has_not_begun(&self, lease: Uuid, row: u64) -> bool {
        self.known == Some(server_of(lease)) && !self.calls.contains(&(lease, row))
    }
}

/// All servers.
#[derive(Clone, Debug, Default)]
pub struct Servers {
    beats: BTreeMap<u64, Beat>,
    /// By server and slot: the lease and the row.
    marks: BTreeMap<(u64, u64), (Uuid, u64)>,
    /// By lane: the holder, and until when.
    lanes: BTreeMap<u64, (Uuid, Millis)>,
}

impl Servers {
    /// Registers a server.
    pub fn join(&mut self, server: u64, now: Millis) {
        let beat = self.beats.entry(server).or_insert(Beat { at: now, is_dead: false, is_silenced: false });
        if !beat.is_dead {
            (beat.at, beat.is_silenced) = (now, false);
        }
    }

    /// Renews a heartbeat. False for a server that was declared dead, or is not known.
    pub fn beat(&mut self, server: u64, now: Millis) -> bool {
        match self.beats.get_mut(&server) {
            Some(beat) if !beat.is_dead => {
                (beat.at, beat.is_silenced) = (now, false);
                true
            }
            _ => false,
        }
    }

    /// As if a server had been silent for longer than it may.
    pub fn silence(&mut self, server: u64, now: Millis) {
        if let Some(beat) = self.beats.get_mut(&server).filter(|beat| !beat.is_dead) {
            beat.at = now - 2 * SILENCE_MAX;
            beat.is_silenced = true;
        }
    }

    /// All servers beat that live and were not silenced.
    pub fn keep_up(&mut self, now: Millis) {
        for beat in self.beats.values_mut().filter(|beat| !beat.is_dead && !beat.is_silenced) {
            beat.at = now;
        }
    }

    /// Declares silent servers dead. Returns all dead ones but this one.
    pub fn declare_dead(&mut self, own: u64, now: Millis) -> Vec<u64> {
        let mut dead = Vec::new();
        for (server, beat) in self.beats.iter_mut().filter(|(server, _)| **server != own) {
            beat.is_dead |= beat.at < now - SILENCE_MAX;
            dead.extend(beat.is_dead.then_some(*server));
        }
        dead
    }

    /// A server says that it has stopped.
    pub fn leave(&mut self, server: u64) {
        if let Some(beat) = self.beats.get_mut(&server) {
            beat.is_dead = true;
        }
    }

    /// Forgets a dead server, whose claims are released.
    pub fn forget(&mut self, server: u64) {
        self.release_lanes(LeaseRange::of_server(server));
        self.marks.retain(|(of, _), _| *of != server);
        self.beats.remove(&server);
    }

    /// Whether a server may hold this lease.
    pub fn holds(&self, lease: Uuid) -> bool {
        self.beats.contains_key(&server_of(lease))
    }

    /// Marks a call as begun. False if its server does not live.
    pub fn mark(&mut self, slot: u64, lease: Uuid, row: u64) -> bool {
        let server = server_of(lease);
        let lives = self.beats.get(&server).is_some_and(|beat| !beat.is_dead);
        if lives {
            self.marks.insert((server, slot), (lease, row));
        }
        lives
    }

    /// What is known of the calls of the server that took these leases.
    pub fn begun(&self, dead: LeaseRange) -> Begun {
        let server = server_of(dead.first);
        let of_server = self.marks.iter().filter(|((of, _), _)| *of == server);
        let known = self.beats.contains_key(&server);
        Begun {
            known: known.then_some(server),
            calls: of_server.filter(|_| known).map(|(_, call)| *call).collect(),
        }
    }

    /// Takes or renews the lease on a lane. False if another holder has it.
    pub fn take_lane(&mut self, lane: u64, holder: Uuid, now: Millis, span: Millis) -> bool {
        let until = now + span;
        let is_free = self
            .lanes
            .get(&lane)
            .is_none_or(|(of, ends)| *of == holder || *ends <= now || *ends > until + AHEAD_MAX);
        if is_free {
            self.lanes.insert(lane, (holder, until));
        }
        is_free
    }

    /// Gives the lease on a lane up.
    pub fn give_up_lane(&mut self, lane: u64, holder: Uuid) {
        if self.lanes.get(&lane).is_some_and(|(of, _)| *of == holder) {
            self.lanes.remove(&lane);
        }
    }

    /// Releases the leases on lanes of a dead server.
    pub fn release_lanes(&mut self, dead: LeaseRange) {
        self.lanes.retain(|_, (holder, _)| !dead.contains(*holder));
    }

    /// The database crashes: heartbeats and marks are lost, leases on lanes are not.
    pub fn crash(&mut self) {
        self.beats.clear();
        self.marks.clear();
    }
}
