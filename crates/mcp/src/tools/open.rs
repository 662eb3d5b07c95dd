//! `open`, and resources, which are read in the same way.

use std::str::FromStr;

use frontdesk_agent::held_calls;
use frontdesk_kernel::Scope;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Arguments;
use super::arguments::{self, cursor_schema, id, object, one_of};
use crate::api::{Api, Refused};
use crate::approval::describe;
use crate::budget::cut;
use crate::cursor::Cursor;
use crate::marked::{self, Cut, NOTE};
use crate::pages::{self, ListCall};

/// What `open` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Person,
    Conversation,
    Message,
    Deal,
    Run,
    Ask,
    Inquiry,
}

const KINDS: [(&str, Kind); 7] = [
    ("person", Kind::Person),
    ("conversation", Kind::Conversation),
    ("message", Kind::Message),
    ("deal", Kind::Deal),
    ("run", Kind::Run),
    ("ask", Kind::Ask),
    ("inquiry", Kind::Inquiry),
];

/// Parts of a person that are read on by themselves.
const PARTS: [&str; 3] = ["conversations", "deals", "notes"];
/// The part that is everything about the thing itself, however long that is.
const WHOLE: &str = "whole";

impl Kind {
    /// The operation that reads the thing itself.
    fn operation(self) -> &'static str {
        match self {
            Self::Person => "getContact",
            Self::Conversation => "getConversation",
            Self::Message => "getMessage",
            Self::Deal => "getDeal",
            Self::Run => "getRun",
            Self::Ask => "getAsk",
            Self::Inquiry => "getInquiry",
        }
    }
}

impl FromStr for Kind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        KINDS.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind).ok_or(())
    }
}

/// Tokens of the head, which are the fields of the thing itself, and of the lists with it.
const HEAD_CUT: Cut = Cut(1_000);
const HEAD_TOKENS: usize = 1_300;
/// Tokens of what is beside the text of a message.
const MESSAGE_HEAD_TOKENS: usize = 700;
const LISTS_TOKENS: usize = 2_300;
/// Rows of a list at once.
const ROWS_MAX: usize = 20;
/// Tokens of a row's texts, and of a text that is read by itself.
const ROW_TEXT_TOKENS: usize = 150;
const WHOLE_TEXT_TOKENS: usize = 3_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Open {
    kind: String,
    id: String,
    part: Option<String>,
    cursor: Option<String>,
}

pub(super) fn schema() -> Value {
    let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    let parts = [&PARTS[..], &[WHOLE]].concat();
    object(
        json!({
            "kind": one_of(&kinds, "What to read."),
            "id": id("Its id."),
            "part": one_of(
                &parts,
                "Of a person, only this list; needed to read it on. whole: all fields as the text of a JSON object, for what was cut.",
            ),
            "cursor": cursor_schema(),
        }),
        &["kind", "id"],
    )
}

pub(super) async fn run(api: &Api, arguments: Arguments) -> Result<Value, Refused> {
    let wanted: Open = arguments::parse(arguments)?;
    let names = || KINDS.map(|(name, _)| name).join(", ");
    let kind: Kind =
        wanted.kind.parse().map_err(|()| Refused(format!("kind must be one of {}.", names())))?;
    let cursor = arguments::cursor(wanted.cursor.as_deref())?;
    let has = |part: &str| part == WHOLE || (kind == Kind::Person && PARTS.contains(&part));
    if let Some(part) = wanted.part.as_deref().filter(|part| !has(part)) {
        return Err(Refused(format!("A {} has no part {part:?}. Leave part out.", wanted.kind)));
    }
    read(api, kind, &wanted.id, wanted.part.as_deref(), &cursor).await
}

/// Reads a resource by its address: `frontdesk://contacts/ID`, and `conversations` and `runs` likewise, each optionally with
/// `?cursor=`.
pub(crate) async fn open_uri(api: &Api, uri: &str) -> Result<Value, Refused> {
    let missing = || Refused(format!("There is no resource {uri}."));
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let (noun, id) =
        path.strip_prefix("frontdesk://").and_then(|path| path.split_once('/')).ok_or_else(missing)?;
    let kind = match noun {
        "contacts" => Kind::Person,
        "conversations" => Kind::Conversation,
        "runs" => Kind::Run,
        _ => return Err(missing()),
    };
    let cursor = arguments::cursor(query.strip_prefix("cursor="))?;
    read(api, kind, id, None, &cursor).await
}

async fn read(
    api: &Api,
    kind: Kind,
    id: &str,
    part: Option<&str>,
    cursor: &Cursor,
) -> Result<Value, Refused> {
    let mut opened = match kind {
        _ if part == Some(WHOLE) => whole(api, kind, id, cursor).await?,
        Kind::Person => person(api, id, part, cursor).await?,
        Kind::Conversation => conversation(api, id, cursor).await?,
        Kind::Run => run_of(api, id, cursor).await?,
        Kind::Message => message(api, id, cursor).await?,
        Kind::Ask => ask(api, id).await?,
        Kind::Deal => head(api, kind, "deal", id).await?,
        Kind::Inquiry => head(api, kind, "inquiry", id).await?,
    };
    opened.insert("note".to_owned(), NOTE.into());
    Ok(opened.into())
}

