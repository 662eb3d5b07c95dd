//! What must hold: no message reaches its channel twice, none is lost, and those of a conversation arrive in order.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_simulation::{MessageState, SendState};

use super::request::{Job, Store};

/// What has been observed, and the first thing that was wrong.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// Messages that reached their channel.
    arrived: BTreeSet<u64>,
    /// Messages that the channel refused for good.
    refused: BTreeSet<u64>,
    /// How often a delivery reached its receiver.
    delivered: BTreeMap<u64, u32>,
    /// Messages whose call was marked as begun, or of which nobody could know it after a crash of the database.
    may_have_begun: BTreeSet<u64>,
    /// Conversations that went on without a call that ran for too long.
    went_on: BTreeSet<u64>,
    /// Whether the database has crashed.
    has_crashed: bool,
    /// Whether clocks differ by more than servers accept, so that calls seem to run for too long.
    are_clocks_wrong: bool,
    pub(super) wrong: Option<String>,
}

/// What a history came to, to be added up.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) sent: usize,
    pub(super) refused: usize,
    pub(super) in_doubt: usize,
    pub(super) in_doubt_but_arrived: usize,
    pub(super) delivered: usize,
    pub(super) delivered_again: usize,
}

impl Judge {
    pub(super) fn new(are_clocks_wrong: bool) -> Self {
        Self { are_clocks_wrong, ..Self::default() }
    }

    pub(super) fn fail(&mut self, wrong: String) {
        self.wrong.get_or_insert(wrong);
    }

    /// A message reaches its channel.
    pub(super) fn arrive(&mut self, message: u64, store: &Store) {
        if !self.arrived.insert(message) {
            self.fail(format!("message {message} was sent twice"));
        }
        let Some(row) = store.sends.rows.get(&message) else { return };
        let conversation = row.conversation;
        let mut before =
            store.sends.rows.range(..message).filter(|(_, row)| row.conversation == conversation);
        if !self.are_clocks_wrong
            && !self.went_on.contains(&conversation)
            && let Some((earlier, _)) = before.find(|(earlier, _)| !self.arrived.contains(earlier))
        {
            self.fail(format!("message {message} was sent before {earlier} of the same conversation"));
        }
    }

    pub(super) fn refuse(&mut self, message: u64) {
        self.refused.insert(message);
    }

    pub(super) fn deliver(&mut self, delivery: u64) {
        *self.delivered.entry(delivery).or_default() += 1;
    }

    pub(super) fn mark(&mut self, message: u64) {
        self.may_have_begun.insert(message);
    }

    /// The database crashes: nothing is known any more about the calls of claimed messages.
    pub(super) fn forget_marks(&mut self, store: &Store) {
        self.has_crashed = true;
        let handed = store.sends.rows.iter().filter(|(_, row)| row.state == SendState::Handed);
        self.may_have_begun.extend(handed.map(|(message, _)| *message));
    }

    /// After each look: conversations whose call ran for too long have gone on.
    pub(super) fn note_overdue(&mut self, store: &Store) {
        let overdue = store.sends.rows.values().filter(|row| row.state == SendState::Handed && !row.ready);
        self.went_on.extend(overdue.map(|row| row.conversation));
    }

    pub(super) fn claim(&mut self, Job { row: message, lease }: Job, store: &Store) {
        // The claim of a server whose heartbeat was lost in a crash, and which has not noticed yet.
        if self.has_crashed && !store.servers.holds(lease) {
            self.may_have_begun.insert(message);
        }
        if store.sends.messages.get(&message) != Some(&MessageState::Sending) {
            self.fail(format!("message {message} was claimed after its end"));
        }
    }

    /// Whether nothing is left to do.
    pub(super) fn is_over(store: &Store) -> bool {
        store.sends.rows.is_empty() && store.deliveries.rows.values().all(|row| row.is_done)
    }

    /// The checks at the end.
    pub(super) fn conclude(mut self, store: &Store) -> Result<Tally, String> {
        let mut tally = Tally::default();
        if let Some((message, row)) = store.sends.rows.first_key_value() {
            self.fail(format!("message {message} is left behind: {row:?}"));
        }
        for (message, state) in &store.sends.messages {
            let has_arrived = self.arrived.contains(message);
            match state {
                MessageState::Sent if has_arrived => tally.sent += 1,
                MessageState::Refused if self.refused.contains(message) && !has_arrived => tally.refused += 1,
                MessageState::InDoubt if self.may_have_begun.contains(message) => {
                    tally.in_doubt += 1;
                    tally.in_doubt_but_arrived += usize::from(has_arrived);
                }
                MessageState::InDoubt => {
                    self.fail(format!("message {message} failed although its call had never begun"));
                }
                state => self.fail(format!("message {message} is {state:?}; arrived: {has_arrived}")),
            }
        }
        for (delivery, row) in &store.deliveries.rows {
            match self.delivered.get(delivery) {
                Some(times) if row.is_done => {
                    tally.delivered += 1;
                    tally.delivered_again += usize::from(*times > 1);
                }
                times => self.fail(format!("delivery {delivery} arrived {times:?} times: {row:?}")),
            }
        }
        self.wrong.map_or(Ok(tally), Err)
    }
}
