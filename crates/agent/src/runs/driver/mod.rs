//! The driver: carries out the effects of run steps, on the job engine.
//!
//! A lane is an account. A job is a run that is due, held under a lease that each commit renews. Everything that the
//! driver does is a step that is stored before the next begins, so another worker can continue a run that loses its
//! worker.

mod asking;
mod briefing;
mod drive;
mod faults;
mod held;
mod history;
mod listening;
mod own_tools;
mod prompt;
mod read_gates;
mod reply;
mod runner;
mod scene;
mod spending;
mod step_writer;
mod think;
mod tool_use;
mod voice;

pub use prompt::as_record;
pub use runner::{start, start_answers};

use std::sync::Arc;

use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_models::{Models, ModelsConfig};
use frontdesk_platform::accounts::Account;
use frontdesk_platform::{Dispatcher, ServerContext};
use uuid::Uuid;

use super::row::RunRow;
use crate::assistants::Assistant;
use crate::ids::RunId;

use read_gates::ReadGates;
use step_writer::StepWriter;

/// Every statement of the driver, by name.
pub(crate) fn statements() -> Vec<(&'static str, &'static str)> {
    [&runner::statements()[..], faults::STATEMENTS, scene::STATEMENTS, history::STATEMENTS].concat()
}

/// Statements that run only on PostgreSQL.
pub(crate) fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    runner::postgres_statements()
}

/// The services that runs use.
pub struct Agent {
    pub server: ServerContext,
    /// Dispatches the API operations that tools call.
    pub dispatcher: Arc<Dispatcher>,
    pub models: Models,
    pub settings: ModelsConfig,
    /// Random numbers that add jitter to retries.
    pub chance: fn() -> u64,
    read_gates: ReadGates,
    step_writer: StepWriter,
}

impl Agent {
    pub fn new(
        server: ServerContext,
        dispatcher: Arc<Dispatcher>,
        models: Models,
        settings: ModelsConfig,
        chance: fn() -> u64,
    ) -> Self {
        let step_writer = StepWriter::new(server.store.clone());
        Self { server, dispatcher, models, settings, chance, read_gates: ReadGates::default(), step_writer }
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.server.clock)()
    }

    /// The model that an assistant uses.
    pub(crate) fn model_of(&self, assistant: &Assistant, account: &Account) -> String {
        let chosen = assistant.model.clone().or_else(|| account.model.clone());
        chosen.unwrap_or_else(|| self.settings.chat_model().to_owned())
    }
}

/// A claimed run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    account: AccountId,
    run: RunId,
    lease: Uuid,
}

/// A claimed run, with its row at the time of the claim.
pub(crate) struct ClaimedRun {
    job: Job,
    row: RunRow,
    /// A worker that crashed left model calls without an outcome.
    has_lost_calls: bool,
}

impl ClaimedRun {
    /// A run that was claimed by the transaction that started it.
    pub(crate) fn fresh(row: RunRow, lease: Uuid) -> Self {
        let job = Job { account: row.account, run: row.run.id, lease };
        Self { job, row, has_lost_calls: false }
    }
}
