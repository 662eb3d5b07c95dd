//! What channels report of messages that we sent.

use frontdesk_channels::{Report, ReportStatus};
use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;

use super::early;
use super::store::Context;
use crate::connections::{Channel, ConnectionId};
use crate::identities;
use crate::messages::{Change, MessageId, MessageStatus, locate, raise};

/// Messages that one watermark moves; older ones were moved by the one before.
const WATERMARK_ROWS_MAX: i64 = 500;

frontdesk_db::statements! {
    BELOW = "SELECT m.id FROM messages m JOIN conversations c ON c.account_id = m.account_id AND c.id = m.conversation_id
        WHERE m.account_id = $1 AND c.connection_id = $2 AND c.contact_id = $3 AND m.direction = 'outbound' AND m.id < $4
        AND m.status IN ('sending', 'sent', 'delivered') AND m.status <> $5 AND m.channel_message_id IS NOT NULL ORDER BY m.id DESC LIMIT $6";
    NAMED = "SELECT id FROM messages WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    BEFORE = "SELECT m.id FROM messages l JOIN messages m ON m.account_id = l.account_id AND m.conversation_id = l.conversation_id
        WHERE l.account_id = $1 AND l.id = $2 AND m.id < $2 AND m.direction = 'outbound' AND m.status IN ('sent', 'delivered') ORDER BY m.id DESC LIMIT $3";
    TAKEN = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND state = 'handed' AND part = 0";
}

pub(super) fn status_of(status: ReportStatus) -> MessageStatus {
    match status {
        ReportStatus::Sent => MessageStatus::Sent,
        ReportStatus::Delivered => MessageStatus::Delivered,
        ReportStatus::Read => MessageStatus::Read,
        ReportStatus::Failed => MessageStatus::Failed,
    }
}

/// What became of one message.
pub(super) fn reported(tx: &mut Tx<'_>, by: &By, context: &Context, report: &Report) -> db::Result<()> {
    let line = &context.line;
    let ours = report.our_id.as_deref().and_then(|id| id.parse::<MessageId>().ok());
    let known = locate(tx, by, line.id(), ours, Some(&report.channel_message_id))?;
    let Some(known) = known else {
        return early::keep(tx, by, line.id(), report);
    };
    let change = Change {
        status: status_of(report.status),
        channel_message_id: Some(report.channel_message_id.clone()),
        error: report.error.clone().map(Into::into),
    };
    raise(tx, by, &context.links, &known, &change)?;
    if line.channel() == Channel::Instagram && change.status == MessageStatus::Read {
        read_before(tx, by, context, known.id)?;
    }
    went_out(tx, by, known.id)
}

/// The channel itself has told of a message, which proves that it went out, whatever became of the call.
pub(super) fn went_out(tx: &mut Tx<'_>, by: &By, message: MessageId) -> db::Result<()> {
    let _settled_already_is_fine = tx.execute(TAKEN, &[&by.account, &message])?;
    Ok(())
}

/// Our own id of the message that a report is about, if it is known.
pub(super) fn subject(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    report: &Report,
) -> db::Result<Option<MessageId>> {
    match report.our_id.as_deref().and_then(|id| id.parse().ok()) {
        Some(id) => Ok(Some(id)),
        None => tx.find(NAMED, &[&by.account, &connection, &report.channel_message_id], only),
    }
}

/// Instagram names only the last message that was read; whoever has read that has read those before it.
fn read_before(tx: &mut Tx<'_>, by: &By, context: &Context, last: MessageId) -> db::Result<()> {
    for id in tx.query(BEFORE, &[&by.account, &last, &WATERMARK_ROWS_MAX], only::<MessageId>)? {
        if let Some(known) = locate(tx, by, context.line.id(), Some(id), None)? {
            let read = Change { status: MessageStatus::Read, channel_message_id: None, error: None };
            raise(tx, by, &context.links, &known, &read)?;
        }
    }
    Ok(())
}

/// Everything that was sent to somebody up to then was delivered, or read.
pub(super) fn watermark(
    tx: &mut Tx<'_>,
    by: &By,
    context: &Context,
    person: &str,
    status: ReportStatus,
    at: Timestamp,
) -> db::Result<()> {
    let line = &context.line;
    let Some(contact) = identities::find(tx, by.account, line.id(), person)? else { return Ok(()) };
    let status = status_of(status);
    let above = MessageId::first_at(Timestamp::from_millis(at.millis() + 1));
    let params: &[&dyn db::Param] =
        &[&by.account, &line.id(), &contact, &above, &status, &WATERMARK_ROWS_MAX];
    let mut below = tx.query(BELOW, params, only::<MessageId>)?;
    below.sort_unstable();
    for id in below {
        if let Some(known) = locate(tx, by, line.id(), Some(id), None)? {
            raise(tx, by, &context.links, &known, &Change { status, channel_message_id: None, error: None })?;
        }
    }
    Ok(())
}
