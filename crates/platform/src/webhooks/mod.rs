//! Webhooks: events reach those who subscribed, or a person can see exactly why not.
//!
//! A delivery is made for every endpoint that wants an event, in the transaction that writes the event, so no crash
//! can lose one and none is made twice. The [`courier`] takes deliveries that are due under a lease, calls the endpoint
//! with no transaction open, and settles what came of it. Secrets are shown once and encrypted at rest.

mod api;
pub mod courier;
mod deliveries;
mod endpoint;
mod endpoints;
mod health;
mod replay;
pub mod schedule;
pub mod signing;
mod url;

use frontdesk_db::{self as db, Query, ReadTx, Tx};

pub use api::routes;
pub use deliveries::{Delivery, DeliveryFilters, DeliveryId, DeliveryStatus};
pub use endpoint::{
    EndpointId, NewWebhook, NotAPattern, Pattern, Patterns, WebhookEndpoint, WebhookError, WebhookPatch,
};
pub use health::{Queue, accounts, purge, queue};
pub use replay::{
    ACCEPTED as REPLAYED, NewReplay, Replay, ReplayStatus, advance as advance_replay, any as any_replay,
};
pub use url::{HookUrl, NotAHookUrl};

use crate::By;
use crate::events::{EventId, EventType};
use crate::sealing::SealedColumn;

/// The topic that wakes the courier.
pub const QUEUED: db::Topic = "deliveries";

/// The columns that hold sealed values.
pub const SEALED_COLUMNS: [SealedColumn; 2] = [endpoints::SECRET, endpoints::OLD_SECRET];

/// Every statement of webhooks, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    let slices = [endpoints::STATEMENTS, deliveries::STATEMENTS, health::STATEMENTS, replay::STATEMENTS];
    [slices.concat(), courier::statements()].concat()
}

/// An event that was just written.
pub(crate) struct Told<'e> {
    pub(crate) id: EventId,
    pub(crate) event: EventType,
    pub(crate) data: &'e str,
}

/// Makes the deliveries of an event. Where this process's courier has caught up with an endpoint it gets them straight
/// from here, so they need not be looked for and claimed.
pub(crate) fn fan_out(
    tx: &mut Tx<'_>,
    by: &By,
    told: &Told<'_>,
    subscribers: Vec<Subscriber>,
) -> db::Result<()> {
    for subscriber in subscribers.into_iter().filter(|subscriber| subscriber.wants(told.event)) {
        if tx.has_room(QUEUED, subscriber.id.uuid()) {
            courier::hand_over(tx, by, told, subscriber)?;
        } else {
            deliveries::queue(tx, by, subscriber.id, told.id, told.event)?;
        }
    }
    Ok(())
}

/// The endpoints that are switched on in the caller's account.
pub(crate) fn subscribers(tx: &mut ReadTx<'_>, by: &By) -> db::Result<Vec<Subscriber>> {
    tx.query(endpoints::SUBSCRIBERS, &[&by.account], Subscriber::read)
}

/// Says that the subscribers will be asked for.
pub(crate) fn expect_subscribers(tx: &mut ReadTx<'_>, by: &By) -> db::Result<()> {
    tx.ask_ahead(Query::whole(endpoints::SUBSCRIBERS, vec![Box::new(by.account)]))
}

pub(crate) use endpoints::Subscriber;
