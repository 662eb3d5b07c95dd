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
pub mod mail;
mod openid;
mod origin;
mod pairing_codes;
pub mod presence;
pub mod profile;
mod provider_sign_in;
pub mod push;
pub mod sandbox;
pub mod second_factor;
pub mod session;
mod table;

pub use caller::{AppCaller, AppRoute, AppTable, Shared};
pub use document::document;
pub use gate::App;
pub use openid::{OpenIdConfig, Provider as OpenIdProvider, ProviderError};
pub use origin::refuse_foreign as refuse_foreign_origin;
pub use table::{table, views};

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [admin::statements(), mail::statements(), push::statements()].concat()
}

/// The jobs that wait, by kind.
pub fn backlogs() -> Vec<frontdesk_jobs::Backlog> {
    vec![mail::BACKLOG, push::BACKLOG]
}

/// Statements that run only on PostgreSQL.
pub fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    [mail::postgres_statements(), push::postgres_statements()].concat()
}

/// Every column of this crate that holds sealed values.
pub fn sealed_columns() -> Vec<frontdesk_platform::sealing::SealedColumn> {
    push::SEALED_COLUMNS.to_vec()
}
