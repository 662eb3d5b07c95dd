//! The failures that every slice shares.

use frontdesk_db as db;
use frontdesk_web::Failure;

/// What stops an operation for reasons that are not the slice's own.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("no such {0} in this account")]
    Missing(&'static str),
}

/// Seconds after which a request is worth sending again: to a store that is busy, to one that was not reached, and to
/// one that an operator has to give room first.
const BUSY_SECONDS: i64 = 1;
const UNREACHED_SECONDS: i64 = 2;
const UNWRITABLE_SECONDS: i64 = 10;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Store(error) => store_failure(&error),
            Error::Missing(noun) => Self::not_found(format!("There is no such {noun} in this account.")),
        }
    }
}

/// What a caller is told when the store fails. The cause is logged here, once, and never sent.
pub fn store_failure(error: &db::Error) -> Failure {
    match error {
        db::Error::Busy | db::Error::Closed => {
            tracing::warn!(%error, "the store refused work");
            Failure::busy(BUSY_SECONDS)
        }
        db::Error::Unavailable(_) => {
            tracing::error!(%error, "the database was not reached");
            Failure::not_yet(
                "The database cannot be reached at present. Send the request again in a moment, with the same \
                 Idempotency-Key.",
                UNREACHED_SECONDS,
            )
        }
        db::Error::Disk(_) | db::Error::ReadOnly(_) => {
            tracing::error!(%error, "the database refused a write; `frontdesk doctor` says what to do");
            Failure::not_yet(
                "The server cannot store anything at present, so nothing was changed. Send the request again later, \
                 with the same Idempotency-Key.",
                UNWRITABLE_SECONDS,
            )
        }
        error => {
            tracing::error!(%error, "the store failed");
            Failure::internal()
        }
    }
}
