//! Many events of one account, written with one statement on PostgreSQL.

use std::borrow::Borrow;

use frontdesk_db::{self as db, Dialect, List, Query, Tx};
use serde::Serialize;

use super::{EventId, EventType, WRITTEN, WrittenEvent, order, written};
use crate::By;

const INSERT_MANY: &str = "INSERT INTO events (account_id, id, event_type, data)
    SELECT $1, v.id, v.event_type, v.data FROM unnest($2::uuid[], $3::text[], $4::text[]) AS v (id, event_type, data)";
pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[("events::INSERT_MANY", INSERT_MANY)];

/// An event to be written.
pub struct NewEvent {
    event_type: &'static str,
    /// As JSON.
    data: String,
}

impl NewEvent {
    pub fn new<D: Serialize>(event: EventType<D>, data: &D) -> db::Result<Self> {
        Ok(Self { event_type: event.name(), data: written(data)? })
    }
}

/// Writes events about the caller's account in this order, and what their listeners add to the transaction.
pub fn write_many<E: Borrow<NewEvent>>(tx: &mut Tx<'_>, by: &By, events: &[E]) -> db::Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let events: Vec<&NewEvent> = events.iter().map(Borrow::borrow).collect();
    let ids: Vec<EventId> = events.iter().map(|_| by.new_id()).collect();
    if tx.dialect() == Dialect::Postgres {
        let params: Vec<db::OwnedParam> = vec![
            Box::new(by.account),
            Box::new(List(ids.clone())),
            Box::new(List(events.iter().map(|event| event.event_type).collect())),
            Box::new(List(events.iter().map(|event| event.data.clone()).collect())),
        ];
        tx.insert_along(Query::whole(INSERT_MANY, params))?;
    } else {
        let last = order::last_position(tx, by.account)?;
        let positions: Vec<i64> = (last + 1..).take(events.len()).collect();
        let rows: Vec<[&dyn db::Param; 5]> = (ids.iter().zip(&events).zip(&positions))
            .map(|((id, event), position)| {
                [&by.account as &dyn db::Param, id, &event.event_type, &event.data, position]
            })
            .collect();
        tx.insert_rows(order::INSERT_AT_SQLITE, &rows)?;
    }
    tx.wake(WRITTEN);
    let written: Vec<WrittenEvent<'_>> = ids
        .iter()
        .zip(events)
        .map(|(id, event)| WrittenEvent { id: *id, event_type: event.event_type, data: &event.data })
        .collect();
    by.listeners().iter().try_for_each(|listener| listener.on_events(tx, by, &written))
}
