//! Parses the events of an entry.

use frontdesk_kernel::Timestamp;
use serde_json::Value;

use crate::incoming::{Content, Incoming, MediaKind, MediaSource, Message, Person, Report, ReportStatus};
use crate::reading;

/// All items of one entry, in order.
pub(super) fn entry(entry: &Value) -> Vec<Incoming> {
    reading::items(entry, "messaging")
        .iter()
        .filter_map(|event| {
            let at = reading::millis(event, "timestamp").or_else(|| reading::millis(entry, "time"))?;
            Some(read(event, at))
        })
        .flatten()
        .collect()
}

fn read(event: &Value, at: Timestamp) -> Vec<Incoming> {
    let Some(sender) = reading::text(&event["sender"], "id") else { return Vec::new() };
    if event["message"].is_object() {
        message(event, sender, at)
    } else if event["delivery"].is_object() {
        delivered(&event["delivery"], &sender, at)
    } else if event["read"].is_object() {
        seen(&event["read"], sender, at).into_iter().collect()
    } else if event["postback"].is_object() {
        postback(&event["postback"], sender, at).into_iter().collect()
    } else {
        reaction(&event["reaction"], sender, at).into_iter().collect()
    }
}

fn person(id: String) -> Person {
    Person { id, also: None, phone: None, name: None }
}

fn message(event: &Value, sender: String, at: Timestamp) -> Vec<Incoming> {
    let message = &event["message"];
    let echo = message["is_echo"].as_bool().unwrap_or(false);
    // An echo is a message of the page itself, from its inbox or another app: the person is its recipient.
    let whom = if echo { reading::text(&event["recipient"], "id") } else { Some(sender) };
    let (Some(whom), Some(mid)) = (whom, reading::text(message, "mid")) else { return Vec::new() };
    // A deletion refers to an older message, which is kept as it was received.
    if message["is_deleted"].as_bool().unwrap_or(false) {
        return Vec::new();
    }
    let reply_to = reading::text(&message["reply_to"], "mid");
    let parts = (0_usize..).zip(contents(message));
    let messages = parts.map(|(index, content)| {
        let channel_message_id = if index == 0 { mid.clone() } else { format!("{mid}#{index}") };
        let (person, reply_to) = (person(whom.clone()), reply_to.clone());
        Incoming::Message(Message { channel_message_id, person, echo, at, content, reply_to })
    });
    messages.collect()
}

/// The contents of a message: its text, then its attachments; a placeholder if there are none that we know.
fn contents(message: &Value) -> Vec<Content> {
    let text = reading::text(message, "text");
    let choice = reading::text(&message["quick_reply"], "payload");
    let mut contents = Vec::new();
    for item in reading::items(message, "attachments") {
        // Next to a text, a fallback is the preview of a link in that text.
        let is_preview = text.is_some() && item["type"].as_str() == Some("fallback");
        if !is_preview {
            contents.push(attachment(item));
        }
    }
    match (text, choice) {
        (Some(title), Some(id)) => contents.insert(0, Content::Choice { id, title }),
        (Some(text), None) => contents.insert(0, Content::Text(text)),
        (None, _) if contents.is_empty() => contents.push(Content::unsupported()),
        (None, _) => {}
    }
    contents
}

fn attachment(item: &Value) -> Content {
    let name = item["type"].as_str().unwrap_or("attachment");
    let payload = &item["payload"];
    let url = reading::text(payload, "url").or_else(|| reading::text(item, "url"));
    let kind = match name {
        "image" | "sticker" => Some(MediaKind::Image),
        "video" => Some(MediaKind::Video),
        "audio" => Some(MediaKind::Audio),
        "file" => Some(MediaKind::Document),
        _ => None,
    };
    if let (Some(kind), Some(_)) = (kind, &url) {
        return Content::Media { kind, source: MediaSource { url, ..MediaSource::default() }, caption: None };
    }
    let coordinates = &payload["coordinates"];
    if let (Some(latitude), Some(longitude)) =
        (reading::number(coordinates, "lat"), reading::number(coordinates, "long"))
    {
        return Content::Location { latitude, longitude, name: reading::text(item, "title"), address: None };
    }
    Content::placeholder(name, url.or_else(|| reading::text(item, "title")).as_deref())
}

/// Messenger names the messages if it can, and always reports the time up to which everything was delivered.
fn delivered(delivery: &Value, sender: &str, at: Timestamp) -> Vec<Incoming> {
    let status = ReportStatus::Delivered;
    let mids = reading::items(delivery, "mids").iter().filter_map(Value::as_str);
    let mut items: Vec<Incoming> = mids.map(|mid| report(mid.to_owned(), status, at)).collect();
    let watermark = reading::millis(delivery, "watermark");
    items.extend(watermark.map(|at| Incoming::Watermark { person: sender.to_owned(), status, at }));
    items
}

/// Messenger reports the time up to which everything was read; Instagram names the message.
fn seen(read: &Value, sender: String, at: Timestamp) -> Option<Incoming> {
    match (reading::millis(read, "watermark"), reading::text(read, "mid")) {
        (Some(at), _) => Some(Incoming::Watermark { person: sender, status: ReportStatus::Read, at }),
        (None, Some(mid)) => Some(report(mid, ReportStatus::Read, at)),
        (None, None) => None,
    }
}

fn report(channel_message_id: String, status: ReportStatus, at: Timestamp) -> Incoming {
    Incoming::Report(Report { channel_message_id, our_id: None, status, at, error: None })
}

fn postback(postback: &Value, sender: String, at: Timestamp) -> Option<Incoming> {
    let (payload, title) = (reading::text(postback, "payload"), reading::text(postback, "title"));
    let shown = title.or_else(|| payload.clone())?;
    let mid = reading::text(postback, "mid");
    Some(Incoming::Message(Message {
        // An older webhook names no message; person and time identify it as well.
        channel_message_id: mid.unwrap_or_else(|| format!("postback:{sender}:{}", at.millis())),
        person: person(sender),
        echo: false,
        at,
        content: Content::Choice { id: payload.unwrap_or_else(|| shown.clone()), title: shown },
        reply_to: None,
    }))
}

fn reaction(reaction: &Value, sender: String, at: Timestamp) -> Option<Incoming> {
    let emoji = match reaction["action"].as_str()? {
        "react" => Some(reading::text(reaction, "emoji").or_else(|| reading::text(reaction, "reaction"))?),
        "unreact" => None,
        _ => return None,
    };
    let channel_message_id = reading::text(reaction, "mid")?;
    Some(Incoming::Reaction { person: person(sender), channel_message_id, emoji, at })
}
