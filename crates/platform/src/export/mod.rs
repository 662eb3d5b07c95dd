//! What an account owns, row by row, for exports of an account or of one contact.
//!
//! A slice that keeps rows of accounts declares them as [`Exported`], and the server joins the declarations of all
//! crates. A test walks over all tables with an `account_id`: each is exported, or listed with the reason why not.
//!
//! Rows are read a page at a time in the order of their key, each page by a short read of its own, so an export of any
//! size holds no long transaction. Nothing secret is exported: no key, password, credential, token or sealed value.

mod columns;
mod key;
mod line;
mod links;
mod rows;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

pub(crate) use columns::export_columns;
pub use columns::{Columns, ReadLine};
pub use key::PageKey;
pub use line::{LineFields, line, line_with};
pub use rows::{ExportedRows, FindLines};

/// Rows that are read at a time.
pub const PAGE_ROWS: i64 = 500;

/// Whose rows are exported.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub account: AccountId,
    /// Only what is about this contact; none for everything.
    pub contact: Option<Uuid>,
}

/// Some consecutive rows.
#[derive(Debug, Default)]
pub struct ExportPage {
    /// One line of JSON for each row, without its line break.
    pub lines: Vec<String>,
    /// The key of the last row, if there may be more.
    pub next: Option<PageKey>,
}

/// One kind of rows, which becomes one file of an export.
pub trait Exported: Sync {
    /// The file's name without its extension, such as `contacts`.
    fn name(&self) -> &'static str;

    /// The tables that its lines are made of.
    fn tables(&self) -> &'static [&'static str];

    /// Whether such rows are about contacts, so that an export of one contact has this file.
    fn is_about_contacts(&self) -> bool;

    /// The rows after a key, in the order of their keys.
    fn page(&self, tx: &mut ReadTx<'_>, of: Subject, after: Option<&PageKey>) -> db::Result<ExportPage>;
}

/// What several slices export.
pub type Exports = Vec<&'static dyn Exported>;
