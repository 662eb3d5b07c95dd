//! Counts that are exact at every moment, without a row lock that all recipients wait for.
//!
//! A transaction that changes recipients inserts a row with what it adds to the counts of their broadcast. The API
//! shows the broadcast's own counts plus the sum of these rows. A chore adds the rows to the broadcast and deletes them
//! in one transaction, so nothing is counted twice or lost when a server dies.

use std::ops::{Add, Mul};
use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Row, Store, Tx};
use frontdesk_jobs::{Chore, Context, Worker};
use frontdesk_kernel::ids::AccountId;
use tokio::sync::watch;
use uuid::Uuid;

use crate::broadcast::{BroadcastCounts, BroadcastId};
use crate::recipients::RecipientFlags;
use crate::sql::{ADD, APART, FOLD, HOLD, TAKE, UNFOLDED};

/// Maximum broadcasts whose counts one run of the chore adds up.
const FOLD_BROADCASTS_MAX: i64 = 100;

/// All counts of a broadcast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) total: i64,
    pub(crate) sent: i64,
    pub(crate) delivered: i64,
    pub(crate) read: i64,
    pub(crate) replied: i64,
    pub(crate) failed: i64,
    /// Recipients whose message was queued.
    pub(crate) fed: i64,
    /// Those of them whose outcome is known.
    pub(crate) settled: i64,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            sent: self.sent + other.sent,
            delivered: self.delivered + other.delivered,
            read: self.read + other.read,
            replied: self.replied + other.replied,
            failed: self.failed + other.failed,
            fed: self.fed + other.fed,
            settled: self.settled + other.settled,
        }
    }
}

impl Mul<i64> for Tally {
    type Output = Self;

    fn mul(self, times: i64) -> Self {
        Self {
            total: self.total * times,
            sent: self.sent * times,
            delivered: self.delivered * times,
            read: self.read * times,
            replied: self.replied * times,
            failed: self.failed * times,
            fed: self.fed * times,
            settled: self.settled * times,
        }
    }
}

impl Tally {
    /// What a change of a recipient's flags adds to the counts.
    pub(crate) fn of_move(before: RecipientFlags, after: RecipientFlags, settles: bool) -> Self {
        let gained = |mark| i64::from(after.has(mark)) - i64::from(before.has(mark));
        Self {
            sent: gained(RecipientFlags::SENT),
            delivered: gained(RecipientFlags::DELIVERED),
            read: gained(RecipientFlags::READ),
            replied: gained(RecipientFlags::REPLIED),
            failed: gained(RecipientFlags::FAILED),
            settled: i64::from(settles),
            ..Self::default()
        }
    }

    pub(crate) fn counts(&self) -> BroadcastCounts {
        let Self { total, sent, delivered, read, replied, failed, .. } = *self;
        BroadcastCounts { total, sent, delivered, read, replied, failed }
    }
}

fn read(row: &mut Row<'_>) -> db::Result<Tally> {
    Ok(Tally {
        sent: row.next()?,
        delivered: row.next()?,
        read: row.next()?,
        replied: row.next()?,
        failed: row.next()?,
        settled: row.next()?,
        ..Tally::default()
    })
}

/// The counts that are not added to a broadcast's row yet.
pub(crate) fn pending(tx: &mut ReadTx<'_>, account: AccountId, id: BroadcastId) -> db::Result<Tally> {
    Ok(tx.find(APART, &[&account, &id], read)?.unwrap_or_default())
}

/// Adds to the counts of a broadcast.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    account: AccountId,
    broadcast: BroadcastId,
    id: Uuid,
    tally: &Tally,
) -> db::Result<()> {
    if *tally == Tally::default() {
        return Ok(());
    }
    let Tally { sent, delivered, read, replied, failed, settled, .. } = tally;
    let params: &[&dyn db::Param] =
        &[&account, &broadcast, &id, sent, delivered, read, replied, failed, settled];
    tx.execute(ADD, params)?.exactly(1)
}

/// Adds the pending counts to a broadcast's row.
fn fold(tx: &mut Tx<'_>, account: AccountId, id: BroadcastId) -> db::Result<()> {
    // The row is locked first, so that a transaction that reads it for a change sees all of the separate counts or
    // none.
    tx.find_to_change(HOLD, &[&account, &id], db::only::<BroadcastId>)?;
    let taken = tx.query(TAKE, &[&account, &id], read)?.into_iter().fold(Tally::default(), Tally::add);
    if taken == Tally::default() {
        return Ok(());
    }
    let Tally { sent, delivered, read, replied, failed, settled, .. } = &taken;
    tx.execute(FOLD, &[&account, &id, sent, delivered, read, replied, failed, settled])?.exactly(1)
}

/// Starts the chore that adds counts to their broadcasts.
pub fn start(context: &Context) -> Worker {
    let chore = Chore::every(Duration::from_secs(3), "broadcast counts");
    chore.start(context, context.store.clone(), fold_all)
}

async fn fold_all(store: Store, stopped: watch::Receiver<bool>) -> db::Result<()> {
    let unfolded = |tx: &mut ReadTx<'_>| {
        tx.query(UNFOLDED, &[&FOLD_BROADCASTS_MAX], |row| {
            Ok((row.next::<AccountId>()?, row.next::<BroadcastId>()?))
        })
    };
    for (account, id) in store.read(unfolded).await? {
        if *stopped.borrow() {
            break;
        }
        store.write(move |tx| fold(tx, account, id)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_adds_what_was_gained_and_takes_what_was_lost() {
        let sent = RecipientFlags::NONE.with(RecipientFlags::SENT);
        let read = sent.with(RecipientFlags::DELIVERED).with(RecipientFlags::READ);
        let failed = RecipientFlags::NONE.with(RecipientFlags::FAILED);
        let tally = Tally::of_move(RecipientFlags::NONE, read, true);
        assert_eq!((tally.sent, tally.delivered, tally.read, tally.failed, tally.settled), (1, 1, 1, 0, 1));
        let doubted = Tally::of_move(failed, sent, false);
        assert_eq!((doubted.sent, doubted.failed, doubted.settled), (1, -1, 0));
        assert_eq!(Tally::of_move(sent, sent, false), Tally::default());
    }
}
