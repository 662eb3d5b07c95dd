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
    /// The command to type next, unless the message says it.
    pub(crate) fn next_step(&self) -> Option<String> {
        let command = match self {
            Self::Account(AccountError::NoAccount(_))
            | Self::Member(MemberError::NoAccount(_))
            | Self::Key(KeyError::NoAccount(_))
            | Self::Form(FormError::NoAccount(_))
            | Self::BookingSource(SourceError::NoAccount(_)) => "frontdesk account list",
            Self::Member(MemberError::NoMember(_)) | Self::Key(KeyError::NoMember(_)) => {
                "frontdesk member list"
            }
            Self::Member(MemberError::Owner) => "frontdesk account suspend",
            Self::Member(MemberError::EmailTaken(member)) => {
                return Some(format!("frontdesk member invite {member}"));
            }
            Self::Member(MemberError::NoEmail(account)) => {
                return Some(format!("frontdesk account set {account} --owner-email EMAIL"));
            }
            Self::Key(KeyError::NoKey(_)) => "frontdesk key list",
            Self::Key(KeyError::Revoked) => "frontdesk key create --name NAME --all-scopes",
            Self::Key(KeyError::NoScope) => "frontdesk key create --help",
            Self::Form(FormError::NoForm(_)) => "frontdesk form list",
            Self::BookingSource(SourceError::NoSource(_)) => "frontdesk booking-source list",
            Self::Store(db::Error::Unavailable(_) | db::Error::Disk(_) | db::Error::ReadOnly(_)) => {
                "frontdesk doctor"
            }
            _ => return None,
        };
        Some(command.to_owned())
    }

    /// Adds the operation that the system refused.
    pub(crate) fn doing(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |cause| Self::System { doing, cause }
    }
}
