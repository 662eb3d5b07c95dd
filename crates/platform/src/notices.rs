//! Notices: a committed transaction tells the dashboards of its account to read something again.
//!
//! A notice is for changes that no event type reports: `thread` for a conversation's messages, such as a customer's
//! reaction, and `changed` for every other resource that members see. It has no id and is not stored, so a stream that is
//! not open misses it; the dashboard reads again what it shows when it reconnects. Only members get notices, and only
//! those whose role may read the resource.
//!
//! Notices reach the streams of every server. When there are very many at once, the other servers only learn that there
//! were some, and their streams are told that anything may have changed. The same goes for the operator's commands.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use frontdesk_db::{self as db, ReadTx, Topic, Tx};
use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::{AccountId, ConversationId};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::by::By;
use crate::settings;

/// The topic that carries notices between transactions and streams.
pub(crate) const TOPIC: Topic = "notices";
/// The names under which they are streamed.
pub(crate) const THREAD: &str = "thread";
pub(crate) const CHANGED: &str = "changed";
/// Rows of one resource that are named in a round. When more have changed, the notice names none.
const IDS_MAX: usize = 20;
/// Separates the parts of a notice on its way. None of them contains it.
const SEPARATOR: char = '/';
/// The setting that every command of the operator changes.
const COMMANDED: &str = "commanded";

/// A resource of the dashboard, and who may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The first part of its path, such as `assistants`.
    pub resource: &'static str,
    /// The scope that reading it takes; none if every member may.
    scope: Option<Scope>,
}

pub const ACCOUNT: Watched = Watched { resource: "account", scope: None };
pub const MEMBERS: Watched = Watched { resource: "members", scope: Some(Scope::ConversationsRead) };
pub const RUNS: Watched = Watched { resource: "runs", scope: Some(Scope::RunsRead) };
pub const TEMPLATES: Watched = Watched { resource: "templates", scope: Some(Scope::TemplatesRead) };
pub const TRIGGERS: Watched = Watched { resource: "triggers", scope: Some(Scope::AssistantsRead) };
pub const WEBHOOKS: Watched = Watched::managed("webhooks");
pub const CONNECTIONS: Watched = Watched::managed("connections");

impl Watched {
    pub(crate) const fn new(resource: &'static str, scope: Option<Scope>) -> Self {
        Self { resource, scope }
    }

    /// A resource that members with a scope read.
    pub const fn read_with(resource: &'static str, scope: Scope) -> Self {
        Self { resource, scope: Some(scope) }
    }

    /// A resource that only owners and admins read. No other role has the scope.
    pub const fn managed(resource: &'static str) -> Self {
        Self { resource, scope: Some(Scope::WebhooksManage) }
    }
}

/// Tells members' streams, once this transaction has committed, that a conversation's thread has changed.
pub fn thread_changed(tx: &mut Tx<'_>, by: &By, conversation: ConversationId) {
    let scope = Some(Scope::ConversationsRead);
    tell(tx, by.account, THREAD, Watched { resource: "", scope }, Some(conversation.uuid()));
}

/// Tells the streams of members who may read it, once this transaction has committed, that a resource has changed: the row
/// with this id, or any.
pub fn changed(tx: &mut Tx<'_>, account: AccountId, watched: Watched, id: Option<Uuid>) {
    tell(tx, account, CHANGED, watched, id);
}

fn tell(tx: &mut Tx<'_>, account: AccountId, name: &str, watched: Watched, id: Option<Uuid>) {
    let (scope, id) =
        (watched.scope.map_or("", Scope::name), id.as_ref().map(ToString::to_string).unwrap_or_default());
    let parts = [&account.to_string(), scope, name, watched.resource, &id];
    tx.changes(account.uuid());
    tx.tell(TOPIC, parts.join(&SEPARATOR.to_string()));
}

/// Tells the members of every account, within a second, that a command of the operator may have changed what they see.
/// `mark` is random.
pub fn commanded(tx: &mut Tx<'_>, mark: u128) -> db::Result<()> {
    settings::put(tx, COMMANDED, &mark.to_string())
}

/// A value that differs after each command.
pub(crate) fn last_command(tx: &mut ReadTx<'_>) -> db::Result<Option<String>> {
    settings::get(tx, COMMANDED)
}

/// What a text told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Notice<'t> {
    account: AccountId,
    scope: Option<Scope>,
    name: &'t str,
    resource: &'t str,
    id: &'t str,
}

