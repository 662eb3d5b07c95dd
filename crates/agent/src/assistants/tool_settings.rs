//! The tools of one assistant.

use super::assistant::{Assistant, AssistantTool, UnconfinedTools};
use crate::tools;

/// Every tool of the catalogue, with this assistant's settings.
pub(super) fn of(assistant: &Assistant, unconfined: &UnconfinedTools) -> Vec<AssistantTool> {
    tools::all()
        .iter()
        .map(|tool| AssistantTool {
            id: tool.id,
            name: tool.name,
            description: tool.description,
            category: tool.category,
            critical: tool.critical,
            default_enabled: tool.default_enabled,
            can_be_unconfined: tool.can_be_unconfined(),
            parameters: tool.parameters(),
            enabled: assistant.has_tool(tool),
            gated: assistant.is_gated(tool),
            unconfined: unconfined.contains(tool),
        })
        .collect()
}
