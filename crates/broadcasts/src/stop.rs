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
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use uuid::Uuid;

use crate::broadcast::{Broadcast, BroadcastError, BroadcastId, MISSING};
use crate::event_types::{self, BroadcastEventData};
use crate::recipients::Trouble;
use crate::row::{self, Campaign};
use crate::status::{Act, BroadcastStatus, Next};

/// Maximum recipients cancelled in one transaction.
const CANCEL_ROWS_MAX: i64 = 5_000;
/// How often a cancel checks whether calls under way have ended, and how many times. In all this is longer than any
/// call takes.
const LOOK_PAUSE: Duration = Duration::from_millis(20);
const LOOKS_MAX: usize = 2_000;
/// The error of recipients that are cancelled with the broadcast.
const CANCELLED: &str = "cancelled";
/// The error of a broadcast whose recipients have all opted out, and of these recipients.
const NO_RECIPIENTS: &str = "no_recipients";

frontdesk_db::statements! {
    QUEUED = "SELECT message_id FROM broadcast_recipients WHERE account_id = $1 AND broadcast_id = $2 AND status = 'queued'";
    END_OF_PART = "SELECT id FROM broadcast_recipients WHERE account_id = $1 AND broadcast_id = $2 AND id > $3 ORDER BY id LIMIT 1 OFFSET $4";
    CANCEL = "UPDATE broadcast_recipients SET status = 'cancelled', error = $4, updated_at = $5
        WHERE account_id = $1 AND broadcast_id = $2 AND id > $3 AND status = 'pending'";
    CANCEL_PART = "UPDATE broadcast_recipients SET status = 'cancelled', error = $4, updated_at = $5
        WHERE account_id = $1 AND broadcast_id = $2 AND id > $3 AND id <= $6 AND status = 'pending'";
    RELABEL = "UPDATE broadcast_recipients SET error = $3, updated_at = $4 WHERE account_id = $1 AND broadcast_id = $2 AND id IN
        (SELECT r.id FROM broadcast_recipients r WHERE r.account_id = $1 AND r.broadcast_id = $2 AND r.status = 'cancelled' AND r.error <> $3 LIMIT $5)";
}

/// Why a broadcast stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", content = "error", rename_all = "snake_case")]
pub(crate) enum Stopping {
    /// A caller cancelled it.
    Cancel,
    /// It stops by itself.
    Trouble(Trouble),
}

impl Stopping {
    fn trouble(&self) -> Trouble {
        match self {
            Self::Cancel => Trouble::new(CANCELLED, "The broadcast was cancelled before this was sent."),
            Self::Trouble(trouble) => trouble.clone(),
        }
    }
}

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
    campaign: &mut Campaign,
    stopping: &Stopping,
    at_last: bool,
) -> db::Result<Stopped> {
    let trouble = stopping.trouble();
    let queued = tx.query(QUEUED, &[&campaign.account, &campaign.id()], db::only::<MessageId>)?;
    bulk::withdraw(tx, by, campaign.connection, &queued, links, &trouble.message)?;
    if !cancel_part(tx, by, campaign, &trouble)? {
        campaign.save(tx, by.now)?;
        return Ok(Stopped::Partly);
    }
    let left = tx.query(QUEUED, &[&campaign.account, &campaign.id()], db::only::<MessageId>)?;
    if !at_last && bulk::any_outstanding(tx, campaign.account, &left, by.now)? {
        campaign.save(tx, by.now)?;
        return Ok(Stopped::Waiting);
    }
    // This transaction added the counts of the withdrawn messages.
    campaign.apart = crate::counts::apart(tx, campaign.account, campaign.id())?;
    finish(tx, by, campaign)?;
    Ok(Stopped::Over)
}

/// Cancels some of the remaining recipients. Returns true when none remain.
fn cancel_part(tx: &mut Tx<'_>, by: &By, campaign: &mut Campaign, trouble: &Trouble) -> db::Result<bool> {
    let (account, id) = (campaign.account, campaign.id());
    let (after, error) = (campaign.fed_after.unwrap_or(Uuid::nil()), trouble.written());
    let end = tx.find(END_OF_PART, &[&account, &id, &after, &(CANCEL_ROWS_MAX - 1)], db::only::<Uuid>)?;
    let _any_number_is_fine = match end {
        Some(end) => tx.execute(CANCEL_PART, &[&account, &id, &after, &error, &by.now, &end])?,
        None => tx.execute(CANCEL, &[&account, &id, &after, &error, &by.now])?,
    };
    campaign.fed_after = end.or(campaign.fed_after);
    Ok(end.is_none())
}

/// Whether nobody is left to send to, because all recipients have opted out since they were added.
fn has_nobody_left(campaign: &Campaign) -> bool {
    let tally = campaign.tally();
    tally.total > 0 && tally.fed == 0 && tally.failed == 0
}

