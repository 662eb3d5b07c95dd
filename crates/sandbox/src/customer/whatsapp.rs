//! A customer's message in WhatsApp's format.

use serde_json::{Value, json};

use super::Message;
use super::input::Content;
use crate::connection::Connection;
use crate::graph;
use crate::response::ControlError;

pub(super) fn webhook(connection: &Connection, message: &Message) -> Result<Value, ControlError> {
    let mut told = json!({ "id": message.id, "timestamp": (message.at / 1000).to_string() });
    let mut contact = json!({ "profile": { "name": message.name } });
    if !message.hides_number {
        told["from"] = json!(message.customer);
        contact["wa_id"] = json!(message.customer);
    }
    if let Some(user_id) = &message.user_id {
        told["from_user_id"] = json!(user_id);
        contact["user_id"] = json!(user_id);
    }
    if let Some(reply_to) = &message.reply_to {
        told["context"] = json!({ "from": connection.own_number(), "id": reply_to });
    }
    let (kind, part) = part(&message.content)?;
    told["type"] = json!(kind);
    told[kind] = part;
    let mut body = graph::whatsapp_change(connection, "messages", told);
    body["entry"][0]["changes"][0]["value"]["contacts"] = json!([contact]);
    Ok(body)
}

/// The type of a message, and the object of that name.
fn part(content: &Content) -> Result<(&'static str, Value), ControlError> {
    Ok(match content {
        Content::Text(text) => ("text", json!({ "body": text })),
        Content::Media { kind, media, caption } => {
            let kind = if *kind == "voice" { "audio" } else { kind };
            let mut part =
                json!({ "id": media.id, "mime_type": media.content_type, "sha256": media.sha256_base64() });
            match (kind, caption) {
                ("audio" | "sticker", Some(_)) => {
                    return Err(ControlError::request(
                        "Audio and stickers have no caption: say it in a message of its own.",
                    ));
                }
                ("audio", None) => part["voice"] = json!(content.kind() == "voice"),
                ("sticker", None) => part["animated"] = json!(false),
                (_, Some(caption)) => part["caption"] = json!(caption),
                (_, None) => {}
            }
            if let ("document", Some(filename)) = (kind, &media.filename) {
                part["filename"] = json!(filename);
            }
            (kind, part)
        }
        Content::Location(at) => {
            let mut part = json!({ "latitude": at.latitude, "longitude": at.longitude });
            if let Some(name) = &at.name {
                part["name"] = json!(name);
            }
            if let Some(address) = &at.address {
                part["address"] = json!(address);
            }
            ("location", part)
        }
        Content::ButtonReply(button) => {
            let reply = json!({ "id": button.id, "title": button.title });
            ("interactive", json!({ "type": "button_reply", "button_reply": reply }))
        }
        Content::Button(button) => ("button", json!({ "payload": button.payload, "text": button.text })),
        Content::Reaction(reaction) => {
            let mut part = json!({ "message_id": reaction.message_id });
            if let Some(emoji) = reaction.emoji.as_ref().filter(|emoji| !emoji.is_empty()) {
                part["emoji"] = json!(emoji);
            }
            ("reaction", part)
        }
    })
}
