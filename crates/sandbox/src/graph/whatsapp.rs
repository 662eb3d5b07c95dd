//! WhatsApp Cloud: Meta's checks of a message, and its responses.

use http::StatusCode;
use serde_json::{Value, json};

use super::error::GraphError;
use super::{fill, is_number};
use crate::connection::{Connection, digits};
use crate::fault::{self, On};
use crate::mark;
use crate::request::Request;
use crate::response::{Disconnect, SandboxResponse, json as answer_json};
use crate::sandbox::Sandbox;
use crate::sent::{Sent, Status};
use crate::template::Template;

/// Characters of a text, and of a caption.
const TEXT_MAX: usize = 4096;
const CAPTION_MAX: usize = 1024;
/// Characters of the callback data that Meta returns in status webhooks.
const CALLBACK_MAX: usize = 512;
/// Digits of a number.
const NUMBER_MIN: usize = 7;
const NUMBER_MAX: usize = 15;
/// The window is closed.
const OUTSIDE_WINDOW: i64 = 131_047;

const TYPES: [&str; 11] = [
    "audio",
    "contacts",
    "document",
    "image",
    "interactive",
    "location",
    "reaction",
    "sticker",
    "template",
    "text",
    "video",
];

/// A validated message to send.
#[derive(Debug, Default)]
struct Draft {
    /// The recipient as the caller wrote it, and WhatsApp's form of it.
    input: String,
    to: String,
    kind: String,
    text: Option<String>,
    template: Option<Value>,
    media: Option<Value>,
    reply_to: Option<String>,
    our_id: Option<String>,
}

pub(super) async fn send(
    sandbox: &Sandbox,
    request: &Request,
    connection: &Connection,
) -> Result<SandboxResponse, Disconnect> {
    let Some(body) = request.value() else {
        return Ok(GraphError::new(100, "(#100) The body is not JSON.").response());
    };
    if body["messaging_product"] != "whatsapp" {
        return Ok(GraphError::required("messaging_product").response());
    }
    if body["status"] == "read" {
        return Ok(receive_receipt(sandbox, connection, &body));
    }
    let to = body["to"].as_str().or(body["recipient"].as_str()).map(digits);
    let fault = sandbox.fault(&[On::Send], Some(&connection.id), to.as_deref());
    fault::under(fault, |fault| GraphError::of(fault).response(), || accept(sandbox, connection, body)).await
}

/// Marks a customer's message as read. An unknown one is from before the sandbox started.
fn receive_receipt(sandbox: &Sandbox, connection: &Connection, body: &Value) -> SandboxResponse {
    let Some(id) = body["message_id"].as_str() else { return GraphError::required("message_id").response() };
    sandbox.state().chats.see(&connection.id, id);
    answer_json(StatusCode::OK, &json!({ "success": true }))
}

fn accept(sandbox: &Sandbox, connection: &Connection, body: Value) -> SandboxResponse {
    let now = sandbox.now();
    let mut state = sandbox.state();
    let waba = connection.waba_id.as_deref().unwrap_or_default();
    let draft = match read(&body, state.catalogue.of(waba)) {
        Ok(draft) => draft,
        Err(error) => return error.response(),
    };
    let is_open = draft.template.is_some()
        || state.chats.is_open(&connection.id, &draft.to, state.settings.window, now);
    drop(state);
    let id = mark::wamid(&draft.to);
    let mut contact = json!({ "input": draft.input });
    contact[if is_number(&draft.to) { "wa_id" } else { "user_id" }] = json!(draft.to);
    let response = json!({
        "messaging_product": "whatsapp",
        "contacts": [contact],
        "messages": [{ "id": id, "message_status": "accepted" }],
    });
    let message = Sent {
        id,
        connection_id: connection.id.clone(),
        channel: connection.channel.clone(),
        to: draft.to,
        kind: draft.kind,
        text: draft.text,
        template: draft.template,
        media: draft.media,
        reply_to: draft.reply_to,
        our_id: draft.our_id,
        status: Status::Accepted,
        error_code: None,
        at: now,
        raw: body,
    };
    // Meta accepts a message outside the window and reports the failure later.
    sandbox.accept(connection, message, (!is_open).then_some(OUTSIDE_WINDOW));
    answer_json(StatusCode::OK, &response)
}

fn read(body: &Value, templates: &[Template]) -> Result<Draft, GraphError> {
    let (input, to) = recipient(body)?;
    let kind = body["type"].as_str().unwrap_or("text").to_lowercase();
    if !TYPES.contains(&kind.as_str()) {
        let types = TYPES.join(", ").to_uppercase();
        return Err(GraphError::new(
            100,
            format!("(#100) Param type must be one of {{{types}}} - got \"{kind}\"."),
        ));
    }
    let part = &body[&kind];
    // Contacts are a list; everything else is an object.
    if !part.is_object() && !part.is_array() {
        return Err(GraphError::detailed(
            131_008,
            format!("Parameter '{kind}' is mandatory for type '{kind}'"),
        ));
    }
    let our_id = body["biz_opaque_callback_data"].as_str();
    if our_id.is_some_and(|text| text.chars().count() > CALLBACK_MAX) {
        return Err(too_long("biz_opaque_callback_data", CALLBACK_MAX));
    }
    let mut draft = Draft {
        input,
        to,
        reply_to: body["context"]["message_id"].as_str().map(str::to_owned),
        our_id: our_id.map(str::to_owned),
        ..Draft::default()
    };
    match kind.as_str() {
        "text" => draft.text = Some(text(part, "body", "text['body']", TEXT_MAX)?),
        "template" => {
            draft.text = Some(fill::check(part, templates)?);
            draft.template = Some(json!({
                "name": part["name"],
                "language": part["language"]["code"],
                "components": part["components"],
            }));
        }
        "audio" | "document" | "image" | "sticker" | "video" => draft.media = Some(media(&kind, part)?),
        "interactive" => {
            draft.text = Some(text(&part["body"], "text", "interactive['body']['text']", CAPTION_MAX)?);
        }
        "reaction" => draft.text = Some(part["emoji"].as_str().unwrap_or_default().to_owned()),
        "location" if !(part["latitude"].is_number() || part["latitude"].is_string()) => {
            return Err(GraphError::required("location['latitude']"));
        }
        _ => {}
    }
    Ok(Draft { kind, ..draft })
}