/// Ends a broadcast whose recipients are all done. If all of them have opted out, each gets that error first, a part at a
/// time: false when there may be more.
pub(crate) fn complete(tx: &mut Tx<'_>, by: &By, campaign: &mut Campaign) -> db::Result<bool> {
    if has_nobody_left(campaign) {
        let trouble = Trouble::new(NO_RECIPIENTS, "All recipients opted out before the broadcast was sent.");
        let params: &[&dyn db::Param] =
            &[&campaign.account, &campaign.id(), &trouble.written(), &by.now, &CANCEL_ROWS_MAX];
        if tx.execute(RELABEL, params)?.rows() as i64 == CANCEL_ROWS_MAX {
            return Ok(false);
        }
        campaign.stopping = Some(Stopping::Trouble(trouble));
    }
    finish(tx, by, campaign)?;
    Ok(true)
}

/// Ends a broadcast that has nothing more to send, and writes the event.
fn finish(tx: &mut Tx<'_>, by: &By, campaign: &mut Campaign) -> db::Result<()> {
    let tally = campaign.tally();
    // A message in doubt may have gone out.
    let is_sent = tally.sent > 0 || tally.total == 0 || campaign.outstanding() > 0;
    campaign.shown.status = if is_sent { BroadcastStatus::Sent } else { BroadcastStatus::Failed };
    let stopping = campaign.stopping.take();
    campaign.end_filling(tx)?;
    campaign.save(tx, by.now)?;
    campaign.wake(tx, None)?;
    let (event, error) = match stopping {
        Some(Stopping::Cancel) => (event_types::CANCELLED, None),
        Some(Stopping::Trouble(trouble)) if is_sent => (event_types::COMPLETED, Some(trouble)),
        Some(Stopping::Trouble(trouble)) => (event_types::FAILED, Some(trouble)),
        None if is_sent => (event_types::COMPLETED, None),
        None => (event_types::FAILED, None),
    };
    tell(tx, by, campaign, event, error)
}

/// Writes an event about a broadcast as it is now.
pub(crate) fn tell(
    tx: &mut Tx<'_>,
    by: &By,
    campaign: &Campaign,
    event: EventType<BroadcastEventData<'_>>,
    error: Option<Trouble>,
) -> db::Result<()> {
    let shown = campaign.show();
    events::write(tx, by, event, &BroadcastEventData::new(&shown, error.map(Into::into)))?;
    Ok(())
}

/// Cancels a broadcast. No more messages are queued for it. If it was being sent, it is over when [`settle`] returns.
pub(crate) fn cancel(
    tx: &mut Tx<'_>,
    by: &By,
    links: &Links,
    id: BroadcastId,
) -> Result<Broadcast, BroadcastError> {
    let mut campaign = row::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(campaign.shown.updated_at);
    match campaign.shown.status.after(Act::Cancel)? {
        Next::Is(status) => {
            campaign.shown.status = status;
            campaign.shown.scheduled_at = None;
            campaign.save(tx, by.now)?;
            // Recipients may still have to be added.
            campaign.wake(tx, campaign.filling.map(|_| by.now))?;
            tell(tx, by, &campaign, event_types::CANCELLED, None)?;
        }
        Next::Stops => {
            campaign.stopping = Some(Stopping::Cancel);
            campaign.end_filling(tx)?;
            campaign.save(tx, by.now)?;
            campaign.wake(tx, Some(by.now))?;
            step(tx, by, links, &mut campaign, &Stopping::Cancel, false)?;
        }
    }
    Ok(campaign.show())
}

/// Waits until a cancelled broadcast is over.
pub(crate) async fn settle(store: &Store, by: &By, links: &Links, id: BroadcastId) -> db::Result<()> {
    for look in 0..LOOKS_MAX {
        let (by, links, at_last) = (by.clone(), links.clone(), look + 1 == LOOKS_MAX);
        let looked = store.write(move |tx| look_on(tx, &by, &links, id, at_last)).await?;
        match looked {
            Stopped::Over => return Ok(()),
            Stopped::Partly => {}
            Stopped::Waiting => sleep(LOOK_PAUSE).await,
        }
    }
    Ok(())
}

fn look_on(tx: &mut Tx<'_>, by: &By, links: &Links, id: BroadcastId, at_last: bool) -> db::Result<Stopped> {
    let Some(mut campaign) = row::find_to_change(tx, by.account, id)? else { return Ok(Stopped::Over) };
    let Some(stopping) = campaign.stopping.clone() else { return Ok(Stopped::Over) };
    let by = by.after(campaign.shown.updated_at);
    step(tx, &by, links, &mut campaign, &stopping, at_last)
}
