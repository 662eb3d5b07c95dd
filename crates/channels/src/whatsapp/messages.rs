//! The messages that people send.

use serde_json::Value;

use super::people::{self, Contacts};
use crate::incoming::{Content, Incoming, MediaKind, MediaSource, Message};
use crate::reading;

/// One message; none if its sender or time is missing, or if it belongs to a group.
pub(super) fn read(message: &Value, contacts: &Contacts<'_>) -> Option<Incoming> {
    if !message["group_id"].is_null() {
        return None;
    }
    let kind = message["type"].as_str().unwrap_or_default();
    if kind == "system"
        && let Some(moved) = moved(message)
    {
        return Some(moved);
    }
    let person = people::person(message, ("from", "from_user_id"), contacts)?;
    let at = reading::seconds(message, "timestamp")?;
    if kind == "reaction" {
        let reaction = &message["reaction"];
        let channel_message_id = reading::text(reaction, "message_id")?;
        return Some(Incoming::Reaction {
            person,
            channel_message_id,
            emoji: reading::text(reaction, "emoji"),
            at,
        });
    }
    Some(Incoming::Message(Message {
        channel_message_id: reading::text(message, "id")?,
        person,
        echo: false,
        at,
        content: content(kind, &message[kind]).unwrap_or_else(Content::unsupported),
        reply_to: reading::text(&message["context"], "id"),
    }))
}

/// The content of a message, from the object named after its type; none if that object lacks it.
fn content(kind: &str, part: &Value) -> Option<Content> {
    match kind {
        "text" | "system" => reading::text(part, "body").map(Content::Text),
        "image" | "sticker" => media(MediaKind::Image, part),
        "video" => media(MediaKind::Video, part),
        "audio" | "voice" => media(MediaKind::Audio, part),
        "document" => media(MediaKind::Document, part),
        "location" => Some(Content::Location {
            latitude: reading::number(part, "latitude")?,
            longitude: reading::number(part, "longitude")?,
            name: reading::text(part, "name"),
            address: reading::text(part, "address"),
        }),
        "contacts" => cards(part),
        "interactive" => {
            let reply = ["button_reply", "list_reply"].into_iter().find(|reply| part[*reply].is_object())?;
            choice(reading::text(&part[reply], "id"), reading::text(&part[reply], "title"))
        }
        "button" => choice(reading::text(part, "payload"), reading::text(part, "text")),
        "order" => Some(Content::placeholder("order", reading::text(part, "text").as_deref())),
        _ => None,
    }
}

fn media(kind: MediaKind, part: &Value) -> Option<Content> {
    let source = MediaSource {
        id: Some(reading::text(part, "id")?),
        url: None,
        content_type: reading::text(part, "mime_type"),
        filename: reading::text(part, "filename"),
        bytes: None,
    };
    Some(Content::Media { kind, source, caption: reading::text(part, "caption") })
}

/// A choice is identified by its id and shown by its title; either replaces the other.
fn choice(id: Option<String>, title: Option<String>) -> Option<Content> {
    let shown = title.or_else(|| id.clone())?;
    Some(Content::Choice { id: id.unwrap_or_else(|| shown.clone()), title: shown })
}

/// Contact cards as text, one to a line: `Ann Lee, +1 650-555-1234`.
fn cards(part: &Value) -> Option<Content> {
    let lines: Vec<String> = part.as_array()?.iter().filter_map(card).collect();
    if lines.is_empty() { None } else { Some(Content::Text(lines.join("\n"))) }
}

fn card(card: &Value) -> Option<String> {
    let phones = reading::items(card, "phones");
    let number = |phone: &Value| reading::text(phone, "phone").or_else(|| reading::text(phone, "wa_id"));
    let mut parts: Vec<String> = reading::text(&card["name"], "formatted_name").into_iter().collect();
    parts.extend(phones.iter().filter_map(number));
    if parts.is_empty() { None } else { Some(parts.join(", ")) }
}

/// A notice that the person's number, or their id with this business, has changed.
fn moved(message: &Value) -> Option<Incoming> {
    let system = &message["system"];
    let number = reading::text(system, "wa_id").or_else(|| reading::text(system, "new_wa_id"));
    let to = people::named(number, reading::text(system, "user_id"), None)?;
    let from = reading::text(message, "from")
        .filter(|from| *from != to.id)
        .or_else(|| reading::text(system, "previous_user_id"))
        .or_else(|| reading::text(message, "from_user_id"))
        .filter(|from| *from != to.id)?;
    Some(Incoming::Moved { from, to })
}
