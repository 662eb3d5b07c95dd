//! Deals: potential business, which moves through the stages of a pipeline.
//!
//! A deal is open, won or lost; only an open one moves. Its value is stored exactly. Every change of a deal
//! writes its event and what changed in the same transaction, and concurrent changes are serialised.

mod api;
mod changes;
mod deal;
pub mod event_types;
mod listing;
mod ops;
mod sql;
mod status;

use frontdesk_platform::export::Exported;

pub use api::routes;
pub use changes::{ChangedContacts, DealChange, DealChangeId, DealChangeKind};
pub(crate) use changes::{list as list_changes, list_of_contact as list_changes_of_contact};
pub use deal::{CloseDeal, Deal, DealError, DealId, DealPatch, MoveDeal, NewDeal, Title};
pub use listing::{DealFilters, list};
pub use ops::{CONTACT_ROWS, close, create, delete, move_to, patch, reopen};
pub use sql::{STATEMENTS, find};
pub use status::{Act, DealOutcome, DealStatus, Forbidden};

/// What happened to deals, and deals.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&changes::EXPORTED, &sql::EXPORTED];
