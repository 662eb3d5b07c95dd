//! `whats_waiting`.

use frontdesk_kernel::Scope;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Arguments;
use super::arguments::{self, cursor_schema, object, one_of};
use crate::api::{Api, Refused};
use crate::cursor::Cursor;
use crate::marked::NOTE;
use crate::pages::{self, ListCall};

const KINDS: [&str; 3] = ["conversations", "asks", "inquiries"];
const ROWS_OF_ALL: usize = 8;
const ROWS_OF_ONE: usize = 20;
/// Tokens of the rows together.
const TOKENS: usize = 3_600;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Waiting {
    kind: Option<String>,
    cursor: Option<String>,
}

pub(super) fn schema() -> Value {
    object(
        json!({
            "kind": one_of(&KINDS, "Only this; everything when left out. Needed to read on."),
            "cursor": cursor_schema(),
        }),
        &[],
    )
}

pub(super) async fn run(api: &Api, arguments: Arguments) -> Result<Value, Refused> {
    let wanted: Waiting = arguments::parse(arguments)?;
    let cursor = arguments::cursor(wanted.cursor.as_deref())?;
    let kinds: Vec<&str> = match wanted.kind.as_deref() {
        Some(kind) if KINDS.contains(&kind) => vec![kind],
        Some(_) => return Err(Refused(format!("kind must be one of {}.", KINDS.join(", ")))),
        None if cursor != Cursor::default() => {
            return Err(Refused::new("Name the kind that the cursor belongs to."));
        }
        None => KINDS.into_iter().filter(|kind| api.can(scope_of(kind))).collect(),
    };
    let (rows, tokens) =
        if kinds.len() == 1 { (ROWS_OF_ONE, TOKENS) } else { (ROWS_OF_ALL, TOKENS / KINDS.len()) };
    let mut waiting = Map::new();
    for kind in kinds {
        let list = match kind {
            "conversations" => {
                let list = ListCall::new("listConversations", rows).with("unread", "true");
                list.with("status", "open").with("handler", "human")
            }
            "asks" => ListCall::new("listAsks", rows).with("status", "pending").cut(100),
            _ => ListCall::new("listInquiries", rows).with("status", "new"),
        };
        waiting.insert(kind.to_owned(), pages::read(api, &list, &cursor, tokens).await?.shown());
    }
    Ok(json!({ "note": NOTE, "waiting": waiting }))
}

fn scope_of(kind: &str) -> Scope {
    match kind {
        "conversations" => Scope::ConversationsRead,
        "asks" => Scope::AsksRead,
        _ => Scope::InquiriesRead,
    }
}
