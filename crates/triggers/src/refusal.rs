//! Why a firing starts no run.

use frontdesk_agent::runs::RunError;
use frontdesk_db as db;
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::choice;

choice! {
    /// Why a firing starts no run. `last_error` of a trigger holds the same codes.
    pub enum TriggerRefusal {
        TriggerDisabled => "trigger_disabled",
        AccountSuspended => "account_suspended",
        AssistantDisabled => "assistant_disabled",
        BudgetExhausted => "ai_budget_exhausted",
        /// The operator does not allow the assistant's model.
        OverOperatorLimit => "over_operator_limit",
        ContactMissing => "contact_missing",
        SegmentMissing => "segment_missing",
        SegmentEmpty => "segment_empty",
        NoSendingHours => "no_sending_hours",
        AlreadyFired => "already_fired",
        KeepsFailing => "keeps_failing",
    }
}

impl TriggerRefusal {
    /// Converts an error that stops a run from starting to a refusal. A store failure stays an error.
    pub(crate) fn of(error: RunError) -> db::Result<Self> {
        match error {
            RunError::Platform(PlatformError::Store(error)) => Err(error),
            RunError::BudgetExhausted => Ok(Self::BudgetExhausted),
            RunError::ModelNotAllowed => Ok(Self::OverOperatorLimit),
            // A trigger is deleted with its assistant, so a missing assistant has just been deleted.
            RunError::AssistantDisabled | RunError::Platform(PlatformError::Missing(_)) => {
                Ok(Self::AssistantDisabled)
            }
            RunError::OtherContact | RunError::Forbidden(_) => Err(db::Error::Decode("run")),
        }
    }
}
