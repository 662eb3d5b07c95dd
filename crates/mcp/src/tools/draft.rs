//! `draft_reply`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Arguments;
use super::arguments::{self, id, key_schema, object, words};
use crate::api::{Api, Refused};
use crate::approval::{About, Answer, Person, Plan, at_once};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Draft {
    conversation_id: String,
    text: String,
    idempotency_key: Option<String>,
}

pub(super) fn schema() -> Value {
    object(
        json!({
            "conversation_id": id("The conversation's id."),
            "text": words("The reply that you suggest."),
            "idempotency_key": key_schema(),
        }),
        &["conversation_id", "text"],
    )
}

pub(super) async fn run(api: &Api, arguments: Arguments, person: &Person) -> Result<Answer, Refused> {
    let draft: Draft = arguments::parse(arguments)?;
    let name = api.principal.key_name().unwrap_or_default();
    let plan = Plan {
        tool: "add_note",
        what: "suggest a reply".to_owned(),
        shown: json!({}),
        operation: "createConversationNote",
        params: vec![draft.conversation_id],
        body: Some(json!({ "body": format!("Suggested reply ({name}):\n{}", draft.text) })),
        about: About::NobodyAlone,
        call_key: arguments::call_key(draft.idempotency_key)?,
    };
    at_once(api, person, plan).await
}
