//! Parses a webhook's envelope: entries, their changes, and the items of each change.

use serde_json::Value;

use super::people::{self, Contacts};
use super::{messages, statuses, templates};
use crate::incoming::Incoming;
use crate::reading;

/// All items of a webhook about this number and this account, in order.
pub(super) fn read(webhook: &Value, phone_number_id: &str, waba_id: &str) -> Vec<Incoming> {
    let mut items = Vec::new();
    for entry in reading::items(webhook, "entry") {
        let is_our_account = reading::text(entry, "id").is_none_or(|id| id == waba_id);
        for change in reading::items(entry, "changes") {
            let value = &change["value"];
            // One app's webhook can contain other numbers, which are connections with their own addresses.
            let is_our_number =
                reading::text(&value["metadata"], "phone_number_id").is_none_or(|id| id == phone_number_id);
            match change["field"].as_str() {
                Some("messages") if is_our_number => {
                    let contacts = Contacts::of(value);
                    let messages = reading::items(value, "messages");
                    items.extend(messages.iter().filter_map(|message| messages::read(message, &contacts)));
                    items.extend(reading::items(value, "statuses").iter().filter_map(statuses::read));
                }
                Some("user_preferences") if is_our_number => {
                    let contacts = Contacts::of(value);
                    let preferences = reading::items(value, "user_preferences");
                    items.extend(preferences.iter().filter_map(|item| preference(item, &contacts)));
                }
                Some("message_template_status_update") if is_our_account => {
                    items.extend(templates::changed(value));
                }
                _ => {}
            }
        }
    }
    items
}

fn preference(item: &Value, contacts: &Contacts<'_>) -> Option<Incoming> {
    let stop = match item["value"].as_str()? {
        "stop" => true,
        "resume" => false,
        _ => return None,
    };
    let person = people::person(item, ("wa_id", "user_id"), contacts)?;
    Some(Incoming::Preference { person, stop, at: reading::seconds(item, "timestamp")? })
}
