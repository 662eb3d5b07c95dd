//! Parses the bridge's events.

use frontdesk_kernel::Timestamp;
use serde_json::Value;

use super::{chats, send, sessions};
use crate::incoming::{Content, Incoming, MediaKind, MediaSource, Message, Report, ReportStatus};
use crate::reading;
use crate::verdict::RECIPIENT_UNREACHABLE;

/// WhatsApp's own notices in a chat. They are not messages of a person.
const NOTICES: [&str; 7] = [
    "e2e_notification",
    "notification",
    "notification_template",
    "ciphertext",
    "protocol",
    "gp2",
    "call_log",
];

/// The item of one event, if it has one.
pub(super) fn read(event: &Value) -> Option<Incoming> {
    let payload = &event["payload"];
    let told_at = reading::millis(event, "timestamp");
    match event["event"].as_str()? {
        "message" | "message.any" => {
            message(event, payload, reading::seconds(payload, "timestamp").or(told_at)?)
        }
        "message.reaction" => reaction(payload, reading::seconds(payload, "timestamp").or(told_at)?),
        // The payload's time is that of the message, not of the report.
        "message.ack" => report(payload, told_at.or_else(|| reading::seconds(payload, "timestamp"))?),
        "session.status" => {
            let (state, detail) = sessions::state(payload)?;
            Some(Incoming::Session { state, detail })
        }
        _ => None,
    }
}

fn message(event: &Value, payload: &Value, at: Timestamp) -> Option<Incoming> {
    let echo = payload["fromMe"].as_bool().unwrap_or(false);
    let is_our_own_send = echo && payload["source"].as_str() == Some("api");
    let is_notice = payload["_data"]["type"].as_str().is_some_and(|kind| NOTICES.contains(&kind));
    if is_our_own_send || is_notice {
        return None;
    }
    let person = chats::person(payload)?;
    Some(Incoming::Message(Message {
        channel_message_id: send::message_id(payload)?,
        echo,
        at,
        content: content(payload),
        reply_to: quoted(event, payload, &person.id),
        person,
    }))
}

fn content(payload: &Value) -> Content {
    let body = reading::text(payload, "body");
    let media = &payload["media"];
    if media.is_object() || payload["hasMedia"].as_bool().unwrap_or(false) {
        return attached(payload, body);
    }
    let location = &payload["location"];
    if let (Some(latitude), Some(longitude)) =
        (reading::number(location, "latitude"), reading::number(location, "longitude"))
    {
        let name = reading::text(location, "name").or_else(|| reading::text(location, "description"));
        return Content::Location { latitude, longitude, name, address: reading::text(location, "address") };
    }
    let cards: Vec<String> = reading::items(payload, "vCards").iter().filter_map(card).collect();
    if !cards.is_empty() {
        return Content::Text(cards.join("\n"));
    }
    body.map_or_else(Content::unsupported, Content::Text)
}

/// A media file; a placeholder if the bridge did not store it, so that there is nothing to fetch.
fn attached(payload: &Value, caption: Option<String>) -> Content {
    let media = &payload["media"];
    let content_type = reading::text(media, "mimetype");
    let kind = match content_type.as_deref().and_then(|kind| kind.split('/').next()) {
        Some("image") => MediaKind::Image,
        Some("video") => MediaKind::Video,
        Some("audio") => MediaKind::Audio,
        _ => MediaKind::Document,
    };
    let Some(url) = reading::text(media, "url").or_else(|| reading::text(payload, "mediaUrl")) else {
        return Content::placeholder(kind.as_str(), caption.as_deref());
    };
    let filename = reading::text(media, "filename");
    let source = MediaSource { id: None, url: Some(url), content_type, filename, bytes: None };
    Content::Media { kind, source, caption }
}

/// A contact card as text: `Ann Lee, +1 650-555-1234`.
fn card(card: &Value) -> Option<String> {
    let lines = card.as_str()?.lines().filter_map(|line| line.trim_end().split_once(':'));
    let said: Vec<&str> = lines
        .filter(|(field, _)| {
            *field == "FN" || field.split(';').next().is_some_and(|name| name.ends_with("TEL"))
        })
        .map(|(_, value)| value)
        .collect();
    if said.is_empty() { None } else { Some(said.join(", ")) }
}

/// The id of the quoted message. Some engines give only its last part; the sender completes it.
fn quoted(event: &Value, payload: &Value, chat: &str) -> Option<String> {
    let quoted = &payload["replyTo"];
    let id = reading::text(payload, "replyTo").or_else(|| send::message_id(quoted))?;
    let author = reading::text(quoted, "participant").and_then(|name| chats::chat(&name));
    if id.contains('_') {
        return Some(id);
    }
    let Some(author) = author else { return Some(id) };
    let us = reading::text(&event["me"], "id").and_then(|name| chats::chat(&name));
    Some(send::full_id(us.is_some_and(|us| us == author), chat, &id))
}

fn reaction(payload: &Value, at: Timestamp) -> Option<Incoming> {
    // Our own reactions are reported too and need not be stored.
    if payload["fromMe"].as_bool().unwrap_or(false) {
        return None;
    }
    let reaction = &payload["reaction"];
    let channel_message_id = reading::text(reaction, "messageId")?;
    Some(Incoming::Reaction {
        person: chats::person(payload)?,
        channel_message_id,
        emoji: reading::text(reaction, "text"),
        at,
    })
}

/// A report about a message that we sent; none for a received message, or in a group.
fn report(payload: &Value, at: Timestamp) -> Option<Incoming> {
    let is_theirs = payload["fromMe"].as_bool() == Some(false);
    let elsewhere = |key| reading::text(payload, key).is_some_and(|name| chats::chat(&name).is_none());
    if is_theirs || elsewhere("from") || elsewhere("to") {
        return None;
    }
    let status = match reading::whole(payload, "ack")? {
        -1 => ReportStatus::Failed,
        1 => ReportStatus::Sent,
        2 => ReportStatus::Delivered,
        3 | 4 => ReportStatus::Read,
        _ => return None,
    };
    let failure = || {
        RECIPIENT_UNREACHABLE.refusal("-1".to_owned(), "WhatsApp did not take the message".to_owned(), None)
    };
    Some(Incoming::Report(Report {
        channel_message_id: send::message_id(payload)?,
        our_id: None,
        status,
        at,
        error: (status == ReportStatus::Failed).then(failure),
    }))
}
