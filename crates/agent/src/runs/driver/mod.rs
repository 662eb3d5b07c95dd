//! The driver: carries out the effects of run steps, on the job engine.
//!
//! A lane is an account. A job is a run that is due, held under a lease that each commit renews. Everything that the
//! driver does is a step that is stored before the next begins, so another worker can continue a run that loses its
//! worker.

mod asking;
mod drive;
mod faults;
mod held;
mod history;
mod loaded_assistant;
mod media;
mod own_tools;
mod prompt;
mod read_gates;
mod reply;
mod runner;
mod spending;
mod sql;
mod step_context;
mod step_writer;
mod think;
mod tool_use;
pub(crate) mod trial;
mod voice;

pub use prompt::as_record;
pub use runner::{start, start_answers};

use std::ops::Deref;
use std::sync::Arc;

use crate::services::AgentServices;

use read_gates::ReadGates;
use step_writer::StepWriter;

/// Every statement of the driver, by name.
pub(crate) fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS, &[sql::CLAIM.statement(), sql::CLAIM_ANSWERS.statement()]].concat()
}

/// The runs that wait.
pub(crate) const BACKLOGS: [frontdesk_jobs::Backlog; 2] = sql::BACKLOGS;

/// Statements that run only on PostgreSQL.
pub(crate) fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    vec![sql::CLAIM.postgres_statement(), sql::CLAIM_ANSWERS.postgres_statement()]
}

/// The services that runs use, and the queues that they share.
pub struct Agent {
    pub services: Arc<AgentServices>,
    read_gates: ReadGates,
    step_writer: StepWriter,
}

impl Agent {
    pub fn new(services: Arc<AgentServices>) -> Self {
        let step_writer = StepWriter::new(services.server.store.clone());
        Self { services, read_gates: ReadGates::default(), step_writer }
    }
}

impl Deref for Agent {
    type Target = AgentServices;

    fn deref(&self) -> &AgentServices {
        &self.services
    }
}
