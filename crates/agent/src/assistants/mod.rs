//! Assistants: they answer customers and work for the account, each with its own model, tools and hours.
//!
//! An assistant always has all of its fields. Its targets are written to the inbox in the same transaction. Deleting
//! an assistant cancels its runs and gives its conversations to people.

mod api;
mod assistant;
mod exported;
mod input;
mod instructions;
mod ops;
mod patching;
mod references;
mod row;
mod schedule;
mod sql;
mod tool_settings;
pub(crate) mod versions;

pub use api::routes;
pub use assistant::{Assistant, AssistantError, AssistantTool, Delegation, MISSING, UnconfinedTools};
pub(crate) use exported::EXPORTED;
pub use input::{AssistantPatch, ConfinedToolNames, NewAssistant};
pub use instructions::{BOUND_MAX, bound, shared as shared_instructions};
pub(crate) use instructions::{expect_bound, named as named_instructions};
pub(crate) use ops::{check_new, delete};
pub use ops::{create, of_new, patch, replace, set_instructions};
pub(crate) use patching::{check_patch, patched};
pub(crate) use row::{expect, expect_unconfined_tools};
pub use row::{find, find_to_change as hold, list, list_all, unconfined_tools};
pub use schedule::{Schedule, ScheduleMode, is_open};
pub use versions::{AssistantVersion, AssistantVersionDetail, VersionId};

/// Every statement of assistants, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}
