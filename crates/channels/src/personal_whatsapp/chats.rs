//! The names of chats: `12132132130@c.us` is a number, `…@lid` a person without one.

use serde_json::Value;

use crate::incoming::Person;
use crate::reading;

/// The digits that a number can have; shorter numbers are WhatsApp's own.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// A person's chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chat {
    pub(super) id: String,
    phone: Option<String>,
}

/// Parses the name of a chat with one person; none for a group, a broadcast or a newsletter.
pub(super) fn chat(name: &str) -> Option<Chat> {
    let (user, server) = name.split_once('@')?;
    // A person's device is that person.
    let user = user.split(':').next().unwrap_or(user);
    if !reading::is_digits(user) {
        return None;
    }
    match server {
        "c.us" | "s.whatsapp.net" if PHONE_DIGITS.contains(&user.len()) => {
            Some(Chat { id: format!("{user}@c.us"), phone: Some(format!("+{user}")) })
        }
        "lid" => Some(Chat { id: format!("{user}@lid"), phone: None }),
        _ => None,
    }
}

/// The name of the chat to send to, from a number or from a name.
pub(super) fn address(to: &str) -> String {
    match chat(to) {
        Some(chat) => chat.id,
        None if to.contains('@') => to.to_owned(),
        None => format!("{}@c.us", reading::digits(to)),
    }
}

/// The other side of a message. The bridge's engines report a person's second id and their name in different
/// places.
pub(super) fn person(payload: &Value) -> Option<Person> {
    let from_us = payload["fromMe"].as_bool().unwrap_or(false);
    let Chat { id, phone } = chat(&reading::text(payload, if from_us { "to" } else { "from" })?)?;
    let raw = &payload["_data"];
    let (key, info) = (&raw["key"], &raw["Info"]);
    let of_chat = [reading::text(key, "remoteJidAlt"), reading::text(key, "remoteJid")];
    // These name the sender, which is the business in an echo.
    let of_sender =
        [reading::text(key, "senderPn"), reading::text(key, "senderLid"), reading::text(info, "SenderAlt")];
    let others = of_chat.into_iter().chain(of_sender.into_iter().filter(|_| !from_us)).flatten();
    let also = others.filter_map(|name| chat(&name)).find(|other| other.id != id);
    let name = reading::text(raw, "notifyName")
        .or_else(|| reading::text(raw, "pushName"))
        .or_else(|| reading::text(info, "PushName"));
    Some(Person {
        phone: phone.or_else(|| also.as_ref()?.phone.clone()),
        id,
        also: also.map(|other| other.id),
        name: name.filter(|_| !from_us),
    })
}
