//! The status of a deal, and its transitions.

use std::fmt;

use frontdesk_web::choice;

choice! {
    /// The status of a deal.
    pub enum DealStatus {
        Open => "open",
        Won => "won",
        Lost => "lost",
    }
}

choice! {
    /// The outcome of a deal.
    pub enum DealOutcome {
        Won => "won",
        Lost => "lost",
    }
}

frontdesk_db::text_column!(DealStatus);

/// An action on a deal that depends on its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Move,
    Close(DealOutcome),
    Reopen,
}

/// An action that the status of a deal forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a deal that is {from} cannot {act}")]
pub struct Forbidden {
    pub from: DealStatus,
    pub act: Act,
}

impl DealStatus {
    /// The status of the deal after the action.
    pub fn after(self, act: Act) -> Result<Self, Forbidden> {
        match (self, act) {
            (Self::Open, Act::Move) | (Self::Won | Self::Lost, Act::Reopen) => Ok(Self::Open),
            (Self::Open, Act::Close(DealOutcome::Won)) => Ok(Self::Won),
            (Self::Open, Act::Close(DealOutcome::Lost)) => Ok(Self::Lost),
            (Self::Won | Self::Lost, Act::Move | Act::Close(_)) | (Self::Open, Act::Reopen) => {
                Err(Forbidden { from: self, act })
            }
        }
    }
}

impl Forbidden {
    /// What to do instead.
    pub fn advice(self) -> &'static str {
        match self.act {
            Act::Move => "This deal is closed, so it cannot move. Reopen it first.",
            Act::Close(_) => "This deal is closed already. Reopen it first to close it another way.",
            Act::Reopen => "This deal is open already, so there is nothing to reopen.",
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move => f.write_str("move"),
            Self::Close(outcome) => write!(f, "be closed as {outcome}"),
            Self::Reopen => f.write_str("be reopened"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTS: [Act; 4] =
        [Act::Move, Act::Close(DealOutcome::Won), Act::Close(DealOutcome::Lost), Act::Reopen];

    #[test]
    fn an_open_deal_moves_and_closes_and_a_closed_one_only_reopens() {
        use DealStatus::{Lost, Open, Won};
        let after = |from: DealStatus| ACTS.map(|act| from.after(act).ok());
        assert_eq!(after(Open), [Some(Open), Some(Won), Some(Lost), None]);
        assert_eq!(after(Won), [None, None, None, Some(Open)]);
        assert_eq!(after(Lost), after(Won));
    }

    #[test]
    fn a_forbidden_action_names_the_action_and_the_status() {
        let said = DealStatus::Won.after(Act::Close(DealOutcome::Lost)).unwrap_err();
        assert_eq!(said.to_string(), "a deal that is won cannot be closed as lost");
        assert!(said.advice().contains("Reopen it"));
    }
}
