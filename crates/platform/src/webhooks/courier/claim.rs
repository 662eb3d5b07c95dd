//! Claiming: what is due becomes ours for the time of a lease.

use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_db::{self as db, Dialect, Query, Row, Store, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use uuid::Uuid;

use super::attempt::{Job, Target};
use super::leased_until;
use crate::Means;
use crate::events::{self, EventId};
use crate::sealing::Keyring;
use crate::webhooks::EndpointId;
use crate::webhooks::deliveries::DeliveryId;
use crate::webhooks::endpoints::{Route, route};

/// Deliveries of a gone endpoint that fail in one transaction, and leases taken back in one.
const SWEEP_ROWS_MAX: i64 = 1_000;

macro_rules! pending {
    ($columns:literal) => {
        concat!("SELECT ", $columns, " FROM deliveries WHERE endpoint_id = $1 AND status = 'pending' AND next_attempt_at <= $2 ORDER BY next_attempt_at, id LIMIT ")
    };
}

macro_rules! claim {
    ($lock:literal) => {
        concat!(
            "UPDATE deliveries SET status = 'claimed', lease = $4, leased_until = $5, next_attempt_at = NULL WHERE (account_id, id) IN (",
            pending!("account_id, id"), "$3 ", $lock,
            ") RETURNING id, event_id, event_type, attempts, step"
        )
    };
}

frontdesk_db::statements! {
    /// One row an endpoint, by hopping from one to the next in the index.
    DUE = "WITH RECURSIVE hop (endpoint_id) AS (
            SELECT (SELECT endpoint_id FROM deliveries WHERE status = 'pending' ORDER BY endpoint_id LIMIT 1)
            UNION ALL
            SELECT (SELECT d.endpoint_id FROM deliveries d WHERE d.status = 'pending' AND d.endpoint_id > hop.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
            FROM hop WHERE hop.endpoint_id IS NOT NULL)
        SELECT endpoint_id FROM hop WHERE endpoint_id IS NOT NULL AND
            (SELECT d.next_attempt_at FROM deliveries d WHERE d.status = 'pending' AND d.endpoint_id = hop.endpoint_id ORDER BY d.next_attempt_at LIMIT 1) <= $1";
    EXPIRED = "SELECT id FROM deliveries WHERE status = 'claimed' AND leased_until <= $1 LIMIT 1";
    TAKE_BACK = "UPDATE deliveries SET status = 'pending', next_attempt_at = $1, lease = NULL, leased_until = NULL WHERE (account_id, id) IN
        (SELECT account_id, id FROM deliveries WHERE status = 'claimed' AND leased_until <= $3 LIMIT $2)
        AND status = 'claimed' AND leased_until <= $3";
    ENDPOINT = concat!("SELECT account_id, enabled, ", route!(), " FROM webhook_endpoints WHERE id = $1");
    CLAIM = claim!("");
    FAIL = concat!("UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, last_error = $4 WHERE (account_id, id) IN (", pending!("account_id, id"), "$3) AND status = 'pending'");
    GIVE_BACK = "UPDATE deliveries SET status = 'pending', next_attempt_at = $4, lease = NULL, leased_until = NULL
        WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'claimed'";
}

/// PostgreSQL passes over what another server is just claiming.
pub(super) const CLAIM_POSTGRES: &str = claim!("FOR UPDATE SKIP LOCKED");

/// What came of a claim.
pub(super) enum Claimed {
    Jobs(Vec<Job>),
    Failed { more: bool },
}

/// Marks a lease.
enum Lease {}

/// The endpoints with something due, after what dead servers held has been taken back.
pub(super) async fn due(store: &Store, now: Timestamp) -> db::Result<Vec<EndpointId>> {
    let expired = store.read(move |tx| tx.find(EXPIRED, &[&now], only::<DeliveryId>)).await?;
    if expired.is_some() {
        let back = store.write(move |tx| tx.execute(TAKE_BACK, &[&now, &SWEEP_ROWS_MAX, &now])).await?;
        tracing::info!(deliveries = back.rows(), "deliveries whose lease ran out are due again");
    }
    store.read(move |tx| tx.query(DUE, &[&now], only)).await
}

/// Takes back everything that is held, whatever its lease says. Only for a store that has one server, when it starts:
/// nobody else can be at work on it.
pub(super) async fn begin_anew(store: &Store, now: Timestamp) -> db::Result<()> {
    let any = leased_until(now);
    loop {
        let back = store.write(move |tx| tx.execute(TAKE_BACK, &[&now, &SWEEP_ROWS_MAX, &any])).await?;
        if back.rows() < SWEEP_ROWS_MAX as u64 {
            return Ok(());
        }
    }
}

pub(super) async fn claim(means: &Means, endpoint: EndpointId, most: usize) -> db::Result<Claimed> {
    let now = (means.clock)();
    let lease: Id<Lease> = means.ids.next(now);
    let keys = means.services.secrets.clone();
    means.store.write(move |tx| claim_in(tx, &keys, endpoint, lease.uuid(), most as i64, now)).await
}

struct EndpointRow {
    account: AccountId,
    enabled: bool,
    route: Route,
}

fn claim_in(
    tx: &mut Tx<'_>,
    keys: &Keyring,
    endpoint: EndpointId,
    lease: Uuid,
    most: i64,
    now: Timestamp,
) -> db::Result<Claimed> {
    let row = tx.find(ENDPOINT, &[&endpoint], read_endpoint)?;
    let target = match &row {
        None => return fail(tx, endpoint, now, "the endpoint was deleted"),
        Some(row) if !row.enabled => return fail(tx, endpoint, now, "the endpoint is disabled"),
        Some(row) => Arc::new(Target::new(row.account, endpoint, &row.route, keys, now)),
    };
    let account = row.map(|row| row.account).ok_or(db::Error::Decode("endpoint"))?;
    let sql = if tx.dialect() == Dialect::Postgres { CLAIM_POSTGRES } else { CLAIM };
    let mut jobs = tx.query(sql, &[&endpoint, &now, &most, &lease, &leased_until(now)], |row| {
        Ok(Job {
            account,
            endpoint,
            delivery: row.next::<DeliveryId>()?,
            event: row.next::<EventId>()?,
            event_type: row.next()?,
            attempts: row.next()?,
            step: row.next()?,
            lease,
            leased_until: leased_until(now),
            target: target.clone(),
            data: String::new(),
        })
    })?;
    if jobs.is_empty() {
        return Ok(Claimed::Jobs(jobs));
    }
    let ids: Vec<EventId> = jobs.iter().map(|job| job.event).collect();
    let mut query = Query::new("SELECT id, data FROM events WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(&ids);
    let data: HashMap<EventId, String> =
        tx.run(&query, |row| Ok((row.next()?, row.next()?)))?.into_iter().collect();
    for job in &mut jobs {
        job.data = data.get(&job.event).cloned().unwrap_or_else(|| "{}".to_owned());
    }
    // Oldest first, as they happened.
    jobs.sort_by_key(|job| job.delivery);
    Ok(Claimed::Jobs(jobs))
}

fn fail(tx: &mut Tx<'_>, endpoint: EndpointId, now: Timestamp, why: &str) -> db::Result<Claimed> {
    let failed = tx.execute(FAIL, &[&endpoint, &now, &SWEEP_ROWS_MAX, &why])?.rows();
    Ok(Claimed::Failed { more: failed == SWEEP_ROWS_MAX as u64 })
}

fn read_endpoint(row: &mut Row<'_>) -> db::Result<EndpointRow> {
    Ok(EndpointRow { account: row.next()?, enabled: row.next()?, route: Route::read(row)? })
}

/// Returns deliveries that were claimed and not begun.
pub(super) async fn give_back(store: &Store, jobs: Vec<Job>, now: Timestamp) {
    if jobs.is_empty() {
        return;
    }
    let held: Vec<(AccountId, DeliveryId, Uuid)> =
        jobs.iter().map(|job| (job.account, job.delivery, job.lease)).collect();
    let given = store.write(move |tx| -> db::Result<()> {
        for (account, delivery, lease) in &held {
            let _lost_already_is_fine = tx.execute(GIVE_BACK, &[account, delivery, lease, &now])?;
        }
        Ok(())
    });
    if let Err(error) = given.await {
        tracing::debug!(%error, "claimed deliveries were not given back; their lease runs out by itself");
    }
}

/// The envelope that is sent, the same on every attempt.
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
