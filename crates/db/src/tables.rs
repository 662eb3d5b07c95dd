//! The rows of a database as plain values, which both engines understand: what a backup reads and a restore writes.
//!
//! [`KEPT`] and [`LEFT_OUT`] name every table. [`Snapshot`] reads the kept ones as they were at one moment, page by page in
//! the order of their keys, on a connection of its own; it never writes. [`NewDatabase`] writes them into a database
//! that has no accounts yet, all or nothing.
//!
//! A copy of one database into another reads a [`Snapshot`] too. [`CopySource`] keeps servers away from the one, and
//! [`CopyTarget`] fills the other page by page, so that an interrupted copy goes on.

mod account_rows;
mod copy_source;
mod copy_target;
mod engine;
mod insert;
mod list;
mod new_database;
mod new_file;
mod pages;
mod schema;
pub(crate) mod sizes;
mod snapshot;
#[cfg(test)]
mod tests;
mod value;

pub use account_rows::{AccountTable, account_tables};
pub(crate) use account_rows::{COLUMNS_POSTGRES, SQLITE_STATEMENTS};
pub use copy_source::CopySource;
pub use copy_target::{CopiedTable, CopyTarget};
pub use list::{COPIED_TOO, KEPT, LEFT_OUT};
pub use new_database::NewDatabase;
pub use pages::Pages;
pub use schema::{ColumnType, TableColumn, TableSchema};
pub use sizes::{TableSize, sizes};
pub use snapshot::Snapshot;
pub use value::StoredValue;

/// A row of a table, in the order of its columns.
pub type StoredRow = Vec<StoredValue>;
