//! Assistants: their settings, memories, tools, runs and costs.
//!
//! An assistant acts on the account only through tools, which use the same dispatch as the API. It asks a person
//! before it uses a gated tool and stays within the account's budget. When it answers a customer, it reaches only
//! that contact and that conversation.

mod answers;
pub mod asks;
pub mod assistants;
mod contact_rows;
mod deletion;
pub mod desk;
pub mod held_calls;
pub mod ids;
pub mod instructions;
mod listener;
pub mod memories;
pub mod runs;
mod services;
pub mod spend;
pub mod tools;
mod transcripts;
mod trials;

use frontdesk_platform::Route;
use frontdesk_platform::events::EventDeclaration;
use frontdesk_platform::export::{Exported, Exports};
use serde_json::Value;

pub use contact_rows::ContactRows;
pub use listener::Assistants;
pub use runs::driver::trial::TrialReply;
pub use runs::driver::{Agent, start as start_runner, start_answers as start_answerer};
pub use services::AgentServices;
pub use transcripts::start as start_transcriber;
pub use trials::{NewTrial, Trials, route as trial_route};

/// Every route of this crate.
pub fn routes() -> Vec<Route> {
    let slices = [
        assistants::routes(),
        deletion::routes(),
        tools::routes(),
        instructions::routes(),
        memories::routes(),
        runs::routes(),
        answers::routes(),
        spend::routes(),
    ];
    slices.into_iter().flatten().collect()
}

/// Every event type of this crate.
pub fn event_types() -> Vec<EventDeclaration> {
    [runs::event_types::EVENT_TYPES, asks::event_types::EVENT_TYPES, spend::event_types::EVENT_TYPES].concat()
}

/// What this crate exports. Rows that refer to others come before those.
pub fn exports() -> Exports {
    let slices: [&[&'static dyn Exported]; 7] = [
        spend::EXPORTED,
        asks::EXPORTED,
        runs::EXPORTED,
        transcripts::EXPORTED,
        memories::EXPORTED,
        assistants::EXPORTED,
        instructions::EXPORTED,
    ];
    slices.concat()
}

/// Examples of this crate's resources, by schema name.
pub fn examples() -> Vec<(&'static str, Value)> {
    use asks::Ask;
    use assistants::Assistant;
    use instructions::Instruction;
    use memories::Memory;
    use runs::{Run, RunEvent};
    use spend::AiUsage;
    use tools::Tool;
    frontdesk_web::examples![Assistant, Instruction, Memory, Tool, Run, RunEvent, Ask, AiUsage]
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [
        assistants::statements(),
        deletion::STATEMENTS.to_vec(),
        instructions::STATEMENTS.to_vec(),
        memories::statements(),
        runs::statements(),
        asks::statements(),
        held_calls::STATEMENTS.to_vec(),
        spend::statements(),
        transcripts::statements(),
    ]
    .concat()
}

/// Statements that run only on PostgreSQL.
pub fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    [runs::postgres_statements(), vec![transcripts::postgres_statement()]].concat()
}

/// The jobs that wait, by kind.
pub fn backlogs() -> Vec<frontdesk_jobs::Backlog> {
    [&runs::BACKLOGS[..], &[transcripts::BACKLOG]].concat()
}
