//! The sender of a message.

use serde_json::Value;

use crate::{Person, reading};

/// The person of a message, a reaction or a preference: by their number if it is shown, else by their id with
/// this business. `ids` names the two fields, which differ from object to object.
pub(super) fn person(item: &Value, ids: (&str, &str), contacts: &[Value]) -> Option<Person> {
    let number = reading::text(item, ids.0);
    let user_id = reading::text(item, ids.1);
    let contact = contacts.iter().find(|contact| {
        let is = |key, id: &Option<String>| id.is_some() && reading::text(contact, key) == *id;
        is("wa_id", &number) || is("user_id", &user_id)
    });
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
