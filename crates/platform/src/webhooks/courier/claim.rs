//! Claims due deliveries under a lease.

use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_db::{self as db, LeaseRange, Query, ReadTx, Row, Tx, only};
use frontdesk_jobs::{Backlog, Claim, ClaimSql, Claimed, Kind, claim_sql, lane_backlog};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

use super::Courier;
use crate::events::{self, EventId};
use crate::webhooks::EndpointId;
use crate::webhooks::attempts::{self, Attempted};
use crate::webhooks::deliveries::DeliveryId;
use crate::webhooks::endpoints::{Route, route};

/// Rows changed in one transaction: failed deliveries of a deleted endpoint, and expired leases.
const SWEEP_ROWS_MAX: i64 = 1_000;

macro_rules! pending {
    ($only:literal) => {
        concat!(
            "FROM deliveries WHERE endpoint_id = $1 AND status = 'pending' AND next_attempt_at <= $2",
            $only,
            " ORDER BY next_attempt_at, id LIMIT $3"
        )
    };
    // Deliveries of a held account wait.
    (not held) => {
        pending!(
            " AND NOT EXISTS (SELECT 1 FROM webhook_endpoints w JOIN accounts a ON a.id = w.account_id WHERE w.id = $1 AND a.held_at IS NOT NULL)"
        )
    };
}

/// Claims due deliveries of an endpoint, oldest first.
pub(super) const CLAIM: ClaimSql = claim_sql!(
    "courier::CLAIM",
    update: ["UPDATE deliveries SET status = 'claimed', lease = $4, leased_until = $5, next_attempt_at = NULL"],
    key: "account_id, id",
    from: [pending!(not held)],
    returning: "id, event_id, event_type, attempts, step",
);

/// Deliveries of a held account are not counted.
pub(crate) const BACKLOG: Backlog = lane_backlog!(
    Courier::NAME,
    "courier::BACKLOG",
    table: "deliveries",
    lane: "endpoint_id",
    due_at: "next_attempt_at",
    where: "status = 'pending'",
    counted: ["NOT EXISTS (SELECT 1 FROM webhook_endpoints w JOIN accounts a ON a.id = w.account_id WHERE w.id = hop.lane AND a.held_at IS NOT NULL)"],
);

frontdesk_db::statements! {
    /// One row per endpoint, by skipping from one to the next in the index.
    DUE = "WITH RECURSIVE hop (endpoint_id) AS (
            SELECT (SELECT endpoint_id FROM deliveries WHERE status = 'pending' ORDER BY endpoint_id LIMIT 1)
            UNION ALL
            SELECT (SELECT d.endpoint_id FROM deliveries d WHERE d.status = 'pending' AND d.endpoint_id > hop.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
            FROM hop WHERE hop.endpoint_id IS NOT NULL)
        SELECT endpoint_id FROM hop WHERE endpoint_id IS NOT NULL AND
            (SELECT d.next_attempt_at FROM deliveries d WHERE d.status = 'pending' AND d.endpoint_id = hop.endpoint_id ORDER BY d.next_attempt_at LIMIT 1) <= $1
            AND NOT EXISTS (SELECT 1 FROM webhook_endpoints w JOIN accounts a ON a.id = w.account_id WHERE w.id = hop.endpoint_id AND a.held_at IS NOT NULL)";
    EXPIRED = "SELECT id FROM deliveries WHERE status = 'claimed' AND leased_until <= $1 LIMIT 1";
    TAKE_BACK = "UPDATE deliveries SET status = 'pending', next_attempt_at = $1, lease = NULL, leased_until = NULL WHERE (account_id, id) IN
        (SELECT account_id, id FROM deliveries WHERE status = 'claimed' AND leased_until <= $1 LIMIT $2)
        AND status = 'claimed' AND leased_until <= $1";
    TAKE_OVER = "UPDATE deliveries SET status = 'pending', next_attempt_at = $1, lease = NULL, leased_until = NULL WHERE (account_id, id) IN
        (SELECT account_id, id FROM deliveries WHERE status = 'claimed' AND lease >= $3 AND lease <= $4 LIMIT $2)
        AND status = 'claimed' AND lease >= $3 AND lease <= $4";
    ENDPOINT = concat!("SELECT account_id, enabled, ", route!(), " FROM webhook_endpoints WHERE id = $1");
    /// The last attempt stays as it was, because the row gets another error.
    COPY_FAILED = concat!(attempts::copy!(), "(account_id, id) IN (SELECT account_id, id ", pending!(""), ")", attempts::once!());
    FAIL = concat!("UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, last_error = $4 WHERE (account_id, id) IN (SELECT account_id, id ", pending!(""), ") AND status = 'pending'");
    GIVE_BACK = "UPDATE deliveries SET status = 'pending', next_attempt_at = $4, lease = NULL, leased_until = NULL
        WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'claimed'";
}

