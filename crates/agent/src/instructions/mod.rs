//! Instructions: a library of texts that assistants follow. One instruction can serve many assistants.

mod api;
mod sql;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_kernel::{Id, Text, Timestamp};
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use frontdesk_platform::listing::{any_part, newest_first};
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Deleted, Given, Page, filters, input, resource};

pub use api::routes;
pub(crate) use sql::STATEMENTS;

/// Maximum characters of a title.
pub const TITLE_CHARS_MAX: usize = 200;
/// Maximum characters of a text.
pub const BODY_CHARS_MAX: usize = 20_000;
const SEARCH_CHARS_MAX: usize = 200;

pub type InstructionId = Id<Instruction>;

resource! {
    /// A text that assistants follow.
    pub struct Instruction {
        pub id: InstructionId,
        pub title: String,
        pub body: String,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new instruction for the library.
    pub struct NewInstruction {
        pub title: Text<TITLE_CHARS_MAX>,
        pub body: Text<BODY_CHARS_MAX>,
    }
}

input! {
    /// Changes of an instruction.
    pub struct InstructionPatch {
        pub title: Given<Text<TITLE_CHARS_MAX>>,
        pub body: Given<Text<BODY_CHARS_MAX>>,
    }
}

filters! {
    /// Which instructions to list.
    pub struct InstructionFilters {
        /// Any part of the title or the body, ignoring case.
        pub q: Option<Text<SEARCH_CHARS_MAX>>,
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("instruction");

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewInstruction) -> Result<Instruction, PlatformError> {
    let id: InstructionId = by.new_id();
    let instruction = Instruction {
        id,
        title: new.title.to_string(),
        body: new.body.to_string(),
        created_at: id.created_at(),
        updated_at: by.now,
    };
    write(tx, sql::INSERT, by, &instruction)?;
    Ok(instruction)
}

pub fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    id: InstructionId,
    patch: &InstructionPatch,
) -> Result<Instruction, PlatformError> {
    let before = tx.find_to_change(sql::FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    let instruction = Instruction {
        title: patch.title.as_ref().into_option().map_or(before.title, ToString::to_string),
        body: patch.body.as_ref().into_option().map_or(before.body, ToString::to_string),
        updated_at: by.now,
        ..before
    };
    write(tx, sql::UPDATE, by, &instruction)?;
    Ok(instruction)
}

/// Deletes an instruction and removes it from the assistants that follow it.
pub fn delete(tx: &mut Tx<'_>, by: &By, id: InstructionId) -> Result<Deleted, PlatformError> {
    tx.find_to_change(sql::FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    unbind(tx, by, id)?;
    tx.execute(sql::DELETE, &[&by.account, &id])?.exactly(1)?;
    Ok(Deleted::new(id))
}

/// Removes an instruction from every assistant before it is deleted.
fn unbind(tx: &mut Tx<'_>, by: &By, instruction: InstructionId) -> db::Result<()> {
    for assistant in tx.query(sql::FOLLOWERS, &[&by.account, &instruction], only::<AssistantId>)? {
        tx.execute(sql::COUNT_ONE_LESS, &[&by.account, &assistant, &by.now])?.exactly(1)?;
    }
    let _any_number_is_fine = tx.execute(sql::UNBIND, &[&by.account, &instruction])?;
    Ok(())
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: InstructionId) -> db::Result<Option<Instruction>> {
    tx.find(sql::FIND, &[&account, &id], read)
}

/// An instruction, locked until the transaction ends.
pub fn hold(tx: &mut Tx<'_>, account: AccountId, id: InstructionId) -> db::Result<Option<Instruction>> {
    tx.find_to_change(sql::FIND, &[&account, &id], read)
}

/// The oldest instruction with this title and this body.
pub fn with_text(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    new: &NewInstruction,
) -> db::Result<Option<InstructionId>> {
    tx.find(sql::WITH_TEXT, &[&account, &new.title.as_str(), &new.body.as_str()], only)
}

pub fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &InstructionFilters,
    page: &Page,
) -> db::Result<Vec<Instruction>> {
    let mut query = Query::new("SELECT id, title, body, updated_at FROM instructions WHERE account_id = ");
    query.bind(account);
    if let Some(text) = &filters.q {
        any_part(&mut query, text.as_str());
    }
    newest_first(&mut query, page);
    tx.run(&query, read)
}

fn write(tx: &mut Tx<'_>, statement: &str, by: &By, instruction: &Instruction) -> db::Result<()> {
    let search = format!("{}\n{}", instruction.title, instruction.body).to_lowercase();
    let params: &[&dyn db::Param] =
        &[&by.account, &instruction.id, &instruction.title, &instruction.body, &search, &by.now];
    tx.execute(statement, params)?.exactly(1)
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "instructions",
    &["instructions"],
    Columns { sql: "t.id, t.title, t.body, t.updated_at", line: |row, _| line(&read(row)?) },
)];

pub(crate) fn read(row: &mut Row<'_>) -> db::Result<Instruction> {
    let id: InstructionId = row.next()?;
    Ok(Instruction {
        id,
        title: row.next()?,
        body: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

impl Example for Instruction {
    fn example() -> Self {
        Self {
            id: example::id(),
            title: "Refunds".into(),
            body: "Refunds are possible within 30 days. Ask for the order number.".into(),
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
