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

/// A busy store is worth a second's wait.
const BUSY_SECONDS: i64 = 1;

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
        error => {
            tracing::error!(%error, "the store failed");
            Failure::internal()
        }
    }
}
