//! Bookings: appointments that a calendar reports by webhooks in Cal.com's format.
//!
//! Each calendar has its own address and signs the body. Webhooks may arrive twice, late or out of order. A
//! booking is created once, is rescheduled with its calendar, and ends once: cancelled, or completed when the
//! calendar reports the end of the meeting or its end time passes.

mod booking;
pub mod event_types;
#[cfg(test)]
mod fuzzed;
mod listing;
mod notice;
mod ops;
mod public_endpoint;
mod source;
mod sql;
mod status;

use frontdesk_platform::export::{Exported, ExportedRows};
use frontdesk_platform::export_columns;

pub use booking::{Booking, BookingId};
pub use listing::{BookingFilters, routes};
pub use ops::{CONTACT_ROWS, any_due, complete_due};
pub use public_endpoint::public_endpoint;
pub use source::{BookingSource, SECRET, SourceError, SourceId, create, delete, list};
pub use sql::STATEMENTS;
pub use status::BookingStatus;

/// Bookings, the calendars' names for them, and calendars without their addresses and secrets.
pub(crate) const EXPORTED: &[&dyn Exported] = &[
    &ExportedRows::new(
        "booking_uids",
        &["booking_uids"],
        export_columns!("source_id": SourceId, "uid": String, "booking_id": BookingId),
    )
    .keyed(&["t.source_id", "t.uid"]),
    &ops::EXPORTED,
    &ExportedRows::new(
        "booking_sources",
        &["booking_sources"],
        export_columns!("id": SourceId, "name": String),
    ),
];
