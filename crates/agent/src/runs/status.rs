//! The status of a run, and the actions that each status allows.

use frontdesk_web::choice;

choice! {
    /// The status of a run. A `waiting` run waits for a person's answer or for a sub-run.
    pub enum RunStatus {
        Queued => "queued",
        Running => "running",
        Waiting => "waiting",
        Succeeded => "succeeded",
        Failed => "failed",
        Cancelled => "cancelled",
    }
}

choice! {
    /// How a run began.
    pub enum Origin {
        Api => "api",
        /// A customer sent a message.
        Conversation => "conversation",
        /// Another run gave it a part of its work.
        Delegated => "delegated",
        /// Another run scheduled it.
        FollowUp => "follow_up",
        Trigger => "trigger",
    }
}

frontdesk_db::text_column!(RunStatus, Origin);

/// An action on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A worker claims it.
    Take,
    /// It waits for a person or a sub-run.
    Wait,
    /// It resumes, or is retried later.
    Queue,
    Succeed,
    Fail,
    Cancel,
}

/// An action that the status of a run forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a run that is {from} cannot do this: {act:?}")]
pub struct Forbidden {
    pub from: RunStatus,
    pub act: Act,
}

impl RunStatus {
    /// The status after an action.
    pub fn after(self, act: Act) -> Result<Self, Forbidden> {
        match (self, act) {
            // A worker that died leaves its run as running.
            (Self::Queued | Self::Running, Act::Take) => Ok(Self::Running),
            (Self::Running, Act::Wait) => Ok(Self::Waiting),
            (Self::Running | Self::Waiting, Act::Queue) => Ok(Self::Queued),
            (Self::Running, Act::Succeed) => Ok(Self::Succeeded),
            // A run that is not running fails when one of its asks expires.
            (Self::Queued | Self::Running | Self::Waiting, Act::Fail) => Ok(Self::Failed),
            (Self::Queued | Self::Running | Self::Waiting, Act::Cancel) => Ok(Self::Cancelled),
            (from, act) => Err(Forbidden { from, act }),
        }
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_stays_over() {
        use Act::{Cancel, Fail, Queue, Succeed, Take, Wait};
        for status in RunStatus::ALL.iter().filter(|status| status.is_over()) {
            for act in [Take, Wait, Queue, Succeed, Fail, Cancel] {
                assert_eq!(status.after(act), Err(Forbidden { from: *status, act }));
            }
        }
    }

    #[test]
    fn a_run_is_cancelled_wherever_it_stands_until_it_is_over() {
        for status in RunStatus::ALL.iter().filter(|status| !status.is_over()) {
            assert_eq!(status.after(Act::Cancel), Ok(RunStatus::Cancelled));
        }
    }

    #[test]
    fn a_run_waits_only_while_it_runs_and_goes_on_through_the_queue() {
        assert!(RunStatus::Queued.after(Act::Wait).is_err());
        let waiting = RunStatus::Queued.after(Act::Take).and_then(|run| run.after(Act::Wait)).unwrap();
        assert_eq!(waiting.after(Act::Take).map_err(|wrong| wrong.from), Err(RunStatus::Waiting));
        assert_eq!(waiting.after(Act::Queue).and_then(|run| run.after(Act::Take)), Ok(RunStatus::Running));
    }
}
