//! Runs: an assistant at work on a goal, as a durable loop of ticks.
//!
//! `step` is pure: a machine and an input become the next machine and effects. The driver (`driver`) carries out
//! effects and stores each step, with its timeline entries, before the next begins. A tool's effect, its result and
//! the run's next state commit in one transaction, so a crash neither loses nor repeats one. A worker holds a run
//! under a lease. After it loses the lease, its commits change nothing.

mod advance;
mod api;
mod ask_expiry;
mod cancel;
mod claimed;
mod contact;
mod conversation;
pub(crate) mod driver;
mod event;
pub mod event_types;
mod exported;
mod follow_ups;
pub mod limits;
mod machine;
mod retention;
mod row;
mod rules;
mod run;
mod sql;
mod start;
mod status;
mod step;
mod topics;

pub(crate) use advance::resume;
pub use api::routes;
pub use cancel::cancel;
pub(crate) use cancel::cancel_all_of;
pub(crate) use contact::{erase_of, repoint};
pub(crate) use conversation::{HandedOver, any_assistant, expect, handed_over, received};
pub use driver::as_record;
pub use event::{RunEvent, RunEventFilters, RunEventId, RunEventType, after as events_after};
pub(crate) use exported::EXPORTED;
pub use machine::{Entry, Machine};
pub use retention::purge;
pub(crate) use row::hold;
pub use row::{account_of, find, find_many, list, recent};
pub use run::{NewRun, Run, RunError, RunFilters};
pub use start::{Launch, Start, may_start, start, start_one, start_with};
pub use status::{Origin, RunStatus};
pub(crate) use step::Input;

/// Every statement of runs, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS, &driver::statements()[..]].concat()
}

/// The runs that wait.
pub(crate) use driver::BACKLOGS;

/// Statements that run only on PostgreSQL.
pub(crate) fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    driver::postgres_statements()
}
