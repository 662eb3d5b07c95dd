//! Deliveries: one event on its way to one endpoint.

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_web::{Page, choice, filters, resource};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::endpoint::{EndpointId, MISSING, NO_DELIVERY, WebhookError};
use super::event_types::{TEST, WebhookEventData};
use super::{QUEUED, endpoints};
use crate::by::By;
use crate::events::{self, EventId, EventTypeName};
use crate::export::{Columns, ExportedRows, LineFields};

frontdesk_db::statements! {
    INSERT = "INSERT INTO deliveries (account_id, id, endpoint_id, event_id, event_type, status, attempts, step, next_attempt_at)
        VALUES ($1, $2, $3, $4, $5, 'pending', 0, 0, $6)";
    INSERT_CLAIMED = "INSERT INTO deliveries (account_id, id, endpoint_id, event_id, event_type, status, attempts, step, lease, leased_until)
        VALUES ($1, $2, $3, $4, $5, 'claimed', 0, 0, $6, $7)";
    RETRY = "UPDATE deliveries SET status = 'pending', step = CASE WHEN status = 'pending' THEN step ELSE 0 END, next_attempt_at = $4
        WHERE account_id = $1 AND endpoint_id = $2 AND id = $3 AND status <> 'claimed'";
}

pub type DeliveryId = Id<Delivery>;

choice! {
    /// The status of a delivery: waiting for its next attempt, in flight, done, permanently failed, or out of
    /// attempts.
    pub enum DeliveryStatus {
        Pending => "pending",
        Claimed => "claimed",
        Succeeded => "succeeded",
        Failed => "failed",
        Exhausted => "exhausted",
    }
}

frontdesk_db::text_column!(DeliveryStatus);

resource! {
    /// One event on its way to one endpoint.
    pub struct Delivery {
        pub id: DeliveryId,
        /// The `evt_…` id of the envelope carried.
        pub event_id: String,
        pub event_type: String,
        pub status: DeliveryStatus,
        pub attempts: i64,
        /// When a pending delivery is next due.
        pub next_attempt_at: Option<Timestamp>,
        /// HTTP status of the last attempt.
        pub last_status_code: Option<i64>,
        pub last_error: Option<String>,
        /// The first 1 KB of the last response body.
        pub response_snippet: Option<String>,
        pub duration_ms: Option<i64>,
        pub delivered_at: Option<Timestamp>,
        pub created_at: Timestamp,
        /// The `data` that was or will be sent.
        pub payload: Box<RawValue>,
    }
}

filters! {
    /// Which deliveries to list.
    pub struct DeliveryFilters {
        pub status: Option<DeliveryStatus>,
        pub event_type: Option<EventTypeName>,
    }
}

const SELECT: &str = "SELECT d.id, d.event_id, d.event_type, d.status, d.attempts, d.next_attempt_at, d.last_status_code, d.last_error,
    d.response_snippet, d.duration_ms, d.delivered_at, e.data
    FROM deliveries d JOIN events e ON e.account_id = d.account_id AND e.id = d.event_id WHERE d.account_id = ";

/// Queues a delivery, due now.
pub(super) fn queue(
    tx: &mut Tx<'_>,
    by: &By,
    endpoint: EndpointId,
    event: EventId,
    event_type: &'static str,
) -> db::Result<DeliveryId> {
    let id: DeliveryId = by.new_id();
    let mut params = what_to_whom(by, id, endpoint, event, event_type);
    params.push(Box::new(by.now));
    tx.insert_along(Query::whole(INSERT, params))?;
    tx.wake_about(QUEUED, endpoint.uuid());
    Ok(id)
}

/// Inserts a delivery as claimed, under this lease.
pub(super) fn insert_claimed(
    tx: &mut Tx<'_>,
    by: &By,
    endpoint: EndpointId,
    event: EventId,
    event_type: &'static str,
    lease: Uuid,
    leased_until: Timestamp,
) -> db::Result<DeliveryId> {
    let id: DeliveryId = by.new_id();
    let mut params = what_to_whom(by, id, endpoint, event, event_type);
    params.push(Box::new(lease));
    params.push(Box::new(leased_until));
    tx.insert_along(Query::whole(INSERT_CLAIMED, params))?;
    Ok(id)
}

/// The first values of a new delivery's row.
fn what_to_whom(
    by: &By,
    id: DeliveryId,
    endpoint: EndpointId,
    event: EventId,
    event_type: &'static str,
) -> Vec<db::OwnedParam> {
    vec![Box::new(by.account), Box::new(id), Box::new(endpoint), Box::new(event), Box::new(event_type)]
}

