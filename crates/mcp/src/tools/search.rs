//! `search`.

use frontdesk_kernel::Scope;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Arguments;
use super::arguments::{self, cursor_schema, object, one_of, words};
use crate::api::{Api, Refused};
use crate::cursor::Cursor;
use crate::marked::NOTE;
use crate::pages::{self, ListCall, Rows};

const KINDS: [&str; 4] = ["people", "conversations", "deals", "messages"];
/// Rows of each kind when all are searched, and of one that is searched alone.
const ROWS_OF_ALL: usize = 5;
const ROWS_OF_ONE: usize = 20;
/// People whose conversations are found, and conversations of each.
const PEOPLE_MAX: usize = 5;
const OF_A_PERSON: usize = 2;
/// Tokens of the rows together.
const TOKENS: usize = 3_600;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
    kind: Option<String>,
    cursor: Option<String>,
}

pub(super) fn schema() -> Value {
    object(
        json!({
            "query": words("Words to look for: part of a name, phone number, email, company, title or message."),
            "kind": one_of(&KINDS, "What to look for; everything when left out. Needed to read on."),
            "cursor": cursor_schema(),
        }),
        &["query"],
    )
}

pub(super) async fn run(api: &Api, arguments: Arguments) -> Result<Value, Refused> {
    let wanted: Search = arguments::parse(arguments)?;
    let cursor = arguments::cursor(wanted.cursor.as_deref())?;
    let kinds: Vec<&str> = match wanted.kind.as_deref() {
        Some(kind) if KINDS.contains(&kind) => vec![kind],
        Some(_) => return Err(Refused(format!("kind must be one of {}.", KINDS.join(", ")))),
        None if cursor != Cursor::default() => {
            return Err(Refused::new("Name the kind that the cursor belongs to."));
        }
        None => KINDS.into_iter().filter(|kind| may(api, kind)).collect(),
    };
    let (rows, tokens) =
        if kinds.len() == 1 { (ROWS_OF_ONE, TOKENS) } else { (ROWS_OF_ALL, TOKENS / KINDS.len()) };
    let mut found = Map::new();
    for kind in kinds {
        let rows = if kind == "conversations" {
            conversations(api, &wanted.query, &cursor, tokens).await?
        } else {
            pages::read(api, &list_of(kind, rows, &wanted.query), &cursor, tokens).await?
        };
        found.insert(kind.to_owned(), rows.shown());
    }
    Ok(json!({ "note": NOTE, "found": found }))
}

/// Whether a key may search a kind. Conversations are found by the people in them.
fn may(api: &Api, kind: &str) -> bool {
    match kind {
        "people" => api.can(Scope::ContactsRead),
        "deals" => api.can(Scope::DealsRead),
        "messages" => api.can(Scope::MessagesRead),
        _ => api.can(Scope::ConversationsRead) && api.can(Scope::ContactsRead),
    }
}

/// The newest conversations of the people that are found.
async fn conversations(api: &Api, query: &str, cursor: &Cursor, tokens: usize) -> Result<Rows, Refused> {
    let people = ListCall::new("listContacts", PEOPLE_MAX).with("q", query);
    let people = pages::read(api, &people, &Cursor::default(), usize::MAX).await?.rows;
    let mut found = Vec::new();
    for person in &people {
        let id = person["id"].as_str().unwrap_or_default();
        let list = ListCall::new("listConversations", OF_A_PERSON).with("contact_id", id);
        found.extend(pages::first(api, &list, tokens).await?);
    }
    Ok(pages::fitting(found, cursor, None, tokens, PEOPLE_MAX * OF_A_PERSON))
}

fn list_of(kind: &str, rows: usize, query: &str) -> ListCall {
    let operation = match kind {
        "people" => "listContacts",
        "deals" => "listDeals",
        _ => "searchMessages",
    };
    ListCall::new(operation, rows).with("q", query)
}
