//! The state of the queue, and the deletion of expired rows.

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
/// The maximum that is counted.
const DEPTH_MAX: i64 = 100_000;

frontdesk_db::statements! {
    DEPTH = "SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT $1) d";
    OLDEST = "WITH RECURSIVE hop (endpoint_id) AS (
            SELECT (SELECT endpoint_id FROM deliveries WHERE status = 'pending' ORDER BY endpoint_id LIMIT 1)
            UNION ALL
            SELECT (SELECT d.endpoint_id FROM deliveries d WHERE d.status = 'pending' AND d.endpoint_id > hop.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
            FROM hop WHERE hop.endpoint_id IS NOT NULL)
        SELECT min(next_attempt_at) FROM (SELECT
            (SELECT d.next_attempt_at FROM deliveries d WHERE d.status = 'pending' AND d.endpoint_id = hop.endpoint_id ORDER BY d.next_attempt_at LIMIT 1) AS next_attempt_at
            FROM hop WHERE endpoint_id IS NOT NULL) firsts";
    ACCOUNTS = "SELECT id FROM accounts";
    PURGE_DELIVERIES = "DELETE FROM deliveries WHERE status NOT IN ('pending', 'claimed') AND (account_id, id) IN
        (SELECT account_id, id FROM deliveries WHERE account_id = $1 AND id < $2 AND status NOT IN ('pending', 'claimed') LIMIT $3)";
    PURGE_ATTEMPTS = "DELETE FROM delivery_attempts WHERE (account_id, delivery_id, number) IN
        (SELECT a.account_id, a.delivery_id, a.number FROM delivery_attempts a WHERE a.account_id = $1 AND a.delivery_id < $2
            AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = a.account_id AND d.id = a.delivery_id) LIMIT $3)";
    PURGE_EVENTS = "DELETE FROM events WHERE (account_id, id) IN (SELECT account_id, id FROM events WHERE account_id = $1 AND id < $2 LIMIT $3)";
}

/// The size of the queue.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// Waiting deliveries, up to a maximum.
    pub depth: i64,
    /// When the oldest waiting delivery was due.
    pub oldest_due_at: Option<Timestamp>,
}

pub fn queue(tx: &mut ReadTx<'_>) -> db::Result<Queue> {
    let depth = tx.find(DEPTH, &[&DEPTH_MAX], only)?.unwrap_or(0);
    Ok(Queue { depth, oldest_due_at: tx.find(OLDEST, &[], only)?.flatten() })
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
