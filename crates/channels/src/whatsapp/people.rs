//! The sender of a message.

use std::collections::HashMap;

use serde_json::Value;

use crate::incoming::Person;
use crate::reading;

/// The contacts of a webhook's change, by their ids. If several have an id, the first counts.
pub(super) struct Contacts<'a> {
    listed: &'a [Value],
    by_number: HashMap<String, usize>,
    by_user_id: HashMap<String, usize>,
}

impl<'a> Contacts<'a> {
    pub(super) fn of(change: &'a Value) -> Self {
        let listed = reading::items(change, "contacts");
        let by = |key: &str| {
            let ids = listed.iter().enumerate().rev();
            ids.filter_map(|(at, contact)| Some((reading::text(contact, key)?, at))).collect()
        };
        Self { listed, by_number: by("wa_id"), by_user_id: by("user_id") }
    }

    fn find(&self, number: Option<&str>, user_id: Option<&str>) -> Option<&'a Value> {
        let by_number = number.and_then(|number| self.by_number.get(number));
        let by_user_id = user_id.and_then(|user_id| self.by_user_id.get(user_id));
        by_number.into_iter().chain(by_user_id).min().map(|at| &self.listed[*at])
    }
}

/// The person of a message, a reaction or a preference: by their number if it is shown, else by their id with
/// this business. `ids` names the two fields, which differ from object to object.
pub(super) fn person(item: &Value, ids: (&str, &str), contacts: &Contacts<'_>) -> Option<Person> {
    let number = reading::text(item, ids.0);
    let user_id = reading::text(item, ids.1);
    let contact = contacts.find(number.as_deref(), user_id.as_deref());
    let user_id = user_id.or_else(|| reading::text(contact?, "user_id"));
    let name = contact.and_then(|contact| reading::text(&contact["profile"], "name"));
    named(number, user_id, name)
}

/// The person with these ids; none without any.
pub(super) fn named(number: Option<String>, user_id: Option<String>, name: Option<String>) -> Option<Person> {
    match (number, user_id) {
        (Some(number), also) => {
            let phone = reading::is_digits(&number).then(|| format!("+{number}"));
            Some(Person { id: number, also, phone, name })
        }
        (None, Some(id)) => Some(Person { id, also: None, phone: None, name }),
        (None, None) => None,
    }
}
