//! Many events of one account.

use std::borrow::Borrow;

use frontdesk_db::{self as db, Tx};
use serde::Serialize;

use super::{EventId, EventType, WrittenEvent, announce, order, written};
use crate::by::By;

/// An event to be written.
pub struct NewEvent {
    pub(super) event_type: &'static str,
    /// As JSON.
    pub(super) data: String,
}

impl NewEvent {
    pub fn new<D: Serialize>(event: EventType<D>, data: &D) -> db::Result<Self> {
        Ok(Self { event_type: event.name(), data: written(data)? })
    }
}

/// Writes events about the caller's account in this order, and what their listeners add to the transaction.
pub fn write_many<E: Borrow<NewEvent>>(tx: &mut Tx<'_>, by: &By, events: &[E]) -> db::Result<()> {
    if events.is_empty() || by.is_silent() {
        return Ok(());
    }
    let events: Vec<&NewEvent> = events.iter().map(Borrow::borrow).collect();
    let ids: Vec<EventId> = events.iter().map(|_| by.new_id()).collect();
    order::insert_many(tx, by.account, &ids, &events)?;
    announce(tx, by.account);
    let written: Vec<WrittenEvent<'_>> = ids
        .iter()
        .zip(events)
        .map(|(id, event)| WrittenEvent { id: *id, event_type: event.event_type, data: &event.data })
        .collect();
    by.listeners().iter().try_for_each(|listener| listener.on_events(tx, by, &written))
}
