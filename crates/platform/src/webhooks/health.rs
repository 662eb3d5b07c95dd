//! The deletion of expired rows.

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::deliveries::DeliveryId;
use crate::events::EventId;

/// Deliveries are kept this long, and events three times as long.
const DELIVERY_DAYS: i64 = 30;
const EVENT_DAYS: i64 = 90;
/// Rows removed in one transaction.
const PURGE_ROWS_MAX: i64 = 1_000;

frontdesk_db::statements! {
    ACCOUNTS = "SELECT id FROM accounts";
    PURGE_DELIVERIES = "DELETE FROM deliveries WHERE status NOT IN ('pending', 'claimed') AND (account_id, id) IN
        (SELECT account_id, id FROM deliveries WHERE account_id = $1 AND id < $2 AND status NOT IN ('pending', 'claimed') LIMIT $3)";
    PURGE_ATTEMPTS = "DELETE FROM delivery_attempts WHERE (account_id, delivery_id, number) IN
        (SELECT a.account_id, a.delivery_id, a.number FROM delivery_attempts a WHERE a.account_id = $1 AND a.delivery_id < $2
            AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = a.account_id AND d.id = a.delivery_id) LIMIT $3)";
    PURGE_EVENTS = "DELETE FROM events WHERE (account_id, id) IN (SELECT account_id, id FROM events WHERE account_id = $1 AND id < $2 LIMIT $3)";
}

/// Every account, for jobs that process them one by one.
pub fn accounts(tx: &mut ReadTx<'_>) -> db::Result<Vec<AccountId>> {
    tx.query(ACCOUNTS, &[], only)
}

/// Deletes some of an account's expired deliveries, with their attempts, and events; true if there may be more.
pub fn purge(tx: &mut Tx<'_>, account: AccountId, now: Timestamp) -> db::Result<bool> {
    let deliveries = DeliveryId::first_at(now.minus_days(DELIVERY_DAYS));
    let events = EventId::first_at(now.minus_days(EVENT_DAYS));
    let gone = tx.execute(PURGE_DELIVERIES, &[&account, &deliveries, &PURGE_ROWS_MAX])?.rows()
        + tx.execute(PURGE_ATTEMPTS, &[&account, &deliveries, &PURGE_ROWS_MAX])?.rows()
        + tx.execute(PURGE_EVENTS, &[&account, &events, &PURGE_ROWS_MAX])?.rows();
    Ok(gone >= PURGE_ROWS_MAX as u64)
}
