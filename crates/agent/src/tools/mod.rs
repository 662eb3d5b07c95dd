//! The tool catalogue: what assistants can do, and how far each tool reaches.
//!
//! A tool is an API operation, called through the same dispatch as over HTTP, or one of the few tools that only runs
//! have (`hand_off`, `ask_human`, `delegate`, `schedule_follow_up`). A tool plans its call from arguments that were
//! checked against its schema, and from the run's contact and conversation. In a confined run, no plan reaches
//! another contact or conversation, whatever the arguments say.

mod api;
mod binding;
mod catalogue;
mod outcome;
mod plans;
mod schema;
mod scopes;

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::LazyLock;

use frontdesk_web::{choice, text_input};
use serde_json::{Map, Value, json};

pub use api::{Tool, routes};
pub(crate) use binding::{Binding, Owned, Refused};
pub use catalogue::all;
pub(crate) use outcome::content;
pub(crate) use plans::Planned;
pub use scopes::approval_scope;

/// The problem reported for a tool that does not exist.
pub const UNKNOWN: &str = "must be the id of a tool; GET /tools lists them";

choice! {
    /// The category of a tool.
    pub enum Category {
        Contacts => "contacts",
        Conversations => "conversations",
        Deals => "deals",
        Inquiries => "inquiries",
        Broadcasts => "broadcasts",
        Memory => "memory",
        People => "people",
        Runs => "runs",
    }
}

/// How far a tool reaches in a confined run, unless the assistant's `unconfined_tools` name it. Then it reaches the whole
/// account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// No contact at all, so there is nothing to confine.
    Nobody,
    /// Only the run's own contact and conversation. A confined run without a contact does not have the tool.
    Contact,
    /// The whole account, so a confined run does not have the tool.
    Account,
}

/// What happens when a tool is used.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// An operation of the API.
    Call(Plan),
    HandOff,
    AskHuman,
    Delegate,
    FollowUp,
}

/// Plans an operation call from checked arguments.
pub(crate) type Plan = fn(&Map<String, Value>, &Binding) -> Result<Planned, Refused>;

/// A tool of the catalogue.
pub struct ToolSpec {
    pub id: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub category: Category,
    /// A person always approves it.
    pub critical: bool,
    pub default_enabled: bool,
    pub reach: Reach,
    pub(crate) work: Work,
    /// The properties of its arguments, and which of them are required.
    pub(crate) properties: fn() -> Value,
    pub(crate) required: &'static [&'static str],
}

impl ToolSpec {
    /// Whether `unconfined_tools` may name it.
    pub fn can_be_unconfined(&self) -> bool {
        self.reach != Reach::Nobody
    }

    /// The JSON Schema of its arguments.
    pub fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": (self.properties)(),
            "required": self.required,
            "additionalProperties": false,
        })
    }

    /// The problems of a call's arguments.
    pub(crate) fn problems_of(&self, arguments: &Value) -> Vec<String> {
        // Every call is checked, so the schemas are built once.
        static SCHEMAS: LazyLock<BTreeMap<&str, Value>> =
            LazyLock::new(|| all().iter().map(|tool| (tool.id, tool.parameters())).collect());
        match SCHEMAS.get(self.id) {
            Some(schema) => schema::check(schema, arguments),
            None => schema::check(&self.parameters(), arguments),
        }
    }
}

/// A tool by its id.
pub fn find(id: &str) -> Option<&'static ToolSpec> {
    all().iter().find(|tool| tool.id == id)
}

/// The id of an existing tool, in a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolName(pub &'static str);

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{UNKNOWN}")]
pub struct NotATool;

impl FromStr for ToolName {
    type Err = NotATool;

    fn from_str(text: &str) -> Result<Self, NotATool> {
        find(text).map(|tool| Self(tool.id)).ok_or(NotATool)
    }
}

text_input!(ToolName, |_| {
    let ids: Vec<&str> = all().iter().map(|tool| tool.id).collect();
    json!({ "type": "string", "enum": ids })
});

/// The id of an existing tool that can be unconfined, in a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfinedToolName(ToolName);

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("must be the id of a tool that can be unconfined; GET /tools lists them with can_be_unconfined")]
pub struct NotAConfinedTool;

impl FromStr for ConfinedToolName {
    type Err = NotAConfinedTool;

    fn from_str(text: &str) -> Result<Self, NotAConfinedTool> {
        let tool = find(text).filter(|tool| tool.can_be_unconfined()).ok_or(NotAConfinedTool)?;
        Ok(Self(ToolName(tool.id)))
    }
}

impl From<ConfinedToolName> for ToolName {
    fn from(tool: ConfinedToolName) -> Self {
        tool.0
    }
}

text_input!(ConfinedToolName, |_| {
    let ids: Vec<&str> = all().iter().filter(|tool| tool.can_be_unconfined()).map(|tool| tool.id).collect();
    json!({ "type": "string", "enum": ids })
});

/// The distinct ids of tools.
pub fn names<T: Copy + Into<ToolName>>(tools: &[T]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(tools.len());
    for tool in tools {
        let ToolName(id) = (*tool).into();
        if !names.iter().any(|name| name == id) {
            names.push(id.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests;
