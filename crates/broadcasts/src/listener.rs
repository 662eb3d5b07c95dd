//! Updates recipients by the events of their messages: handed over, delivered, read, failed, replied.
//!
//! An event listener updates a recipient in the transaction that updates its message, whether that is the sender's or
//! that of a channel report. On PostgreSQL this is one statement, which costs no round trip and matches no row if the
//! message belongs to no broadcast.

use std::collections::BTreeMap;
use std::time::Duration;

use frontdesk_db::{self as db, Dialect, List, Query, Tx};
use frontdesk_inbox::conversations::ConversationId;
use frontdesk_inbox::messages::{MessageId, bulk, event_types};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;
use frontdesk_platform::events::{EventListener, WrittenEvent};
use serde::Deserialize;
use uuid::Uuid;

use crate::broadcast::BroadcastId;
use crate::counts::{self, Tally};
use crate::recipients::{RecipientFlags, RecipientId, RecipientStatus, State, Trouble};

/// A message from the recipient counts as a reply for this long after the hand-over.
const REPLY_TIME_MAX: Duration = Duration::from_hours(72);
/// Channels report times in seconds, and clocks differ, so a reply may seem to arrive a little before the message it
/// answers.
const REPLY_LEEWAY: Duration = Duration::from_secs(5);

/// Wakes workers that wait for outcomes.
pub(crate) const MOVED: db::Topic = "broadcast_recipients";

frontdesk_db::statements! {
    OF_MESSAGE = "SELECT broadcast_id, id, status, marks, handed_at FROM broadcast_recipients WHERE account_id = $1 AND message_id = $2";
    MOVE = "UPDATE broadcast_recipients SET status = $4, marks = $5, error = $6, handed_at = $7, updated_at = $8
        WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
    /// The latest hand-over to the contact of a conversation.
    LATEST = "SELECT r.broadcast_id, r.id, r.marks, r.handed_at, v.last_inbound_at
        FROM conversations v JOIN broadcast_recipients r ON r.account_id = v.account_id AND r.contact_id = v.contact_id
        WHERE v.account_id = $1 AND v.id = $2 AND r.handed_at IS NOT NULL ORDER BY r.handed_at DESC, r.id DESC LIMIT 1";
    REPLIED = "UPDATE broadcast_recipients SET status = 'replied', marks = $4, updated_at = $5 WHERE account_id = $1 AND broadcast_id = $2 AND id = $3";
}

/// Marks are bits: 1 sent, 2 delivered, 4 read, 8 replied, 16 failed.
const MOVE_MANY: &str = "WITH told AS (
        SELECT * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[]) AS t (message_id, gained, lost, error, withdrawn)),
    held AS (
        SELECT r.broadcast_id, r.id, r.status, r.marks, (r.marks | t.gained) & ~t.lost AS now, t.error, t.withdrawn
        FROM told t JOIN broadcast_recipients r ON r.account_id = $1 AND r.message_id = t.message_id ORDER BY r.id FOR UPDATE OF r),
    moved AS (
        UPDATE broadcast_recipients r SET marks = h.now, error = h.error, updated_at = $7,
            handed_at = CASE WHEN h.now & 1 = 1 THEN coalesce(r.handed_at, $7) END,
            status = CASE WHEN h.withdrawn THEN 'cancelled' WHEN h.now & 8 = 8 THEN 'replied' WHEN h.now & 16 = 16 THEN 'failed'
                WHEN h.now & 4 = 4 THEN 'read' WHEN h.now & 2 = 2 THEN 'delivered' ELSE 'sent' END
        FROM held h WHERE r.account_id = $1 AND r.broadcast_id = h.broadcast_id AND r.id = h.id)
    INSERT INTO broadcast_counts (account_id, broadcast_id, id, sent, delivered, read, replied, failed, settled)
    SELECT $1, h.broadcast_id, $8, sum((h.now & 1) - (h.marks & 1)), sum((h.now >> 1 & 1) - (h.marks >> 1 & 1)),
        sum((h.now >> 2 & 1) - (h.marks >> 2 & 1)), 0, sum((h.now >> 4 & 1) - (h.marks >> 4 & 1)),
        sum(CASE h.status WHEN 'queued' THEN 1 ELSE 0 END)
    FROM held h GROUP BY h.broadcast_id";
const REPLY: &str = "WITH latest AS (
        SELECT r.broadcast_id, r.id, r.handed_at, v.last_inbound_at
        FROM conversations v JOIN broadcast_recipients r ON r.account_id = v.account_id AND r.contact_id = v.contact_id
        WHERE v.account_id = $1 AND v.id = $2 AND r.handed_at IS NOT NULL ORDER BY r.handed_at DESC, r.id DESC LIMIT 1),
    replied AS (
        UPDATE broadcast_recipients r SET marks = r.marks | 8, status = 'replied', updated_at = $3
        FROM latest l WHERE r.account_id = $1 AND r.broadcast_id = l.broadcast_id AND r.id = l.id AND r.marks & 8 = 0
            AND l.last_inbound_at BETWEEN l.handed_at - $4 * interval '1 second' AND l.handed_at + $5 * interval '1 second'
        RETURNING r.broadcast_id)
    INSERT INTO broadcast_counts (account_id, broadcast_id, id, sent, delivered, read, replied, failed, settled)
    SELECT $1, broadcast_id, $6, 0, 0, 0, 1, 0, 0 FROM replied";
