//! The JSON of a message to send, and of its response.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::chats;
use crate::call::Accepted;
use crate::incoming::MediaKind;
use crate::outgoing::{Outgoing, Payload};
use crate::reading;

/// The path and body of a send.
pub(super) fn request(session: &str, message: &Outgoing) -> (&'static str, Value) {
    let mut body = Map::new();
    body.insert("session".to_owned(), json!(session));
    body.insert("chatId".to_owned(), json!(chats::address(&message.to)));
    if let Some(quoted) = &message.reply_to {
        body.insert("reply_to".to_owned(), json!(quoted));
    }
    let path = match &message.payload {
        Payload::Text(text) => {
            body.insert("text".to_owned(), json!(text));
            "/api/sendText"
        }
        Payload::Template { composed, .. } => {
            body.insert("text".to_owned(), json!(composed.text));
            "/api/sendText"
        }
        Payload::Media { kind, bytes, caption, filename, content_type, .. } => {
            let bytes = bytes.as_deref().unwrap_or_default();
            body.insert("file".to_owned(), file(*kind, bytes, filename.as_deref(), content_type.as_deref()));
            if let (Some(caption), false) = (caption, *kind == MediaKind::Audio) {
                body.insert("caption".to_owned(), json!(caption));
            }
            match kind {
                MediaKind::Image => "/api/sendImage",
                MediaKind::Video => "/api/sendVideo",
                MediaKind::Document => "/api/sendFile",
                MediaKind::Audio => "/api/sendVoice",
            }
        }
    };
    (path, Value::Object(body))
}

/// The file itself, never its address, which the bridge would fetch from its own network.
fn file(kind: MediaKind, bytes: &[u8], filename: Option<&str>, content_type: Option<&str>) -> Value {
    let mut file =
        json!({"mimetype": content_type.unwrap_or(usual_type(kind)), "data": STANDARD.encode(bytes)});
    if let Some(filename) = filename {
        file["filename"] = json!(filename);
    }
    file
}

/// The bridge requires a content type for every file; this is the most common one of each kind.
fn usual_type(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image/jpeg",
        MediaKind::Video => "video/mp4",
        MediaKind::Audio => "audio/ogg; codecs=opus",
        MediaKind::Document => "application/octet-stream",
    }
}

/// The message's id and the chat's name, which is the person's id.
pub(super) fn accepted(body: &Value) -> Accepted {
    let channel_message_id = message_id(body);
    let person = channel_message_id.as_deref().and_then(chat_of);
    Accepted { channel_message_id, person }
}

/// A message's id, which the bridge's engines write in three ways: as text, as an object with the text, or as
/// a key. Reports contain the text, so a complete key is converted to it.
pub(super) fn message_id(item: &Value) -> Option<String> {
    let key = &item["key"];
    let from_key = || {
        let bare = reading::text(key, "id")?;
        Some(match reading::text(key, "remoteJid").and_then(|name| chats::chat(&name)) {
            Some(chat) => full_id(key["fromMe"].as_bool().unwrap_or(true), &chat.id, &bare),
            None => bare,
        })
    };
    reading::text(item, "id").or_else(|| reading::text(&item["id"], "_serialized")).or_else(from_key)
}

/// An id with its sender and chat.
pub(super) fn full_id(from_us: bool, chat: &str, bare: &str) -> String {
    format!("{from_us}_{chat}_{bare}")
}

/// The chat in `true_12132132130@c.us_3EB0…`.
fn chat_of(channel_message_id: &str) -> Option<String> {
    channel_message_id.split('_').find_map(chats::chat).map(|chat| chat.id)
}
