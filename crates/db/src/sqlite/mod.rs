//! Embedded SQLite: connections, statements, side files, and the checkpointer.

mod checkpointer;
mod connection;
mod real_path;
pub(crate) mod rows;
mod side_file;
mod statements;

use std::path::Path;

pub(crate) use checkpointer::Checkpointer;
pub(crate) use connection::{BUSY_TIME_MAX, Connection, Names, each, execute, meaning, prepare, query};
pub use real_path::real_path;
pub use side_file::SideFile;
pub(crate) use statements::{Prepared, Statements};

use crate::error::{Error, Result};

/// Creates a missing file that its owner alone may read; its log and index get the same permissions.
pub(crate) fn create_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(Error::Unavailable(format!("cannot create {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}
