//! The platform that the other crates build on: accounts, members, keys, limits, idempotency, events, and the gate for
//! requests to the API.
//!
//! An operation gets a [`Caller`]: the account, the actor and the time. It never sees a key, a header or a counter.

pub mod accounts;
mod address;
mod body_budget;
pub mod bulk;
mod caller;
pub mod dispatch;
pub mod draft;
mod error;
pub mod events;
mod gate;
pub mod idempotency;
pub mod keys;
pub mod limits;
pub mod listing;
pub mod me;
pub mod members;
mod principal;
pub mod public_endpoint;
pub mod sandbox_pass;
pub mod sealing;
pub mod servers;
pub mod settings;
pub mod sign_in;
pub mod suspensions;
mod turns;
pub mod uploads;
pub mod webhooks;

pub use address::{Network, Proxies, client_network, is_local_url};
pub use body_budget::{BodyBudget, BodyShare};
pub use caller::{By, Caller};
pub use dispatch::Dispatcher;
pub use error::{Error, store_failure};
pub use gate::{Budget, Clock, Gate, observe, read_body};
pub use principal::{Actor, Principal};
pub use public_endpoint::{PublicEndpoint, PublicRequest, ServerContext, UnreadRequest};
pub use turns::{Turn, Turns};

/// The log's target of the line for each request, which is switched off at a terminal.
pub const REQUEST_LOG: &str = "request";

use frontdesk_outbound::Client;

/// A route of the API, whose handler may take the [`Caller`].
pub type Route = frontdesk_web::Route<Caller>;
/// All routes of the API.
pub type Table = frontdesk_web::Table<Caller>;

/// The services that operations and workers share.
pub struct Services {
    /// The keys that secrets are sealed under.
    pub secrets: sealing::Keyring,
    /// The client for addresses that users choose.
    pub outbound: Client,
    /// The client for addresses that the operator chose: vendors, bridges, the sandbox.
    pub vendors: Client,
    /// The URL at which this installation calls itself.
    pub local_url: String,
    /// The public URL of this installation, without a trailing slash.
    pub base_url: String,
}

/// Every route of this crate. The catalogue has the event types of every crate.
pub fn routes(catalogue: &events::Catalogue) -> Vec<Route> {
    [me::routes(), members::routes(), events::routes(catalogue), webhooks::routes(catalogue)]
        .into_iter()
        .flatten()
        .collect()
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
        bulk::STATEMENTS,
        events::order::STATEMENTS,
        idempotency::STATEMENTS,
        keys::STATEMENTS,
        members::STATEMENTS,
        servers::STATEMENTS,
        settings::STATEMENTS,
        suspensions::STATEMENTS,
    ];
    [slices.concat(), sign_in::statements(), webhooks::statements()].concat()
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
