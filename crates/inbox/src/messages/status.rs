//! A message's status never goes back, and every change goes through this module.

use frontdesk_channels::reasons;
use frontdesk_crm::contacts;
use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;
use frontdesk_platform::events::{self, NewEvent};
use serde_json::Value;

use super::event_types::{self, MessageEventData, MessageStatusEventData, PreviousMessageStatus};
use super::history::{self, MessageFailure};
use super::message::{Message, MessageId, MessageStatus};
use super::sql::{CONTACT, SET, STATE, STATE_BY_CHANNEL, TEMPLATE};
use crate::connections::{self, Cause, ConnectionId};
use crate::media::Links;
use crate::templates::{self, TemplateStatus};

/// The reason of a message whose outcome is unknown.
pub const UNKNOWN_OUTCOME: &str = "unknown_outcome";

/// A status report about a message.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) status: MessageStatus,
    pub(crate) channel_message_id: Option<String>,
    pub(crate) error: Option<MessageFailure>,
    /// When it happened, if the channel says so.
    pub(crate) at: Option<Timestamp>,
}

/// A message that we sent, locked until the transaction ends.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) id: MessageId,
    pub(super) connection: ConnectionId,
    pub(super) status: MessageStatus,
    pub(super) error: Option<String>,
    pub(super) channel_message_id: Option<String>,
    /// The number of its status changes.
    pub(super) changes: i64,
}

impl Known {
    /// Whether the channel's id of it is known.
    pub(crate) fn is_named(&self) -> bool {
        self.channel_message_id.is_some()
    }

    pub(crate) fn is_read(&self) -> bool {
        self.status == MessageStatus::Read
    }
}

/// Finds a message that we sent by our id, or by the channel's.
pub(crate) fn locate(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    ours: Option<MessageId>,
    channels: Option<&str>,
) -> db::Result<Option<Known>> {
    if let Some(id) = ours
        && let Some(known) =
            tx.find_to_change(STATE, &[&by.account, &id, &connection], |row| read(row, connection))?
    {
        return Ok(Some(known));
    }
    match channels {
        Some(id) => {
            let params: &[&dyn db::Param] = &[&by.account, &connection, &id];
            tx.find_to_change(STATE_BY_CHANNEL, params, |row| read(row, connection))
        }
        None => Ok(None),
    }
}

fn read(row: &mut db::Row<'_>, connection: ConnectionId) -> db::Result<Known> {
    Ok(Known {
        id: row.next()?,
        connection,
        status: row.next()?,
        error: row.next()?,
        channel_message_id: row.next()?,
        changes: row.next()?,
    })
}

/// A change of a message's row.
pub(super) struct StatusAdvance {
    pub(super) status: MessageStatus,
    pub(super) error: Option<String>,
    pub(super) channel_message_id: Option<String>,
    pub(super) changes: i64,
    /// Whether the status changes.
    pub(super) moves: bool,
}

/// The change of a message's row; none if nothing changes.
pub(super) fn advanced(known: &Known, change: &Change) -> Option<StatusAdvance> {
    let doubted = known.error.as_deref().is_some_and(|error| error.contains(UNKNOWN_OUTCOME));
    let moves = rises(known.status, change.status, doubted);
    let names = known.channel_message_id.is_none() && change.channel_message_id.is_some();
    if !moves && !names {
        return None;
    }
    Some(StatusAdvance {
        status: if moves { change.status } else { known.status },
        error: match (&change.error, moves) {
            (Some(error), true) => serde_json::to_string(error).ok(),
            (None, true) => None,
            (_, false) => known.error.clone(),
        },
        channel_message_id: known.channel_message_id.clone().or_else(|| change.channel_message_id.clone()),
        changes: known.changes + i64::from(moves),
        moves,
    })
}

/// Applies a status report, unless the message already has that status or a higher one. True if the status
/// changed.
pub(crate) fn advance(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    known: &Known,
    change: &Change,
) -> db::Result<bool> {
    let Some(StatusAdvance { status, error, channel_message_id, changes, moves }) = advanced(known, change)
    else {
        return Ok(false);
    };
    tx.execute(SET, &[&by.account, &known.id, &status, &error, &channel_message_id, &changes])?.exactly(1)?;
    if moves {
        history::write(tx, by, known.id, changes, status, change.at.unwrap_or(by.now), error)?;
        let message =
            super::find(tx, by.account, known.id, links, by.now)?.ok_or(db::Error::Decode("message"))?;
        events::write_many(tx, by, &announcements(&message, known.status, change)?)?;
        if let Some(error) = &change.error {
            consequences(tx, by, known, error)?;
        }
    }
    Ok(moves)
}

