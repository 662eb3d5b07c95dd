//! The run, and why one cannot be started or cancelled.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db as db;
use frontdesk_inbox::conversations::ConversationId;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Failure, Problems, filters, input, resource};

use super::limits::GOAL_CHARS_MAX;
use super::status::{Forbidden, RunStatus};
use crate::asks::Ask;
use crate::ids::{RunId, TriggerId};

resource! {
    /// An assistant's work on a goal.
    pub struct Run {
        pub id: RunId,
        pub assistant_id: AssistantId,
        /// The trigger that started it.
        pub trigger_id: Option<TriggerId>,
        /// The parent run.
        pub parent_run_id: Option<RunId>,
        /// The contact it is about.
        pub contact_id: Option<ContactId>,
        /// The conversation it is about.
        pub conversation_id: Option<ConversationId>,
        pub goal: String,
        pub status: RunStatus,
        /// The assistant's final text.
        pub result: Option<String>,
        /// Why it failed or was cancelled.
        pub error: Option<String>,
        pub cost_usd: f64,
        pub tokens_in: i64,
        pub tokens_out: i64,
        /// Model calls.
        pub tick_count: i64,
        /// Asks that must be answered before it continues, including those of its sub-runs.
        pub pending_asks: Vec<Ask>,
        pub started_at: Option<Timestamp>,
        pub finished_at: Option<Timestamp>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new run.
    pub struct NewRun {
        pub assistant_id: AssistantId,
        /// The goal of the run.
        pub goal: Text<GOAL_CHARS_MAX>,
        /// The contact it is about.
        pub contact_id: Option<ContactId>,
        /// The conversation it is about. The run gets its contact.
        pub conversation_id: Option<ConversationId>,
    }
}

filters! {
    /// Which runs to list.
    pub struct RunFilters {
        pub status: Option<RunStatus>,
        pub assistant_id: Option<AssistantId>,
        pub trigger_id: Option<TriggerId>,
        pub contact_id: Option<ContactId>,
        pub conversation_id: Option<ConversationId>,
        pub parent_run_id: Option<RunId>,
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("the assistant is disabled")]
    AssistantDisabled,
    #[error("the month's AI budget is spent")]
    BudgetExhausted,
    #[error("the operator does not allow the assistant's model")]
    ModelNotAllowed,
    #[error("the conversation is another contact's")]
    OtherContact,
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
}

/// The text for a run whose model the operator does not allow.
pub(crate) const MODEL_NOT_ALLOWED: &str = "The operator does not allow this account the assistant's model. Choose another model for the assistant, or ask the operator to allow this one.";

impl From<db::Error> for RunError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl RunError {
    /// What to do about it, for people.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Platform(_) => "Try again later.",
            Self::AssistantDisabled => "This assistant is disabled. Enable it, or use another one.",
            Self::BudgetExhausted => {
                "This month's AI budget is spent. Raise it (`frontdesk account set ID --ai-budget USD`), or wait for the next month."
            }
            Self::ModelNotAllowed => MODEL_NOT_ALLOWED,
            Self::OtherContact => "must be a conversation of this contact",
            Self::Forbidden(_) => "This run is over already, so there is nothing to cancel.",
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let advice = error.advice();
        match error {
            RunError::Platform(error) => error.into(),
            RunError::AssistantDisabled => Self::unprocessable("assistant_disabled", advice),
            RunError::BudgetExhausted => {
                Self::unprocessable("ai_budget_exhausted", advice).of_limit("ai_budget")
            }
            RunError::ModelNotAllowed => Self::unprocessable("over_operator_limit", advice),
            RunError::OtherContact => Self::validation(Problems::one("conversation_id", advice)),
            RunError::Forbidden(_) => Self::conflict(advice),
        }
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("run");

impl Example for Run {
    fn example() -> Self {
        Self {
            id: example::id(),
            assistant_id: example::id(),
            trigger_id: None,
            parent_run_id: None,
            contact_id: Some(example::id()),
            conversation_id: None,
            goal: "Ask Ann whether the chairs arrived.".into(),
            status: RunStatus::Succeeded,
            result: Some("Ann says that all forty chairs arrived.".into()),
            error: None,
            cost_usd: 0.0031,
            tokens_in: 5_200,
            tokens_out: 140,
            tick_count: 2,
            pending_asks: Vec::new(),
            started_at: Some(example::MOMENT),
            finished_at: Some(example::MOMENT),
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
