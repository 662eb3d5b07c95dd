//! Waiting deliveries, written directly into the tables with their events.

use frontdesk_crm::contacts::event_types;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Ids, Timestamp};
use frontdesk_platform::events::EventId;
use frontdesk_platform::webhooks::{DeliveryId, EndpointId};
use postgres::types::Type;
use rusqlite::params;

use super::newcomer::Newcomer;
use super::{Site, postgres as pg, sqlite};
use crate::error::Result;
use crate::options::Engine;
use crate::{clock, statements};

/// The event type of the waiting deliveries. No run creates more events of this type.
pub(crate) const WAITING: &str = event_types::UPDATED.name();
/// The period over which the deliveries became due.
const HISTORY_DAYS: i64 = 1;

const EVENTS: (&str, &[Type]) = (
    "COPY events (account_id, id, event_type, data) FROM STDIN BINARY",
    &[Type::UUID, Type::UUID, Type::TEXT, Type::TEXT],
);
const DELIVERIES: (&str, &[Type]) = (
    "COPY deliveries (account_id, id, endpoint_id, event_id, event_type, status, attempts, step, next_attempt_at)
     FROM STDIN BINARY",
    &[
        Type::UUID,
        Type::UUID,
        Type::UUID,
        Type::UUID,
        Type::TEXT,
        Type::TEXT,
        Type::INT8,
        Type::INT8,
        Type::TIMESTAMPTZ,
    ],
);

/// An event and its delivery, created at the same time.
struct Pending {
    event: EventId,
    delivery: DeliveryId,
    at: Timestamp,
}

/// The values that all events and deliveries share.
struct Shared {
    account: AccountId,
    endpoint: EndpointId,
    data: String,
}

pub(super) fn fill(site: &Site, endpoint: EndpointId, deliveries: u64) -> Result<()> {
    let account = &site.accounts[0];
    let data = Newcomer::new(account, &Ids::new())?.event;
    let shared = Shared { account: account.id, endpoint, data };
    match site.database.engine {
        Engine::Sqlite => fill_sqlite(site, &shared, pending(deliveries)),
        Engine::Postgres => fill_postgres(site, &shared, pending(deliveries)),
    }
}

fn pending(count: u64) -> impl Iterator<Item = Pending> {
    let ids = Ids::seeded(2);
    let end = clock::now();
    let begin = end.minus_days(HISTORY_DAYS).millis();
    let span = end.millis() - begin;
    (0..count).map(move |number| {
        let at = Timestamp::from_millis(begin + (span as f64 * (number as f64 / count as f64)) as i64);
        Pending { event: ids.next(at), delivery: ids.next(at), at }
    })
}

fn fill_sqlite(site: &Site, shared: &Shared, rows: impl Iterator<Item = Pending>) -> Result<()> {
    let file = site.database.file()?;
    let mut connection = sqlite::connect(file)?;
    sqlite::hurry(&connection)?;
    let (account, endpoint) = (shared.account.uuid(), shared.endpoint.uuid());
    let (account, endpoint) = (account.as_bytes(), endpoint.as_bytes());
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let transaction = connection.transaction()?;
        {
            let mut event = transaction.prepare_cached(statements::insert_event_on_sqlite())?;
            let mut delivery = transaction.prepare_cached(statements::insert_delivery())?;
            for row in rows.by_ref().take(sqlite::TRANSACTION_ROWS) {
                let (event_id, delivery_id) = (row.event.uuid(), row.delivery.uuid());
                event.execute(params![account, event_id.as_bytes(), WAITING, shared.data])?;
                delivery.execute(params![
                    account,
                    delivery_id.as_bytes(),
                    endpoint,
                    event_id.as_bytes(),
                    WAITING,
                    row.at.millis(),
                ])?;
            }
        }
        transaction.commit()?;
    }
    sqlite::close(connection, file)
}

fn fill_postgres(site: &Site, shared: &Shared, rows: impl Iterator<Item = Pending>) -> Result<()> {
    let mut client = site.database.client()?;
    let (account, endpoint, kind) = (shared.account.uuid(), shared.endpoint.uuid(), WAITING);
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let chunk: Vec<Pending> = rows.by_ref().take(pg::CHUNK_ROWS).collect();
        pg::copy(&mut client, EVENTS, |out| {
            chunk.iter().try_for_each(|row| out(&[&account, &row.event.uuid(), &kind, &shared.data]))
        })?;
        pg::copy(&mut client, DELIVERIES, |out| {
            chunk.iter().try_for_each(|row| {
                let (delivery, event, due) = (row.delivery.uuid(), row.event.uuid(), pg::moment(row.at));
                out(&[&account, &delivery, &endpoint, &event, &kind, &"pending", &0_i64, &0_i64, &due])
            })
        })?;
    }
    pg::tidy(&mut client)
}
