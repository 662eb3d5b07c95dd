//! The queue of a database that was restored from a backup.

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;

use super::sql::GIVE_UP_HELD;
use crate::ids::MessageId;

/// Treats what held accounts had queued before a moment as perhaps sent: the channel's report settles it, and without one it
/// fails like a call with an unknown outcome. Returns how many rows these are.
pub fn give_up_held(tx: &mut Tx<'_>, before: Timestamp, now: Timestamp) -> db::Result<u64> {
    Ok(tx.execute(GIVE_UP_HELD, &[&MessageId::first_at(before), &now])?.rows())
}
