//! Reports that arrive before we know the channel's id of their message. They are stored until we do.
//!
//! Such a report and the response with the id may be written at the same moment by transactions that do not
//! see each other. So both lock the id first, and the second sees what the first has committed.

use std::time::Duration;

use frontdesk_channels::Report;
use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;

use super::history::MessageFailure;
use super::many::Named;
use super::message::{MessageId, MessageStatus};
use super::sql::{ANY, DELETE, FIND_EARLY, FORGET, PUT};
use super::status::{Change, advance, locate};
use crate::connections::ConnectionId;
use crate::media::Links;

/// A report without a message is deleted after this long.
const KEPT: Duration = Duration::from_hours(24);
/// Rows deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;

fn rank(status: MessageStatus) -> u8 {
    match status {
        MessageStatus::Sending => 0,
        MessageStatus::Sent => 1,
        MessageStatus::Failed => 2,
        MessageStatus::Delivered => 3,
        MessageStatus::Read => 4,
    }
}

/// Stores a report about an unknown message; of several, the highest status.
pub(crate) fn keep(tx: &mut Tx<'_>, by: &By, connection: ConnectionId, report: &Report) -> db::Result<()> {
    let error: Option<MessageFailure> = report.error.clone().map(Into::into);
    put(tx, by, connection, &report.channel_message_id, report.status.into(), error.as_ref(), report.at)
}

/// Stores a report about our message that does not name it, before the channel has responded. If the channel
/// refuses this try, the report is deleted with it: the next try is sent later.
pub(crate) fn keep_unnamed(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    message: MessageId,
    tries: i64,
    status: MessageStatus,
    at: Timestamp,
) -> db::Result<()> {
    put(tx, by, connection, &unnamed(message, tries), status, None, at)
}

/// No channel uses ids of this form.
fn unnamed(message: MessageId, tries: i64) -> String {
    format!("message {message} {tries}")
}

fn put(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    id: &str,
    status: MessageStatus,
    error: Option<&MessageFailure>,
    at: Timestamp,
) -> db::Result<()> {
    let kept = tx.find(FIND_EARLY, &[&by.account, &connection, &id], db::only::<MessageStatus>)?;
    if kept.is_some_and(|kept| rank(kept) >= rank(status)) {
        return Ok(());
    }
    let error = error.and_then(|error| serde_json::to_string(error).ok());
    tx.execute(PUT, &[&by.account, &connection, &id, &status, &error, &at, &by.now])?.exactly(1)
}

/// Waits for other transactions that write about the same channel id. The following statements see what they
/// have committed.
pub(crate) fn wait_for_others(
    tx: &mut Tx<'_>,
    connection: ConnectionId,
    channel_message_id: &str,
) -> db::Result<()> {
    tx.lock(lock_of(connection, channel_message_id))
}

fn lock_of(connection: ConnectionId, channel_message_id: &str) -> String {
    format!("report {connection} {channel_message_id}")
}

/// The positions in the list of names that were already reported. Until this transaction ends, no other
/// transaction reports one of them.
pub(crate) fn reported(tx: &mut Tx<'_>, names: &[Named<'_>]) -> db::Result<Vec<usize>> {
    tx.lock_all(names.iter().map(|name| lock_of(name.of.connection, name.name)).collect())?;
    // Usually there are none at all.
    if tx.find(ANY, &[], db::only::<MessageStatus>)?.is_none() {
        return Ok(Vec::new());
    }
    let found = tx.find_each(FIND_EARLY, &Named::keys(names), db::only::<MessageStatus>)?;
    Ok(found.iter().enumerate().filter(|(_, found)| found.is_some()).map(|(at, _)| at).collect())
}

/// Applies the reports that arrived before a message's id was known.
pub(crate) fn apply(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    connection: ConnectionId,
    channel_message_id: &str,
) -> db::Result<()> {
    wait_for_others(tx, connection, channel_message_id)?;
    let Some(change) = take(tx, by, connection, channel_message_id)? else { return Ok(()) };
    if let Some(known) = locate(tx, by, connection, None, Some(channel_message_id))? {
        advance(tx, by, links, &known, &change)?;
    }
    Ok(())
}

/// Applies the reports that did not name a message.
pub(super) fn apply_unnamed(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    connection: ConnectionId,
    message: MessageId,
    tries: i64,
) -> db::Result<()> {
    let Some(change) = take(tx, by, connection, &unnamed(message, tries))? else { return Ok(()) };
    if let Some(known) = locate(tx, by, connection, Some(message), None)? {
        advance(tx, by, links, &known, &change)?;
    }
    Ok(())
}

fn take(tx: &mut Tx<'_>, by: &By, connection: ConnectionId, id: &str) -> db::Result<Option<Change>> {
    let key: &[&dyn db::Param] = &[&by.account, &connection, &id];
    let kept = tx.find(FIND_EARLY, key, |row| {
        Ok((row.next::<MessageStatus>()?, row.next::<Option<String>>()?, row.next::<Option<Timestamp>>()?))
    })?;
    let Some((status, error, at)) = kept else { return Ok(None) };
    tx.execute(DELETE, key)?.exactly(1)?;
    let error = error.and_then(|error| serde_json::from_str(&error).ok());
    Ok(Some(Change { status, channel_message_id: None, error, at }))
}

/// Deletes reports without a message. True if there may be more.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let gone = tx.execute(FORGET, &[&(now - KEPT), &FORGET_ROWS_MAX])?.rows();
    Ok(gone == FORGET_ROWS_MAX as u64)
}
