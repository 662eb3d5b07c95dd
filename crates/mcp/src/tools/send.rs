//! `send`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Arguments;
use super::arguments::{self, id, key_schema, object, words};
use crate::api::{Api, Refused};
use crate::approval::{About, Answer, Person, Plan, with_approval};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Send {
    conversation_id: Option<String>,
    phone: Option<String>,
    text: Option<String>,
    template: Option<String>,
    language: Option<String>,
    body_params: Option<Vec<String>>,
    broadcast: Option<Broadcast>,
    idempotency_key: Option<String>,
}

/// A template for many.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Broadcast {
    name: String,
    segment_id: Option<String>,
    tag_ids: Option<Vec<String>>,
    contact_ids: Option<Vec<String>>,
    variables: Option<Value>,
}

pub(super) fn schema() -> Value {
    object(
        json!({
            "conversation_id": id("The conversation to write into."),
            "phone": words("A phone number with its country code, for somebody without a conversation."),
            "text": words("What to say. A customer who has not written for 24 hours needs a template on most channels."),
            "template": words("The name of an approved template, in place of text."),
            "language": words("The template's language, such as en_US."),
            "body_params": { "type": "array", "items": { "type": "string" }, "description": "Values for {{1}}, {{2}}, … of the template." },
            "broadcast": broadcast_schema(),
            "idempotency_key": key_schema(),
        }),
        &[],
    )
}

pub(super) fn broadcast_schema() -> Value {
    let ids = json!({ "type": "array", "items": { "type": "string", "format": "uuid" } });
    let mut schema = object(
        json!({
            "name": words("What the broadcast is called."),
            "segment_id": id("Everybody in this segment."),
            "tag_ids": ids,
            "contact_ids": ids,
            "variables": { "type": "object", "description": "How placeholders are filled in, as POST /broadcasts takes it." },
        }),
        &["name"],
    );
    schema["description"] =
        "Sends the template to many: exactly one of segment_id, tag_ids and contact_ids.".into();
    schema
}

pub(super) async fn run(api: &Api, arguments: Arguments, person: &Person) -> Result<Answer, Refused> {
    let send: Send = arguments::parse(arguments)?;
    let call_key = arguments::call_key(send.idempotency_key.clone())?;
    if let Some(broadcast) = send.broadcast {
        let Some(template) = send.template else {
            return Err(Refused::new("A broadcast needs a template."));
        };
        if send.text.is_some() || send.phone.is_some() || send.conversation_id.is_some() {
            return Err(Refused::new(
                "A broadcast goes to its audience. Leave out text, phone and conversation_id.",
            ));
        }
        return with_approval(api, person, planned(broadcast, &template, send.language, None, call_key)?)
            .await;
    }
    let (to, about) = match (send.conversation_id, send.phone) {
        (Some(id), None) => (json!({ "conversation_id": id }), About::Conversation(id)),
        (None, Some(phone)) => (json!({ "phone": phone }), About::Phone(phone)),
        _ => return Err(Refused::new("Name exactly one of conversation_id, phone and broadcast.")),
    };
    let (tool, body) = match (&send.text, &send.template) {
        (Some(text), None) => ("send_message", json!({ "type": "text", "to": to, "text": text })),
        (None, Some(name)) => {
            let template =
                json!({ "name": name, "language": send.language, "body_params": send.body_params });
            ("send_template", json!({ "type": "template", "to": to, "template": template }))
        }
        _ => return Err(Refused::new("Give exactly one of text and template.")),
    };
    let mut shown = to;
    let details = [
        ("text", json!(send.text)),
        ("template", json!(send.template)),
        ("language", json!(send.language)),
        ("body_params", json!(send.body_params)),
    ];
    for (name, value) in details.into_iter().filter(|(_, value)| !value.is_null()) {
        shown[name] = value;
    }
    let what = match (&send.text, &send.template) {
        (Some(text), _) => format!("send this message: {text}"),
        (_, template) => format!("send the template {}", template.as_deref().unwrap_or_default()),
    };
    let plan = Plan {
        tool,
        what,
        shown,
        operation: "sendMessage",
        params: Vec::new(),
        body: Some(body),
        about,
        call_key,
    };
    with_approval(api, person, plan).await
}

/// The plan of a broadcast.
pub(super) fn planned(
    broadcast: Broadcast,
    template: &str,
    language: Option<String>,
    schedule_at: Option<String>,
    call_key: Option<String>,
) -> Result<Plan, Refused> {
    let (audience, named) = match (&broadcast.segment_id, &broadcast.tag_ids, &broadcast.contact_ids) {
        (Some(id), None, None) => (json!({ "type": "segment", "segment_id": id }), ("segment_id", json!(id))),
        (None, Some(ids), None) => (json!({ "type": "tags", "tag_ids": ids }), ("tag_ids", json!(ids))),
        (None, None, Some(ids)) => {
            (json!({ "type": "contacts", "contact_ids": ids }), ("contact_ids", json!(ids)))
        }
        _ => return Err(Refused::new("Name exactly one of segment_id, tag_ids and contact_ids.")),
    };
    let mut shown = json!({ "name": broadcast.name, "template": template });
    shown[named.0] = named.1;
    let mut body = json!({
        "name": broadcast.name,
        "template": { "name": template, "language": language },
        "audience": audience,
    });
    for (name, value) in [("language", json!(language)), ("schedule_at", json!(schedule_at))] {
        if !value.is_null() {
            shown[name] = value;
        }
    }
    if let Some(at) = &schedule_at {
        body["schedule_at"] = json!(at);
    }
    if let Some(variables) = &broadcast.variables {
        body["variables"] = variables.clone();
        shown["variables"] = variables.clone();
    }
    let when = schedule_at.map_or_else(String::new, |at| format!(", starting at {at}"));
    Ok(Plan {
        tool: "start_broadcast",
        what: format!(
            "send the template {template} to many people, as the broadcast {}{when}",
            broadcast.name
        ),
        shown,
        operation: "createBroadcast",
        params: Vec::new(),
        body: Some(body),
        about: About::NobodyAlone,
        call_key,
    })
}