/// Sends a `webhook.test` event to this endpoint alone, whatever its filter.
pub(super) fn send_test(tx: &mut Tx<'_>, by: &By, id: EndpointId) -> Result<Delivery, WebhookError> {
    let endpoint = endpoints::find(tx, by.account, id)?.ok_or(MISSING)?;
    if !endpoint.enabled {
        return Err(WebhookError::Disabled);
    }
    let event = events::write_quietly(tx, by, TEST, &WebhookEventData { webhook: &endpoint })?;
    let delivery = queue(tx, by, id, event, TEST.name())?;
    Ok(find(tx, by.account, id, delivery)?.ok_or(NO_DELIVERY)?)
}

/// Restarts the schedule of an ended delivery, due now. A waiting delivery is due now and keeps its schedule.
pub(super) fn retry(
    tx: &mut Tx<'_>,
    by: &By,
    endpoint: EndpointId,
    id: DeliveryId,
) -> Result<Delivery, WebhookError> {
    find(tx, by.account, endpoint, id)?.ok_or(NO_DELIVERY)?;
    if !tx.execute(RETRY, &[&by.account, &endpoint, &id, &by.now])?.any() {
        return Err(WebhookError::UnderWay);
    }
    tx.wake_about(QUEUED, endpoint.uuid());
    Ok(find(tx, by.account, endpoint, id)?.ok_or(NO_DELIVERY)?)
}

/// A delivery without its payload, which is the `data` of its event.
const EXPORTED_COLUMNS: Columns = Columns {
    sql: "t.id, t.endpoint_id, t.event_id, t.event_type, t.status, t.attempts, t.next_attempt_at, t.last_status_code, t.last_error,
        t.response_snippet, t.duration_ms, t.delivered_at",
    line: |row, _| {
        let id: DeliveryId = row.next()?;
        let line = LineFields::default()
            .with("id", &id)?
            .with("endpoint_id", &row.next::<EndpointId>()?)?
            .with("event_id", &events::public_id(row.next()?))?
            .with("event_type", &row.next::<String>()?)?
            .with("status", &row.next::<DeliveryStatus>()?)?
            .with("attempts", &row.next::<i64>()?)?
            .with("next_attempt_at", &row.next::<Option<Timestamp>>()?)?
            .with("last_status_code", &row.next::<Option<i64>>()?)?
            .with("last_error", &row.next::<Option<String>>()?)?
            .with("response_snippet", &row.next::<Option<String>>()?)?
            .with("duration_ms", &row.next::<Option<i64>>()?)?
            .with("delivered_at", &row.next::<Option<Timestamp>>()?)?
            .with("created_at", &id.created_at())?;
        Ok(line.finish())
    },
};

pub(super) const EXPORTED: ExportedRows = ExportedRows::new("deliveries", &["deliveries"], EXPORTED_COLUMNS);

pub(super) fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    endpoint: EndpointId,
    id: DeliveryId,
) -> db::Result<Option<Delivery>> {
    let mut query = Query::new(SELECT);
    query.bind(account).push(" AND d.endpoint_id = ").bind(endpoint).push(" AND d.id = ").bind(id);
    Ok(tx.run(&query, read)?.pop())
}

pub(super) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    endpoint: EndpointId,
    filters: &DeliveryFilters,
    page: &Page,
) -> Result<Vec<Delivery>, WebhookError> {
    if endpoints::find(tx, account, endpoint)?.is_none() {
        return Err(MISSING.into());
    }
    let mut query = Query::new(SELECT);
    query.bind(account).push(" AND d.endpoint_id = ").bind(endpoint);
    if let Some(status) = filters.status {
        query.push(" AND d.status = ").bind(status);
    }
    if let Some(event_type) = &filters.event_type {
        query.push(" AND d.event_type = ").bind(event_type.as_str().to_owned());
    }
    if let Some(before) = page.before {
        query.push(" AND d.id < ").bind(before);
    }
    query.push(" ORDER BY d.id DESC LIMIT ").bind(page.fetch());
    Ok(tx.run(&query, read)?)
}

fn read(row: &mut Row<'_>) -> db::Result<Delivery> {
    let id: DeliveryId = row.next()?;
    Ok(Delivery {
        id,
        event_id: events::public_id(row.next()?),
        event_type: row.next()?,
        status: row.next()?,
        attempts: row.next()?,
        next_attempt_at: row.next()?,
        last_status_code: row.next()?,
        last_error: row.next()?,
        response_snippet: row.next()?,
        duration_ms: row.next()?,
        delivered_at: row.next()?,
        created_at: id.created_at(),
        payload: row.next()?,
    })
}
