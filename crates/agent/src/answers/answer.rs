//! Answering an ask.

use frontdesk_db::Tx;
use frontdesk_platform::By;
use frontdesk_web::Problems;
use serde_json::{Value, json};

use crate::asks::{self, Ask, AskAnswer, AskError, AskKind, AskStatus, Decision, MISSING};
use crate::ids::AskId;
use crate::runs::{self, Input};

/// Answers an ask and resumes its run. The run is locked before the ask is read, so of two concurrent answers only
/// the first succeeds.
pub(super) fn answer(tx: &mut Tx<'_>, by: &By, id: AskId, given: &AskAnswer) -> Result<Ask, AskError> {
    let found = asks::look(tx, by.account, id)?.ok_or(MISSING)?;
    let held = match found.raised_by {
        Some(run) => runs::hold(tx, by.account, run)?,
        None => None,
    };
    let row = asks::hold(tx, by.account, id)?.ok_or(MISSING)?;
    if row.ask.status != AskStatus::Pending {
        return Err(AskError::Over(row.ask.status));
    }
    let Some(run) = held.filter(|run| !run.run.status.is_over()) else {
        return Err(AskError::Over(AskStatus::Cancelled));
    };
    let status = status_of(row.ask.kind, given)?;
    let words = given.answer.as_ref().or(given.note.as_ref()).map(ToString::to_string);
    let author = by.author(tx)?;
    let ask = Ask { answer: words.clone(), answered_by: Some(author), ..row.ask };
    let facts = facts(&ask, status);
    if !asks::settle(tx, by, ask, status)? {
        return Err(tx.again().into());
    }
    let call = row.call;
    let input = match status {
        AskStatus::Approved => Input::Approved { call, facts },
        AskStatus::Answered => Input::Answered { call, answer: words.unwrap_or_default(), facts },
        _ => Input::Declined { call, note: words, facts },
    };
    runs::resume(tx, by, run, input)?;
    let answered = asks::look(tx, by.account, id)?.ok_or(MISSING)?;
    Ok(answered.ask)
}

fn facts(ask: &Ask, status: AskStatus) -> Value {
    json!({ "ask_id": ask.id, "status": status, "answer": ask.answer, "answered_by": ask.answered_by })
}

/// The status that an answer gives to an ask of this kind.
pub(super) fn status_of(kind: AskKind, given: &AskAnswer) -> Result<AskStatus, AskError> {
    match (kind, given.decision, &given.answer) {
        (AskKind::Approval, Some(Decision::Approve), _) => Ok(AskStatus::Approved),
        (AskKind::Approval, Some(Decision::Decline), _)
        | (AskKind::Question, Some(Decision::Decline), None) => Ok(AskStatus::Declined),
        (AskKind::Question, None, Some(_)) => Ok(AskStatus::Answered),
        (AskKind::Approval, None, _) => {
            Err(AskError::Invalid(Problems::one("decision", "is required, because this is an approval")))
        }
        (AskKind::Question, ..) => {
            Err(AskError::Invalid(Problems::one("answer", "is required, because this is a question")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_is_decided_and_a_question_is_answered() {
        let given = |decision, answer: Option<&str>| AskAnswer {
            decision,
            note: None,
            answer: answer.map(|answer| answer.parse().unwrap()),
        };
        let status = |kind, decision, answer| status_of(kind, &given(decision, answer)).ok();
        let (approve, decline) = (Some(Decision::Approve), Some(Decision::Decline));
        assert_eq!(status(AskKind::Approval, approve, None), Some(AskStatus::Approved));
        assert_eq!(status(AskKind::Approval, decline, None), Some(AskStatus::Declined));
        assert_eq!(status(AskKind::Approval, None, Some("Yes")), None);
        assert_eq!(status(AskKind::Question, None, Some("Yes")), Some(AskStatus::Answered));
        assert_eq!(status(AskKind::Question, decline, None), Some(AskStatus::Declined));
        assert_eq!(status(AskKind::Question, approve, None), None);
    }
}
