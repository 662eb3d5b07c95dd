//! The dashboard's API: everything under `/app/api`.
//!
//! Members sign in here and get a session. `/app/api/v1` is the route table of the public API, with the
//! session instead of a key. The other routes are the dashboard's own: the session and the profile, views
//! that serve one screen each, administration, and the live stream. A cookie is never accepted elsewhere, and
//! a key never here.

pub mod admin;
mod caller;
mod cookie;
mod document;
pub mod export;
mod export_seats;
mod gate;
pub mod link;
mod origin;
mod pairing_codes;
pub mod presence;
pub mod profile;
pub mod sandbox;
pub mod second_factor;
pub mod session;
mod table;

pub use caller::{AppCaller, AppRoute, AppTable, Shared};
pub use document::document;
pub use gate::App;
pub use table::{table, views};

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    admin::statements()
}
