//! Resources: contacts, conversations and runs.
//!
//! Their names are ours. What people wrote is read with the resource itself, where it is marked.

use frontdesk_kernel::Scope;
use serde_json::{Value, json};

use crate::api::{Api, Refused};
use crate::cursor::Cursor;
use crate::pages::{self, ListCall};

const JSON: &str = "application/json";
/// The newest of each kind that are listed. Others are found with `search`.
const LISTED_MAX: usize = 10;

/// A kind of resource: its noun in addresses, what one is called, the scope, and the list of the API.
const KINDS: [(&str, &str, Scope, &str); 3] = [
    ("contacts", "Contact", Scope::ContactsRead, "listContacts"),
    ("conversations", "Conversation", Scope::ConversationsRead, "listConversations"),
    ("runs", "Run", Scope::RunsRead, "listRuns"),
];

/// The addresses that a key may read.
pub(crate) fn templates(api: &Api) -> Vec<Value> {
    KINDS
        .iter()
        .filter(|(_, _, scope, _)| api.can(*scope))
        .map(|(noun, name, ..)| {
            json!({ "uriTemplate": format!("frontdesk://{noun}/{{id}}"), "name": name, "mimeType": JSON })
        })
        .collect()
}

/// The newest resources.
pub(crate) async fn list(api: &Api) -> Result<Vec<Value>, Refused> {
    let mut listed = Vec::new();
    for (noun, name, scope, operation) in KINDS {
        if !api.can(scope) {
            continue;
        }
        let list = ListCall::new(operation, LISTED_MAX);
        for row in pages::read(api, &list, &Cursor::default(), usize::MAX).await?.rows {
            let id = row["id"].as_str().unwrap_or_default();
            listed.push(json!({ "uri": format!("frontdesk://{noun}/{id}"), "name": format!("{name} {id}"), "mimeType": JSON }));
        }
    }
    Ok(listed)
}
