//! Deals: potential business, which moves through the stages of a pipeline.
//!
//! A deal is open, won or lost; only an open one moves. Its value is stored exactly. Every change of a deal
//! writes its event in the same transaction, and concurrent changes are serialised.

mod api;
mod deal;
pub mod event_types;
mod listing;
mod ops;
mod sql;
mod status;

pub use api::routes;
pub use deal::{CloseDeal, Deal, DealError, DealId, DealPatch, MoveDeal, NewDeal, Title};
pub use listing::{DealFilters, list};
pub use ops::{CONTACT_ROWS, close, create, delete, move_to, patch, reopen};
pub(crate) use sql::EXPORTED;
pub use sql::{STATEMENTS, find};
pub use status::{Act, DealOutcome, DealStatus, Forbidden};
