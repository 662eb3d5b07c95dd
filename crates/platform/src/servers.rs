//! The servers that run on this installation, and the secret key that each of them seals under.
//!
//! A server writes its row when it starts and renews it while it runs. A row that is not renewed for
//! [`SEEN_TIME_MAX`] belongs to a server that has died.

use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::{Id, Timestamp};

/// How often a server renews its row.
pub const RENEW_EVERY: Duration = Duration::from_secs(5);
/// A server without a renewal for this long counts as dead.
pub const SEEN_TIME_MAX: Duration = Duration::from_secs(20);

frontdesk_db::statements! {
    SEE = "INSERT INTO servers (id, key_id, seen_at) VALUES ($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET key_id = excluded.key_id, seen_at = excluded.seen_at";
    LEAVE = "DELETE FROM servers WHERE id = $1";
    FORGET = "DELETE FROM servers WHERE seen_at <= $1";
    RUNNING = "SELECT id, seen_at FROM servers WHERE seen_at > $1 ORDER BY id";
    OTHERS = "SELECT id, seen_at FROM servers WHERE key_id <> $1 AND seen_at > $2 ORDER BY id";
}

/// Marks the id of a server.
pub enum Server {}
pub type ServerId = Id<Server>;

/// A server that runs.
#[derive(Clone, Debug)]
pub struct Running {
    pub id: ServerId,
    pub seen_at: Timestamp,
}

/// Records that this server runs, and deletes dead servers.
pub fn see(tx: &mut Tx<'_>, id: ServerId, key_id: &str, now: Timestamp) -> db::Result<()> {
    let _any = tx.execute(FORGET, &[&(now - SEEN_TIME_MAX)])?;
    tx.execute(SEE, &[&id, &key_id, &now])?.exactly(1)
}

/// Records that this server has stopped.
pub fn leave(tx: &mut Tx<'_>, id: ServerId) -> db::Result<()> {
    let _gone_is_fine = tx.execute(LEAVE, &[&id])?;
    Ok(())
}

/// The servers that run.
pub fn running(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<Vec<Running>> {
    tx.query(RUNNING, &[&(now - SEEN_TIME_MAX)], read)
}

/// The servers that run and seal under another key than this one.
pub fn sealing_under_another(tx: &mut ReadTx<'_>, key_id: &str, now: Timestamp) -> db::Result<Vec<Running>> {
    tx.query(OTHERS, &[&key_id, &(now - SEEN_TIME_MAX)], read)
}

fn read(row: &mut Row<'_>) -> db::Result<Running> {
    Ok(Running { id: row.next()?, seen_at: row.next()? })
}
