//! The input that creates and updates assistants.

use std::str::FromStr;

use frontdesk_inbox::answerers::PERSONAL_PREFIX;
use frontdesk_inbox::connections::{Channel, ConnectionId};
use frontdesk_kernel::ids::UserId;
use frontdesk_kernel::{Patch, Text};
use frontdesk_web::{
    Components, Entries, FieldPath, Given, Input, Items, Problems, Within, input, text_input,
};
use serde_json::{Map, Value, json};

use super::assistant::{CHILDREN_MAX, Delegation};
use super::schedule::ScheduleInput;
use crate::tools::{self, ConfinedToolName, ToolName};

pub(super) const PROMPT_CHARS_MAX: usize = 32_000;
const HISTORY_MAX: i64 = 1_000;
const TARGETS_MAX: usize = 50;
/// Maximum tools in a list.
pub(super) const TOOLS_MAX: usize = 100;
const TEMPERATURE_MAX: f64 = 2.0;
const COST_USD_MAX: f64 = 1_000_000.0;

pub(super) type ToolNames = Items<ToolName, TOOLS_MAX>;
/// The tools that reach the whole account in a confined run.
pub type ConfinedToolNames = Items<ConfinedToolName, TOOLS_MAX>;
pub(super) type ToolAccess = Entries<bool, TOOLS_MAX>;
pub(super) type Targets = Items<Target, TARGETS_MAX>;

input! {
    /// A new assistant. Every field but the name has a default.
    pub struct NewAssistant {
        pub name: Text<100>,
        pub color: Option<Text<32>>,
        /// Defaults to true.
        pub enabled: Option<bool>,
        pub system_prompt: Option<Text<PROMPT_CHARS_MAX>>,
        pub model: Option<Text<100>>,
        pub temperature: Option<Temperature>,
        pub tool_access: Option<ToolAccess>,
        pub gated_tools: Option<ToolNames>,
        pub delegation: Option<DelegationInput>,
        /// Defaults to always.
        pub schedule: Option<ScheduleInput>,
        pub default_handoff_user_id: Option<UserId>,
        /// Defaults to 50; null for the whole history.
        pub history_limit: Patch<Within<0, HISTORY_MAX>>,
        pub transcribe_media: Option<bool>,
        pub handle_voice: Option<bool>,
        pub handle_images: Option<bool>,
        pub voice_replies: Option<bool>,
        pub voice_provider: Option<Text<50>>,
        pub voice_id: Option<Text<100>>,
        pub targets: Option<Targets>,
    }
    shape = names_tools;
}

input! {
    /// Changes of an assistant. Null clears a field that may be empty; maps and lists are replaced as a
    /// whole.
    pub struct AssistantPatch {
        pub name: Given<Text<100>>,
        pub color: Patch<Text<32>>,
        pub enabled: Given<bool>,
        pub system_prompt: Patch<Text<PROMPT_CHARS_MAX>>,
        pub model: Patch<Text<100>>,
        pub temperature: Patch<Temperature>,
        pub tool_access: Given<ToolAccess>,
        pub gated_tools: Given<ToolNames>,
        pub delegation: Given<DelegationInput>,
        pub schedule: Given<ScheduleInput>,
        pub default_handoff_user_id: Patch<UserId>,
        pub history_limit: Patch<Within<0, HISTORY_MAX>>,
        pub transcribe_media: Given<bool>,
        pub handle_voice: Given<bool>,
        pub handle_images: Given<bool>,
        pub voice_replies: Given<bool>,
        pub voice_provider: Patch<Text<50>>,
        pub voice_id: Patch<Text<100>>,
        pub targets: Given<Targets>,
    }
    shape = names_tools;
}

input! {
    /// Which tools an assistant has.
    pub struct ToolSettings {
        /// Tools that are enabled or disabled, by id. Other tools have their default.
        pub tool_access: ToolAccess,
        /// Tools that a person must approve each time.
        pub gated_tools: ToolNames,
        /// Tools that reach the whole account also in a confined run: one that a customer's message, an event or a
        /// webhook started. None when left out.
        pub unconfined_tools: Option<ConfinedToolNames>,
    }
    shape = names_tools;
}

/// The keys of `tool_access` must be tools.
fn names_tools(assistant: &Map<String, Value>, problems: &mut Problems) {
    for tool in assistant.get("tool_access").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        if tools::find(tool).is_none() {
            problems.add(format!("tool_access.{tool}"), tools::UNKNOWN);
        }
    }
}