pub(crate) const POSTGRES_STATEMENTS: &[(&str, &str)] =
    &[("listener::MOVE_MANY", MOVE_MANY), ("listener::REPLY", REPLY)];

/// Updates recipients when their messages change.
pub struct Recipients;

/// The part of an event's data that is needed.
#[derive(Deserialize)]
struct Data {
    message: Message,
    error: Option<Trouble>,
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
    error: Option<Trouble>,
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
        let mut told = Vec::new();
        for event in events {
            if event.event_type == event_types::STATUS_CHANGED.name() {
                told.extend(RecipientUpdate::read(data(event)?));
            } else if event.event_type == event_types::RECEIVED.name() {
                replied(tx, by, ConversationId::from_uuid(data(event)?.message.conversation_id))?;
            }
        }
        if told.is_empty() { Ok(()) } else { moved(tx, by, &told) }
    }
}

fn data(event: &WrittenEvent<'_>) -> db::Result<Data> {
    serde_json::from_str(event.data).map_err(|_| db::Error::Decode("event"))
}

fn moved(tx: &mut Tx<'_>, by: &By, told: &[RecipientUpdate]) -> db::Result<()> {
    let id: Uuid = by.new_id::<Tally>().uuid();
    if tx.dialect() == Dialect::Postgres {
        let error = |told: &RecipientUpdate| told.error.as_ref().map(Trouble::written);
        let params: Vec<db::OwnedParam> = vec![
            Box::new(by.account),
            Box::new(List(told.iter().map(|told| told.message).collect())),
            Box::new(List(told.iter().map(|told| told.gained.0).collect())),
            Box::new(List(told.iter().map(|told| told.lost.0).collect())),
            Box::new(List(told.iter().map(error).collect())),
            Box::new(List(told.iter().map(RecipientUpdate::is_withdrawn).collect())),
            Box::new(by.now),
            Box::new(id),
        ];
        tx.plan_by_index()?;
        tx.wake(MOVED);
        return tx.execute_along(Query::whole(MOVE_MANY, params));
    }
    let mut added: BTreeMap<BroadcastId, Tally> = BTreeMap::new();
    for told in told {
        let found = tx.find(OF_MESSAGE, &[&by.account, &told.message], |row| {
            let (broadcast, id): (BroadcastId, RecipientId) = (row.next()?, row.next()?);
            let (state, marks): (State, i64) = (row.next()?, row.next()?);
            Ok((broadcast, id, state, RecipientFlags(marks), row.next::<Option<Timestamp>>()?))
        })?;
        let Some((broadcast, recipient, state, before, handed_at)) = found else { continue };
        let after = before.with(told.gained).without(told.lost);
        let status = if told.is_withdrawn() {
            RecipientStatus::Cancelled
        } else {
            after.status().unwrap_or(RecipientStatus::Sent)
        };
        let handed_at = after.has(RecipientFlags::SENT).then(|| handed_at.unwrap_or(by.now));
        let error = told.error.as_ref().map(Trouble::written);
        let params: &[&dyn db::Param] = &[
            &by.account,
            &broadcast,
            &recipient,
            &State::Reached(status),
            &after.0,
            &error,
            &handed_at,
            &by.now,
        ];
        tx.execute(MOVE, params)?.exactly(1)?;
        let tally = added.entry(broadcast).or_default();
        *tally = *tally + Tally::of_move(before, after, state == State::Queued);
    }
    if !added.is_empty() {
        tx.wake(MOVED);
    }
    added.iter().try_for_each(|(broadcast, tally)| counts::add(tx, by.account, *broadcast, id, tally))
}

/// A contact wrote in a conversation. Marks the latest broadcast handed over to them as replied, unless it is already.
fn replied(tx: &mut Tx<'_>, by: &By, conversation: ConversationId) -> db::Result<()> {
    let id: Uuid = by.new_id::<Tally>().uuid();
    if tx.dialect() == Dialect::Postgres {
        let params: Vec<db::OwnedParam> = vec![
            Box::new(by.account),
            Box::new(conversation),
            Box::new(by.now),
            Box::new(REPLY_LEEWAY.as_secs_f64()),
            Box::new(REPLY_TIME_MAX.as_secs_f64()),
            Box::new(id),
        ];
        tx.plan_by_index()?;
        return tx.execute_along(Query::whole(REPLY, params));
    }
    let latest = tx.find(LATEST, &[&by.account, &conversation], |row| {
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
    counts::add(tx, by.account, broadcast, id, &Tally::of_move(marks, after, false))
}
