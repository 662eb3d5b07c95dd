//! Reports that come before we know the channel's id of what they are about. They wait until we do.

use std::time::Duration;

use frontdesk_channels::Report;
use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::By;

use super::reports::status_of;
use crate::connections::ConnectionId;
use crate::media::Links;
use crate::messages::{Change, MessageStatus, Trouble, locate, raise};

/// A report that nothing was found for is forgotten after this long.
const KEPT: Duration = Duration::from_hours(24);
/// Forgotten at a time.
const FORGET_ROWS_MAX: i64 = 1_000;

frontdesk_db::statements! {
    FIND = "SELECT status, error FROM early_reports WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    PUT = "INSERT INTO early_reports (account_id, connection_id, channel_message_id, status, error, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (account_id, connection_id, channel_message_id) DO UPDATE SET status = excluded.status, error = excluded.error";
    DELETE = "DELETE FROM early_reports WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
    FORGET = "DELETE FROM early_reports WHERE (account_id, connection_id, channel_message_id) IN
        (SELECT account_id, connection_id, channel_message_id FROM early_reports WHERE created_at < $1 LIMIT $2)";
}

fn rank(status: MessageStatus) -> u8 {
    match status {
        MessageStatus::Sending => 0,
        MessageStatus::Sent => 1,
        MessageStatus::Failed => 2,
        MessageStatus::Delivered => 3,
        MessageStatus::Read => 4,
    }
}

/// Keeps a report about a message that is not known yet; of several, the highest.
pub(super) fn keep(tx: &mut Tx<'_>, by: &By, connection: ConnectionId, report: &Report) -> db::Result<()> {
    let status = status_of(report.status);
    let id = &report.channel_message_id;
    let kept = tx.find(FIND, &[&by.account, &connection, id], db::only::<MessageStatus>)?;
    if kept.is_some_and(|kept| rank(kept) >= rank(status)) {
        return Ok(());
    }
    let error: Option<Trouble> = report.error.clone().map(Into::into);
    let error = error.and_then(|error| serde_json::to_string(&error).ok());
    tx.execute(PUT, &[&by.account, &connection, id, &status, &error, &by.now])?.exactly(1)
}

/// Applies what was reported of a message before its id was known.
pub(crate) fn apply(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    connection: ConnectionId,
    channel_message_id: &str,
) -> db::Result<()> {
    let key: &[&dyn db::Param] = &[&by.account, &connection, &channel_message_id];
    let Some((status, error)) =
        tx.find(FIND, key, |row| Ok((row.next::<MessageStatus>()?, row.next::<Option<String>>()?)))?
    else {
        return Ok(());
    };
    tx.execute(DELETE, key)?.exactly(1)?;
    let error = error.and_then(|error| serde_json::from_str(&error).ok());
    if let Some(known) = locate(tx, by, connection, None, Some(channel_message_id))? {
        raise(tx, by, links, &known, &Change { status, channel_message_id: None, error })?;
    }
    Ok(())
}

/// Forgets reports that nothing was found for. True when there may be more.
pub fn forget(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let gone = tx.execute(FORGET, &[&(now - KEPT), &FORGET_ROWS_MAX])?.rows();
    Ok(gone == FORGET_ROWS_MAX as u64)
}
