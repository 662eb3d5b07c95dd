//! Ends a broadcast: when all recipients are done, because of an error, or because a caller cancels it.
//!
//! A stopping broadcast withdraws its queued messages and cancels the remaining recipients, a part at a time. It is
//! over when no call can be under way any more, so nothing is handed over after that. A refused call queues its message
//! again, which is then withdrawn too.

use std::time::Duration;

use frontdesk_db::{self as db, Store, Tx};
use frontdesk_inbox::media::Links;
use frontdesk_inbox::messages::{MessageId, bulk};
use frontdesk_platform::By;
use frontdesk_platform::events::{self, EventType};
use tokio::time::sleep;
use uuid::Uuid;

use crate::broadcast::{Broadcast, BroadcastError, BroadcastId, MISSING};
use crate::event_types::{self, BroadcastEventData};
use crate::recipients::FailureReason;
use crate::row::{self, Stopping, StoredBroadcast};
use crate::sql::{CANCEL, CANCEL_PART, END_OF_PART, QUEUED, RELABEL};
use crate::status::{Action, BroadcastStatus, Next};

/// Maximum recipients cancelled in one transaction.
const CANCEL_ROWS_MAX: i64 = 5_000;
/// How often a cancel checks whether calls under way have ended, and how many times. In all this is longer than any
/// call takes.
const LOOK_PAUSE: Duration = Duration::from_millis(20);
const LOOKS_MAX: usize = 2_000;
/// The error of a broadcast whose recipients have all opted out, and of these recipients.
const NO_RECIPIENTS: &str = "no_recipients";

/// How far a stopping broadcast has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// There is more to do at once.
    Partly,
    /// Calls may be under way.
    Waiting,
    Over,
}

/// Withdraws queued messages, cancels a part of the remaining recipients, and ends the broadcast if none remain. With
/// `at_last`, it no longer waits for calls that may be under way.
pub(crate) fn step(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    broadcast: &mut StoredBroadcast,
    stopping: &Stopping,
    at_last: bool,
) -> db::Result<Stopped> {
    let failure = stopping.failure();
    let queued = tx.query(QUEUED, &[&broadcast.account, &broadcast.id()], db::only::<MessageId>)?;
    bulk::withdraw(tx, by, broadcast.connection, &queued, links, &failure.message)?;
    if !cancel_part(tx, by, broadcast, &failure)? {
        broadcast.save(tx, by.now)?;
        return Ok(Stopped::Partly);
    }
    let left = tx.query(QUEUED, &[&broadcast.account, &broadcast.id()], db::only::<MessageId>)?;
    if !at_last && bulk::any_outstanding(tx, broadcast.account, &left, by.now)? {
        broadcast.save(tx, by.now)?;
        return Ok(Stopped::Waiting);
    }
    // This transaction added the counts of the withdrawn messages.
    broadcast.pending_counts = crate::counts::pending(tx, broadcast.account, broadcast.id())?;
    finish(tx, by, broadcast)?;
    Ok(Stopped::Over)
}

/// Cancels some of the remaining recipients. Returns true when none remain.
fn cancel_part(
    tx: &mut Tx<'_>,
    by: &By,
    broadcast: &mut StoredBroadcast,
    failure: &FailureReason,
) -> db::Result<bool> {
    let (account, id) = (broadcast.account, broadcast.id());
    let (after, error) = (broadcast.fed_after.unwrap_or(Uuid::nil()), failure.written());
    let end = tx.find(END_OF_PART, &[&account, &id, &after, &(CANCEL_ROWS_MAX - 1)], db::only::<Uuid>)?;
    let _any_number_is_fine = match end {
        Some(end) => tx.execute(CANCEL_PART, &[&account, &id, &after, &error, &by.now, &end])?,
        None => tx.execute(CANCEL, &[&account, &id, &after, &error, &by.now])?,
    };
    broadcast.fed_after = end.or(broadcast.fed_after);
    Ok(end.is_none())
}

/// Whether nobody is left to send to, because all recipients have opted out since they were added.
fn has_nobody_left(broadcast: &StoredBroadcast) -> bool {
    let tally = broadcast.tally();
    tally.total > 0 && tally.fed == 0 && tally.failed == 0
}

