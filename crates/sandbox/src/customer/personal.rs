//! A customer's message in the bridge's format.

use serde_json::{Value, json};

use super::Message;
use super::input::Content;
use crate::bridge;
use crate::connection::Connection;
use crate::response::ControlError;

/// The events of a message, with their payloads. A subscriber of both gets both.
pub(super) fn events(
    connection: &Connection,
    message: &Message,
) -> Result<(&'static [&'static str], Value), ControlError> {
    let mut told =
        bridge::message_payload(connection, &message.id, message.from_me, &message.customer, message.at);
    told["_data"] = json!({ "pushName": message.name, "notifyName": message.name });
    let mut events: &[&str] = if message.from_me { &["message.any"] } else { &["message.any", "message"] };
    match &message.content {
        Content::Text(text) => told["body"] = json!(text),
        Content::Media { media, caption, .. } => {
            told["hasMedia"] = json!(true);
            told["body"] = json!(caption.as_deref().unwrap_or_default());
            told["media"] = json!({
                "url": media.address(&message.origin, "bridge/api/files"),
                "mimetype": media.content_type,
                "filename": media.filename,
                "error": null,
            });
        }
        Content::Location(at) => {
            let description = at.name.as_deref().or(at.address.as_deref()).unwrap_or_default();
            told["location"] = json!({
                "latitude": at.latitude.to_string(),
                "longitude": at.longitude.to_string(),
                "description": description,
            });
        }
        Content::Reaction(reaction) => {
            let emoji = reaction.emoji.as_deref().unwrap_or_default();
            told["reaction"] = json!({ "text": emoji, "messageId": reaction.message_id });
            events = &["message.reaction"];
        }
        Content::ButtonReply(_) | Content::Button(_) => {
            return Err(ControlError::request("A personal WhatsApp has no buttons: say the words as text."));
        }
    }
    if let Some(reply_to) = &message.reply_to {
        told["replyTo"] = json!({ "id": reply_to, "participant": null, "body": null });
    }
    Ok((events, told))
}
