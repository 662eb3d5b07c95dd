//! AI spend: the cost of model calls, in micro-dollars, and the account's monthly budget.
//!
//! A call is reserved at its maximum cost before it is made, and settled at its actual cost. Spent and reserved
//! together never exceed the budget, however many runs call models at the same time, because both are in one row per
//! month. A call whose outcome is unknown, for example after a crash, is settled at the reserved amount, because the
//! provider may have billed it.

mod api;
mod budget;
mod counting;
mod days;
mod dearest;
pub mod event_types;
mod ledger;
mod sql;
mod usage;

use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::export::{Exported, ExportedRows};
use frontdesk_platform::export_columns;

pub use api::routes;
pub use budget::{Budget, Period, budget_of};
pub(crate) use counting::count_refused;
pub use days::DayRange;
pub(crate) use dearest::dearest;
pub use ledger::{
    CallId, MadeCall, Reservation, Settlement, book, is_exhausted, mark_settled, reserve, settle,
    settle_lost, stale, with_lost_calls,
};
pub use usage::{AiUsage, UsageFilters};

use crate::ids::RunId;

/// The calls of models, and their sums by month and by day.
pub(crate) const EXPORTED: &[&dyn Exported] = &[
    &ExportedRows::new(
        "ai_calls",
        &["ai_calls"],
        export_columns!(
            "id": CallId, "run_id": RunId, "assistant_id": AssistantId, "model": String, "month": String, "day": String,
            "state": String, "reserved_micros": i64, "cost_micros": i64, "tokens_in": i64, "tokens_out": i64,
        ),
    ),
    &ExportedRows::new(
        "ai_months",
        &["ai_months"],
        export_columns!("month": String, "spent_micros": i64, "reserved_micros": i64),
    )
    .keyed(&["t.month"]),
    &ExportedRows::new(
        "ai_days",
        &["ai_days"],
        export_columns!(
            "day": String, "model": String, "assistant_id": AssistantId, "calls": i64, "tokens_in": i64, "tokens_out": i64,
            "cost_micros": i64,
        ),
    )
    .keyed(&["t.day", "t.model", "t.assistant_id"]),
];

/// Every statement of AI spend, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}
