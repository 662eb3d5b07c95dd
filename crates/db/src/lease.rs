//! Leases: at most one server at a time does a named piece of work.

use std::time::Duration;

use frontdesk_kernel::Timestamp;
use uuid::Uuid;

use crate::error::Result;
use crate::incarnation::LeaseRange;
use crate::tx::Tx;

crate::statements::statements! {
    TAKE = "INSERT INTO leases (name, holder, leased_until) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
        WHERE leases.holder = excluded.holder OR leases.leased_until <= $4 OR leases.leased_until > $5";
    GIVE_UP = "DELETE FROM leases WHERE name = $1 AND holder = $2";
    RELEASE = "DELETE FROM leases WHERE holder >= $1 AND holder <= $2";
}

/// A lease that ends later than its span and this much was taken before the clock was set back.
const AHEAD_MAX: Duration = Duration::from_hours(1);

/// Takes or renews the lease. False if another holder has it.
pub fn take(tx: &mut Tx<'_>, name: &str, holder: Uuid, now: Timestamp, span: Duration) -> Result<bool> {
    let until = now + span;
    Ok(tx.execute(TAKE, &[&name, &holder, &until, &now, &(until + AHEAD_MAX)])?.any())
}

/// Releases the lease before it expires.
pub fn give_up(tx: &mut Tx<'_>, name: &str, holder: Uuid) -> Result<()> {
    let _gone_already_is_fine = tx.execute(GIVE_UP, &[&name, &holder])?;
    Ok(())
}

/// Releases every lease of a dead server.
pub(crate) fn release(tx: &mut Tx<'_>, dead: LeaseRange) -> Result<()> {
    let _any_number_is_fine = tx.execute(RELEASE, &[&dead.first, &dead.last])?;
    Ok(())
}
