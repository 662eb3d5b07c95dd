//! The tools of one assistant.

use super::assistant::{Assistant, AssistantTool};
use crate::tools;

/// Every tool of the catalogue, with this assistant's settings.
pub(super) fn of(assistant: &Assistant) -> Vec<AssistantTool> {
    tools::all()
        .iter()
        .map(|tool| AssistantTool {
            id: tool.id,
            name: tool.name,
            description: tool.description,
            category: tool.category,
            critical: tool.critical,
            default_enabled: tool.default_enabled,
            parameters: tool.parameters(),
            enabled: assistant.has_tool(tool),
            gated: assistant.is_gated(tool),
        })
        .collect()
}
