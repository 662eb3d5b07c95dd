//! Memories: short facts that assistants keep about the account, about a contact, or for one assistant.
//!
//! Every word of a memory is indexed, in the same way on both engines. A list matches the beginnings of words. A
//! prompt recalls the memories that share the rarest words with the run's goal and latest messages, up to a maximum
//! size.

mod api;
mod recall;
mod sql;
mod words;

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_kernel::{Id, Text, Timestamp};
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use frontdesk_platform::listing::newest_first;
use frontdesk_platform::{Actor, By, Error as PlatformError};
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Deleted, Page, choice, filters, input, resource};

pub use api::routes;
pub(crate) use recall::{Reader, Recent, expect_recent, find_more, is_all, recall, recent};

use crate::assistants;

pub const CONTENT_CHARS_MAX: usize = 2_000;
const SEARCH_CHARS_MAX: usize = 200;

/// Every statement of memories, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}

pub type MemoryId = Id<Memory>;

choice! {
    /// Who wrote a memory: a program, an assistant, or a member.
    pub enum MemorySource {
        Api => "api",
        Assistant => "assistant",
        Member => "member",
    }
}

db::text_column!(MemorySource);

impl MemorySource {
    fn of(actor: Actor) -> Self {
        match actor {
            Actor::Assistant(_) => Self::Assistant,
            Actor::Member(_) => Self::Member,
            Actor::Key(_) | Actor::System => Self::Api,
        }
    }
}

resource! {
    /// A fact that assistants remember.
    pub struct Memory {
        pub id: MemoryId,
        /// The assistant that recalls it; null for all of them.
        pub assistant_id: Option<AssistantId>,
        /// The contact it is about; null for the whole account.
        pub contact_id: Option<ContactId>,
        pub content: String,
        pub source: MemorySource,
        pub created_at: Timestamp,
    }
}

input! {
    /// A new memory.
    pub struct NewMemory {
        pub content: Text<CONTENT_CHARS_MAX>,
        /// The assistant that recalls it; all of them by default.
        pub assistant_id: Option<AssistantId>,
        /// The contact it is about; defaults to the whole account.
        pub contact_id: Option<ContactId>,
    }
}

filters! {
    /// Which memories to list.
    pub struct MemoryFilters {
        /// Memories of this assistant. Those that belong to all assistants are not among them.
        pub assistant_id: Option<AssistantId>,
        pub contact_id: Option<ContactId>,
        /// Beginnings of words, in any order and ignoring case. All of them must match.
        pub q: Option<Text<SEARCH_CHARS_MAX>>,
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("memory");

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewMemory) -> Result<Memory, PlatformError> {
    if let Some(contact) = new.contact_id
        && !contacts::hold(tx, by.account, contact)?
    {
        return Err(PlatformError::Missing("contact"));
    }
    if let Some(assistant) = new.assistant_id
        && assistants::find(tx, by.account, assistant)?.is_none()
    {
        return Err(assistants::MISSING);
    }
    let id: MemoryId = by.new_id();
    let memory = Memory {
        id,
        assistant_id: new.assistant_id.or(assistant_of(by.actor)),
        contact_id: new.contact_id,
        content: new.content.to_string(),
        source: MemorySource::of(by.actor),
        created_at: id.created_at(),
    };
    let params: &[&dyn db::Param] =
        &[&by.account, &id, &memory.assistant_id, &memory.contact_id, &memory.content, &memory.source];
    tx.execute(sql::INSERT, params)?.exactly(1)?;
    for word in words::of(&memory.content) {
        let params: Vec<db::OwnedParam> =
            vec![Box::new(by.account), Box::new(word.into_bytes()), Box::new(id)];
        tx.insert_along(Query::whole(sql::INSERT_WORD, params))?;
    }
    Ok(memory)
}

/// An assistant's own memories are its own. Those of people and programs belong to all assistants unless they name one.
fn assistant_of(actor: Actor) -> Option<AssistantId> {
    match actor {
        Actor::Assistant(id) => Some(id),
        Actor::Key(_) | Actor::Member(_) | Actor::System => None,
    }
}

/// Deletes a memory.
pub fn delete(tx: &mut Tx<'_>, by: &By, id: MemoryId) -> Result<Deleted, PlatformError> {
    if tx.execute(sql::DELETE, &[&by.account, &id])?.any() { Ok(Deleted::new(id)) } else { Err(MISSING) }
}

/// Deletes every memory about a contact.
pub(crate) fn erase_of(tx: &mut Tx<'_>, account: AccountId, contact: ContactId) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(sql::ERASE, &[&account, &contact])?;
    Ok(())
}

/// Moves the memories about one contact to another.
pub(crate) fn repoint(
    tx: &mut Tx<'_>,
    account: AccountId,
    from: ContactId,
    into: ContactId,
) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(sql::REPOINT, &[&account, &from, &into])?;
    Ok(())
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: MemoryId) -> db::Result<Option<Memory>> {
    tx.find(sql::FIND, &[&account, &id], read)
}

/// Lists memories. An assistant sees its own and those that belong to all.
pub fn list(tx: &mut ReadTx<'_>, by: &By, filters: &MemoryFilters, page: &Page) -> db::Result<Vec<Memory>> {
    let account = by.account;
    let mut query =
        Query::new("SELECT id, assistant_id, contact_id, content, source FROM memories WHERE account_id = ");
    query.bind(account);
    if let Some(reader) = assistant_of(by.actor) {
        query.push(" AND (assistant_id IS NULL OR assistant_id = ").bind(reader).push(")");
    }
    if let Some(assistant) = filters.assistant_id {
        query.push(" AND assistant_id = ").bind(assistant);
    }
    if let Some(contact) = filters.contact_id {
        query.push(" AND contact_id = ").bind(contact);
    }
    for word in filters.q.iter().flat_map(|text| words::of(text.as_str())) {
        let (from, to) = words::beginning_with(&word);
        query.push(" AND id IN (SELECT memory_id FROM memory_words WHERE account_id = ").bind(account);
        query.push(" AND word >= ").bind(from).push(" AND word < ").bind(to).push(")");
    }
    newest_first(&mut query, page);
    tx.run(&query, read)
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "memories",
    &["memories"],
    Columns {
        sql: "t.id, t.assistant_id, t.contact_id, t.content, t.source",
        line: |row, _| line(&read(row)?),
    },
)
.of_contact("t.contact_id = {contact}")];

fn read(row: &mut Row<'_>) -> db::Result<Memory> {
    let id: MemoryId = row.next()?;
    Ok(Memory {
        id,
        assistant_id: row.next()?,
        contact_id: row.next()?,
        content: row.next()?,
        source: row.next()?,
        created_at: id.created_at(),
    })
}

impl Example for Memory {
    fn example() -> Self {
        Self {
            id: example::id(),
            assistant_id: None,
            contact_id: Some(example::id()),
            content: "Prefers deliveries before nine in the morning.".into(),
            source: MemorySource::Assistant,
            created_at: example::MOMENT,
        }
    }
}
