//! Messenger and Instagram: Meta's checks of a message, and its responses.

use http::StatusCode;
use serde_json::{Value, json};

use super::error::GraphError;
use crate::connection::Connection;
use crate::fault::{self, On};
use crate::mark;
use crate::request::Request;
use crate::response::{Disconnect, SandboxResponse, json as answer_json};
use crate::sandbox::Sandbox;
use crate::sent::{Sent, Status};

/// Characters of a text in Messenger, and bytes of one in Instagram.
const TEXT_MAX: usize = 2000;
const INSTAGRAM_BYTES_MAX: usize = 1000;

pub(super) async fn send(
    sandbox: &Sandbox,
    request: &Request,
    connection: &Connection,
) -> Result<SandboxResponse, Disconnect> {
    let Some(body) = request.value() else {
        return Ok(GraphError::new(100, "(#100) The body is not JSON.").response());
    };
    let Some(to) = body["recipient"]["id"].as_str().filter(|to| !to.is_empty()).map(str::to_owned) else {
        return Ok(GraphError::required("recipient").response());
    };
    if let Some(action) = body["sender_action"].as_str() {
        return Ok(act(sandbox, connection, &to, action));
    }
    let fault = sandbox.fault(&[On::Send], Some(&connection.id), Some(&to));
    fault::under(fault, |fault| GraphError::of(fault).response(), || accept(sandbox, connection, to, body))
        .await
}

/// A sender action: typing, or marking as read.
fn act(sandbox: &Sandbox, connection: &Connection, to: &str, action: &str) -> SandboxResponse {
    match action {
        "mark_seen" => sandbox.state().chats.see_until(&connection.id, to, sandbox.now()),
        "typing_on" | "typing_off" => {}
        other => {
            let message = format!(
                "(#100) Param sender_action must be one of {{MARK_SEEN, TYPING_OFF, TYPING_ON}} - got \"{other}\"."
            );
            return GraphError::new(100, message).response();
        }
    }
    answer_json(StatusCode::OK, &json!({ "recipient_id": to }))
}

fn accept(sandbox: &Sandbox, connection: &Connection, to: String, body: Value) -> SandboxResponse {
    let now = sandbox.now();
    let (text, media) = match read(connection, &body) {
        Ok(read) => read,
        Err(error) => return error.response(),
    };
    // Unlike WhatsApp, Messenger reports at once that the window is closed. A tag opens it.
    let is_tagged = body["messaging_type"] == "MESSAGE_TAG" && body["tag"].is_string();
    let state = sandbox.state();
    let is_open = is_tagged || state.chats.is_open(&connection.id, &to, state.settings.window, now);
    drop(state);
    if !is_open {
        return GraphError::outside_window().response();
    }
    let id = mark::mid();
    let response = json!({ "recipient_id": to, "message_id": id });
    let kind = media.as_ref().and_then(|media| media["kind"].as_str()).unwrap_or("text").to_owned();
    let reply_to = body["reply_to"]["mid"].as_str().or(body["message"]["reply_to"]["mid"].as_str());
    let message = Sent {
        id,
        connection_id: connection.id.clone(),
        channel: connection.channel.clone(),
        to,
        kind,
        text,
        template: None,
        media,
        reply_to: reply_to.map(str::to_owned),
        our_id: body["message"]["metadata"].as_str().map(str::to_owned),
        status: Status::Accepted,
        error_code: None,
        at: now,
        raw: body,
    };
    sandbox.accept(connection, message, None);
    answer_json(StatusCode::OK, &response)
}

/// The text or the media of a valid message.
fn read(connection: &Connection, body: &Value) -> Result<(Option<String>, Option<Value>), GraphError> {
    let message = &body["message"];
    if !message.is_object() {
        return Err(GraphError::required("message"));
    }
    let types = ["RESPONSE", "UPDATE", "MESSAGE_TAG"];
    if !body["messaging_type"].is_null()
        && !types.contains(&body["messaging_type"].as_str().unwrap_or_default())
    {
        let message = "(#100) Param messaging_type must be one of {RESPONSE, UPDATE, MESSAGE_TAG}";
        return Err(GraphError::new(100, message));
    }
    match (message["text"].as_str(), &message["attachment"]) {
        (Some(_), attachment) if attachment.is_object() => {
            Err(GraphError::new(100, "(#100) Only one of the text and attachment can be specified"))
        }
        (Some(text), _) if text.trim().is_empty() => {
            Err(GraphError::new(100, "(#100) Message cannot be empty, must provide valid attachment or text"))
        }
        (Some(text), _) if connection.channel == "instagram" && text.len() > INSTAGRAM_BYTES_MAX => {
            let message = format!(
                "(#100) Length of param message[text] must be less than or equal to {INSTAGRAM_BYTES_MAX}"
            );
            Err(GraphError::new(100, message))
        }
        (Some(text), _) if text.chars().count() > TEXT_MAX => {
            let message =
                format!("(#100) Length of param message[text] must be less than or equal to {TEXT_MAX}");
            Err(GraphError::new(100, message))
        }
        (Some(text), _) => Ok((Some(text.to_owned()), None)),
        (None, attachment) if attachment.is_object() => attached(attachment).map(|media| (None, Some(media))),
        (None, _) => {
            Err(GraphError::new(100, "(#100) Message cannot be empty, must provide valid attachment or text"))
        }
    }
}

fn attached(attachment: &Value) -> Result<Value, GraphError> {
    let kind = attachment["type"].as_str().unwrap_or_default();
    if !["image", "video", "audio", "file"].contains(&kind) {
        let message =
            "(#100) Param message[attachment][type] must be one of {AUDIO, FILE, IMAGE, TEMPLATE, VIDEO}";
        return Err(GraphError::new(100, message));
    }
    if let Some(id) = attachment["payload"]["attachment_id"].as_str() {
        return Ok(json!({ "kind": kind, "id": id, "link": null, "caption": null, "filename": null }));
    }
    let link = attachment["payload"]["url"].as_str();
    let link = link.filter(|link| link.starts_with("https://") || link.starts_with("http://"));
    let Some(link) = link else {
        return Err(GraphError::new(100, "(#100) Param message[attachment][payload][url] must be a URL"));
    };
    Ok(json!({ "kind": kind, "link": link, "caption": null, "filename": null }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_text_or_one_attachment() {
        let page = Connection { channel: "messenger".into(), ..Connection::default() };
        let reads = |message: Value| read(&page, &json!({ "message": message })).is_ok();
        let image = json!({ "type": "image", "payload": { "url": "https://a.test/b.png" } });
        assert!(reads(json!({ "text": "hi" })) && reads(json!({ "attachment": image })));
        assert!(
            !reads(json!({ "text": "hi", "attachment": image }))
                && !reads(json!({}))
                && !reads(json!({ "text": "" }))
        );
        assert!(!reads(json!({ "text": "x".repeat(TEXT_MAX + 1) })));
        assert!(!reads(json!({ "attachment": { "type": "smell", "payload": { "url": "https://a.test" } } })));
        assert!(!reads(json!({ "attachment": { "type": "image", "payload": { "url": "b.png" } } })));
    }
}
