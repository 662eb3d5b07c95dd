//! Messages to be sent: a row of a queue for each, one of a conversation at a time, and no call made twice.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::millis::Millis;
use crate::servers::{Begun, LeaseRange, Servers};

/// A call that runs for longer no longer blocks its conversation.
const UNDER_WAY: Millis = 30_000;
/// A call with an unknown outcome fails after this long without a report.
const DOUBT_MAX: Millis = 10 * 60 * 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendState {
    Queued,
    Handed,
}

/// A row of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendRow {
    pub lane: u64,
    pub conversation: u64,
    pub state: SendState,
    pub due_at: Option<Millis>,
    pub handed_at: Option<Millis>,
    pub lease: Option<Uuid>,
    pub tries: i64,
    pub ready: bool,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageState {
    Sending,
    Sent,
    /// The channel refused it for good.
    Refused,
    /// Nobody knows whether it went out.
    InDoubt,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Accepted,
    Refused,
    /// Refused for now, or not reached: try again after this time.
    Again(Millis),
    Unknown,
}

/// The queue, by message. Messages are sent in the order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Sends {
    pub rows: BTreeMap<u64, SendRow>,
    pub messages: BTreeMap<u64, MessageState>,
}

impl Sends {
    /// Adds a message.
    pub fn insert(&mut self, message: u64, lane: u64, conversation: u64, now: Millis) {
        let is_behind = self.of(conversation).any(|(_, row)| row.ready || row.state == SendState::Queued);
        let row = SendRow {
            lane,
            conversation,
            state: SendState::Queued,
            due_at: Some(now),
            handed_at: None,
            lease: None,
            tries: 0,
            ready: !is_behind,
        };
        self.rows.insert(message, row);
        self.messages.insert(message, MessageState::Sending);
    }

    /// The lanes with something due.
    pub fn due(&self, now: Millis) -> Vec<u64> {
        let is_due = |row: &&SendRow| {
            row.ready && row.state == SendState::Queued && row.due_at.is_some_and(|at| at <= now)
        };
        let lanes: BTreeSet<u64> = self.rows.values().filter(is_due).map(|row| row.lane).collect();
        lanes.into_iter().collect()
    }

    /// Claims messages of a lane. Returns each with its number of tries.
    pub fn claim(&mut self, lane: u64, now: Millis, most: usize, lease: Uuid) -> Vec<(u64, i64)> {
        let may_go = |row: &SendRow| {
            row.lane == lane
                && row.ready
                && row.state == SendState::Queued
                && row.due_at.unwrap_or(now) <= now
        };
        let mut claimed = Vec::new();
        for (message, row) in self.rows.iter_mut().filter(|(_, row)| may_go(row)).take(most) {
            (row.state, row.handed_at, row.lease) = (SendState::Handed, Some(now), Some(lease));
            row.tries += 1;
            claimed.push((*message, row.tries));
        }
        claimed
    }

    /// Writes the outcome of a call.
    pub fn settle(&mut self, message: u64, lease: Uuid, outcome: Outcome, now: Millis) {
        match outcome {
            // The channel has it, whoever holds the lease by now. Another call that may be under way keeps its row.
            Outcome::Accepted => {
                let is_ours = |row: &SendRow| {
                    row.state == SendState::Handed && row.lease.is_none_or(|held| held == lease)
                };
                if self.rows.get(&message).is_some_and(is_ours) {
                    self.remove(message);
                }
                if let Some(state) =
                    self.messages.get_mut(&message).filter(|state| **state != MessageState::Refused)
                {
                    *state = MessageState::Sent;
                }
            }
            Outcome::Unknown => self.doubt(message, lease),
            Outcome::Again(pause) => self.queue_again(message, lease, Some(now + pause)),
            Outcome::Refused => {
                if self.held(message, lease).is_some() {
                    self.fail(message, MessageState::Refused);
                }
            }
        }
    }

    /// Queues a message again of which nothing was sent.
    pub fn give_back(&mut self, message: u64, lease: Uuid) {
        if let Some(row) = self.held(message, lease) {
            row.tries -= 1;
            self.queue_again(message, lease, None);
        }
    }

    /// Nobody knows what came of a call.
    pub fn doubt(&mut self, message: u64, lease: Uuid) {
        if let Some(row) = self.held(message, lease) {
            row.lease = None;
        }
    }

    /// Takes over what was claimed under these leases.
    pub fn take_over(&mut self, dead: LeaseRange, begun: &Begun) {
        let is_held = |row: &SendRow| row.lease.filter(|lease| dead.contains(*lease));
        let held = self.rows.iter().filter_map(|(message, row)| Some((*message, is_held(row)?)));
        for (message, lease) in held.collect::<Vec<_>>() {
            if begun.has_not_begun(lease, message) {
                self.give_back(message, lease);
            } else {
                self.doubt(message, lease);
            }
        }
    }

    /// Lets conversations continue whose call has run for too long, and fails calls in doubt that are too old.
    pub fn sweep(&mut self, servers: &Servers, now: Millis) {
        let is_overdue = |row: &SendRow| row.ready && row.handed_at.is_some_and(|at| at <= now - UNDER_WAY);
        let mut expired = BTreeSet::new();
        for row in self.rows.values_mut().filter(|row| is_overdue(row)) {
            row.ready = false;
            expired.insert(row.conversation);
        }
        for conversation in expired {
            self.pass_on(conversation);
        }
        let is_in_doubt = |row: &SendRow| {
            row.handed_at.is_some_and(|at| at <= now - DOUBT_MAX)
                && row.lease.is_none_or(|lease| !servers.holds(lease))
        };
        let old = self.rows.iter().filter(|(_, row)| is_in_doubt(row)).map(|(message, _)| *message);
        for message in old.collect::<Vec<_>>() {
            self.fail(message, MessageState::InDoubt);
        }
    }

    /// The row of a claim that still holds.
    fn held(&mut self, message: u64, lease: Uuid) -> Option<&mut SendRow> {
        self.rows.get_mut(&message).filter(|row| row.state == SendState::Handed && row.lease == Some(lease))
    }

    fn queue_again(&mut self, message: u64, lease: Uuid, due_at: Option<Millis>) {
        let Some(row) = self.held(message, lease) else { return };
        (row.state, row.handed_at, row.lease) = (SendState::Queued, None, None);
        row.due_at = due_at.or(row.due_at);
        let (conversation, had_turn) = (row.conversation, row.ready);
        if !had_turn {
            // It goes before those that were queued after it.
            for row in self.rows.values_mut().filter(|row| row.conversation == conversation) {
                row.ready &= row.state == SendState::Handed;
            }
            self.pass_on(conversation);
        }
    }

    fn fail(&mut self, message: u64, state: MessageState) {
        self.remove(message);
        let known = self.messages.entry(message).or_insert(state);
        if *known == MessageState::Sending {
            *known = state;
        }
    }

    fn remove(&mut self, message: u64) {
        if let Some(row) = self.rows.remove(&message)
            && row.ready
        {
            self.pass_on(row.conversation);
        }
    }

    /// Makes the next message of a conversation ready, unless one is.
    fn pass_on(&mut self, conversation: u64) {
        if self.of(conversation).any(|(_, row)| row.ready) {
            return;
        }
        let mut of = self.rows.values_mut().filter(|row| row.conversation == conversation);
        if let Some(next) = of.find(|row| row.state == SendState::Queued) {
            next.ready = true;
        }
    }

    fn of(&self, conversation: u64) -> impl Iterator<Item = (&u64, &SendRow)> {
        self.rows.iter().filter(move |(_, row)| row.conversation == conversation)
    }
}
