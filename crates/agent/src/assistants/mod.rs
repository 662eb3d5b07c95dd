//! Assistants: they answer customers and work for the account, each with its own model, tools and hours.
//!
//! An assistant always has all of its fields. Its targets are written to the inbox in the same transaction. Deleting
//! an assistant cancels its runs and gives its conversations to people.

mod api;
mod assistant;
mod input;
mod instructions;
mod ops;
mod references;
mod row;
mod schedule;
mod sql;
mod tool_settings;

pub use api::routes;
pub(crate) use assistant::MISSING;
pub use assistant::{Assistant, AssistantError, AssistantTool, Delegation, UnconfinedTools};
pub use input::{AssistantPatch, NewAssistant};
pub(crate) use instructions::expect_bound;
pub use instructions::{bind, bound};
pub(crate) use ops::delete;
pub use ops::{create, patch};
pub(crate) use row::{expect, expect_unconfined_tools, find_to_change as hold};
pub use row::{find, list, list_all, unconfined_tools};
pub use schedule::{Schedule, ScheduleMode, is_open};

/// Every statement of assistants, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}
