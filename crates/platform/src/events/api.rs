//! GET /events and GET /event-types.

use frontdesk_kernel::Scope;
use frontdesk_web::{List, Listing, Result, Route, filters, resource};
use serde_json::Value;

use super::{Event, EventType, TYPES};
use crate::{Caller, Error};

filters! {
    /// Which events to list.
    pub struct EventFilters {
        /// Only events of this type, such as `contact.created`.
        pub event_type: Option<EventType>,
    }
}

resource! {
    /// A kind of event that the service writes.
    pub struct EventTypeInfo {
        pub event_type: &'static str,
        pub description: &'static str,
        /// What `data` looks like.
        pub example: Value,
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/events", events)
            .scope(Scope::WebhooksManage)
            .tag("Events")
            .summary("List events")
            .notes(
                "Every event of the account, newest first, so that a consumer that was down can catch up.",
            ),
        Route::get("/event-types", event_types)
            .tag("Events")
            .summary("List event types")
            .notes("The catalogue, with an example of each type's `data`."),
    ]
}

async fn events(caller: Caller, listing: Listing<EventFilters>) -> Result<List<Event>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows = caller
        .read(move |tx, by| super::list(tx, by.account, filters.event_type, &asked).map_err(Error::from))
        .await?;
    Ok(page.finish(rows, |(id, _)| id.uuid()).map(|(_, event)| event))
}

async fn event_types(_: Caller) -> Result<List<EventTypeInfo>> {
    let rows = TYPES
        .iter()
        .map(|event| EventTypeInfo {
            event_type: event.name(),
            description: event.description(),
            example: event.example(),
        })
        .collect();
    Ok(List::all(rows))
}
