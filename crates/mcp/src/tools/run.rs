//! `run_assistant`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Arguments;
use super::arguments::{self, id, key_schema, object, words};
use crate::api::{Api, Refused};
use crate::approval::{About, Answer, Person, Plan, with_approval};
use crate::cursor::Cursor;
use crate::marked::NOTE;
use crate::pages::{self, ListCall};

/// Assistants that are listed, and the tokens of the list.
const LISTED_MAX: usize = 20;
const LISTED_TOKENS: usize = 3_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    assistant_id: Option<String>,
    goal: Option<String>,
    contact_id: Option<String>,
    conversation_id: Option<String>,
    idempotency_key: Option<String>,
}

pub(super) fn schema() -> Value {
    object(
        json!({
            "assistant_id": id("The assistant; without one, the assistants are listed."),
            "goal": words("What it is to do."),
            "contact_id": id("The contact that it is about."),
            "conversation_id": id("The conversation that it is about."),
            "idempotency_key": key_schema(),
        }),
        &[],
    )
}

pub(super) async fn run(api: &Api, arguments: Arguments, person: &Person) -> Result<Answer, Refused> {
    let wanted: Run = arguments::parse(arguments)?;
    let Some(assistant) = wanted.assistant_id else { return assistants(api).await.map(Answer::from) };
    let goal = wanted.goal.ok_or_else(|| Refused::new("goal is required."))?;
    let mut body = json!({ "assistant_id": assistant, "goal": goal });
    let mut about = About::NobodyAlone;
    if let Some(id) = wanted.contact_id {
        body["contact_id"] = json!(id);
        about = About::Contact(id);
    }
    if let Some(id) = wanted.conversation_id {
        body["conversation_id"] = json!(id);
        about = About::Conversation(id);
    }
    let plan = Plan {
        tool: "start_run",
        what: format!("start an assistant, which may write to customers: {goal}"),
        shown: body.clone(),
        operation: "startRun",
        params: Vec::new(),
        body: Some(body),
        about,
        call_key: arguments::call_key(wanted.idempotency_key)?,
    };
    with_approval(api, person, plan).await
}

async fn assistants(api: &Api) -> Result<Value, Refused> {
    let list = ListCall::new("listAssistants", LISTED_MAX);
    let rows = pages::read(api, &list, &Cursor::default(), usize::MAX).await?.rows;
    let mut short: Vec<Value> = Vec::new();
    let mut left = LISTED_TOKENS;
    for row in rows {
        let one = json!({ "id": row["id"], "name": row["name"], "enabled": row["enabled"] });
        left = left.saturating_sub(crate::budget::tokens_of(&one));
        if left == 0 {
            break;
        }
        short.push(one);
    }
    Ok(json!({ "note": NOTE, "assistants": short }))
}
