//! The failures that every slice shares.

use frontdesk_db as db;
use frontdesk_web::Failure;

/// Errors that are not specific to a slice.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("no such {0} in this account")]
    Missing(&'static str),
}

/// Values of `Retry-After` in seconds: for a busy store, an unreachable store, one that has not responded in time, one
/// that an operator has to repair, and a read that took too long.
const BUSY_SECONDS: i64 = 1;
const UNREACHED_SECONDS: i64 = 2;
const OVERDUE_SECONDS: i64 = 5;
const UNWRITABLE_SECONDS: i64 = 10;
const TOO_LONG_SECONDS: i64 = 30;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Store(error) => store_failure(&error),
            Error::Missing(noun) => Self::not_found(format!("There is no such {noun} in this account.")),
        }
    }
}

/// The failure that a caller gets when the deadline of an operation has passed. What it has queued may still be done.
pub(crate) fn overdue() -> Failure {
    Failure::not_yet(
        "This took too long, and a change may still be made. Send the request again in a moment, with the same \
         Idempotency-Key.",
        OVERDUE_SECONDS,
    )
    .of_limit("operation_time")
}

/// The failure that a caller gets when the store fails. The cause is logged here, once, and never sent.
pub fn store_failure(error: &db::Error) -> Failure {
    match error {
        db::Error::Busy | db::Error::Closed => {
            tracing::warn!(%error, "the store refused work");
            Failure::busy(BUSY_SECONDS).of_limit("store_queue")
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
        db::Error::TooLong => {
            tracing::warn!("a long read was stopped");
            let message = "This took too long and was stopped. Ask for less: narrow the filters, or use a more \
                           selective one. Otherwise try again later.";
            Failure::not_yet(message, TOO_LONG_SECONDS).of_limit("read_time")
        }
        // Its caller has the result already, or knows that somebody else was first.
        db::Error::CalledOff => Failure::internal(),
        error => {
            tracing::error!(%error, "the store failed");
            Failure::internal()
        }
    }
}
