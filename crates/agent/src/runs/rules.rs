//! Which tools a run has, and which of them a person must approve.

use super::row::RunRow;
use super::status::Origin;
use super::step::{Rules, ToolRule};
use crate::assistants::Assistant;
use crate::tools::{self, Binding, Reach, ToolSpec, Work};

/// The tools of a run.
pub(crate) fn of(assistant: &Assistant, row: &RunRow) -> Rules {
    let has = |tool: &&ToolSpec| {
        assistant.has_tool(tool)
            && row.tools.as_ref().is_none_or(|given| given.iter().any(|name| name == tool.id))
            && !(row.confined && tool.reach == Reach::Wide && !assistant.names_tool(tool.id))
            && fits(tool, assistant, row)
    };
    let rule = |tool: &ToolSpec| ToolRule {
        is_gated: assistant.is_gated(tool),
        is_question: matches!(tool.work, Work::AskHuman),
    };
    Rules { tools: tools::all().iter().filter(has).map(|tool| (tool.id, rule(tool))).collect() }
}

fn fits(tool: &ToolSpec, assistant: &Assistant, row: &RunRow) -> bool {
    match tool.work {
        // Sub-runs do not start sub-runs of their own.
        Work::Delegate => assistant.delegation.enabled && row.origin != Origin::Delegated,
        Work::HandOff => row.run.conversation_id.is_some(),
        Work::Call(_) | Work::AskHuman | Work::FollowUp => true,
    }
}

/// What one tool of a run may reach.
pub(crate) fn binding(tool: &ToolSpec, assistant: &Assistant, row: &RunRow) -> Binding {
    let is_widened = match tool.reach {
        Reach::Bound => false,
        Reach::Widens | Reach::Wide => assistant.names_tool(tool.id),
    };
    Binding {
        contact: row.run.contact_id,
        conversation: row.run.conversation_id,
        is_confined: row.confined && !is_widened,
    }
}

/// The tools that a sub-run is given: those that were asked for, or all, as far as the assistant lets sub-runs have them and
/// the parent has them itself.
pub(crate) fn for_child(parent: &Rules, assistant: &Assistant, wanted: Option<&[String]>) -> Vec<String> {
    let allowed = assistant.delegation.allowed_tools.as_deref();
    let is_in =
        |list: Option<&[String]>, id: &str| list.is_none_or(|list| list.iter().any(|name| name == id));
    let given =
        parent.tools.keys().filter(|id| **id != "delegate" && is_in(allowed, id) && is_in(wanted, id));
    given.map(|id| (*id).to_owned()).collect()
}
