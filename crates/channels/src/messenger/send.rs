//! The JSON of a message to send.

use serde_json::{Value, json};

use crate::incoming::MediaKind;
use crate::outgoing::{Outgoing, Payload};

pub(super) fn body(message: &Outgoing) -> Value {
    let content = match &message.payload {
        Payload::Text(text) => json!({"text": text}),
        Payload::Media { kind, url, uploaded, .. } => {
            let payload = match uploaded {
                Some(id) => json!({"attachment_id": id}),
                None => json!({"url": url}),
            };
            json!({"attachment": {"type": attachment(*kind), "payload": payload}})
        }
        Payload::Template { composed, .. } => json!({"text": composed.text}),
    };
    let mut body = json!({"recipient": {"id": message.to}, "messaging_type": "RESPONSE", "message": content});
    if let Some(quoted) = &message.reply_to {
        // Next to the message, not in it. A part of a message is quoted by the whole message.
        body["reply_to"] = json!({"mid": whole(quoted)});
    }
    body
}

/// The channel's own id, without the suffix of a message's part.
fn whole(channel_message_id: &str) -> &str {
    match channel_message_id.rsplit_once('#') {
        Some((mid, part)) if crate::reading::is_digits(part) => mid,
        _ => channel_message_id,
    }
}

pub(super) fn attachment(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Document => "file",
        other => other.as_str(),
    }
}
