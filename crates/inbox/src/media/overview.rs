//! How many files are where, and which ones are to be moved. For the operator, over all accounts.

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::Id;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use serde::Serialize;

use super::MediaId;
use super::files::url;
use super::sql::{LEFT, LEFT_PAGE, PLACES, REMOVALS, WAITING};

/// The files in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilesInPlace {
    /// `database`, or the name of a place.
    pub place: String,
    /// None for the database.
    pub url: Option<String>,
    pub files: i64,
    pub bytes: i64,
}

/// Files of one place that are to be deleted for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueuedRemovals {
    pub place: String,
    /// `deleted`, `moved`, or `unfinished`: one that is being written, or was when its writer died.
    pub reason: String,
    pub files: i64,
    /// How many of them could not be deleted yet.
    pub failing: i64,
    /// When the first one is due.
    pub first_due_at: Timestamp,
    /// Why one of them could not be deleted.
    pub error: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overview {
    pub places: Vec<FilesInPlace>,
    /// New files in the database that a worker is to move.
    pub waiting_to_move: i64,
    pub removals: Vec<QueuedRemovals>,
}

pub fn overview(tx: &mut ReadTx<'_>) -> db::Result<Overview> {
    let mut places = tx.query(PLACES, &[], |row| {
        Ok(FilesInPlace { place: row.next()?, url: None, files: row.next()?, bytes: row.next()? })
    })?;
    for place in &mut places {
        place.url = url(tx, &place.place)?;
    }
    let removals = tx.query(REMOVALS, &[], |row| {
        Ok(QueuedRemovals {
            place: row.next()?,
            reason: row.next()?,
            files: row.next()?,
            failing: row.next()?,
            first_due_at: row.next()?,
            error: row.next()?,
        })
    })?;
    let waiting_to_move = tx.find(WAITING, &[], db::only::<i64>)?.unwrap_or(0);
    Ok(Overview { places, waiting_to_move, removals })
}

/// How many files are not in a place, and their bytes.
pub fn left(tx: &mut ReadTx<'_>, place: &str) -> db::Result<(i64, i64)> {
    let found = tx.find(LEFT, &[&place], |row| Ok((row.next::<i64>()?, row.next::<i64>()?)))?;
    Ok(found.unwrap_or((0, 0)))
}

/// Some files that are not in a place, after one of them, in the order of accounts and ids.
pub fn left_after(
    tx: &mut ReadTx<'_>,
    place: &str,
    after: Option<(AccountId, MediaId)>,
    rows_max: i64,
) -> db::Result<Vec<(AccountId, MediaId)>> {
    let first = || (Id::from_uuid(uuid::Uuid::nil()), Id::from_uuid(uuid::Uuid::nil()));
    let (account, id) = after.unwrap_or_else(first);
    tx.query(LEFT_PAGE, &[&account, &id, &place, &rows_max], |row| Ok((row.next()?, row.next()?)))
}
