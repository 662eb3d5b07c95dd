//! AI spend: what calls of models cost, in micro-dollars, and the account's monthly budget.
//!
//! A call is reserved at the most that it can cost before it is made, and settled by what it did cost. What is spent and
//! reserved together never passes the budget, whatever runs do at the same time, because both change one row of the month. A
//! call whose outcome is unknown, as after a crash, is settled at what was reserved: the provider may have billed it.

mod api;
pub(crate) mod batch;
mod budget;
pub mod event_types;
mod ledger;
mod usage;

pub use api::routes;
pub(crate) use batch::MadeCall;
pub use budget::{Budget, Period, budget_of};
pub use ledger::{
    CallId, Reservation, Settlement, is_exhausted, reserve, settle, settle_lost, stale, with_lost_calls,
};
pub use usage::{AiUsage, UsageFilters};

/// Every statement of AI spend, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [ledger::STATEMENTS, batch::STATEMENTS, usage::STATEMENTS].concat()
}

/// Statements that only PostgreSQL is asked.
pub(crate) fn postgres_statements() -> &'static [(&'static str, &'static str)] {
    batch::POSTGRES_STATEMENTS
}
