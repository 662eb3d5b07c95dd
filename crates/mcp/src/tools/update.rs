//! `update`.
//!
//! A change of one row that no customer sees is made at once: it is in the events, and can be made again the other way.
//! What removes something, concerns many rows, moves where messages go, or may start an assistant waits for a person
//! (`at_once`).

use serde::Deserialize;
use serde_json::{Value, json};

use super::Arguments;
use super::arguments::{self, id, key_schema, object, one_of};
use crate::api::{Api, Refused};
use crate::approval::{About, Answer, Person, Plan, at_once};

const WHATS: [&str; 12] = [
    "contact",
    "contact_note",
    "contact_tags",
    "opt_out",
    "conversation",
    "hand_over",
    "new_deal",
    "deal",
    "close_deal",
    "inquiry",
    "contacts",
    "conversations",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    what: String,
    id: Option<String>,
    #[serde(default)]
    fields: serde_json::Map<String, Value>,
    idempotency_key: Option<String>,
}

pub(super) fn schema() -> Value {
    object(
        json!({
            "what": one_of(&WHATS, "What to change. contacts and conversations change many at once."),
            "id": id("The id of the contact, conversation, deal or inquiry. Not for new_deal, contacts and conversations."),
            "fields": {
                "type": "object",
                "description": "contact: name, email, company, phone, custom_fields. contact_note: body. contact_tags: tag_ids, which are \
                    added. opt_out: none. conversation: status, assigned_user_id. hand_over: to, assistant_id, user_id. new_deal and deal: \
                    title, value, currency, contact_id, stage_id, expected_close_date. close_deal: outcome (won or lost), reason. inquiry: \
                    status. contacts: ids or filter, add_tag_ids, remove_tag_ids. conversations: ids or filter, status, assigned_user_id.",
            },
            "idempotency_key": key_schema(),
        }),
        &["what"],
    )
}

/// How a change is made: the operation, the ask's tool, and what it does.
struct Change {
    operation: &'static str,
    tool: &'static str,
    what: &'static str,
    has_id: bool,
}

fn change_of(what: &str, fields: &serde_json::Map<String, Value>) -> Option<Change> {
    let change = |operation, tool, what, has_id| Change { operation, tool, what, has_id };
    Some(match what {
        "contact" => change("updateContact", "update_contact", "change a contact", true),
        "contact_note" => change("createContactNote", "add_note", "write a note", true),
        "contact_tags" => change("addContactTags", "add_tag", "tag a contact", true),
        "opt_out" => change("optOutContact", "opt_out_contact", "opt a contact out", true),
        "conversation" => {
            change("updateConversation", "set_conversation_status", "change a conversation", true)
        }
        "hand_over" => {
            change("handOverConversation", "hand_over_conversation", "hand a conversation over", true)
        }
        "new_deal" => change("createDeal", "create_deal", "create a deal", false),
        "deal" if fields.contains_key("stage_id") => {
            let what = "change a deal and move it to another stage, which may start an assistant";
            change("updateDeal", "update_deal", what, true)
        }
        "deal" => change("updateDeal", "update_deal", "change a deal", true),
        "close_deal" => change("closeDeal", "close_deal", "close a deal", true),
        "inquiry" => change("updateInquiry", "update_inquiry", "change an inquiry", true),
        "contacts" => change("changeContacts", "change_contacts", "change many contacts", false),
        "conversations" => {
            change("changeConversations", "change_conversations", "change many conversations", false)
        }
        _ => return None,
    })
}

pub(super) async fn run(api: &Api, arguments: Arguments, person: &Person) -> Result<Answer, Refused> {
    let wanted: Update = arguments::parse(arguments)?;
    let call_key = arguments::call_key(wanted.idempotency_key)?;
    let change = change_of(&wanted.what, &wanted.fields)
        .ok_or_else(|| Refused(format!("what must be one of {}.", WHATS.join(", "))))?;
    let about = match (&wanted.id, wanted.what.as_str()) {
        (Some(id), "contact" | "opt_out") => About::Contact(id.clone()),
        (Some(id), "hand_over") => About::Conversation(id.clone()),
        (Some(_), "deal") => match wanted.fields.get("contact_id").and_then(Value::as_str) {
            Some(contact) => About::Contact(contact.to_owned()),
            None => About::NobodyAlone,
        },
        _ => About::NobodyAlone,
    };
    let mut shown = Value::Object(wanted.fields.clone());
    let params = match (wanted.id, change.has_id) {
        (Some(id), true) => {
            shown[id_name(&wanted.what)] = json!(id);
            vec![id]
        }
        (None, false) => Vec::new(),
        (None, true) => return Err(Refused(format!("id is required for {}.", wanted.what))),
        (Some(_), false) => return Err(Refused(format!("{} has no id. Leave it out.", wanted.what))),
    };
    let plan = Plan {
        tool: change.tool,
        what: change.what.to_owned(),
        shown,
        operation: change.operation,
        params,
        body: Some(Value::Object(wanted.fields)),
        about,
        call_key,
    };
    at_once(api, person, plan).await
}

/// The name under which an ask shows the id.
fn id_name(what: &str) -> &'static str {
    match what {
        "conversation" | "hand_over" => "conversation_id",
        "deal" | "close_deal" => "deal_id",
        "inquiry" => "inquiry_id",
        _ => "contact_id",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_can_be_changed_has_an_operation() {
        for what in WHATS {
            assert!(change_of(what, &serde_json::Map::new()).is_some(), "{what}");
        }
    }
}
