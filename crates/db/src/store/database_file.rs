//! SQLite's database file: it is created, locked by a server, and migrated.

use std::path::{Path, PathBuf};

use crate::copies;
use crate::error::{Error, Result};
use crate::migrate;
use crate::sqlite::{Connection, SideFile, create_private, real_path};

/// A lock file that a server holds while it runs, so that a second one refuses to start.
pub(crate) struct Claim(
    #[expect(dead_code, reason = "holding the file open is holding the lock")] std::fs::File,
);

/// An open database.
pub(super) struct Opened {
    /// Its path, with every symbolic link resolved.
    pub(super) path: PathBuf,
    pub(super) database: Connection,
    /// The side files, in the order of their declaration.
    pub(super) side_files: Vec<Connection>,
    pub(super) claim: Option<Claim>,
}

/// Opens the database and applies its migrations. A server locks it; commands do not.
pub(super) fn open(path: &Path, server: bool, create: bool, side_files: &[SideFile]) -> Result<Opened> {
    let resolve = |path: &Path| {
        real_path(path).map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))
    };
    let path = resolve(path)?;
    // An interrupted first start leaves an empty file.
    if !create && std::fs::metadata(&path).map_or(true, |file| file.len() == 0) {
        return Err(Error::NoDatabase(path.display().to_string()));
    }
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .map_err(|error| Error::Unavailable(format!("cannot create {}: {error}", directory.display())))?;
    }
    // A directory that was just created may itself be behind a link.
    let path = resolve(&path)?;
    create_private(&path)?;
    let claim = server.then(|| claim_to_serve(&path)).transpose()?;
    let mut database = Connection::open(&path)?;
    migrate::migrate_sqlite(&database)?;
    copies::check_sqlite(&database, &path.display().to_string())?;
    database.learn_names()?;
    let open = |file: &SideFile| file.open(&path, &database, server);
    let side_files = side_files.iter().map(open).collect::<Result<_>>()?;
    Ok(Opened { path, database, side_files, claim })
}

/// Takes the lock for a server. A copy, which holds it too, says what is going on.
fn claim_to_serve(path: &Path) -> Result<Claim> {
    claim(path).map_err(|taken| {
        let marked = Connection::look_at(path)
            .and_then(|database| copies::check_sqlite(&database, &path.display().to_string()));
        marked.err().filter(|marked| matches!(marked, Error::InUse(_))).unwrap_or(taken)
    })
}

/// Takes the lock of a server.
pub(crate) fn claim(path: &Path) -> Result<Claim> {
    let lock = path.with_added_extension("lock");
    let file = std::fs::OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(false)
        .open(&lock)
        .map_err(|error| Error::Unavailable(format!("cannot open {}: {error}", lock.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(Claim(file)),
        Err(_) => Err(Error::InUse(format!(
            "another frontdesk server is running on {}: SQLite serves one server at a time. Stop that one, \
             choose another file with --database sqlite:PATH, or use PostgreSQL for several servers",
            path.display()
        ))),
    }
}
