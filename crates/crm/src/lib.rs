//! The customer records: contacts, tags, custom fields, notes and segments.
//!
//! Each noun is a slice: its resource and rules, its SQL, its operations and its routes. A slice writes only its own
//! tables.

pub mod contacts;
pub mod custom_fields;
mod draft;
pub mod notes;
mod quota;
pub mod segments;
pub mod tags;

use frontdesk_web::Route;

/// Every route of this crate.
pub fn routes() -> Vec<Route> {
    [contacts::routes(), notes::routes(), tags::routes(), custom_fields::routes(), segments::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    let slices = [notes::STATEMENTS, tags::STATEMENTS, custom_fields::STATEMENTS, segments::STATEMENTS];
    [contacts::statements(), slices.concat()].concat()
}