/// Ends a broadcast whose recipients are all done. If all of them have opted out, each gets that error first, a part at a
/// time: false when there may be more.
pub(crate) fn complete(tx: &mut Tx<'_>, by: &By, broadcast: &mut StoredBroadcast) -> db::Result<bool> {
    if has_nobody_left(broadcast) {
        let failure =
            FailureReason::new(NO_RECIPIENTS, "All recipients opted out before the broadcast was sent.");
        let params: &[&dyn db::Param] =
            &[&broadcast.account, &broadcast.id(), &failure.written(), &by.now, &CANCEL_ROWS_MAX];
        if tx.execute(RELABEL, params)?.rows() as i64 == CANCEL_ROWS_MAX {
            return Ok(false);
        }
        broadcast.stopping = Some(Stopping::Failure(failure));
    }
    finish(tx, by, broadcast)?;
    Ok(true)
}

/// Ends a broadcast that has nothing more to send, and writes the event.
fn finish(tx: &mut Tx<'_>, by: &By, broadcast: &mut StoredBroadcast) -> db::Result<()> {
    let tally = broadcast.tally();
    // A message in doubt may have gone out.
    let is_sent = tally.sent > 0 || tally.total == 0 || broadcast.outstanding() > 0;
    broadcast.resource.status = if is_sent { BroadcastStatus::Sent } else { BroadcastStatus::Failed };
    let stopping = broadcast.stopping.take();
    broadcast.end_fill(tx)?;
    broadcast.save(tx, by.now)?;
    broadcast.wake(tx, None)?;
    let (event, error) = match stopping {
        Some(Stopping::Cancel) => (event_types::CANCELLED, None),
        Some(Stopping::Failure(failure)) if is_sent => (event_types::COMPLETED, Some(failure)),
        Some(Stopping::Failure(failure)) => (event_types::FAILED, Some(failure)),
        None if is_sent => (event_types::COMPLETED, None),
        None => (event_types::FAILED, None),
    };
    write_event(tx, by, broadcast, event, error)
}

/// Writes an event about a broadcast as it is now.
pub(crate) fn write_event(
    tx: &mut Tx<'_>,
    by: &By,
    broadcast: &StoredBroadcast,
    event: EventType<BroadcastEventData<'_>>,
    error: Option<FailureReason>,
) -> db::Result<()> {
    let resource = broadcast.show();
    events::write(tx, by, event, &BroadcastEventData::new(&resource, error.map(Into::into)))?;
    Ok(())
}

/// Cancels a broadcast. No more messages are queued for it. If it was being sent, it is over when [`settle`] returns.
pub(crate) fn cancel(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    id: BroadcastId,
) -> Result<Broadcast, BroadcastError> {
    let mut broadcast = row::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(broadcast.resource.updated_at);
    match broadcast.resource.status.after(Action::Cancel)? {
        Next::Is(status) => {
            broadcast.resource.status = status;
            broadcast.resource.scheduled_at = None;
            broadcast.save(tx, by.now)?;
            // Recipients may still have to be added.
            broadcast.wake(tx, broadcast.fill_cursor.map(|_| by.now))?;
            write_event(tx, by, &broadcast, event_types::CANCELLED, None)?;
        }
        Next::Stops => {
            broadcast.stopping = Some(Stopping::Cancel);
            broadcast.end_fill(tx)?;
            broadcast.save(tx, by.now)?;
            broadcast.wake(tx, Some(by.now))?;
            step(tx, by, links, &mut broadcast, &Stopping::Cancel, false)?;
        }
    }
    Ok(broadcast.show())
}

/// Waits until a cancelled broadcast is over.
pub(crate) async fn settle(store: &Store, by: &By, links: &Links, id: BroadcastId) -> db::Result<()> {
    for look in 0..LOOKS_MAX {
        let (by, links, at_last) = (by.clone(), links.clone(), look + 1 == LOOKS_MAX);
        let looked = store.write(move |tx| step_again(tx, &by, &links, id, at_last)).await?;
        match looked {
            Stopped::Over => return Ok(()),
            Stopped::Partly => {}
            Stopped::Waiting => sleep(LOOK_PAUSE).await,
        }
    }
    Ok(())
}

fn step_again(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    id: BroadcastId,
    at_last: bool,
) -> db::Result<Stopped> {
    let Some(mut broadcast) = row::find_to_change(tx, by.account, id)? else { return Ok(Stopped::Over) };
    let Some(stopping) = broadcast.stopping.clone() else { return Ok(Stopped::Over) };
    let by = by.after(broadcast.resource.updated_at);
    step(tx, &by, links, &mut broadcast, &stopping, at_last)
}