input! {
    /// An assistant's limits for sub-runs.
    pub struct DelegationInput {
        /// Defaults to false.
        pub enabled: Option<bool>,
        /// Null for any tool that the parent has.
        pub allowed_tools: Option<ToolNames>,
        /// Defaults to 3.
        pub max_children_per_run: Option<Within<0, CHILDREN_MAX>>,
        pub max_cost_usd: Option<CostUsd>,
    }
}

impl From<DelegationInput> for Delegation {
    fn from(input: DelegationInput) -> Self {
        let usual = Self::default();
        Self {
            enabled: input.enabled.unwrap_or(usual.enabled),
            allowed_tools: input.allowed_tools.map(|tools| tools::names(&tools.0)),
            max_children_per_run: input
                .max_children_per_run
                .map_or(usual.max_children_per_run, |most| most.0),
            max_cost_usd: input.max_cost_usd.map(|cost| cost.0),
        }
    }
}

/// The sampling temperature of the model, from 0 to 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature(pub f64);

/// An amount in US dollars above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostUsd(pub f64);

fn number(
    value: Option<&Value>,
    at: &FieldPath,
    problems: &mut Problems,
    fits: impl Fn(f64) -> bool,
    must: String,
) -> Option<f64> {
    let number = input::present(value, at, problems)?.as_f64().filter(|number| fits(*number));
    if number.is_none() {
        problems.at(at, must);
    }
    number
}

impl Input for Temperature {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": TEMPERATURE_MAX })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let must = format!("must be a number from 0 to {TEMPERATURE_MAX}");
        number(value, at, problems, |number| (0.0..=TEMPERATURE_MAX).contains(&number), must).map(Self)
    }
}

impl Input for CostUsd {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "number", "exclusiveMinimum": 0, "maximum": COST_USD_MAX })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        let must = format!("must be an amount in US dollars above 0, at most {COST_USD_MAX}");
        number(value, at, problems, |number| number > 0.0 && number <= COST_USD_MAX, must).map(Self)
    }
}

/// A channel or a personal number on which an assistant takes new conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Channel(Channel),
    Personal(ConnectionId),
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "must be a channel (whatsapp, personal_whatsapp, messenger, instagram or web_chat), or pwa: and the id of a personal number"
)]
pub struct NotATarget;

impl FromStr for Target {
    type Err = NotATarget;

    fn from_str(text: &str) -> Result<Self, NotATarget> {
        match text.strip_prefix(PERSONAL_PREFIX) {
            Some(id) => id.parse().map(Self::Personal).map_err(|_| NotATarget),
            None => text.parse().map(Self::Channel).map_err(|_| NotATarget),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Channel(channel) => f.write_str(channel.as_str()),
            Self::Personal(connection) => write!(f, "{PERSONAL_PREFIX}{connection}"),
        }
    }
}

text_input!(Target, |_| {
    let personal = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
    json!({
        "type": "string", "pattern": format!("^({}|{PERSONAL_PREFIX}{personal})$", Channel::WORDS.join("|")),
        "examples": ["whatsapp"],
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(body: &Value) -> Vec<String> {
        let mut problems = Problems::new();
        let read = NewAssistant::read(Some(body), &mut FieldPath::root(), &mut problems);
        assert_eq!(read.is_none(), !problems.is_empty());
        problems.iter().map(|(path, _)| path.to_owned()).collect()
    }

    #[test]
    fn a_name_is_all_that_an_assistant_needs() {
        assert_eq!(problems(&json!({ "name": "Robin" })), [""; 0]);
    }

    #[test]
    fn everything_wrong_is_told_at_once() {
        let found = problems(&json!({
            "name": " ",
            "temperature": 2.1,
            "tool_access": { "fly": true, "add_tag": "yes" },
            "gated_tools": ["add_tag", "fly"],
            "delegation": { "max_children_per_run": 21, "max_cost_usd": 0 },
            "schedule": { "mode": "custom_hours" },
            "history_limit": -1,
            "targets": ["whatsapp", "sms", "pwa:7"],
        }));
        for path in [
            "name",
            "temperature",
            "tool_access.fly",
            "tool_access.add_tag",
            "gated_tools.1",
            "delegation.max_children_per_run",
            "delegation.max_cost_usd",
            "schedule.hours",
            "history_limit",
            "targets.1",
            "targets.2",
        ] {
            assert!(found.iter().any(|one| one == path), "{path} is not in {found:?}");
        }
        assert_eq!(found.len(), 11, "{found:?}");
    }
}
