//! Runs: an assistant at work on a goal, as a durable loop of ticks.
//!
//! `step` is pure: a machine and an input become the next machine and effects. The driver (`driver`) carries out
//! effects and stores each step, with its timeline entries, before the next begins. A tool's effect, its result and
//! the run's next state commit in one transaction, so a crash neither loses nor repeats one. A worker holds a run
//! under a lease. After it loses the lease, its commits change nothing.

mod advance;
mod api;
mod ask_expiry;
mod conversation;
pub(crate) mod driver;
mod ending;
mod event;
pub mod event_types;
mod follow_ups;
pub mod limits;
mod machine;
mod retention;
mod row;
mod rules;
mod run;
mod start;
mod status;
mod step;

use frontdesk_db as db;

pub(crate) use advance::resume;
pub use api::routes;
pub(crate) use conversation::{HandedOver, any_assistant, expect, handed_over, received};
pub use driver::as_record;
pub use ending::cancel;
pub(crate) use ending::cancel_all_of;
pub use event::{RunEvent, RunEventFilters, RunEventId, RunEventType, after as events_after};
pub use machine::{Entry, Machine};
pub use retention::purge;
pub(crate) use row::hold;
pub use row::{account_of, find, find_many, list, recent};
pub use run::{NewRun, Run, RunError, RunFilters};
pub use start::{Launch, Start, may_start, start, start_one, start_with};
pub use status::{Origin, RunStatus};
pub(crate) use step::Input;

use crate::ids::RunId;
use frontdesk_crm::contacts::ContactId;
use frontdesk_platform::By;

/// The topic that wakes the worker: one for runs that a customer waits for, and one for all others.
pub(crate) const fn queue_of(is_answer: bool) -> db::Topic {
    if is_answer { "answers" } else { "runs" }
}

/// The topic that tells workers that a run was stopped.
pub(crate) const STOPPED: db::Topic = "runs stopped";

/// Every statement of runs, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [
        row::STATEMENTS,
        event::STATEMENTS,
        ask_expiry::STATEMENTS,
        retention::STATEMENTS,
        conversation::STATEMENTS,
        follow_ups::STATEMENTS,
        &driver::statements()[..],
    ]
    .concat()
}

/// Statements that run only on PostgreSQL.
pub(crate) fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    driver::postgres_statements()
}

/// Cancels the active runs about an erased contact, and erases the content of all runs about it.
pub(crate) fn erase_of(tx: &mut db::Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
    for id in tx.query(row::ACTIVE_OF_CONTACT, &[&by.account, &contact], db::only::<RunId>)? {
        if let Some(run) = hold(tx, by.account, id)?.filter(|run| !run.run.status.is_over()) {
            ending::end(tx, by, run, ending::End::Cancelled("Its contact was erased."))?;
        }
    }
    for statement in [row::FORGET_EVENTS, row::FORGET_CONTACT] {
        let _any_number_is_fine = tx.execute(statement, &[&by.account, &contact])?;
    }
    Ok(())
}

/// Moves the runs about one contact to another.
pub(crate) fn repoint(tx: &mut db::Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(row::MOVE_CONTACT, &[&by.account, &from, &into])?;
    Ok(())
}
