//! Administration by owners and admins. The operations are the command line's, each with an entry in the
//! audit log.

pub mod account;
pub mod brand;
pub mod connect;
pub mod connections;
pub mod forms;
pub mod keys;
pub mod log;
pub mod members;
pub mod pairing;
pub mod sources;
pub mod widget;

use frontdesk_platform::keys::KeyError;
use frontdesk_platform::members::MemberError;
use frontdesk_web::Failure;

use crate::caller::AppError;
use crate::caller::AppRoute;

pub(crate) fn routes() -> Vec<AppRoute> {
    let routes = [
        members::routes(),
        keys::routes(),
        connections::routes(),
        connect::routes(),
        pairing::routes(),
        log::routes(),
        account::routes(),
        brand::routes(),
        forms::routes(),
        sources::routes(),
        widget::routes(),
    ];
    routes.into_iter().flatten().collect()
}

pub(crate) fn statements() -> Vec<(&'static str, &'static str)> {
    members::STATEMENTS.to_vec()
}

fn no_member() -> Failure {
    Failure::not_found("There is no such member in this account.")
}

impl From<MemberError> for AppError {
    fn from(error: MemberError) -> Self {
        Self::Told(match error {
            MemberError::Store(error) => return Self::Store(error),
            MemberError::NoAccount(_) | MemberError::NoMember(_) => no_member(),
            MemberError::Owner => {
                Failure::conflict("The owner of an account cannot be removed. Suspend the account instead.")
            }
            MemberError::OneOwner => {
                Failure::conflict("An account has one owner. Every other member is an admin or an agent.")
            }
            MemberError::Blank => Failure::bad_request("A member's name must not be blank."),
            MemberError::NoEmail(_) => Failure::unprocessable(
                "email_missing",
                "The owner has no email address, without which nobody can sign in. Ask whoever runs the server to set it: \
                 `frontdesk account set --owner-email EMAIL`.",
            ),
            MemberError::EmailTaken(_) => Failure::conflict(
                "Another member of this account has this email address. Use that one, or another address.",
            ),
        })
    }
}

impl From<KeyError> for AppError {
    fn from(error: KeyError) -> Self {
        Self::Told(match error {
            KeyError::Store(error) => return Self::Store(error),
            KeyError::NoAccount(_) | KeyError::NoKey(_) => {
                Failure::not_found("There is no such key in this account.")
            }
            KeyError::NoMember(_) => no_member(),
            KeyError::Revoked => Failure::conflict("This key is revoked. Make a new one."),
            KeyError::NoScope | KeyError::LimitTooLow | KeyError::TooFarAhead => {
                Failure::bad_request(format!("This is not possible: {error}. Correct it and send it again."))
            }
        })
    }
}
