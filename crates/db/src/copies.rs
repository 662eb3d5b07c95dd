//! Marks of copies. A database that is being moved or was moved, and one that is not complete yet, is not opened.
//!
//! The source keeps its mark after the copy, because a server on it would do again what the servers of the target do.

use frontdesk_kernel::Timestamp;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres::Session;
use crate::read_tx::ReadTx;
use crate::row::Row;
use crate::sqlite::{self, Connection};

crate::statements::statements! {
    FIND = "SELECT copy_id, side, other, completed_at FROM copies";
    PUT = "INSERT INTO copies (one, copy_id, side, other) VALUES (1, $1, $2, $3)
        ON CONFLICT (one) DO UPDATE SET other = excluded.other";
    COMPLETE = "UPDATE copies SET completed_at = $1";
    REMOVE = "DELETE FROM copies";
    PROGRESS = "SELECT row_count, last_key, is_complete FROM copied_tables WHERE name = $1";
    REACH = "INSERT INTO copied_tables (name, row_count, last_key, is_complete) VALUES ($1, $2, $3, $4)
        ON CONFLICT (name) DO UPDATE SET row_count = excluded.row_count, last_key = excluded.last_key, is_complete = excluded.is_complete";
    FORGET_PROGRESS = "DELETE FROM copied_tables";
    ADD_INDEX = "INSERT INTO copy_indexes (name, definition) VALUES ($1, $2)";
    INDEXES = "SELECT name, definition FROM copy_indexes ORDER BY name";
    REMOVE_INDEX = "DELETE FROM copy_indexes WHERE name = $1";
}

/// The servers of a PostgreSQL database, with the last sign of life of each.
pub(crate) const SERVERS: &str =
    "SELECT id, seen_at FROM servers UNION ALL SELECT id, beat_at FROM server_beats WHERE NOT is_dead";

/// Which side of a copy a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopySide {
    Source,
    Target,
}

impl CopySide {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Target => "target",
        }
    }
}

/// The mark of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyMark {
    pub copy_id: Uuid,
    pub side: CopySide,
    /// Where the other side is.
    pub other: String,
    pub completed_at: Option<Timestamp>,
}

impl CopyMark {
    pub(crate) fn read(row: &mut Row<'_>) -> Result<Self> {
        let copy_id = row.next()?;
        let side = match row.next::<String>()?.as_str() {
            "source" => CopySide::Source,
            "target" => CopySide::Target,
            _ => return Err(Error::Decode("side of a copy")),
        };
        Ok(Self { copy_id, side, other: row.next()?, completed_at: row.next()? })
    }

    /// Why the database is not opened, and what to do.
    pub fn refusal(&self, place: &str) -> Error {
        let other = &self.other;
        Error::InUse(match (self.side, self.completed_at) {
            (CopySide::Target, _) => format!(
                "the database {place} is not complete: it is being copied from {other}. Run the same `frontdesk copy` again \
                 to go on, or remove {place}"
            ),
            (CopySide::Source, None) => format!(
                "the database {place} is being moved to {other}. Run the same `frontdesk copy` again to finish, or \
                 `frontdesk copy --undo URL` with the address of {place} to stay here"
            ),
            (CopySide::Source, Some(at)) => format!(
                "the database {place} was moved to {other} at {at}: use that one. If it was never served there, \
                 `frontdesk copy --undo URL` with the address of {place} puts this one back into service"
            ),
        })
    }
}

/// Fails if this database must not be used. For a server that has just announced itself: a copy that has begun meanwhile
/// either saw the server or has left its mark.
pub fn check(tx: &mut ReadTx<'_>, place: &str) -> Result<()> {
    refuse(tx.query(FIND, &[], CopyMark::read)?, place)
}

pub(crate) fn check_sqlite(connection: &Connection, place: &str) -> Result<()> {
    refuse(sqlite::query(&connection.raw, &connection.names, FIND, &[], CopyMark::read)?, place)
}

pub(crate) fn check_postgres(session: &mut Session, place: &str) -> Result<()> {
    refuse(session.query(FIND, &[], CopyMark::read)?, place)
}

fn refuse(marks: Vec<CopyMark>, place: &str) -> Result<()> {
    match marks.first() {
        Some(mark) => Err(mark.refusal(place)),
        None => Ok(()),
    }
}
