//! What a bulk job changes: a request, its kind, and why it is refused.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Id;
use frontdesk_web::{Failure, FieldPath, Input, Items, Problems};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::by::By;
use crate::error::{Error, store_failure};

/// Maximum ids of one request.
pub const IDS_MAX: usize = 1_000;

/// Ids that a request names.
pub type BulkIds<T> = Items<Id<T>, IDS_MAX>;

/// A request to change many rows: those with its ids, or those that its filter chooses.
pub trait BulkRequest: Send + Sync {
    /// The ids that the request names; none if it has a filter.
    fn ids(&self) -> Option<Vec<Uuid>>;

    /// Rejects a request with ids that the account does not have.
    fn check(&self, tx: &mut ReadTx<'_>, by: &By) -> Result<(), BulkError>;

    /// Rows that match the request's filter with ids below this one, newest first.
    fn chosen(&self, tx: &mut ReadTx<'_>, by: &By, below: Uuid, limit: i64) -> Result<Vec<Uuid>, BulkError>;

    /// How much a transaction has to do for one row: about one statement for each unit.
    fn work(&self) -> usize;

    /// Changes rows. Returns how many of them can be changed.
    fn change(&self, tx: &mut Tx<'_>, by: &By, ids: &[Uuid]) -> db::Result<usize>;
}

/// A kind of row that can be changed in bulk: its stored name, and how its requests are read.
#[derive(Clone, Copy)]
pub struct BulkKind {
    pub(super) name: &'static str,
    pub(super) read: fn(&Value) -> db::Result<Arc<dyn BulkRequest>>,
}

impl BulkKind {
    pub const fn of<T: BulkRequest + Input + 'static>(name: &'static str) -> Self {
        Self { name, read: read::<T> }
    }
}

/// Reads a stored request.
fn read<T: BulkRequest + Input + 'static>(request: &Value) -> db::Result<Arc<dyn BulkRequest>> {
    let read = T::read(Some(request), &mut FieldPath::root(), &mut Problems::new());
    Ok(Arc::new(read.ok_or(db::Error::Decode("request"))?))
}

/// Why a job was not accepted, or does not continue.
#[derive(Debug, thiserror::Error)]
pub enum BulkError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("{0}")]
    Refused(Failure),
}

impl From<BulkError> for Failure {
    fn from(error: BulkError) -> Self {
        match error {
            BulkError::Store(error) => store_failure(&error),
            BulkError::Refused(failure) => failure,
        }
    }
}

impl From<Error> for BulkError {
    fn from(error: Error) -> Self {
        match error {
            Error::Store(error) => Self::Store(error),
            missing @ Error::Missing(_) => Self::Refused(missing.into()),
        }
    }
}

/// Adds a problem for every id that does not exist, at its place in the field.
pub fn check_ids<T, E>(
    problems: &mut Problems,
    field: &str,
    ids: &[Id<T>],
    noun: &str,
    mut exists: impl FnMut(Id<T>) -> Result<bool, E>,
) -> Result<(), E> {
    for (at, id) in ids.iter().enumerate() {
        if !exists(*id)? {
            problems.add(format!("{field}.{at}"), format!("must be a {noun} of this account"));
        }
    }
    Ok(())
}

/// Refuses a request that has problems.
pub fn refuse(problems: Problems) -> Result<(), BulkError> {
    if problems.is_empty() { Ok(()) } else { Err(BulkError::Refused(Failure::validation(problems))) }
}

/// A rule of every request: exactly one of `ids` and `filter`.
pub fn chooses_once(request: &Map<String, Value>, problems: &mut Problems) {
    let has = |field: &str| request.get(field).is_some_and(|value| !value.is_null());
    if has("ids") == has("filter") {
        problems.add("ids", "must be given, or else filter, and not both");
    }
}
