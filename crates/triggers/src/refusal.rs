//! Why a firing starts no run.

use frontdesk_agent::runs::RunError;
use frontdesk_db as db;
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::choice;

choice! {
    /// Why a firing starts no run.
    pub enum TriggerRefusal {
        TriggerDisabled => "trigger_disabled",
        AccountSuspended => "account_suspended",
        AssistantDisabled => "assistant_disabled",
        BudgetExhausted => "ai_budget_exhausted",
        ContactMissing => "contact_missing",
        SegmentMissing => "segment_missing",
        SegmentEmpty => "segment_empty",
        NoSendingHours => "no_sending_hours",
        AlreadyFired => "already_fired",
        KeepsFailing => "keeps_failing",
    }
}

impl TriggerRefusal {
    /// The text of `last_error`: what is wrong, and what to do.
    pub(crate) fn explanation(self) -> &'static str {
        match self {
            Self::TriggerDisabled => "This trigger is disabled. Enable it.",
            Self::AccountSuspended => "The account is suspended. Contact support to resume it.",
            Self::AssistantDisabled => {
                "The assistant is disabled. Enable it, or choose another one for this trigger."
            }
            Self::BudgetExhausted => "This month's AI budget is spent. Raise it, or wait for the next month.",
            Self::ContactMissing => {
                "The contact was deleted. Choose another one for this trigger, or delete the trigger."
            }
            Self::SegmentMissing => {
                "The segment was deleted. Choose another one for this trigger, or delete the trigger."
            }
            Self::SegmentEmpty => "The segment has no contacts. Change its rules if it should have some.",
            Self::NoSendingHours => {
                "The account's sending hours never open. Set them, or turn off respect_quiet_hours for this trigger."
            }
            Self::AlreadyFired => {
                "The time of this trigger has come already. Set another run_at to fire it again."
            }
            Self::KeepsFailing => {
                "This trigger failed several times because of an internal error. Change it to try again, and report it if it fails again."
            }
        }
    }

    /// Converts an error that stops a run from starting to a refusal. A store failure stays an error.
    pub(crate) fn of(error: RunError) -> db::Result<Self> {
        match error {
            RunError::Platform(PlatformError::Store(error)) => Err(error),
            RunError::BudgetExhausted => Ok(Self::BudgetExhausted),
            // A trigger is deleted with its assistant, so a missing assistant has just been deleted.
            RunError::AssistantDisabled | RunError::Platform(PlatformError::Missing(_)) => {
                Ok(Self::AssistantDisabled)
            }
            RunError::OtherContact | RunError::Forbidden(_) => Err(db::Error::Decode("run")),
        }
    }
}
