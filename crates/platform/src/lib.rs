//! The platform that the other crates build on: accounts, members, keys, limits, idempotency, events, and the gate for
//! requests to the API.
//!
//! An operation gets a [`Caller`]: the account, the actor and the time. It never sees a key, a header or a counter.

pub mod accounts;
mod address;
mod auth_version;
mod body_budget;
pub mod bulk;
mod by;
mod caller;
pub mod deletions;
pub mod dispatch;
pub mod draft;
mod error;
pub mod events;
pub mod export;
mod fair_slots;
#[cfg(test)]
mod fuzzed;
mod gate;
pub mod holds;
pub mod hours;
pub mod idempotency;
pub mod imports;
pub mod keys;
pub mod limits;
pub mod listing;
pub mod mails;
pub mod me;
pub mod members;
pub mod notices;
pub mod operations;
mod principal;
pub mod public_endpoint;
pub mod sandbox_pass;
pub mod sealing;
pub mod servers;
mod services;
pub mod settings;
pub mod sign_in;
pub mod suspensions;
pub mod uploads;
pub mod webhooks;

pub use address::{Network, Proxies, client_network, is_local_url};
pub use body_budget::{BodyBudget, BodyShare};
pub use by::By;
pub use caller::{Caller, Route, Table};
pub use dispatch::{Dispatcher, REQUEST_LOG};
pub use error::{Error, store_failure};
pub use fair_slots::{FairSlot, FairSlots};
pub use gate::{Budget, Gate, observe, read_body};
pub use principal::{Actor, Principal};
pub use public_endpoint::{PublicEndpoint, PublicRequest, ServerContext, UnreadRequest};
pub use services::{Clock, Services};

/// Every route of this crate. The catalogue has the event types of every crate.
pub fn routes(catalogue: &events::Catalogue) -> Vec<Route> {
    [me::routes(), events::routes(catalogue), webhooks::routes(catalogue)].into_iter().flatten().collect()
}

/// What this crate exports. Rows that refer to others come before those.
pub fn exports() -> export::Exports {
    let slices: [&[&'static dyn export::Exported]; 8] = [
        webhooks::EXPORTED,
        events::EXPORTED,
        bulk::EXPORTED,
        sign_in::EXPORTED,
        keys::EXPORTED,
        mails::EXPORTED,
        members::EXPORTED,
        accounts::EXPORTED,
    ];
    slices.concat()
}

/// Every event type of this crate.
pub fn event_types() -> Vec<events::EventDeclaration> {
    webhooks::event_types::EVENT_TYPES.to_vec()
}

/// Examples of what this crate sends, by the names of their schemas.
pub fn examples() -> Vec<(&'static str, serde_json::Value)> {
    use bulk::BulkJob;
    [webhooks::examples(), frontdesk_web::examples![BulkJob]].concat()
}

/// Every column of this crate that holds sealed values.
pub fn sealed_columns() -> Vec<sealing::SealedColumn> {
    [&webhooks::SEALED_COLUMNS[..], &[idempotency::SEALED_BODY], &sign_in::SEALED_COLUMNS].concat()
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    let slices = [
        accounts::STATEMENTS,
        deletions::STATEMENTS,
        auth_version::STATEMENTS,
        bulk::STATEMENTS,
        events::order::STATEMENTS,
        holds::STATEMENTS,
        idempotency::STATEMENTS,
        imports::STATEMENTS,
        keys::STATEMENTS,
        mails::STATEMENTS,
        members::STATEMENTS,
        servers::STATEMENTS,
        settings::STATEMENTS,
        sign_in::STATEMENTS,
        suspensions::STATEMENTS,
    ];
    [slices.concat(), webhooks::statements()].concat()
}

/// The jobs that wait, by kind.
pub fn backlogs() -> Vec<frontdesk_jobs::Backlog> {
    vec![webhooks::courier::BACKLOG]
}

/// Statements that run only on PostgreSQL.
pub fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    let slices = [limits::POSTGRES_STATEMENTS, events::order::POSTGRES_STATEMENTS];
    [slices.concat(), webhooks::courier::postgres_statements()].concat()
}

/// Statements that run only on SQLite.
pub fn sqlite_statements() -> Vec<(&'static str, &'static str)> {
    events::order::SQLITE_STATEMENTS.to_vec()
}
