//! Which tools a run has, and which of them a person must approve.

use super::row::RunRow;
use super::status::Origin;
use super::step::{Rules, ToolRule};
use crate::assistants::{Assistant, UnconfinedTools};
use crate::tools::{self, Binding, Reach, ToolSpec, Work};

/// The tools of a run.
pub(crate) fn of(assistant: &Assistant, unconfined: &UnconfinedTools, row: &RunRow) -> Rules {
    let has = |tool: &&ToolSpec| {
        assistant.has_tool(tool)
            && row.tools.as_ref().is_none_or(|given| given.iter().any(|name| name == tool.id))
            && (!row.confined || unconfined.contains(tool) || is_for_confined(tool, row))
            && fits(tool, assistant, row)
    };
    let rule = |tool: &ToolSpec| ToolRule {
        is_gated: assistant.is_gated(tool),
        is_question: matches!(tool.work, Work::AskHuman),
    };
    Rules { tools: tools::all().iter().filter(has).map(|tool| (tool.id, rule(tool))).collect() }
}

/// Whether a confined run has a tool that is not unconfined.
fn is_for_confined(tool: &ToolSpec, row: &RunRow) -> bool {
    match tool.reach {
        Reach::Nobody => true,
        Reach::Contact => row.run.contact_id.is_some(),
        Reach::Account => false,
    }
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
pub(crate) fn binding(tool: &ToolSpec, unconfined: &UnconfinedTools, row: &RunRow) -> Binding {
    Binding {
        contact: row.run.contact_id,
        conversation: row.run.conversation_id,
        is_confined: row.confined && !unconfined.contains(tool),
    }
}

/// The tools of a sub-run: those that were requested, or all. They are limited to the tools that the assistant allows
/// for sub-runs and that the parent has.
pub(crate) fn for_child(parent: &Rules, assistant: &Assistant, wanted: Option<&[String]>) -> Vec<String> {
    let allowed = assistant.delegation.allowed_tools.as_deref();
    let is_given = |id: &&str| *id != "delegate" && is_in(allowed, id) && is_in(wanted, id);
    parent.tools.keys().copied().filter(is_given).map(ToOwned::to_owned).collect()
}

/// Whether a list contains a tool. No list means every tool.
fn is_in(list: Option<&[String]>, id: &str) -> bool {
    list.is_none_or(|list| list.iter().any(|name| name == id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_web::Example;

    #[test]
    fn a_sub_run_gets_what_is_wanted_allowed_and_had() {
        let rule = ToolRule { is_gated: false, is_question: false };
        let mut parent = Rules::default();
        parent.tools.extend(["add_tag", "get_contact", "delegate"].map(|id| (id, rule)));
        let mut assistant = Assistant::example();
        let given = |assistant: &Assistant, wanted: Option<&[String]>| for_child(&parent, assistant, wanted);
        assert_eq!(given(&assistant, None), ["add_tag", "get_contact"]);
        assert_eq!(given(&assistant, Some(&["add_tag".to_owned(), "delete_deal".to_owned()])), ["add_tag"]);
        assistant.delegation.allowed_tools = Some(vec!["get_contact".to_owned()]);
        assert_eq!(given(&assistant, None), ["get_contact"]);
        assistant.delegation.allowed_tools = Some(Vec::new());
        assert_eq!(given(&assistant, None), [""; 0]);
    }
}
