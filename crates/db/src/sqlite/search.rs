//! The file of the full-text index, beside the database.
//!
//! SQLite has one writer to a file. The index is a large part of what a new contact costs, and follows behind anyway, so
//! it has a file of its own with a writer of its own. All of it can be made anew from the database: a file that is
//! missing, of another version or of another database is begun anew.

use std::path::{Path, PathBuf};

use super::connection::{Connection, query};
use crate::{Error, Result, only};

/// What the file holds, and its version. Merges wait for eight parts of a size; a size with far more parts than that is
/// merged in one go, which takes long, so that must not come up.
const VERSION: i64 = 1;
const TABLES: &str = "CREATE VIRTUAL TABLE contact_search
        USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
    INSERT INTO contact_search (contact_search, rank) VALUES ('automerge', 8);
    INSERT INTO contact_search (contact_search, rank) VALUES ('crisismerge', 256);
    CREATE TABLE contact_index (only INTEGER PRIMARY KEY CHECK (only = 1), through INTEGER NOT NULL, of TEXT NOT NULL) STRICT;";

/// What the database is known by to its index.
const KNOWN_BY: &str = "SELECT known_by FROM contact_search_file";

pub(super) fn path_of(database: &Path) -> PathBuf {
    database.with_added_extension("search")
}

/// Opens the file that belongs to a database. A server, which has the database to itself, makes anew what it cannot read.
pub(super) fn open(database: &Path, connection: &Connection, server: bool) -> Result<Connection> {
    let path = path_of(database);
    let known_by = query(&connection.raw, &connection.names, KNOWN_BY, &[], only::<String>)?;
    let known_by = known_by.into_iter().next().ok_or(Error::Decode("contact_search_file"))?;
    match open_file(&path, &known_by) {
        Err(error) if server && !matches!(error, Error::Busy) => {
            tracing::warn!(%error, file = %path.display(), "the index of contacts cannot be read and is made anew");
            remove(&path)?;
            open_file(&path, &known_by)
        }
        opened => opened,
    }
}

fn open_file(path: &Path, known_by: &str) -> Result<Connection> {
    super::private(path)?;
    let search = Connection::open(path)?;
    search.batch("BEGIN IMMEDIATE")?;
    if is_of(&search, known_by) {
        search.batch("COMMIT")?;
        return Ok(search);
    }
    let emptied = empty(&search).and_then(|()| {
        search.batch(TABLES)?;
        search.batch(&format!(
            "INSERT INTO contact_index VALUES (1, 0, '{known_by}'); PRAGMA user_version = {VERSION}; COMMIT"
        ))
    });
    emptied.map(|()| search)
}

fn is_of(search: &Connection, known_by: &str) -> bool {
    let one = |sql| query(&search.raw, &search.names, sql, &[], only::<i64>);
    let of = query(&search.raw, &search.names, "SELECT of FROM contact_index", &[], only::<String>);
    one("PRAGMA user_version").is_ok_and(|version| version == [VERSION])
        && of.is_ok_and(|of| of == [known_by])
}

/// Removes the file, and the log and the memory that SQLite keeps beside it.
fn remove(path: &Path) -> Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::Unavailable(format!("cannot remove {}: {error}", file.display())));
            }
            _ => {}
        }
    }
    Ok(())
}

fn empty(search: &Connection) -> Result<()> {
    search.batch("DROP TABLE IF EXISTS contact_search; DROP TABLE IF EXISTS contact_index")
}

/// Lets a connection to the database read the index too.
pub(super) fn attach(connection: &Connection, database: &Path) -> Result<()> {
    let path = path_of(database);
    let attach = connection.raw.execute("ATTACH DATABASE ?1 AS search", [path.to_string_lossy()]);
    attach.map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
    connection.batch("PRAGMA search.cache_size = -8192")
}
