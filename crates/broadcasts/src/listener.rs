//! Updates recipients by the events of their messages: handed over, delivered, read, failed, replied.
//!
//! An event listener updates a recipient in the transaction that updates its message, whether that is the sender's or
//! that of a channel report. Most messages belong to no broadcast, which costs one lookup.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_db::{self as db, FOR_UPDATE, Row, Tx};
use frontdesk_inbox::conversations::ConversationId;
use frontdesk_inbox::messages::{MessageId, bulk, event_types};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;
use frontdesk_platform::events::{EventListener, WrittenEvent};
use serde::Deserialize;
use uuid::Uuid;

use crate::broadcast::BroadcastId;
use crate::counts::{self, Tally};
use crate::recipients::{FailureReason, RecipientFlags, RecipientId, RecipientStatus, State};
use crate::sql::{LATEST, MOVE, OF_MESSAGE, REPLIED};

/// A message from the recipient counts as a reply for this long after the hand-over.
const REPLY_TIME_MAX: Duration = Duration::from_hours(72);
/// Channels report times in seconds, and clocks differ, so a reply may seem to arrive a little before the message it
/// answers.
const REPLY_LEEWAY: Duration = Duration::from_secs(5);

/// Wakes workers that wait for outcomes.
pub(crate) const MOVED: db::Topic = "broadcast_recipients";

/// Of the recipient alone, not of the conversation.
const RECIPIENT_ONLY: &str = "FOR UPDATE OF r";

/// Updates recipients when their messages change.
pub struct Recipients;

/// The part of an event's data that is needed.
#[derive(Deserialize)]
struct Data {
    message: Message,
    error: Option<FailureReason>,
}

#[derive(Deserialize)]
struct Message {
    id: Uuid,
    conversation_id: Uuid,
    direction: String,
    status: String,
}

/// An update of a message that may belong to a recipient.
struct RecipientUpdate {
    message: MessageId,
    gained: RecipientFlags,
    lost: RecipientFlags,
    error: Option<FailureReason>,
}

impl RecipientUpdate {
    fn read(data: Data) -> Option<Self> {
        if data.message.direction != "outbound" {
            return None;
        }
        let sent = RecipientFlags::SENT;
        // A message that has gone out did not fail after all, so a report replaces a failure in doubt.
        let (gained, lost) = match data.message.status.as_str() {
            "sent" => (sent, RecipientFlags::FAILED),
            "delivered" => (sent.with(RecipientFlags::DELIVERED), RecipientFlags::FAILED),
            "read" => {
                (sent.with(RecipientFlags::DELIVERED).with(RecipientFlags::READ), RecipientFlags::FAILED)
            }
            "failed" if data.error.as_ref().is_some_and(|error| error.reason == bulk::WITHDRAWN) => {
                (RecipientFlags::NONE, RecipientFlags::NONE)
            }
            "failed" => (RecipientFlags::FAILED, RecipientFlags::NONE),
            _ => return None,
        };
        Some(Self { message: MessageId::from_uuid(data.message.id), gained, lost, error: data.error })
    }

    fn is_withdrawn(&self) -> bool {
        self.gained == RecipientFlags::NONE
    }
}

impl EventListener for Recipients {
    fn on_event(&self, tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
        self.on_events(tx, by, std::slice::from_ref(event))
    }

    fn on_events(&self, tx: &mut Tx<'_>, by: &By, events: &[WrittenEvent<'_>]) -> db::Result<()> {
        let mut updates = Vec::new();
        for event in events {
            if event.event_type == event_types::STATUS_CHANGED.name() {
                updates.extend(RecipientUpdate::read(data(event)?));
            } else if event.event_type == event_types::RECEIVED.name() {
                replied(tx, by, ConversationId::from_uuid(data(event)?.message.conversation_id))?;
            }
        }
        if updates.is_empty() { Ok(()) } else { apply_all(tx, by, &updates) }
    }
}

fn data(event: &WrittenEvent<'_>) -> db::Result<Data> {
    serde_json::from_str(event.data).map_err(|_| db::Error::Decode("event"))
}

/// A recipient as it is stored.
#[derive(Clone)]
struct StoredRecipient {
    broadcast: BroadcastId,
    id: RecipientId,
    state: State,
    flags: RecipientFlags,
    handed_at: Option<Timestamp>,
    error: Option<String>,
}

