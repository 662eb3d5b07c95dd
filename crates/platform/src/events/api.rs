//! GET /events and GET /event-types.

use std::future::ready;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::Scope;
use frontdesk_web::{Failure, List, Listing, Page, Result, filters, resource};
use serde_json::Value;

use super::{Catalogue, Event, EventDeclaration, EventId, EventTypeName, PublicId, order};
use crate::by::By;
use crate::caller::{Caller, Route};
use crate::error::store_failure;

filters! {
    /// Which events to list.
    pub struct EventFilters {
        /// Only events of this type, such as `contact.created`.
        pub event_type: Option<EventTypeName>,
        /// Only events after this one, oldest first. No event is skipped, however late its transaction
        /// commits.
        pub after: Option<PublicId>,
    }
}

resource! {
    /// A kind of event that the service writes.
    pub struct EventTypeInfo {
        pub event_type: &'static str,
        pub description: &'static str,
        /// An example of `data`.
        pub example: Value,
    }
}

impl EventTypeInfo {
    pub fn of(declared: &EventDeclaration) -> Self {
        Self { event_type: declared.name, description: declared.description, example: declared.example() }
    }
}

pub fn routes(catalogue: &Catalogue) -> Vec<Route> {
    let (filters, types) = (catalogue.clone(), catalogue.clone());
    vec![
        Route::get("/events", "listEvents", move |caller: Caller, listing: Listing<EventFilters>| {
            events(caller, listing, filters.clone())
        })
        .scope(Scope::WebhooksManage)
        // A standby does not know which transactions are still running, on which the order of events depends.
        .fresh()
        .tag("Events")
        .summary("List events")
        .notes(
            "Every event of the account, newest first. To catch up after an outage, pass the last event \
                 you received as `after`: the list then continues from that event, oldest first. An event is \
                 listed as soon as every earlier transaction has ended, usually at once.",
        ),
        Route::get("/event-types", "listEventTypes", move |_: Caller| ready(Result::Ok(event_types(&types))))
            .tag("Events")
            .summary("List event types")
            .notes("The catalogue, with an example of each type's `data`."),
    ]
}

async fn events(caller: Caller, listing: Listing<EventFilters>, catalogue: Catalogue) -> Result<List<Event>> {
    let Listing { filters, page } = listing;
    catalogue.check_filter(filters.event_type.as_ref())?;
    let asked = page.clone();
    // A rare type may be far ahead.
    let slow = filters.after.is_some() && filters.event_type.is_some();
    let find = move |tx: &mut ReadTx<'_>, by: &By| find(tx, by, &filters, &asked);
    let rows = if slow { caller.scan(find).await? } else { caller.read(find).await? };
    Ok(page.finish(rows, |(id, _)| id.uuid()).map(|(_, event)| event))
}

/// Lists newest first, or forward from an event. A later page continues at its cursor.
fn find(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &EventFilters,
    page: &Page,
) -> std::result::Result<Vec<(EventId, Event)>, EventsError> {
    let Some(PublicId(after)) = filters.after else {
        return Ok(super::list(tx, by.account, filters.event_type.as_ref(), page)?);
    };
    let from = page.before.map_or(after, EventId::from_uuid);
    let place = order::place_of(tx, by.account, from)?.ok_or(EventsError::NoSuchEvent)?;
    Ok(order::after(tx, by.account, place, filters.event_type.as_ref(), page.fetch())?)
}

/// Why events could not be listed.
#[derive(Debug, thiserror::Error)]
enum EventsError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("there is no such event to read on from")]
    NoSuchEvent,
}

impl From<EventsError> for Failure {
    fn from(error: EventsError) -> Self {
        match error {
            EventsError::Store(error) => store_failure(&error),
            EventsError::NoSuchEvent => Self::bad_request(
                "The query parameter after names no event of this account; events are kept for 90 days. Start again \
                 from an event that GET /events lists.",
            ),
        }
    }
}

fn event_types(catalogue: &Catalogue) -> List<EventTypeInfo> {
    List::all(catalogue.iter().map(EventTypeInfo::of).collect())
}
