//! Why a file cannot be read or written.

use std::io;

pub(crate) type Result<T> = std::result::Result<T, FileError>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The place works, and has no such file.
    #[error("the file is not there")]
    Missing,
    /// The file is shorter, longer or another one than its row says.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// The place does not work now. Trying again may help.
    #[error("{0}")]
    Unavailable(String),
}

impl FileError {
    pub(crate) fn of_io(what: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Unavailable(format!("cannot {what}: {error}")),
        }
    }
}
