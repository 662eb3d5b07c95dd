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
pub enum Act {
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
    pub act: Act,
}

impl BroadcastStatus {
    /// The status of the broadcast after the action.
    pub fn after(self, act: Act) -> Result<Next, Forbidden> {
        match (self, act) {
            (Self::Draft | Self::Scheduled, Act::Schedule { later: true }) => Ok(Next::Is(Self::Scheduled)),
            (Self::Draft | Self::Scheduled, Act::Schedule { later: false })
            | (Self::Sent | Self::Failed, Act::Retry) => Ok(Next::Is(Self::Sending)),
            (Self::Draft | Self::Scheduled, Act::Cancel) => Ok(Next::Is(Self::Draft)),
            (Self::Sending, Act::Cancel) => Ok(Next::Stops),
            (Self::Sending | Self::Sent | Self::Failed, Act::Schedule { .. })
            | (Self::Sent | Self::Failed, Act::Cancel)
            | (Self::Draft | Self::Scheduled | Self::Sending, Act::Retry) => {
                Err(Forbidden { from: self, act })
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
        match self.act {
            Act::Schedule { .. } => format!(
                "This broadcast is {from}, so it cannot be scheduled. Only a draft can; make another broadcast to send it again."
            ),
            Act::Cancel => format!("This broadcast is {from} already, so there is nothing to cancel."),
            Act::Retry => {
                format!("This broadcast is {from}. Recipients can be tried again once it is sent or failed.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_act_in_every_state() {
        use BroadcastStatus::{Draft, Failed, Scheduled, Sending, Sent};
        let acts = [Act::Schedule { later: true }, Act::Schedule { later: false }, Act::Cancel, Act::Retry];
        let after = |from: BroadcastStatus| acts.map(|act| from.after(act).ok());
        let is = |status| Some(Next::Is(status));
        assert_eq!(after(Draft), [is(Scheduled), is(Sending), is(Draft), None]);
        assert_eq!(after(Scheduled), after(Draft));
        assert_eq!(after(Sending), [None, None, Some(Next::Stops), None]);
        assert_eq!(after(Sent), [None, None, None, is(Sending)]);
        assert_eq!(after(Failed), after(Sent));
    }

    #[test]
    fn a_refusal_says_where_it_stands() {
        let said = BroadcastStatus::Sent.after(Act::Cancel).unwrap_err();
        assert!(said.advice().contains("is sent already"), "{}", said.advice());
    }
}
