//! Heartbeats: which servers live, by the database's clock.
//!
//! A server writes a row when it starts and renews it every [`BEAT_PERIOD`]. A server without a heartbeat for
//! [`SILENCE_MAX`] is declared dead, and another one releases its leases. Only the database's clock is compared, so
//! servers' clocks may differ.
//!
//! A server that was only suspended finds out with its next heartbeat, or with its next mark (`marks`). It then goes on
//! under another incarnation; its old leases are lost.
//!
//! SQLite has one server. Its row is never declared dead.

use std::time::Duration;

use frontdesk_kernel::Timestamp;
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::error::Result;
use crate::incarnation::{Incarnation, LeaseRange};
use crate::lease;
use crate::read_tx::ReadTx;
use crate::row::only;
use crate::store::Store;
use crate::tx::Tx;

/// How often a server renews its row.
pub const BEAT_PERIOD: Duration = Duration::from_secs(1);
/// A server without a heartbeat for this long is dead. With the period after which the others notice that, and the second
/// after which workers look for what is due, its work goes on within ten seconds.
pub const SILENCE_MAX: Duration = Duration::from_secs(5);

/// The last heartbeat of a server whose claims are released.
const RELEASED_AT: Timestamp = Timestamp::from_millis(0);

crate::statements::statements! {
    JOIN = "INSERT INTO server_beats (id, last_lease, beat_at, is_dead) VALUES ($1, $2, $3, false) ON CONFLICT (id) DO NOTHING";
    LEAVE = "UPDATE server_beats SET is_dead = true WHERE id = $1";
    FORGET = "DELETE FROM server_beats WHERE id = $1";
    FORGET_ALL = "DELETE FROM server_beats";
    /// A dead server whose claims are released is remembered, with this time of its last heartbeat.
    RELEASED = "UPDATE server_beats SET beat_at = $2 WHERE id = $1 AND is_dead AND beat_at > $2";
    HOLDERS = "SELECT id FROM server_beats WHERE beat_at > $1 ORDER BY id";
    REMEMBERED = "SELECT id FROM server_beats ORDER BY id";
}

pub(crate) const BEAT: &str =
    "UPDATE server_beats SET beat_at = clock_timestamp() WHERE id = $1 AND NOT is_dead";
/// Waits for marks that the server is making, which lock its row.
pub(crate) const DECLARE_DEAD: &str = "UPDATE server_beats SET is_dead = true
    WHERE id <> $1 AND (is_dead OR beat_at < clock_timestamp() - $2 * interval '1 second') RETURNING id";
pub(crate) const FORGET_MARKS: &str = "DELETE FROM call_marks WHERE server = $1";

/// Registers this server. On SQLite it replaces the row of the last one.
pub async fn join(store: &Store, now: Timestamp) -> Result<()> {
    join_as(store, Incarnation::current(), now).await
}

async fn join_as(store: &Store, incarnation: Incarnation, now: Timestamp) -> Result<()> {
    let LeaseRange { first, last } = incarnation.leases();
    let joined = store.write(move |tx| {
        if tx.dialect() == Dialect::Sqlite {
            let _any_number = tx.execute(FORGET_ALL, &[])?;
        }
        let _there_already_is_fine = tx.execute(JOIN, &[&first, &last, &now])?;
        // Its time is the database's from the start.
        if tx.dialect() == Dialect::Postgres { beat_row(tx, first).map(drop) } else { Ok(()) }
    });
    joined.await
}

/// Renews the row of this server. A server that was declared dead, or whose row was lost in a crash of the database,
/// gets another incarnation; then this is false.
pub async fn beat(store: &Store, now: Timestamp) -> Result<bool> {
    let first = Incarnation::current().leases().first;
    if store.single(move |tx| beat_row(tx, first)).await? {
        return Ok(true);
    }
    let next = Incarnation::another();
    join_as(store, next, now).await?;
    next.begin();
    Ok(false)
}

fn beat_row(tx: &mut Tx<'_>, id: Uuid) -> Result<bool> {
    Ok(tx.execute(BEAT, &[&id])?.any())
}

/// Declares silent servers dead. Returns those whose leases are not released yet.
pub async fn dead(store: &Store) -> Result<Vec<LeaseRange>> {
    let (own, silence) = (Incarnation::current().leases().first, SILENCE_MAX.as_secs_f64());
    let ids = store.single(move |tx| tx.query(DECLARE_DEAD, &[&own, &silence], only::<Uuid>)).await?;
    Ok(ids.into_iter().map(|id| Incarnation::of(id).leases()).collect())
}

/// The servers that may hold leases: those that live, and dead ones whose leases are not released yet.
pub fn holders(tx: &mut ReadTx<'_>) -> Result<Vec<Incarnation>> {
    tx.query(HOLDERS, &[&RELEASED_AT], |row| row.next().map(Incarnation::of))
}

/// All servers that have a heartbeat, also dead ones that are only remembered.
pub fn remembered(tx: &mut ReadTx<'_>) -> Result<Vec<Incarnation>> {
    tx.query(REMEMBERED, &[], |row| row.next().map(Incarnation::of))
}

/// Releases what a dead server held by name. Workers have released its jobs before. It is remembered until it is
/// forgotten. False if somebody has done this before.
pub async fn release(store: &Store, dead: LeaseRange) -> Result<bool> {
    let released = store.write(move |tx| {
        lease::release(tx, dead)?;
        Ok(tx.execute(RELEASED, &[&dead.first, &RELEASED_AT])?.any())
    });
    released.await
}

/// Releases what a dead server held by name, and forgets it. Workers have released its jobs before.
pub async fn forget(store: &Store, dead: LeaseRange) -> Result<()> {
    let forgotten = store.write(move |tx| {
        lease::release(tx, dead)?;
        let _any_number = tx.execute(FORGET_MARKS, &[&dead.first])?;
        let _forgotten_already_is_fine = tx.execute(FORGET, &[&dead.first])?;
        Ok(())
    });
    forgotten.await
}

/// Declares this server dead, after it has stopped: another one need not wait for its silence.
pub async fn leave(store: &Store) -> Result<()> {
    let id = Incarnation::current().leases().first;
    let left = store.write(move |tx| {
        let _forgotten_already_is_fine = tx.execute(LEAVE, &[&id])?;
        Ok(())
    });
    left.await
}
