//! Errors that stop the program, each one sentence for the operator.

use frontdesk_crm::bookings::SourceError;
use frontdesk_crm::forms::FormError;
use frontdesk_db as db;
use frontdesk_platform::accounts::AccountError;
use frontdesk_platform::keys::KeyError;
use frontdesk_platform::members::MemberError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Member(#[from] MemberError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Form(#[from] FormError),
    #[error(transparent)]
    BookingSource(#[from] SourceError),
    /// Invalid input; the text says what to give instead.
    #[error("{0}")]
    Invalid(String),
    #[error("cannot {doing}: {cause}")]
    System { doing: String, cause: std::io::Error },
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Adds the operation that the system refused.
    pub(crate) fn doing(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |cause| Self::System { doing, cause }
    }
}