/// The recipient of a message: a number, or a business-scoped user id.
fn recipient(body: &Value) -> Result<(String, String), GraphError> {
    let input = body["to"].as_str().or(body["recipient"].as_str()).unwrap_or_default();
    if input.trim().is_empty() {
        return Err(GraphError::required("to"));
    }
    let to = digits(input);
    let is_number = is_number(&to) && (NUMBER_MIN..=NUMBER_MAX).contains(&to.len());
    let is_user_id = to.split_once('.').is_some_and(|(country, id)| {
        country.len() == 2
            && !id.is_empty()
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
    });
    if is_number || is_user_id {
        return Ok((input.to_owned(), to));
    }
    Err(GraphError::detailed(131_009, format!("Parameter 'to' is not a phone number: \"{input}\"")))
}

fn text(part: &Value, key: &str, name: &str, max: usize) -> Result<String, GraphError> {
    match part[key].as_str() {
        Some(text) if text.chars().count() > max => Err(too_long(name, max)),
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        _ => Err(GraphError::required(name)),
    }
}

fn too_long(name: &str, max: usize) -> GraphError {
    GraphError::new(100, format!("(#100) Param {name} must be at most {max} characters long."))
}

fn media(kind: &str, part: &Value) -> Result<Value, GraphError> {
    let allowed: &[&str] = match kind {
        "audio" => &["id", "link", "voice"],
        "sticker" => &["id", "link"],
        "document" => &["id", "link", "caption", "filename"],
        _ => &["id", "link", "caption"],
    };
    let keys = part.as_object().into_iter().flatten().map(|(key, _)| key);
    if let Some(other) = keys.into_iter().find(|key| !allowed.contains(&key.as_str())) {
        return Err(GraphError::new(100, format!("(#100) Unexpected key \"{other}\" on param \"{kind}\".")));
    }
    if part["caption"].as_str().is_some_and(|caption| caption.chars().count() > CAPTION_MAX) {
        return Err(too_long(&format!("{kind}['caption']"), CAPTION_MAX));
    }
    let link = part["link"].as_str();
    if link.is_some_and(|link| !link.starts_with("https://") && !link.starts_with("http://")) {
        return Err(GraphError::detailed(131_009, format!("Parameter {kind}['link'] is not a valid URL")));
    }
    if link.is_none() && !part["id"].is_string() {
        return Err(GraphError::detailed(
            131_008,
            format!("Either {kind}['id'] or {kind}['link'] must be given"),
        ));
    }
    Ok(json!({
        "kind": kind,
        "id": part["id"],
        "link": link,
        "caption": part["caption"],
        "filename": part["filename"],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(mut body: Value) -> i64 {
        if body["to"].is_null() {
            body["to"] = json!("+1 650 555 1234");
        }
        read(&body, &[]).map_or_else(|error| error.code, |_| 0)
    }

    #[test]
    fn messages_that_meta_accepts_are_accepted() {
        for body in [
            json!({ "text": { "body": "hi", "preview_url": false } }),
            json!({ "type": "image", "image": { "link": "https://a.test/b.png", "caption": "c" } }),
            json!({ "type": "document", "document": { "link": "https://a.test/b.pdf", "filename": "b.pdf" } }),
            json!({ "type": "audio", "audio": { "id": "1" } }),
            json!({ "type": "text", "to": "US.134912", "text": { "body": "hi" } }),
        ] {
            assert_eq!(code(body.clone()), 0, "{body}");
        }
    }

    #[test]
    fn messages_that_meta_refuses_are_refused_with_its_code() {
        for (wanted, body) in [
            (131_009, json!({ "to": "someone", "text": { "body": "hi" } })),
            (131_009, json!({ "to": "123", "text": { "body": "hi" } })),
            (100, json!({ "to": "", "text": { "body": "hi" } })),
            (100, json!({ "type": "carrier_pigeon" })),
            (131_008, json!({ "type": "image" })),
            (100, json!({ "type": "text", "text": { "body": " " } })),
            (100, json!({ "type": "text", "text": { "body": "x".repeat(TEXT_MAX + 1) } })),
            (100, json!({ "type": "audio", "audio": { "link": "https://a.test/b", "caption": "c" } })),
            (
                100,
                json!({ "type": "image", "image": { "link": "https://a.test/b", "caption": "x".repeat(1025) } }),
            ),
            (131_009, json!({ "type": "image", "image": { "link": "b.png" } })),
            (131_008, json!({ "type": "image", "image": {} })),
        ] {
            assert_eq!(code(body.clone()), wanted, "{body}");
        }
    }
}
