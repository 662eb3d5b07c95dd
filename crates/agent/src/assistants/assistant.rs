//! The assistant, and why a change to it fails.

use std::collections::BTreeMap;

use frontdesk_crm::quota::TooMany;
use frontdesk_db as db;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AssistantId, UserId};
use frontdesk_platform::Error as PlatformError;
use frontdesk_platform::accounts::{Account, OverOperatorLimit};
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Failure, Problems, resource};
use serde::Deserialize;
use serde_json::Value;

use super::schedule::Schedule;
use crate::tools::{Category, ToolSpec};

/// Default number of conversation messages that the model reads.
pub(super) const HISTORY_DEFAULT: i64 = 50;
/// Default and maximum number of sub-runs of one run.
const CHILDREN_DEFAULT: i64 = 3;
pub(super) const CHILDREN_MAX: i64 = 20;

resource! {
    /// An assistant answers customers and works on goals for the account.
    pub struct Assistant {
        pub id: AssistantId,
        pub name: String,
        /// Accent colour in the activity feed.
        pub color: Option<String>,
        /// A disabled assistant refuses every run start.
        pub enabled: bool,
        /// Persona and standing instructions, sent to the model on every tick.
        pub system_prompt: String,
        /// Null for the account's default.
        pub model: Option<String>,
        /// Null for the model's default.
        pub temperature: Option<f64>,
        /// Tools that are enabled or disabled. Other tools have the default of `GET /tools`.
        pub tool_access: BTreeMap<String, bool>,
        /// Tools that a person must approve each time, in addition to the critical ones.
        pub gated_tools: Vec<String>,
        pub delegation: Delegation,
        pub schedule: Schedule,
        /// The member who receives conversations that the assistant hands off.
        pub default_handoff_user_id: Option<UserId>,
        /// Recent messages sent to the model: null for all of them, 0 for none.
        pub history_limit: Option<i64>,
        /// Transcribe inbound voice notes and describe photos for the inbox.
        pub transcribe_media: bool,
        /// Send inbound voice notes to the model.
        pub handle_voice: bool,
        /// Send inbound photos to the model.
        pub handle_images: bool,
        /// May reply with a synthesised voice note.
        pub voice_replies: bool,
        /// Text-to-speech provider; null for none.
        pub voice_provider: Option<String>,
        /// The provider's voice; null for its default.
        pub voice_id: Option<String>,
        /// The channels on which it takes new conversations: a channel's name, or `pwa:<connection_id>` for
        /// one personal number.
        pub targets: Vec<String>,
        /// Instructions bound to it.
        pub instruction_count: i64,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

resource! {
    /// An assistant's limits for sub-runs.
    #[derive(PartialEq, Deserialize)]
    pub struct Delegation {
        pub enabled: bool,
        /// Tools that a sub-run may be given: null for any that the parent has, an empty list for none.
        pub allowed_tools: Option<Vec<String>>,
        /// Sub-runs that one run may start.
        pub max_children_per_run: i64,
        /// The maximum cost of the whole tree of runs, in US dollars; null for the server's default.
        pub max_cost_usd: Option<f64>,
    }
}

impl Default for Delegation {
    fn default() -> Self {
        Self {
            enabled: false,
            allowed_tools: None,
            max_children_per_run: CHILDREN_DEFAULT,
            max_cost_usd: None,
        }
    }
}

resource! {
    /// A tool of one assistant.
    pub struct AssistantTool {
        pub id: &'static str,
        pub name: &'static str,
        pub description: &'static str,
        pub category: Category,
        /// A person always approves it.
        pub critical: bool,
        pub default_enabled: bool,
        /// Whether `unconfined_tools` may name it.
        pub can_be_unconfined: bool,
        /// JSON Schema of its arguments.
        pub parameters: Value,
        /// Whether this assistant has it.
        pub enabled: bool,
        /// Whether a person must approve each use by this assistant.
        pub gated: bool,
        /// Whether it reaches the whole account in a confined run, such as one that a customer's message started.
        pub unconfined: bool,
    }
}

/// The tools of an assistant that reach the whole account in a confined run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnconfinedTools(pub(super) Vec<String>);

impl UnconfinedTools {
    /// Their ids, also of tools that are gone.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    pub fn contains(&self, tool: &ToolSpec) -> bool {
        tool.can_be_unconfined() && self.0.iter().any(|name| name == tool.id)
    }
}

impl Assistant {
    /// Whether the assistant has a tool.
    pub fn has_tool(&self, tool: &ToolSpec) -> bool {
        self.tool_access.get(tool.id).copied().unwrap_or(tool.default_enabled)
    }

    /// Whether the operator allows the account the assistant's model. The server's default is the operator's own choice.
    pub fn has_allowed_model(&self, account: &Account) -> bool {
        let model = self.model.as_ref().or(account.model.as_ref());
        model.is_none_or(|model| account.check_model(model).is_ok())
    }

    /// Whether a person must approve each use of a tool.
    pub fn is_gated(&self, tool: &ToolSpec) -> bool {
        tool.critical || self.gated_tools.iter().any(|gated| gated == tool.id)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AssistantError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("the assistant names things that are not in this account")]
    Invalid(Problems),
    #[error(transparent)]
    TooMany(#[from] TooMany),
    #[error(transparent)]
    OverOperatorLimit(#[from] OverOperatorLimit),
}

impl From<db::Error> for AssistantError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<AssistantError> for Failure {
    fn from(error: AssistantError) -> Self {
        match error {
            AssistantError::Platform(error) => error.into(),
            AssistantError::Invalid(problems) => Self::validation(problems),
            AssistantError::TooMany(error) => error.into(),
            AssistantError::OverOperatorLimit(error) => error.into(),
        }
    }
}

pub const MISSING: PlatformError = PlatformError::Missing("assistant");

impl Example for Assistant {
    fn example() -> Self {
        Self {
            id: example::id(),
            name: "Robin".into(),
            color: Some("#2563eb".into()),
            enabled: true,
            system_prompt: "You are Robin of Acme. Be brief and friendly.".into(),
            model: Some("gpt-5-mini".into()),
            temperature: None,
            tool_access: [("search_deals".to_owned(), true)].into(),
            gated_tools: vec!["close_deal".into()],
            delegation: Delegation::default(),
            schedule: Schedule::default(),
            default_handoff_user_id: Some(example::id()),
            history_limit: Some(HISTORY_DEFAULT),
            transcribe_media: false,
            handle_voice: true,
            handle_images: true,
            voice_replies: false,
            voice_provider: None,
            voice_id: None,
            targets: vec!["whatsapp".into()],
            instruction_count: 2,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
