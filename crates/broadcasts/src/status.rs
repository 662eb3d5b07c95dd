//! The status of a broadcast, and the actions that each status allows.

use frontdesk_web::choice;

choice! {
    /// The status of a broadcast.
    pub enum BroadcastStatus {
        Draft => "draft",
        Scheduled => "scheduled",
        Sending => "sending",
        Sent => "sent",
        Failed => "failed",
    }
}

frontdesk_db::text_column!(BroadcastStatus);

/// An action on a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Start it, now or later.
    Schedule {
        later: bool,
    },
    Cancel,
    Retry,
}

/// The result of an action on a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Is(BroadcastStatus),
    /// It stops, and becomes `sent` or `failed` when nothing more can be handed over.
    Stops,
}

/// An action that the status of a broadcast does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this cannot be done with a broadcast that is {from}")]
pub struct Forbidden {
    pub from: BroadcastStatus,
    pub action: Action,
}

impl BroadcastStatus {
    /// The status of the broadcast after the action.
    pub fn after(self, action: Action) -> Result<Next, Forbidden> {
        match (self, action) {
            (Self::Draft | Self::Scheduled, Action::Schedule { later: true }) => {
                Ok(Next::Is(Self::Scheduled))
            }
            (Self::Draft | Self::Scheduled, Action::Schedule { later: false })
            | (Self::Sent | Self::Failed, Action::Retry) => Ok(Next::Is(Self::Sending)),
            (Self::Draft | Self::Scheduled, Action::Cancel) => Ok(Next::Is(Self::Draft)),
            (Self::Sending, Action::Cancel) => Ok(Next::Stops),
            (Self::Sending | Self::Sent | Self::Failed, Action::Schedule { .. })
            | (Self::Sent | Self::Failed, Action::Cancel)
            | (Self::Draft | Self::Scheduled | Self::Sending, Action::Retry) => {
                Err(Forbidden { from: self, action })
            }
        }
    }

    /// Whether nothing more happens to it by itself.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Sent | Self::Failed)
    }
}

impl Forbidden {
    /// What to do instead.
    pub fn advice(self) -> String {
        let from = self.from;
        match self.action {
            Action::Schedule { .. } => format!(
                "This broadcast is {from}, so it cannot be scheduled. Only a draft can; make another broadcast to send it again."
            ),
            Action::Cancel => format!("This broadcast is {from} already, so there is nothing to cancel."),
            Action::Retry => {
                format!("This broadcast is {from}. Recipients can be tried again once it is sent or failed.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_in_every_status() {
        use BroadcastStatus::{Draft, Failed, Scheduled, Sending, Sent};
        let actions = [
            Action::Schedule { later: true },
            Action::Schedule { later: false },
            Action::Cancel,
            Action::Retry,
        ];
        let after = |from: BroadcastStatus| actions.map(|action| from.after(action).ok());
        let is = |status| Some(Next::Is(status));
        assert_eq!(after(Draft), [is(Scheduled), is(Sending), is(Draft), None]);
        assert_eq!(after(Scheduled), after(Draft));
        assert_eq!(after(Sending), [None, None, Some(Next::Stops), None]);
        assert_eq!(after(Sent), [None, None, None, is(Sending)]);
        assert_eq!(after(Failed), after(Sent));
    }

    #[test]
    fn a_refusal_says_where_it_stands() {
        let said = BroadcastStatus::Sent.after(Action::Cancel).unwrap_err();
        assert!(said.advice().contains("is sent already"), "{}", said.advice());
    }
}
