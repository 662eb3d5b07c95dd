//! What needs no person.
//!
//! A model that was fooled can do what is listed here, so the list is closed: operations, and of each the fields that may be
//! set. Each changes one row that no customer sees, and none starts a run. A move of a deal may: a trigger can
//! listen to it, and its run may write to the deal's contact. So the stage and the contact of a deal are not listed.
//! Tags and custom fields are, although they decide who is in a segment that a person has set up something for.
//! Everything else waits for a person, whatever a tool says.

use serde_json::Value;

/// The operations, each with the fields of its body.
const AT_ONCE: [(&str, &[&str]); 9] = [
    ("addContactTags", &["tag_ids"]),
    ("createContactNote", &["body"]),
    ("createConversationNote", &["body"]),
    (
        "createDeal",
        &[
            "contact_id",
            "currency",
            "expected_close_date",
            "owner_user_id",
            "pipeline_id",
            "stage_id",
            "title",
            "value",
        ],
    ),
    ("snoozeConversation", &["until"]),
    ("updateContact", &["company", "custom_fields", "email", "name"]),
    ("updateConversation", &["assigned_user_id", "status"]),
    ("updateDeal", &["currency", "expected_close_date", "owner_user_id", "title", "value"]),
    ("updateInquiry", &["status"]),
];

/// Whether an operation with this body needs nobody's approval.
pub(crate) fn needs_nobody(operation: &str, body: Option<&Value>) -> bool {
    let Some((_, fields)) = AT_ONCE.iter().find(|(name, _)| *name == operation) else { return false };
    // Every operation of the list has a body, which is an object.
    let Some(given) = body.and_then(Value::as_object) else { return false };
    // A field that is emptied is a deletion.
    let is_change = operation.starts_with("update");
    given.iter().all(|(name, value)| fields.contains(&name.as_str()) && !(is_change && empties(value)))
}

fn empties(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().any(empties),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_empties_or_may_reach_a_customer_waits() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        for (operation, body) in [
            ("updateContact", json!({ "name": null })),
            ("updateContact", json!({ "email": " " })),
            ("updateContact", json!({ "custom_fields": { "a": null } })),
            ("updateContact", json!({ "name": "Ann", "phone": "+4915100000000" })),
            ("updateContact", json!({ "tag_ids": [] })),
            ("updateDeal", json!({ "value": null })),
            ("updateDeal", json!({ "stage_id": id })),
            ("updateDeal", json!({ "title": "Chairs", "pipeline_id": id })),
            ("updateDeal", json!({ "contact_id": id })),
            ("updateConversation", json!({ "assigned_user_id": null })),
            ("updateConversation", json!({ "status": "open", "handler": "assistant" })),
            ("moveDeal", json!({ "stage_id": id })),
            ("closeDeal", json!({ "outcome": "won" })),
            ("createContact", json!({ "name": "Ann" })),
            ("sendMessage", json!({ "text": "Hello." })),
            ("optOutContact", json!({})),
        ] {
            assert!(!needs_nobody(operation, Some(&body)), "{operation} {body}");
        }
        assert!(!needs_nobody("updateDeal", None) && !needs_nobody("updateDeal", Some(&json!([]))));
    }

    #[test]
    fn a_new_value_in_a_row_that_no_customer_sees_is_set_at_once() {
        for (operation, body) in [
            ("updateContact", json!({ "name": "Ann", "custom_fields": { "a": "b" } })),
            ("updateDeal", json!({ "title": "Chairs", "value": 3 })),
            ("createDeal", json!({ "title": "Chairs", "value": null })),
            ("updateConversation", json!({ "status": "pending" })),
            ("addContactTags", json!({ "tag_ids": [] })),
        ] {
            assert!(needs_nobody(operation, Some(&body)), "{operation} {body}");
        }
    }
}
