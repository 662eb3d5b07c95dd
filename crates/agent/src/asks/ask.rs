//! The ask, and the input that answers it.

use frontdesk_db as db;
use frontdesk_kernel::ids::{AssistantId, UserId};
use frontdesk_kernel::{Id, Text, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Failure, Problems, choice, filters, input, resource};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::ids::{AskId, RunId};

const ANSWER_CHARS_MAX: usize = 4_000;

choice! {
    /// The kind of ask: to approve the use of a tool, or to answer a question.
    pub enum AskKind {
        Approval => "approval",
        Question => "question",
    }
}

choice! {
    /// The status of an ask.
    pub enum AskStatus {
        Pending => "pending",
        Approved => "approved",
        Declined => "declined",
        Answered => "answered",
        Expired => "expired",
        Cancelled => "cancelled",
    }
}

choice! {
    /// A person's decision.
    pub enum Decision {
        Approve => "approve",
        Decline => "decline",
    }
}

db::text_column!(AskKind, AskStatus);

resource! {
    /// Something that an assistant, or a program, waits for a person to approve or to answer.
    pub struct Ask {
        pub id: AskId,
        /// The run that waits; for an ask of a sub-run, the run at the root. Null if a program asks through MCP.
        pub run_id: Option<RunId>,
        /// Null if a program asks.
        pub assistant_id: Option<AssistantId>,
        pub kind: AskKind,
        /// The question, for people.
        pub prompt: String,
        /// The tool that the assistant wants to use.
        pub tool: Option<String>,
        /// The tool's arguments.
        pub arguments: Option<Box<RawValue>>,
        pub status: AskStatus,
        /// The answer to a question, or the note of a decision.
        pub answer: Option<String>,
        /// The member who answered.
        pub answered_by: Option<UserId>,
        pub expires_at: Timestamp,
        pub answered_at: Option<Timestamp>,
        pub created_at: Timestamp,
    }
}

/// An ask with the run and the tool call that wait for it.
#[derive(Clone, Debug)]
pub(crate) struct AskRow {
    pub(crate) ask: Ask,
    /// None if a program asks.
    pub(crate) raised_by: Option<RunId>,
    pub(crate) call: String,
}

/// The uuid that is stored for a run or an assistant where a program asks. The columns are older than such asks, and older
/// servers read them.
fn stored<T: ?Sized>(id: Option<Id<T>>) -> Id<T> {
    id.unwrap_or_else(|| Id::from_uuid(Uuid::nil()))
}

pub(super) fn read_id<T: ?Sized>(id: Id<T>) -> Option<Id<T>> {
    Some(id).filter(|id| !id.uuid().is_nil())
}

impl AskRow {
    /// What is stored as run, asker and assistant.
    pub(super) fn stored_ids(&self) -> (RunId, RunId, AssistantId) {
        (stored(self.ask.run_id), stored(self.raised_by), stored(self.ask.assistant_id))
    }
}

input! {
    /// An answer: a decision about an approval, or the answer to a question.
    pub struct AskAnswer {
        /// For an approval.
        pub decision: Option<Decision>,
        /// A note to the assistant about the decision.
        pub note: Option<Text<ANSWER_CHARS_MAX>>,
        /// For a question.
        pub answer: Option<Text<ANSWER_CHARS_MAX>>,
    }
    shape = decides_or_answers;
}

fn decides_or_answers(answer: &Map<String, Value>, problems: &mut Problems) {
    let has = |field: &str| !input::is_blank(answer, field);
    match (has("decision"), has("answer")) {
        (false, false) => problems.add("", "must have a decision, or an answer to a question"),
        (true, true) => {
            problems.add("answer", "must be left out where there is a decision; add a note instead");
        }
        _ => {}
    }
}

filters! {
    /// Which asks to list.
    pub struct AskFilters {
        pub status: Option<AskStatus>,
        pub kind: Option<AskKind>,
        pub run_id: Option<RunId>,
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AskError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("the answer does not fit the ask")]
    Invalid(Problems),
    #[error("the ask is {0} already")]
    Over(AskStatus),
}

impl From<db::Error> for AskError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Platform(error) => error.into(),
            AskError::Invalid(problems) => Self::validation(problems),
            AskError::Over(status) => Self::conflict(format!(
                "This ask is {status} already. GET /asks?status=pending lists those that wait."
            )),
        }
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("ask");

impl Example for Ask {
    fn example() -> Self {
        let arguments = r#"{"deal_id":"01890a5d-ac96-774b-bcce-b302099a8057"}"#;
        Self {
            id: example::id(),
            run_id: Some(example::id()),
            assistant_id: Some(example::id()),
            kind: AskKind::Approval,
            prompt: "Robin wants to use the tool \"Delete a deal\".".into(),
            tool: Some("delete_deal".into()),
            arguments: RawValue::from_string(arguments.to_owned()).ok(),
            status: AskStatus::Pending,
            answer: None,
            answered_by: None,
            expires_at: example::MOMENT + super::ASK_TIME_MAX,
            answered_at: None,
            created_at: example::MOMENT,
        }
    }
}
