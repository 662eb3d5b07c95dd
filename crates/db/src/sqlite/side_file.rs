//! Side files: SQLite files next to the database, each with its own writer.
//!
//! SQLite has one writer per file. Data that is expensive to write, may lag behind and can be rebuilt from
//! the database belongs in a side file. Readers see its tables next to those of the database. A file that is
//! missing, of another version or of another database is created again.

use std::path::{Path, PathBuf};

use super::connection::{Connection, execute, query};
use crate::error::{Error, Result};
use crate::row::only;

/// The declaration of a side file. Its tables must not share names with those of the database.
#[derive(Clone, Copy, Debug)]
pub struct SideFile {
    /// The extension of the file, and the schema that readers attach it as.
    pub name: &'static str,
    /// The version of its tables.
    pub version: i64,
    /// Drops tables of another version, if there are any, and creates those of this one.
    pub create: &'static str,
    /// Reads the id of the database, from the database.
    pub database_id: &'static str,
    /// Stores that id (`$1`) in the file.
    pub set_owner: &'static str,
    /// Reads the id that is stored in the file.
    pub owner: &'static str,
}

impl SideFile {
    fn path(&self, database: &Path) -> PathBuf {
        database.with_added_extension(self.name)
    }

    /// Opens the side file of a database. A server, which has locked the database, replaces a file that it
    /// cannot read.
    pub(crate) fn open(&self, database: &Path, connection: &Connection, server: bool) -> Result<Connection> {
        let path = self.path(database);
        let id = query(&connection.raw, &connection.names, self.database_id, &[], only::<String>)?;
        let id = id.into_iter().next().ok_or(Error::Decode(self.name))?;
        match self.open_file(&path, &id) {
            Err(error) if server && !matches!(error, Error::Busy) => {
                tracing::warn!(%error, file = %path.display(), "the side file cannot be read and is created anew");
                remove(&path)?;
                self.open_file(&path, &id)
            }
            opened => opened,
        }
    }

    fn open_file(&self, path: &Path, id: &str) -> Result<Connection> {
        super::create_private(path)?;
        let file = Connection::open(path)?;
        // What is removed leaves nothing in free pages, also when an index is merged.
        file.batch("PRAGMA secure_delete = ON")?;
        file.batch("BEGIN IMMEDIATE")?;
        if !self.is_current(&file, id) {
            file.batch(self.create)?;
            execute(&file.raw, &file.names, self.set_owner, &[&id])?;
            file.batch(&format!("PRAGMA user_version = {}", self.version))?;
        }
        file.batch("COMMIT")?;
        Ok(file)
    }

    fn is_current(&self, file: &Connection, id: &str) -> bool {
        let version = query(&file.raw, &file.names, "PRAGMA user_version", &[], only::<i64>);
        let owner = query(&file.raw, &file.names, self.owner, &[], only::<String>);
        version.is_ok_and(|version| version == [self.version]) && owner.is_ok_and(|owner| owner == [id])
    }

    /// Lets a connection to the database read the side file too.
    pub(crate) fn attach(&self, connection: &Connection, database: &Path) -> Result<()> {
        let (path, name) = (self.path(database), self.name);
        let attached =
            connection.raw.execute(&format!("ATTACH DATABASE ?1 AS {name}"), [path.to_string_lossy()]);
        attached.map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
        connection.batch(&format!("PRAGMA {name}.cache_size = -8192"))
    }
}

/// Removes a file with its log and shared memory.
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