impl<'t> Notice<'t> {
    /// None for a text of a later version.
    fn read(text: &'t str) -> Option<Self> {
        let mut parts = text.split(SEPARATOR);
        let account = AccountId::from_uuid(Uuid::try_parse(parts.next()?).ok()?);
        let scope = match parts.next()? {
            "" => None,
            name => Some(name.parse().ok()?),
        };
        Some(Self { account, scope, name: parts.next()?, resource: parts.next()?, id: parts.next()? })
    }

    fn data(self) -> Value {
        match self {
            Self { name: THREAD, id, .. } => json!({ "conversation_id": id }),
            Self { resource, id: "", .. } => json!({ "resource": resource }),
            Self { resource, id, .. } => json!({ "resource": resource, "id": id }),
        }
    }
}

/// The members who get a notice: those of an account, with a scope.
pub(crate) type Audience = (AccountId, Option<Scope>);

/// The notices of a round in their order, as texts of a stream for their audiences, each once. A resource of which many
/// rows have changed, or any, is named without an id.
pub(crate) fn round(texts: &[String]) -> Vec<(Audience, String)> {
    let notices: Vec<Notice<'_>> = texts.iter().filter_map(|text| Notice::read(text)).collect();
    let mut ids: HashMap<Notice<'_>, HashSet<&str>> = HashMap::new();
    for notice in &notices {
        ids.entry(Notice { id: "", ..*notice }).or_default().insert(notice.id);
    }
    let mut told = HashSet::new();
    let mut streams: Vec<(Audience, String)> = Vec::new();
    for notice in notices {
        let any = Notice { id: "", ..notice };
        let is_any = ids[&any].len() > IDS_MAX || ids[&any].contains("");
        // A thread is always named, because its messages are read again.
        let shown = if is_any && notice.name != THREAD { any } else { notice };
        if !told.insert(shown) {
            continue;
        }
        let audience = (shown.account, shown.scope);
        if streams.last().is_none_or(|(last, _)| *last != audience) {
            streams.push((audience, String::new()));
        }
        if let Some((_, stream)) = streams.last_mut() {
            // Writing to a string cannot fail.
            let _ = write!(stream, "event: {}\ndata: {}\n\n", shown.name, shown.data());
        }
    }
    streams
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(account: u128, scope: &str, name: &str, resource: &str, id: &str) -> String {
        [&Uuid::from_u128(account).to_string(), scope, name, resource, id].join("/")
    }

    fn account(number: u128) -> AccountId {
        AccountId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_round_names_each_row_once_for_those_who_may_read_it() {
        let texts = [
            text(1, "runs:read", CHANGED, "runs", "a"),
            text(1, "runs:read", CHANGED, "runs", "a"),
            text(1, "", CHANGED, "account", ""),
            text(2, "webhooks:manage", CHANGED, "keys", ""),
            text(2, "conversations:read", THREAD, "", "c"),
            text(2, "dreams:read", CHANGED, "dreams", ""),
            "not a notice".to_owned(),
        ];
        let told = round(&texts);
        let expected = [
            (
                account(1),
                Some(Scope::RunsRead),
                "event: changed\ndata: {\"id\":\"a\",\"resource\":\"runs\"}\n\n",
            ),
            (account(1), None, "event: changed\ndata: {\"resource\":\"account\"}\n\n"),
            (account(2), Some(Scope::WebhooksManage), "event: changed\ndata: {\"resource\":\"keys\"}\n\n"),
            (
                account(2),
                Some(Scope::ConversationsRead),
                "event: thread\ndata: {\"conversation_id\":\"c\"}\n\n",
            ),
        ];
        assert_eq!(told, expected.map(|(account, scope, stream)| ((account, scope), stream.to_owned())));
    }

    #[test]
    fn many_rows_of_a_resource_are_one_notice() {
        let texts: Vec<String> = (0..=IDS_MAX)
            .map(|number| text(1, "runs:read", CHANGED, "runs", &format!("{number}")))
            .chain([text(1, "runs:read", CHANGED, "templates", "t")])
            .collect();
        let told = round(&texts);
        let [(_, stream)] = told.as_slice() else { panic!("one audience: {told:?}") };
        assert_eq!(stream.matches("\"resource\":\"runs\"").count(), 1, "{stream}");
        assert!(stream.contains("{\"resource\":\"runs\"}") && stream.contains("\"id\":\"t\""), "{stream}");
    }
}
