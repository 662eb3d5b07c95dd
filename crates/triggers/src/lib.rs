//! Triggers: the clock, events and other systems start assistants' runs.
//!
//! A trigger never fires twice for one due time, whatever the number of servers. If its due time passes while no server
//! is running, it fires once when one is. Runs start in the transaction that sets the trigger's next due time
//! (`worker`), takes the event from its queue (`events`) or records the call (`hook`).

mod api;
mod calls;
mod contact_rows;
mod definition;
pub mod desk;
mod events;
mod fire;
mod hook;
mod input;
mod listener;
mod manual;
mod ops;
mod plan;
mod preview;
mod refusal;
mod refused_calls;
mod row;
pub mod schedule;
mod sql;
mod targets;
mod trigger;
mod worker;

use std::sync::Arc;

use frontdesk_platform::export::Exports;
use frontdesk_platform::{PublicEndpoint, Route};
use serde_json::Value;

pub use calls::{CALL_DAYS, CallOutcome, TriggerCall, forget as forget_calls};
pub use contact_rows::ContactRows;
pub use definition::{
    DefinedInstruction, DefinedTrigger, Definition, DefinitionChange, IssuedAddress, NewDefinition,
    WrittenDefinition,
};
pub use events::start as start_events;
pub use input::{NewTrigger, TriggerPatch};
pub use listener::Triggers;
pub use preview::{TriggerPreview, TriggerTarget};
pub use refusal::TriggerRefusal;
pub use refused_calls::RefusedCalls;
pub use trigger::{
    AudienceType, FiredTrigger, IssuedTrigger, RotatedTrigger, Trigger, TriggerError, TriggerEvent,
    TriggerFilters, TriggerKind, TriggerPeriod,
};
pub use worker::start;

/// Every route of this crate.
pub fn routes() -> Vec<Route> {
    [api::routes(), definition::routes()].into_iter().flatten().collect()
}

/// The endpoints that other systems reach without an API key.
pub fn public_endpoints(refused: Arc<RefusedCalls>) -> Vec<PublicEndpoint> {
    vec![hook::public_endpoint(refused)]
}

/// What this crate exports. Rows that refer to others come before those.
pub fn exports() -> Exports {
    vec![&calls::EXPORTED, &row::EXPORTED]
}

/// Examples of what this crate sends, by the names of their schemas.
pub fn examples() -> Vec<(&'static str, Value)> {
    frontdesk_web::examples![Trigger, TriggerPreview, TriggerCall, Definition, WrittenDefinition]
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS, &sql::DUE_TRIGGERS.statements(), &[sql::CLAIM_EVENTS.statement()]].concat()
}

/// Statements that run on PostgreSQL only.
pub fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    vec![sql::CLAIM_EVENTS.postgres_statement(), sql::DUE_TRIGGERS.postgres_statement()]
}

/// The jobs that wait, by kind.
pub fn backlogs() -> Vec<frontdesk_jobs::Backlog> {
    vec![sql::BACKLOG, sql::EVENT_BACKLOG]
}
