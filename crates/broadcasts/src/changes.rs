//! Starts a broadcast, now or later, and retries recipients that it did not reach.

use frontdesk_db::{self as db, Query, ReadTx, Tx};
use frontdesk_inbox::connections;
use frontdesk_inbox::messages::{MessageError, UNKNOWN_OUTCOME};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::{By, Error as PlatformError};

use crate::broadcast::{Broadcast, BroadcastError, BroadcastId, MISSING};
use crate::counts::{self, Tally};
use crate::event_types;
use crate::recipients::RecipientFlags;
use crate::row::{self, StoredBroadcast};
use crate::status::{Action, BroadcastStatus, Next};
use crate::stop;

const NO_CONNECTION: PlatformError = PlatformError::Missing("connection");

/// Reasons of failures that can be retried: nobody has received the message, and the reason may pass.
pub(crate) const TEMPORARY_REASONS: &[&str] =
    &["temporary", "rate_limited", "unreachable", "channel_not_connected"];

/// Starts a broadcast at a given moment, or at once.
pub(crate) fn schedule(
    tx: &mut Tx<'_>,
    by: &By,
    id: BroadcastId,
    at: Option<Timestamp>,
) -> Result<Broadcast, BroadcastError> {
    let mut broadcast = row::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(broadcast.resource.updated_at);
    let later = at.filter(|at| *at > by.now);
    let next = broadcast.resource.status.after(Action::Schedule { later: later.is_some() })?;
    is_connected(tx, &broadcast)?;
    if let Next::Is(status) = next {
        broadcast.resource.status = status;
    }
    broadcast.resource.scheduled_at = Some(later.unwrap_or(by.now));
    broadcast.save(tx, by.now)?;
    let is_ready = broadcast.fill_cursor.is_none();
    broadcast.wake(tx, Some(later.filter(|_| is_ready).unwrap_or(by.now)))?;
    if broadcast.resource.status == BroadcastStatus::Sending {
        stop::write_event(tx, by, &broadcast, event_types::STARTED, None)?;
    }
    Ok(broadcast.show())
}

/// Failed recipients: refused by the channel, or accepted and reported as failed later.
const FAILED_FLAGS: [RecipientFlags; 2] =
    [RecipientFlags::FAILED, RecipientFlags::FAILED.with(RecipientFlags::SENT)];

/// Retries recipients that failed for a reason that may have passed; with `include_unknown`, also those whose message may
/// have been sent. Contacts that have opted out are left out.
pub(crate) fn retry(
    tx: &mut Tx<'_>,
    by: &By,
    id: BroadcastId,
    include_unknown: bool,
) -> Result<Broadcast, BroadcastError> {
    let mut broadcast = row::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(broadcast.resource.updated_at);
    let next = broadcast.resource.status.after(Action::Retry)?;
    is_connected(tx, &broadcast)?;
    let mut again = Tally::default();
    for flags in FAILED_FLAGS {
        let many = put_back(tx, by, &broadcast, flags, include_unknown)?;
        again = again + Tally::of_move(flags, RecipientFlags::NONE, false) * many;
    }
    if again == Tally::default() {
        return Err(BroadcastError::NothingToRetry);
    }
    if let Next::Is(status) = next {
        broadcast.resource.status = status;
    }
    broadcast.fed_after = None;
    counts::add(tx, by.account, id, by.new_id::<Tally>().uuid(), &again)?;
    broadcast.pending_counts = broadcast.pending_counts + again;
    broadcast.save(tx, by.now)?;
    broadcast.wake(tx, Some(by.now))?;
    stop::write_event(tx, by, &broadcast, event_types::STARTED, None)?;
    Ok(broadcast.show())
}

/// Makes recipients with these flags pending again. Returns how many.
fn put_back(
    tx: &mut Tx<'_>,
    by: &By,
    broadcast: &StoredBroadcast,
    flags: RecipientFlags,
    include_unknown: bool,
) -> db::Result<i64> {
    let mut query = Query::new(
        "UPDATE broadcast_recipients SET status = 'pending', marks = 0, error = NULL, message_id = NULL, handed_at = NULL, updated_at = ",
    );
    query.bind(by.now);
    with_retryable(tx, &mut query, broadcast, &[flags], include_unknown);
    Ok(tx.change(&query)?.rows() as i64)
}

/// Adds the condition that a recipient with one of these flags would be retried.
fn with_retryable(
    tx: &ReadTx<'_>,
    query: &mut Query,
    broadcast: &StoredBroadcast,
    flags: &[RecipientFlags],
    include_unknown: bool,
) {
    query.push(" WHERE account_id = ").bind(broadcast.account).push(" AND broadcast_id = ");
    query.bind(broadcast.id()).push(" AND status = 'failed' AND marks IN ");
    query.bind_list(&flags.iter().map(|flags| flags.0).collect::<Vec<_>>()).push(" AND ");
    query.push(&tx.json_text("error", "reason"));
    let unknown = include_unknown.then_some(UNKNOWN_OUTCOME);
    let reasons: Vec<String> =
        TEMPORARY_REASONS.iter().copied().chain(unknown).map(ToOwned::to_owned).collect();
    query.push(" IN ").bind_list(&reasons);
    query.push(" AND EXISTS (SELECT 1 FROM contacts c WHERE c.account_id = broadcast_recipients.account_id");
    query.push(" AND c.id = broadcast_recipients.contact_id AND c.opted_out_at IS NULL)");
}

/// How many recipients a retry would send to again.
pub(crate) fn count_retryable(
    tx: &mut ReadTx<'_>,
    broadcast: &StoredBroadcast,
    include_unknown: bool,
) -> db::Result<i64> {
    let mut query = Query::new("SELECT count(*) FROM broadcast_recipients");
    with_retryable(tx, &mut query, broadcast, &FAILED_FLAGS, include_unknown);
    Ok(tx.run(&query, db::only)?.pop().unwrap_or(0))
}

fn is_connected(tx: &mut Tx<'_>, broadcast: &StoredBroadcast) -> Result<(), BroadcastError> {
    let connection = connections::find(tx, broadcast.account, broadcast.connection)?.ok_or(NO_CONNECTION)?;
    if connection.is_connected() {
        Ok(())
    } else {
        Err(MessageError::NotConnected(Box::new(connection.public)).into())
    }
}
