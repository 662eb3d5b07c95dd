//! `answer_ask`.
//!
//! A person answers asks. So an answer is passed on only after the program's user has confirmed it, or for a key that was
//! made with `--unattended`. A model that was fooled could approve its own ask otherwise.

use frontdesk_kernel::hex;
use frontdesk_platform::operations::Invocation;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Arguments;
use super::arguments::{self, id, object, one_of, words};
use crate::api::{Api, Refused};
use crate::approval::{Answer, Person, done};
use crate::budget::cut;

/// Tokens of the ask in the question to the user.
const PROMPT_TOKENS_MAX: usize = 600;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    ask_id: String,
    decision: Option<String>,
    answer: Option<String>,
    note: Option<String>,
}

pub(super) fn schema() -> Value {
    object(
        json!({
            "ask_id": id("The ask's id."),
            "decision": one_of(&["approve", "decline"], "For an approval; decline also leaves a question open."),
            "answer": words("For a question."),
            "note": words("A note about the decision."),
        }),
        &["ask_id"],
    )
}

pub(super) async fn run(api: &Api, arguments: Arguments, person: &Person) -> Result<Answer, Refused> {
    let state = fingerprint(&arguments);
    let given: Given = arguments::parse(arguments)?;
    let ask = api.get("getAsk", &given.ask_id).await;
    let words = match (&given.decision, &given.answer) {
        (Some(decision), None) => decision.clone(),
        (None, Some(answer)) => format!("answer “{answer}”"),
        _ => return Err(Refused::new("Give a decision about an approval, or an answer to a question.")),
    };
    if !api.principal.is_unattended() {
        match &person.said {
            Some(said) if said.state != state => {
                return Err(Refused::new(
                    "This confirmation belongs to another call. Make the call again without it.",
                ));
            }
            Some(said) if !said.is_accepted => {
                return Ok(json!({ "status": "not_confirmed", "next": "Nothing was done. Your user did not confirm it." }).into());
            }
            Some(_) => {}
            None if person.can_be_asked => {
                let ask = ask?;
                let (prompt, _) = cut(ask["prompt"].as_str().unwrap_or_default(), PROMPT_TOKENS_MAX);
                return Ok(Answer::Question { message: format!("{prompt}\n\nYour answer: {words}."), state });
            }
            None => {
                return Err(Refused(format!(
                    "Only a person answers this, and this program cannot ask its user. Tell your user to answer it at {}/app/approvals.",
                    api.base_url
                )));
            }
        }
    }
    let body = json!({ "decision": given.decision, "answer": given.answer, "note": given.note });
    let invocation = Invocation { params: vec![given.ask_id], body: Some(body), ..Invocation::default() };
    let answered = api.call("answerAsk", invocation).await?;
    Ok(done(&answered).into())
}

/// What a confirmation is about.
fn fingerprint(arguments: &Arguments) -> String {
    let hash = Sha256::digest(json!(arguments).to_string());
    hex(&hash)
}