/// The events of a message whose status has changed.
pub(super) fn announcements(
    message: &Message,
    before: MessageStatus,
    change: &Change,
) -> db::Result<Vec<NewEvent>> {
    let mut events = Vec::with_capacity(2);
    if before == MessageStatus::Sending && change.status != MessageStatus::Failed {
        events.push(NewEvent::new(event_types::SENT, &MessageEventData { message })?);
    }
    let changed = MessageStatusEventData {
        message,
        previous: PreviousMessageStatus { status: before },
        error: change.error.clone().map(Into::into),
    };
    events.push(NewEvent::new(event_types::STATUS_CHANGED, &changed)?);
    Ok(events)
}

/// Consequences of a failure beyond the message itself, whether the channel's response or a report contained
/// it.
fn consequences(tx: &mut Tx<'_>, by: &By, known: &Known, error: &MessageFailure) -> db::Result<()> {
    match error.reason.as_str() {
        reasons::OPTED_OUT => opt_out(tx, by, known.id),
        reasons::TEMPLATE_STOPPED => stop_template(tx, by, known.id),
        reasons::CHANNEL_STOPPED | reasons::TOKEN_INVALID => {
            stop_channel(tx, by, known.connection, &error.code, &error.message)
        }
        _ => Ok(()),
    }
}

fn opt_out(tx: &mut Tx<'_>, by: &By, message: MessageId) -> db::Result<()> {
    let Some(contact) = tx.find(CONTACT, &[&by.account, &message], db::only)? else { return Ok(()) };
    match contacts::opt_out(tx, by, contact, "channel") {
        Err(contacts::ContactError::Platform(frontdesk_platform::Error::Store(error))) => Err(error),
        // The contact is deleted.
        _ => Ok(()),
    }
}

/// The channel refuses the connection itself: nothing more is sent over it until the operator reconnects it.
pub(crate) fn stop_channel(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    code: &str,
    message: &str,
) -> db::Result<()> {
    let reason = format!("{message} (code {code})");
    connections::disconnect(tx, by, connection, Cause::Refused, &reason)?;
    Ok(())
}

/// The vendor no longer sends a message's template.
fn stop_template(tx: &mut Tx<'_>, by: &By, message: MessageId) -> db::Result<()> {
    let found = tx.find(TEMPLATE, &[&by.account, &message], |row| {
        Ok((row.next::<ConnectionId>()?, row.next::<String>()?, row.next::<String>()?))
    })?;
    let Some((connection, name, details)) = found else { return Ok(()) };
    let details: Value = serde_json::from_str(&details).unwrap_or_default();
    if let Some(language) = details["language"].as_str() {
        let stopped = TemplateStatus::Paused;
        templates::set_status(tx, by.account, connection, &name, language, stopped, by.now)?;
    }
    Ok(())
}

/// Whether a status may follow another. A failure with an unknown outcome may still change.
fn rises(from: MessageStatus, to: MessageStatus, doubted: bool) -> bool {
    use MessageStatus::{Delivered, Failed, Read, Sending, Sent};
    match (from, to) {
        (Sending, to) => to != Sending,
        (Sent, to) => matches!(to, Delivered | Read | Failed),
        (Delivered, to) => to == Read,
        (Read, _) => false,
        (Failed, to) => doubted && matches!(to, Sent | Delivered | Read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_only_rises() {
        use MessageStatus::{Delivered, Failed, Read, Sending, Sent};
        let up = [
            (Sending, Sent),
            (Sending, Delivered),
            (Sending, Read),
            (Sending, Failed),
            (Sent, Delivered),
            (Sent, Read),
            (Sent, Failed),
            (Delivered, Read),
        ];
        for from in MessageStatus::ALL {
            for to in MessageStatus::ALL {
                assert_eq!(rises(*from, *to, false), up.contains(&(*from, *to)), "{from} to {to}");
            }
        }
    }

    #[test]
    fn a_doubted_failure_gives_way_to_a_report() {
        assert!(rises(MessageStatus::Failed, MessageStatus::Delivered, true));
        assert!(!rises(MessageStatus::Failed, MessageStatus::Failed, true));
    }
}