/// A claimed delivery.
pub(crate) struct Job {
    pub(super) account: AccountId,
    pub(super) endpoint: EndpointId,
    pub(super) delivery: DeliveryId,
    pub(super) event: EventId,
    pub(super) event_type: String,
    pub(super) attempts: i64,
    pub(super) step: i64,
    pub(super) lease: Uuid,
    /// The address, as it was when the delivery was claimed.
    pub(super) route: Arc<Route>,
    pub(super) data: String,
}

impl Job {
    pub(super) fn attempted(&self) -> Attempted {
        let Self { account, delivery, lease, attempts, .. } = *self;
        Attempted { account, delivery, lease, earlier: attempts }
    }
}

/// Whether a lease has expired.
pub(super) fn any_expired(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
    Ok(tx.find(EXPIRED, &[&now], only::<DeliveryId>)?.is_some())
}

/// Makes deliveries with an expired lease due. True if there may be more.
pub(super) fn take_back_expired(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<bool> {
    let back = tx.execute(TAKE_BACK, &[&now, &SWEEP_ROWS_MAX])?.rows();
    tracing::info!(deliveries = back, "deliveries with expired leases are due again");
    Ok(back == SWEEP_ROWS_MAX as u64)
}

/// Makes deliveries of a dead server due. True if there may be more.
pub(super) fn take_over(tx: &mut Tx<'_>, dead: LeaseRange, now: Timestamp) -> db::Result<bool> {
    let back = tx.execute(TAKE_OVER, &[&now, &SWEEP_ROWS_MAX, &dead.first, &dead.last])?.rows();
    Ok(back == SWEEP_ROWS_MAX as u64)
}

struct EndpointRow {
    account: AccountId,
    enabled: bool,
    route: Route,
}

pub(super) fn claim(tx: &mut Tx<'_>, claim: &Claim<EndpointId>) -> db::Result<Claimed<Job>> {
    let Claim { lane: endpoint, most, now, lease, leased_until } = *claim;
    let (account, route) = match tx.find(ENDPOINT, &[&endpoint], read_endpoint)? {
        None => return fail(tx, endpoint, now, "the endpoint was deleted"),
        Some(row) if !row.enabled => return fail(tx, endpoint, now, "the endpoint is disabled"),
        Some(row) => (row.account, Arc::new(row.route)),
    };
    let mut jobs = CLAIM.query(tx, &[&endpoint, &now, &(most as i64), &lease, &leased_until], |row| {
        Ok(Job {
            account,
            endpoint,
            delivery: row.next()?,
            event: row.next()?,
            event_type: row.next()?,
            attempts: row.next()?,
            step: row.next()?,
            lease,
            route: route.clone(),
            data: String::new(),
        })
    })?;
    if jobs.is_empty() {
        return Ok(Claimed::jobs(jobs));
    }
    let ids: Vec<EventId> = jobs.iter().map(|job| job.event).collect();
    let mut query = Query::new("SELECT id, data FROM events WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(&ids);
    let data: HashMap<EventId, String> =
        tx.run(&query, |row| Ok((row.next()?, row.next()?)))?.into_iter().collect();
    for job in &mut jobs {
        job.data = data.get(&job.event).cloned().unwrap_or_else(|| "{}".to_owned());
    }
    // Oldest first.
    jobs.sort_by_key(|job| job.delivery);
    Ok(Claimed::jobs(jobs))
}

fn fail(tx: &mut Tx<'_>, endpoint: EndpointId, now: Timestamp, why: &str) -> db::Result<Claimed<Job>> {
    let _any_number_is_fine = tx.execute(COPY_FAILED, &[&endpoint, &now, &SWEEP_ROWS_MAX])?;
    let failed = tx.execute(FAIL, &[&endpoint, &now, &SWEEP_ROWS_MAX, &why])?.rows();
    Ok(Claimed::Gone { more: failed == SWEEP_ROWS_MAX as u64 })
}

fn read_endpoint(row: &mut Row<'_>) -> db::Result<EndpointRow> {
    Ok(EndpointRow { account: row.next()?, enabled: row.next()?, route: Route::read(row)? })
}

/// Makes deliveries due again that were claimed but not started.
pub(super) fn give_back(tx: &mut Tx<'_>, jobs: &[Arc<Job>], now: Timestamp) -> db::Result<()> {
    for job in jobs {
        let _lost_already_is_fine =
            tx.execute(GIVE_BACK, &[&job.account, &job.delivery, &job.lease, &now])?;
    }
    Ok(())
}

/// The envelope, the same on every attempt.
pub(super) fn envelope(job: &Job) -> String {
    format!(
        r#"{{"event_id":"{}","event_type":"{}","created_at":"{}","account_id":"{}","api_version":"{}","data":{}}}"#,
        events::public_id(job.event),
        job.event_type,
        job.event.created_at(),
        job.account,
        events::API_VERSION,
        job.data
    )
}
