//! `schedule`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Arguments;
use super::arguments::{self, id, key_schema, object, one_of, words};
use super::send::{self, Broadcast};
use crate::api::{Api, Refused};
use crate::approval::{About, Answer, Person, Plan, at_once, with_approval};

const WHATS: [&str; 3] = ["snooze", "broadcast", "assistant_run"];
/// Characters of the name of a trigger.
const NAME_CHARS_MAX: usize = 80;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Schedule {
    what: String,
    at: String,
    conversation_id: Option<String>,
    broadcast: Option<Broadcast>,
    template: Option<String>,
    language: Option<String>,
    assistant_id: Option<String>,
    goal: Option<String>,
    contact_id: Option<String>,
    idempotency_key: Option<String>,
}

pub(super) fn schema() -> Value {
    object(
        json!({
            "what": one_of(&WHATS, "snooze puts a conversation aside until then."),
            "at": { "type": "string", "format": "date-time", "description": "When, such as 2026-01-31T09:30:00Z." },
            "conversation_id": id("For snooze."),
            "broadcast": send::broadcast_schema(),
            "template": words("For a broadcast: the name of an approved template."),
            "language": words("The template's language."),
            "assistant_id": id("For assistant_run: the assistant."),
            "goal": words("For assistant_run: what it is to do then."),
            "contact_id": id("For assistant_run: the contact that it is about, if it is about one."),
            "idempotency_key": key_schema(),
        }),
        &["what", "at"],
    )
}

pub(super) async fn run(api: &Api, arguments: Arguments, person: &Person) -> Result<Answer, Refused> {
    let wanted: Schedule = arguments::parse(arguments)?;
    let call_key = arguments::call_key(wanted.idempotency_key.clone())?;
    let missing = |name: &str| Refused(format!("{name} is required for {}.", wanted.what));
    match wanted.what.as_str() {
        "snooze" => {
            let id = wanted.conversation_id.clone().ok_or_else(|| missing("conversation_id"))?;
            let plan = Plan {
                tool: "snooze_conversation",
                what: "put the conversation aside".to_owned(),
                shown: json!({}),
                operation: "snoozeConversation",
                params: vec![id],
                body: Some(json!({ "until": wanted.at })),
                about: About::NobodyAlone,
                call_key,
            };
            at_once(api, person, plan).await
        }
        "broadcast" => {
            let template = wanted.template.clone().ok_or_else(|| missing("template"))?;
            let broadcast =
                wanted.broadcast.ok_or_else(|| Refused::new("broadcast is required for broadcast."))?;
            let plan = send::planned(broadcast, &template, wanted.language, Some(wanted.at), call_key)?;
            with_approval(api, person, plan).await
        }
        "assistant_run" => {
            let assistant = wanted.assistant_id.clone().ok_or_else(|| missing("assistant_id"))?;
            let goal = wanted.goal.clone().ok_or_else(|| missing("goal"))?;
            with_approval(api, person, planned_run(&wanted, &assistant, &goal, call_key)).await
        }
        _ => Err(Refused(format!("what must be one of {}.", WHATS.join(", ")))),
    }
}

fn planned_run(wanted: &Schedule, assistant: &str, goal: &str, call_key: Option<String>) -> Plan {
    let name: String = goal.chars().take(NAME_CHARS_MAX).collect();
    let mut body = json!({
        "assistant_id": assistant, "name": name, "goal": goal, "kind": "once", "run_at": wanted.at, "enabled": true,
    });
    let mut shown = json!({ "assistant_id": assistant, "goal": goal, "run_at": wanted.at });
    let mut about = About::NobodyAlone;
    if let Some(contact) = &wanted.contact_id {
        body["audience_type"] = json!("contact");
        body["contact_id"] = json!(contact);
        shown["contact_id"] = json!(contact);
        about = About::Contact(contact.clone());
    }
    Plan {
        tool: "create_trigger",
        what: format!("run an assistant at {}: {goal}", wanted.at),
        shown,
        operation: "createTrigger",
        params: Vec::new(),
        body: Some(body),
        about,
        call_key,
    }
}
