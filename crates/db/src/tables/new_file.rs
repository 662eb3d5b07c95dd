//! The file of a SQLite database that is being restored.
//!
//! It has another name until it is complete. Meanwhile the lock of a server is held, so that none starts.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::migrate;
use crate::row::only;
use crate::sqlite::{self, Connection, create_private, real_path};
use crate::store::{DatabaseClaim, claim_database};

/// The extension of the file while it is incomplete.
const INCOMPLETE: &str = "restoring";
/// The files that SQLite keeps beside a database.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

pub(super) struct NewFile {
    /// The name of the complete database.
    path: PathBuf,
    /// The name until then.
    incomplete: PathBuf,
    connection: Option<Connection>,
    side_files: Vec<PathBuf>,
    _no_server_starts: DatabaseClaim,
}

impl NewFile {
    /// Creates the file with the tables of these migrations, and begins its transaction.
    pub(super) fn create(path: &Path, migrations: &[i64], side_files: &[&str]) -> Result<Self> {
        let path =
            real_path(path).map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
        if let Some(directory) = path.parent() {
            let made = fs::create_dir_all(directory);
            made.map_err(|error| {
                Error::Unavailable(format!("cannot create {}: {error}", directory.display()))
            })?;
        }
        let claim = claim_database(&path)?;
        if fs::metadata(&path).is_ok_and(|file| file.len() > 0) && has_accounts(&Connection::look_at(&path)?)?
        {
            return Err(Error::InUse(format!(
                "the database {} has accounts, which a restore never overwrites: move it away, or choose another file \
                 with --database sqlite:PATH",
                path.display()
            )));
        }
        let incomplete = path.with_added_extension(INCOMPLETE);
        remove_with_logs(&incomplete)?;
        create_private(&incomplete)?;
        let connection = Connection::open(&incomplete)?;
        // Nobody needs this file after a crash, and it is synchronised at the end.
        connection.batch(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536",
        )?;
        migrate::migrate_sqlite_to(&connection, migrations)?;
        connection.batch("BEGIN IMMEDIATE")?;
        let side_files = side_files.iter().map(|name| path.with_added_extension(name)).collect();
        Ok(Self { path, incomplete, connection: Some(connection), side_files, _no_server_starts: claim })
    }

    pub(super) fn connection(&self) -> Result<&Connection> {
        self.connection.as_ref().ok_or(Error::Closed)
    }

    /// Ends the transaction, and applies the migrations that are left.
    pub(super) fn migrate(&mut self) -> Result<()> {
        let connection = self.connection()?;
        connection.batch("COMMIT")?;
        connection.batch("PRAGMA foreign_keys = ON")?;
        migrate::migrate_sqlite(connection)
    }

    /// Gives the complete file its name, and removes what is left of the database that had it.
    pub(super) fn take_place(mut self) -> Result<()> {
        let failed = |what: &Path| {
            let what = what.display().to_string();
            move |error: std::io::Error| Error::Unavailable(format!("{what}: {error}"))
        };
        if let Some(connection) = self.connection.take() {
            connection.raw.close().map_err(|(_, error)| Error::Engine(error.to_string()))?;
        }
        File::open(&self.incomplete).and_then(|file| file.sync_all()).map_err(failed(&self.incomplete))?;
        // A log of another database beside this one would be applied to it.
        for file in self.side_files.iter().chain([&self.path]) {
            remove_with_logs(file)?;
        }
        fs::rename(&self.incomplete, &self.path).map_err(failed(&self.path))?;
        match self.path.parent() {
            Some(directory) => {
                File::open(directory).and_then(|directory| directory.sync_all()).map_err(failed(directory))
            }
            None => Ok(()),
        }
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        self.connection.take();
        let _gone_already_is_fine = remove_with_logs(&self.incomplete);
    }
}

/// Removes a file and SQLite's files beside it.
pub(super) fn remove_with_logs(path: &Path) -> Result<()> {
    for suffix in [""].into_iter().chain(LOGS) {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let file = Path::new(&file).display().to_string();
                return Err(Error::Unavailable(format!("cannot remove {file}: {error}")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a SQLite database has accounts.
fn has_accounts(connection: &Connection) -> Result<bool> {
    if migrate::applied_sqlite(connection)?.is_empty() {
        return Ok(false);
    }
    let count = "SELECT count(*) FROM accounts";
    Ok(sqlite::query(&connection.raw, &connection.names, count, &[], only::<i64>)? != [0])
}
