//! Search of contacts and messages by any part of their text, whatever its case.
//!
//! PostgreSQL has trigram indexes, and an index of [`keys`] for contacts. SQLite has full-text indexes of [`words`], each in a
//! file of its own beside the database, which an indexer writes. Both engines compare the same text in the end, so they
//! find the same rows. What differs between the engines is in this crate alone.
//!
//! This crate knows the tables of the indexes, and which columns of contacts and messages are searched. It does not know the
//! resources: callers pass the columns to read and add their own filters.

pub mod contacts;
mod keys;
pub mod messages;
mod needle;
pub mod stored;
mod text;
mod words;

pub use keys::{KEY_PREFIX, keys};
pub use needle::Needle;
pub use text::{account_prefix, text};
pub use words::words;

use frontdesk_db::{self as db, SideFile, Store};

/// Files that SQLite keeps beside the database.
pub const SIDE_FILES: &[SideFile] = &[contacts::FILE, messages::FILE];

/// Statements that run only on SQLite.
pub fn sqlite_statements() -> Vec<(&'static str, &'static str)> {
    [contacts::STATEMENTS, messages::STATEMENTS].concat()
}

/// Brings SQLite's indexes up to date, for a command: a server's own workers do it later.
pub async fn catch_up(store: &Store) -> db::Result<()> {
    let (_runs_on, stopped) = tokio::sync::watch::channel(false);
    contacts::catch_up(store.clone(), stopped.clone()).await?;
    messages::indexer::catch_up(store.clone(), stopped).await
}

/// Merges a little of SQLite's indexes, so that searches read fewer segments.
pub async fn tidy(store: &Store) -> db::Result<()> {
    if store.has_side_files() {
        store.write_side(&contacts::FILE, contacts::index::tidy).await?;
        store.write_side(&messages::FILE, messages::indexer::tidy).await?;
    }
    Ok(())
}
