//! The attempts of a delivery.
//!
//! The row of a delivery holds its last attempt. The next attempt copies it to a row of its own, in the transaction that settles the
//! next one. So a delivery that succeeds at once costs nothing here, and no attempt that was settled is lost.

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;
use uuid::Uuid;

use super::deliveries::DeliveryId;
use super::endpoint::EndpointId;
use crate::export::{ExportedRows, export_columns};

/// Attempts of a delivery that can be read: the newest.
const ATTEMPTS_KEPT_MAX: i64 = 50;

/// Copies the last attempts of deliveries. The condition on the deliveries follows.
macro_rules! copy {
    () => {
        "INSERT INTO delivery_attempts (account_id, delivery_id, number, started_at, status_code, error, duration_ms, response_snippet)
        SELECT account_id, id, attempts, attempted_at, last_status_code, last_error, duration_ms, response_snippet
        FROM deliveries WHERE attempts > 0 AND "
    };
}

/// An attempt that is copied already stays.
macro_rules! once {
    () => {
        " ON CONFLICT (account_id, delivery_id, number) DO NOTHING"
    };
}

pub(super) use {copy, once};

frontdesk_db::statements! {
    COPY = concat!(copy!(), "account_id = $1 AND id = $2 AND lease = $3", once!());
    DROP_OLDEST = "DELETE FROM delivery_attempts WHERE account_id = $1 AND delivery_id = $2 AND number <= $3";
    LAST = "SELECT attempts, attempted_at, last_status_code, last_error, duration_ms, response_snippet FROM deliveries
        WHERE account_id = $1 AND endpoint_id = $2 AND id = $3";
    EARLIER = "SELECT number, started_at, status_code, error, duration_ms, response_snippet FROM delivery_attempts
        WHERE account_id = $1 AND delivery_id = $2 ORDER BY number DESC LIMIT $3";
}

resource! {
    /// One call of an endpoint with a delivery.
    pub struct DeliveryAttempt {
        /// Counts from 1.
        pub number: i64,
        /// Null if an earlier version of the server made it.
        pub started_at: Option<Timestamp>,
        /// HTTP status of the response. Null if there was none.
        pub status_code: Option<i64>,
        /// Why it failed.
        pub error: Option<String>,
        pub duration_ms: Option<i64>,
        /// The first 1 KB of the response body.
        pub response_snippet: Option<String>,
    }
}

/// A delivery under this lease, whose next attempt is about to be settled.
pub(super) struct Attempted {
    pub(super) account: AccountId,
    pub(super) delivery: DeliveryId,
    pub(super) lease: Uuid,
    /// Attempts before this one.
    pub(super) earlier: i64,
}

/// Copies the last attempts of deliveries before their rows get the next ones. First attempts cost nothing.
pub(super) fn keep(tx: &mut Tx<'_>, attempted: impl Iterator<Item = Attempted>) -> db::Result<()> {
    let again: Vec<Attempted> = attempted.filter(|attempted| attempted.earlier > 0).collect();
    if again.is_empty() {
        return Ok(());
    }
    let rows: Vec<[&dyn db::Param; 3]> =
        again.iter().map(|it| [&it.account as &dyn db::Param, &it.delivery, &it.lease]).collect();
    let _lost_leases_change_nothing = tx.execute_each(COPY, &rows)?;
    for Attempted { account, delivery, earlier, .. } in again {
        // The row of the delivery holds the newest.
        let dropped = earlier + 1 - ATTEMPTS_KEPT_MAX;
        if dropped > 0 {
            let _any_number_is_fine = tx.execute(DROP_OLDEST, &[&account, &delivery, &dropped])?;
        }
    }
    Ok(())
}

/// The attempts of a delivery, newest first. None if there is no such delivery.
pub(super) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    endpoint: EndpointId,
    delivery: DeliveryId,
) -> db::Result<Option<Vec<DeliveryAttempt>>> {
    let Some(last) = tx.find(LAST, &[&account, &endpoint, &delivery], read)? else { return Ok(None) };
    let mut attempts = tx.query(EARLIER, &[&account, &delivery, &ATTEMPTS_KEPT_MAX], read)?;
    // A delivery whose endpoint is gone has its last attempt in both places.
    if attempts.first().map_or(0, |newest| newest.number) < last.number {
        attempts.insert(0, last);
    }
    attempts.truncate(ATTEMPTS_KEPT_MAX as usize);
    Ok(Some(attempts))
}

fn read(row: &mut Row<'_>) -> db::Result<DeliveryAttempt> {
    Ok(DeliveryAttempt {
        number: row.next()?,
        started_at: row.next()?,
        status_code: row.next()?,
        error: row.next()?,
        duration_ms: row.next()?,
        response_snippet: row.next()?,
    })
}

/// The attempts before the last one of each delivery.
pub(super) const EXPORTED: ExportedRows = ExportedRows::new(
    "delivery_attempts",
    &["delivery_attempts"],
    export_columns!(
        "delivery_id": DeliveryId, "number": i64, "started_at": Option<Timestamp>, "status_code": Option<i64>,
        "error": Option<String>, "duration_ms": Option<i64>, "response_snippet": Option<String>,
    ),
)
.keyed(&["t.delivery_id", "t.number"]);

impl Example for DeliveryAttempt {
    fn example() -> Self {
        Self {
            number: 2,
            started_at: Some(example::MOMENT),
            status_code: Some(503),
            error: Some("the endpoint answered 503".into()),
            duration_ms: Some(87),
            response_snippet: Some("Back in a minute".into()),
        }
    }
}
