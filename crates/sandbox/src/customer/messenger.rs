//! A customer's message in Messenger's and Instagram's format.

use serde_json::{Value, json};

use super::Message;
use super::input::Content;
use crate::connection::Connection;
use crate::graph;
use crate::response::ControlError;

pub(super) fn webhook(connection: &Connection, message: &Message) -> Result<Value, ControlError> {
    let mut told = match &message.content {
        Content::Text(text) => json!({ "message": { "mid": message.id, "text": text } }),
        Content::Media { caption: Some(_), .. } => {
            return Err(ControlError::request(
                "Messenger and Instagram have no captions: say it in a message of its own.",
            ));
        }
        Content::Media { kind, media, .. } => {
            let kind = match *kind {
                "voice" => "audio",
                "document" => "file",
                "sticker" => "image",
                kind => kind,
            };
            let url = media.address(&message.origin, "media");
            json!({ "message": { "mid": message.id, "attachments": [{ "type": kind, "payload": { "url": url } }] } })
        }
        Content::Location(at) => {
            let payload = json!({ "coordinates": { "lat": at.latitude, "long": at.longitude } });
            json!({ "message": { "mid": message.id, "attachments": [
                { "type": "location", "title": at.name, "payload": payload }] } })
        }
        Content::ButtonReply(button) => {
            json!({ "postback": { "mid": message.id, "title": button.title, "payload": button.id } })
        }
        Content::Button(button) => {
            json!({ "postback": { "mid": message.id, "title": button.text, "payload": button.payload } })
        }
        Content::Reaction(reaction) => match reaction.emoji.as_ref().filter(|emoji| !emoji.is_empty()) {
            Some(emoji) => json!({ "reaction": {
                "mid": reaction.message_id, "action": "react", "reaction": "other", "emoji": emoji } }),
            None => json!({ "reaction": { "mid": reaction.message_id, "action": "unreact" } }),
        },
    };
    if let (Some(reply_to), true) = (&message.reply_to, told["message"].is_object()) {
        told["message"]["reply_to"] = json!({ "mid": reply_to });
    }
    if message.from_me {
        if !told["message"].is_object() {
            return Err(ControlError::request("from_me goes with text, media and location."));
        }
        told["message"]["is_echo"] = json!(true);
    }
    let mut body = graph::page_event(connection, &message.customer, message.at, told);
    if message.from_me {
        // An echo has the opposite direction.
        let event = &mut body["entry"][0]["messaging"][0];
        event["sender"] = json!({ "id": connection.page_id });
        event["recipient"] = json!({ "id": message.customer });
    }
    Ok(body)
}
