//! Customer records: contacts, tags, custom fields, notes and segments; and sales: pipelines, deals,
//! inquiries with their forms, and bookings.
//!
//! Each noun is a slice: its resource and rules, its SQL, its operations and its routes. A slice writes only its own
//! tables.

pub mod bookings;
pub mod brands;
pub mod contacts;
pub mod custom_fields;
pub mod deals;
pub mod desk;
pub mod forms;
pub mod imports;
pub mod inquiries;
pub mod notes;
pub mod pipelines;
pub mod quota;
pub mod segments;
pub mod tags;
pub mod token;

use frontdesk_platform::events::EventDeclaration;
use frontdesk_platform::export::{Exported, Exports};
use frontdesk_platform::{PublicEndpoint, Route};
use serde_json::Value;

/// Every route of this crate. `dependents` keep rows about contacts: slices of this crate and of those above it.
pub fn routes(dependents: contacts::Dependents) -> Vec<Route> {
    let slices = [
        contacts::routes(dependents),
        notes::routes(),
        tags::routes(),
        custom_fields::routes(),
        segments::routes(),
        pipelines::routes(),
        deals::routes(),
        inquiries::routes(),
        bookings::routes(),
    ];
    slices.into_iter().flatten().collect()
}

/// Every public endpoint of this crate.
pub fn public_endpoints() -> Vec<PublicEndpoint> {
    vec![forms::public_endpoint(), bookings::public_endpoint(), brands::public_endpoint()]
}

/// Every event type of this crate.
pub fn event_types() -> Vec<EventDeclaration> {
    let slices = [
        contacts::event_types::EVENT_TYPES,
        notes::EVENT_TYPES,
        deals::event_types::EVENT_TYPES,
        inquiries::event_types::EVENT_TYPES,
        bookings::event_types::EVENT_TYPES,
    ];
    slices.concat()
}

/// What this crate exports. Rows that refer to others come before those.
pub fn exports() -> Exports {
    let slices: [&[&'static dyn Exported]; 11] = [
        notes::EXPORTED,
        deals::EXPORTED,
        pipelines::EXPORTED,
        inquiries::EXPORTED,
        forms::EXPORTED,
        brands::EXPORTED,
        bookings::EXPORTED,
        segments::EXPORTED,
        contacts::EXPORTED,
        custom_fields::EXPORTED,
        tags::EXPORTED,
    ];
    slices.concat()
}

/// Examples of what this crate sends, by the names of their schemas.
pub fn examples() -> Vec<(&'static str, Value)> {
    use bookings::Booking;
    use contacts::Contact;
    use deals::Deal;
    use inquiries::Inquiry;
    use notes::Note;
    frontdesk_web::examples![Contact, Note, Deal, Inquiry, Booking]
}

/// Every column of this crate that holds sealed values.
pub fn sealed_columns() -> Vec<frontdesk_platform::sealing::SealedColumn> {
    vec![bookings::SECRET]
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    let slices = [
        contacts::STATEMENTS,
        pipelines::STATEMENTS,
        bookings::STATEMENTS,
        brands::STATEMENTS,
        notes::STATEMENTS,
        tags::STATEMENTS,
        custom_fields::STATEMENTS,
        segments::STATEMENTS,
        deals::STATEMENTS,
        inquiries::STATEMENTS,
        forms::STATEMENTS,
    ];
    slices.concat()
}
