//! The runs that cost the most in some days.

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::ledger::CallId;
use super::sql;
use crate::ids::RunId;

/// The runs with the dearest model calls from `from` to `to`, the dearest first. Calls without a run, such as
/// transcriptions, have ids that no run has.
pub(crate) fn dearest(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    from: &str,
    to: &str,
    most: i64,
) -> db::Result<Vec<RunId>> {
    let midnight = |day: &str| day.parse::<Timestamp>().map_err(|_| db::Error::Decode("day"));
    // Ids carry the time in UTC. A day of the account begins and ends less than a day from that.
    let first = CallId::first_at(midnight(from)?.plus_days(-1));
    let end = CallId::first_at(midnight(to)?.plus_days(2));
    tx.query(sql::DEAREST, &[&account, &first, &end, &from, &to, &most], db::only)
}
