//! AI spend: the cost of model calls, in micro-dollars, and the account's monthly budget.
//!
//! A call is reserved at its maximum cost before it is made, and settled at its actual cost. Spent and reserved
//! together never exceed the budget, however many runs call models at the same time, because both are in one row per
//! month. A call whose outcome is unknown, for example after a crash, is settled at the reserved amount, because the
//! provider may have billed it.

mod api;
mod budget;
mod days;
mod dearest;
pub mod event_types;
mod ledger;
mod sql;
mod usage;

pub use api::routes;
pub use budget::{Budget, Period, budget_of};
pub use days::DayRange;
pub(crate) use dearest::dearest;
pub use ledger::{
    CallId, MadeCall, Reservation, Settlement, book, is_exhausted, mark_settled, reserve, settle,
    settle_lost, stale, with_lost_calls,
};
pub use usage::{AiUsage, UsageFilters};

/// Every statement of AI spend, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}