impl StoredRecipient {
    fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self {
            broadcast: row.next()?,
            id: row.next()?,
            state: row.next()?,
            flags: RecipientFlags(row.next()?),
            handed_at: row.next()?,
            error: None,
        })
    }

    /// Applies an update. Returns what it adds to the counts.
    fn apply(&mut self, update: &RecipientUpdate, now: Timestamp) -> Tally {
        let (before, settles) = (self.flags, self.state == State::Queued);
        self.flags = before.with(update.gained).without(update.lost);
        self.state = State::Reached(if update.is_withdrawn() {
            RecipientStatus::Cancelled
        } else {
            self.flags.status().unwrap_or(RecipientStatus::Sent)
        });
        self.handed_at = self.flags.has(RecipientFlags::SENT).then(|| self.handed_at.unwrap_or(now));
        self.error = update.error.as_ref().map(FailureReason::written);
        Tally::of_move(before, self.flags, settles)
    }
}

fn apply_all(tx: &mut Tx<'_>, by: &By, updates: &[RecipientUpdate]) -> db::Result<()> {
    let mut messages: Vec<MessageId> = updates.iter().map(|update| update.message).collect();
    messages.sort_unstable();
    messages.dedup();
    let keys: Vec<[&dyn db::Param; 2]> =
        messages.iter().map(|message| [&by.account as &dyn db::Param, message]).collect();
    tx.plan_by_index()?;
    let found = tx.find_each_locked(OF_MESSAGE, FOR_UPDATE, &keys, StoredRecipient::read)?;
    let mut recipients: BTreeMap<MessageId, StoredRecipient> =
        messages.iter().zip(found).filter_map(|(message, found)| Some((*message, found?))).collect();
    if recipients.is_empty() {
        return Ok(());
    }
    let mut added: BTreeMap<BroadcastId, Tally> = BTreeMap::new();
    for update in updates {
        let Some(recipient) = recipients.get_mut(&update.message) else { continue };
        let tally = added.entry(recipient.broadcast).or_default();
        *tally = *tally + recipient.apply(update, by.now);
    }
    let mut rows: Vec<[&dyn db::Param; 8]> = Vec::with_capacity(recipients.len());
    for StoredRecipient { broadcast, id, state, flags, handed_at, error } in recipients.values() {
        rows.push([&by.account, broadcast, id, state, &flags.0, error, handed_at, &by.now]);
    }
    tx.execute_each(MOVE, &rows)?.into_iter().try_for_each(|touched| touched.exactly(1))?;
    tx.wake(MOVED);
    let id: Uuid = by.new_id::<Tally>().uuid();
    added.iter().try_for_each(|(broadcast, tally)| counts::add(tx, by.account, *broadcast, id, tally))
}

/// A contact wrote in a conversation. Marks the latest broadcast handed over to them as replied, unless it is already.
fn replied(tx: &mut Tx<'_>, by: &By, conversation: ConversationId) -> db::Result<()> {
    tx.plan_by_index()?;
    let latest = tx.find_locked(LATEST, RECIPIENT_ONLY, &[&by.account, &conversation], |row| {
        let (broadcast, recipient): (BroadcastId, RecipientId) = (row.next()?, row.next()?);
        let marks = RecipientFlags(row.next()?);
        Ok((broadcast, recipient, marks, row.next::<Timestamp>()?, row.next::<Option<Timestamp>>()?))
    })?;
    let Some((broadcast, recipient, marks, handed_at, Some(wrote_at))) = latest else { return Ok(()) };
    let in_time = wrote_at >= handed_at - REPLY_LEEWAY && wrote_at <= handed_at + REPLY_TIME_MAX;
    if marks.has(RecipientFlags::REPLIED) || !in_time {
        return Ok(());
    }
    let after = marks.with(RecipientFlags::REPLIED);
    tx.execute(REPLIED, &[&by.account, &broadcast, &recipient, &after.0, &by.now])?.exactly(1)?;
    let id: Uuid = by.new_id::<Tally>().uuid();
    counts::add(tx, by.account, broadcast, id, &Tally::of_move(marks, after, false))
}
