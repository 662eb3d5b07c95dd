//! Queues events for the triggers that they fire, in the transaction that writes the event.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Tx};
use frontdesk_platform::events::{EventListener, WrittenEvent};
use frontdesk_platform::{Actor, By};
use serde::Deserialize;
use uuid::Uuid;

use crate::events;
use crate::trigger::TriggerEvent;

/// Fires event triggers.
pub struct Triggers;

#[derive(Deserialize)]
struct ContactData {
    contact: Contact,
}

#[derive(Deserialize)]
struct Contact {
    id: Uuid,
}

#[derive(Deserialize)]
struct DealData {
    deal: AboutContact,
}

#[derive(Deserialize)]
struct BookingData {
    booking: AboutContact,
}

#[derive(Deserialize)]
struct AboutContact {
    contact_id: Option<Uuid>,
}

impl EventListener for Triggers {
    fn on_event(&self, tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
        let Some(key) = TriggerEvent::of(event.event_type) else { return Ok(()) };
        // What an assistant does fires nothing: an assistant that moves a deal whenever a deal is moved would never
        // stop.
        if matches!(by.actor, Actor::Assistant(_)) {
            return Ok(());
        }
        events::queue(tx, by, key, event, contact_of(key, event.data)?)
    }
}

/// The contact that an event is about.
fn contact_of(key: TriggerEvent, data: &str) -> db::Result<Option<ContactId>> {
    let contact = match key {
        TriggerEvent::ContactCreated => {
            serde_json::from_str(data).map(|data: ContactData| Some(data.contact.id))
        }
        TriggerEvent::DealStageChanged => {
            serde_json::from_str(data).map(|data: DealData| data.deal.contact_id)
        }
        TriggerEvent::BookingCompleted => {
            serde_json::from_str(data).map(|data: BookingData| data.booking.contact_id)
        }
    };
    let contact = contact.map_err(|_| db::Error::Decode("event"))?;
    Ok(contact.map(ContactId::from_uuid))
}
