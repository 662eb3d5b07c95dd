//! Webhooks: every event reaches its subscribers, or the API shows why it did not.
//!
//! A delivery is inserted for every subscribed endpoint in the transaction that writes the event, so no crash
//! loses or duplicates one. The [`courier`] claims due deliveries under a lease, calls the endpoint with no
//! transaction open, and settles the outcome. Secrets are shown once and encrypted at rest.

mod api;
mod attempts;
pub mod courier;
mod deliveries;
mod endpoint;
mod endpoints;
pub mod event_types;
mod health;
mod replay;
pub mod schedule;
pub mod signing;
mod url;

use frontdesk_db::{self as db, Query, ReadTx, Tx};

use crate::export::Exported;

pub use api::routes;
pub use attempts::DeliveryAttempt;
pub use deliveries::{Delivery, DeliveryFilters, DeliveryId, DeliveryStatus};
pub use endpoint::{
    EndpointId, NewWebhook, NotAPattern, Pattern, Patterns, WebhookEndpoint, WebhookError, WebhookPatch,
};
pub use health::{accounts, purge};
pub use replay::{
    ACCEPTED as REPLAYED, NewReplay, Replay, ReplayStatus, advance as advance_replay, any as any_replay,
};
pub use url::{HookUrl, NotAHookUrl};

use crate::by::By;
use crate::events::{EventListener, WrittenEvent};
use crate::sealing::SealedColumn;

/// The topic that wakes the courier.
pub const QUEUED: db::Topic = "deliveries";

/// The columns that hold sealed values.
pub const SEALED_COLUMNS: [SealedColumn; 2] = [endpoints::SECRET, endpoints::OLD_SECRET];

/// What is exported of webhooks. Secrets are not.
pub(crate) const EXPORTED: &[&dyn Exported] =
    &[&attempts::EXPORTED, &deliveries::EXPORTED, &endpoints::EXPORTED];

/// Every statement of webhooks, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    let slices = [
        endpoints::STATEMENTS,
        deliveries::STATEMENTS,
        attempts::STATEMENTS,
        health::STATEMENTS,
        replay::STATEMENTS,
    ];
    [slices.concat(), courier::statements()].concat()
}

/// Examples of what is sent here, by the names of their schemas.
pub(crate) fn examples() -> Vec<(&'static str, serde_json::Value)> {
    frontdesk_web::examples![WebhookEndpoint, DeliveryAttempt]
}

/// Writes the deliveries of every event.
pub struct Webhooks;

impl EventListener for Webhooks {
    /// Prefetches the account's subscribers.
    fn expect(&self, tx: &mut ReadTx<'_>, by: &By) -> db::Result<()> {
        tx.prefetch(Query::whole(endpoints::SUBSCRIBERS, vec![Box::new(by.account)]))
    }

    fn on_event(&self, tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
        self.on_events(tx, by, std::slice::from_ref(event))
    }

    /// Inserts a delivery for every endpoint whose filter accepts an event. If this process's courier has
    /// caught up with an endpoint, the commit hands the delivery over to it, which saves finding and claiming
    /// it.
    fn on_events(&self, tx: &mut Tx<'_>, by: &By, events: &[WrittenEvent<'_>]) -> db::Result<()> {
        let subscribers = tx.query(endpoints::SUBSCRIBERS, &[&by.account], Subscriber::read)?;
        for event in events {
            for subscriber in subscribers.iter().filter(|subscriber| subscriber.wants(event.event_type)) {
                match courier::QUEUE.take_place(tx, subscriber.id) {
                    Some(place) => courier::hand_over(tx, by, event, subscriber.clone(), place)?,
                    None => {
                        deliveries::queue(tx, by, subscriber.id, event.id, event.event_type)?;
                    }
                }
            }
        }
        Ok(())
    }
}

pub(crate) use endpoints::Subscriber;