/// A thing's own fields.
async fn head(api: &Api, kind: Kind, name: &str, id: &str) -> Result<Map<String, Value>, Refused> {
    let row = api.get(kind.operation(), id).await?;
    Ok(Map::from_iter([(name.to_owned(), marked::row(&row, HEAD_CUT, HEAD_TOKENS))]))
}

/// Everything about a thing as the text of a JSON object, which is read on with a cursor.
async fn whole(api: &Api, kind: Kind, id: &str, cursor: &Cursor) -> Result<Map<String, Value>, Refused> {
    let row = api.get(kind.operation(), id).await?;
    let (text, next) = read_on(&row.to_string(), cursor);
    Ok([("json", Some(text)), ("cursor", next)]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect())
}

/// A text from where a cursor points to, and the cursor of the rest.
fn read_on(text: &str, cursor: &Cursor) -> (Value, Option<Value>) {
    let (kept, is_cut) = cut(text.get(cursor.skip..).unwrap_or_default(), WHOLE_TEXT_TOKENS);
    let next = is_cut.then(|| Cursor { page: None, skip: cursor.skip + kept.len() }.shown().into());
    (json!({ "untrusted": kept }), next)
}

async fn person(
    api: &Api,
    id: &str,
    part: Option<&str>,
    cursor: &Cursor,
) -> Result<Map<String, Value>, Refused> {
    if part.is_none() && *cursor != Cursor::default() {
        return Err(Refused::new("Name the part that the cursor belongs to."));
    }
    let mut opened = Map::new();
    if part.is_none() {
        opened = head(api, Kind::Person, "person", id).await?;
    }
    let lists = [
        (
            "conversations",
            Scope::ConversationsRead,
            ListCall::new("listConversations", 5).with("contact_id", id),
        ),
        ("deals", Scope::DealsRead, ListCall::new("listDeals", 5).with("contact_id", id)),
        ("notes", Scope::ContactsRead, ListCall::new("listContactNotes", 5).at(id).cut(ROW_TEXT_TOKENS)),
    ];
    for (name, scope, mut list) in lists {
        let tokens = match part {
            Some(part) if part == name => LISTS_TOKENS,
            None if api.can(scope) => LISTS_TOKENS / PARTS.len(),
            _ => continue,
        };
        if part.is_some() {
            list.rows_max = ROWS_MAX;
        }
        opened.insert(name.to_owned(), pages::read(api, &list, cursor, tokens).await?.shown());
    }
    Ok(opened)
}

async fn conversation(api: &Api, id: &str, cursor: &Cursor) -> Result<Map<String, Value>, Refused> {
    let mut opened = head(api, Kind::Conversation, "conversation", id).await?;
    if api.can(Scope::MessagesRead) {
        let list = ListCall::new("listConversationMessages", ROWS_MAX).at(id).cut(ROW_TEXT_TOKENS);
        let rows = pages::read(api, &list, cursor, LISTS_TOKENS).await?.shown();
        opened.insert("messages_newest_first".to_owned(), rows);
    }
    Ok(opened)
}

async fn run_of(api: &Api, id: &str, cursor: &Cursor) -> Result<Map<String, Value>, Refused> {
    let mut opened = head(api, Kind::Run, "run", id).await?;
    let list = ListCall::new("listRunEvents", ROWS_MAX).at(id).cut(ROW_TEXT_TOKENS);
    let rows = pages::read(api, &list, cursor, LISTS_TOKENS).await?.shown();
    opened.insert("steps_newest_first".to_owned(), rows);
    Ok(opened)
}

/// One message, whose text is read on with a cursor.
async fn message(api: &Api, id: &str, cursor: &Cursor) -> Result<Map<String, Value>, Refused> {
    let mut row = api.get(Kind::Message.operation(), id).await?;
    let text = row["text"].take();
    let mut shown = marked::row(&row, HEAD_CUT, MESSAGE_HEAD_TOKENS);
    if let Some(text) = text.as_str() {
        let (kept, next) = read_on(text, cursor);
        shown["text"] = kept;
        if let Some(next) = next {
            shown["cursor"] = next;
        }
    }
    Ok(Map::from_iter([("message".to_owned(), shown)]))
}

/// An ask, and what became of it if a program raised it.
async fn ask(api: &Api, id: &str) -> Result<Map<String, Value>, Refused> {
    let mut opened = head(api, Kind::Ask, "ask", id).await?;
    if opened["ask"].get("run_id").is_none()
        && let Ok(ask) = id.parse()
    {
        let account = api.principal.account;
        let held = api.dispatcher.store.read(move |tx| held_calls::find(tx, account, ask)).await;
        if let Ok(Some(held)) = held {
            opened.insert("outcome".to_owned(), describe(api, &held));
        }
    }
    Ok(opened)
}
