//! The channels' reports about messages that we sent.

use frontdesk_channels::{Report, ReportStatus};
use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;

use super::context::Context;
use super::sql::{BELOW, NAMED, UNANSWERED};
use crate::connections::{Channel, ConnectionId};
use crate::messages::{
    Change, MessageId, MessageStatus, REPORT_ROWS_MAX, advance, early, locate, read_before,
};
use crate::{identities, outbox};

/// Stores the reported status of one message.
pub(super) fn reported(tx: &mut Tx<'_>, by: &By, context: &Context, report: &Report) -> db::Result<()> {
    let connection = &context.connection;
    let ours = report.our_id.as_deref().and_then(|id| id.parse::<MessageId>().ok());
    let id = &report.channel_message_id;
    let mut known = locate(tx, by, connection.id(), ours, Some(id))?;
    if known.is_none() {
        early::wait_for_others(tx, connection.id(), id)?;
        known = locate(tx, by, connection.id(), ours, Some(id))?;
    }
    let Some(known) = known else {
        return early::keep(tx, by, connection.id(), report);
    };
    let change = Change {
        status: report.status.into(),
        channel_message_id: Some(id.clone()),
        error: report.error.clone().map(Into::into),
        at: Some(report.at),
    };
    advance(tx, by, &context.links, &known, &change)?;
    if connection.channel() == Channel::Instagram && change.status == MessageStatus::Read {
        read_before(tx, by, &context.links, connection.id(), known.id, Some(report.at))?;
    }
    outbox::went_out(tx, by.account, known.id)
}

/// Our id of the message that a report is about, if it is known.
pub(super) fn subject(
    tx: &mut ReadTx<'_>,
    by: &By,
    connection: ConnectionId,
    report: &Report,
) -> db::Result<Option<MessageId>> {
    match report.our_id.as_deref().and_then(|id| id.parse().ok()) {
        Some(id) => Ok(Some(id)),
        None => tx.find(NAMED, &[&by.account, &connection, &report.channel_message_id], only),
    }
}

/// Everything sent to a person up to then was delivered or read.
pub(super) fn watermark(
    tx: &mut Tx<'_>,
    by: &By,
    context: &Context,
    person: &str,
    status: ReportStatus,
    at: Timestamp,
) -> db::Result<()> {
    let connection = &context.connection;
    let Some(contact) = identities::find(tx, by.account, connection.id(), person)? else { return Ok(()) };
    let status = MessageStatus::from(status);
    let above = MessageId::first_at(Timestamp::from_millis(at.millis() + 1));
    let params: &[&dyn db::Param] =
        &[&by.account, &connection.id(), &contact, &above, &status, &REPORT_ROWS_MAX];
    let mut below = tx.query(BELOW, params, only::<MessageId>)?;
    below.sort_unstable();
    for id in below {
        if let Some(known) = locate(tx, by, connection.id(), Some(id), None)? {
            let change = Change { status, channel_message_id: None, error: None, at: Some(at) };
            advance(tx, by, &context.links, &known, &change)?;
        }
    }
    // Messages whose call has no response yet may be covered too. Their response applies the report.
    let params: &[&dyn db::Param] = &[&by.account, &connection.id(), &contact, &at];
    let unanswered =
        tx.query(UNANSWERED, params, |row| Ok((row.next::<MessageId>()?, row.next::<i64>()?)))?;
    for (id, tries) in unanswered {
        match locate(tx, by, connection.id(), Some(id), None)? {
            // The response arrived while this statement waited for the message.
            Some(known) if known.is_named() => {
                let change = Change { status, channel_message_id: None, error: None, at: Some(at) };
                advance(tx, by, &context.links, &known, &change)?;
            }
            Some(known) => early::keep_unnamed(tx, by, connection.id(), known.id, tries, status, at)?,
            None => {}
        }
    }
    Ok(())
}
