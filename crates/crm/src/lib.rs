//! The customer records: contacts, tags, custom fields, notes and segments.

use frontdesk_web::Route;

/// Every route of this crate.
pub fn routes() -> Vec<Route> {
    Vec::new()
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    Vec::new()
}
