//! Backups: one file with all rows of a database as they were at one moment, and back.
//!
//! [`write()`] reads a snapshot while servers run, and gives the file its name only when it is complete and on the disk.
//! [`restore()`] checks the whole file before it writes anything, and makes a new database or none. The file is described in
//! [`mod@format`]; both need the memory of a few rows.

mod destination;
mod format;
mod outside;
mod plan;
mod reader;
mod restore;
mod write;
mod writer;

pub(crate) use destination::Destination;
pub(crate) use format::put_row;
pub(crate) use outside::OutsideSummary;
pub(crate) use plan::{BackupPlan, BackupState};
pub(crate) use restore::{Restored, restore};
pub(crate) use write::{Contents, Summary, write};

/// How far a backup, a restore or another long command has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) done: u64,
    /// About how much there is to do.
    pub(crate) total: u64,
    /// The size of the file, as far as it was written or read.
    pub(crate) bytes: u64,
    pub(crate) phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Rows are copied.
    Rows,
    /// The bytes of a file are checked.
    Check,
    /// Indexes are made.
    Indexes,
    /// The rows of two databases are compared.
    Compare,
    /// Rows are deleted.
    Delete,
    /// Files are moved.
    Files,
    /// Rows of another system are looked at, and those that are missing are brought.
    Import,
}

/// Is told of every step.
pub(crate) type Progress<'p> = &'p mut dyn FnMut(Step);
