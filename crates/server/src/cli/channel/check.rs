//! Checks a channel's credentials and address before it is stored.

use frontdesk_channels::{Class, Refusal};
use frontdesk_inbox::connections::{self, Credentials, StoredConnection, VerifyError};
use frontdesk_platform::Services;

use crate::connection_draft::ConnectionDraft;
use crate::error::{Error, Result};

/// Returns the channel's own address, if the channel reports one. Fails, saying what to correct, if the
/// channel refuses the token or has another address than the given one.
pub(super) async fn ask(services: &Services, draft: &ConnectionDraft) -> Result<Option<String>> {
    let ConnectionDraft { channel, sandbox, credentials, address } = draft;
    let asked = connections::verify(services, *channel, *sandbox, credentials).await;
    let identity = asked.map_err(|error| refused(&advice(credentials, &error), "Nothing was stored"))?;
    if let (Some(given), Some(known)) = (address, &identity.address)
        && digits(given) != digits(known)
    {
        let message = format!("--address is {given}, but the channel says that its number is {known}");
        return Err(refused(&message, "Nothing was stored"));
    }
    Ok(identity.address)
}

/// Checks a stored channel before it is reconnected.
pub(super) async fn ask_again(
    services: &Services,
    connection: &StoredConnection,
    credentials: &Credentials,
) -> Result<()> {
    match connections::verify(services, connection.channel(), connection.sandbox, credentials).await {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(&advice(credentials, &error), "Nothing was changed")),
    }
}

fn refused(why: &str, effect: &str) -> Error {
    Error::Invalid(format!("{why}. {effect}. Correct it and try again, or add --no-check to go on unchecked"))
}

fn advice(credentials: &Credentials, error: &VerifyError) -> String {
    let (url, token, id) = match credentials {
        Credentials::WhatsApp(_) => ("--graph-url", "--access-token", "--phone-number-id"),
        Credentials::Page(_) => ("--graph-url", "--access-token", "--page-id"),
        Credentials::Bridge(_) => ("--bridge-url", "--bridge-key", "--session"),
        Credentials::WebChat(_) => return error.to_string(),
    };
    match error {
        VerifyError::Unreached(why) => {
            format!("the channel cannot be reached: {why}; check {url} and this machine's network")
        }
        VerifyError::Refused(Refusal { class: Class::Token, message, .. }) => {
            format!("the channel refused {token}: {message}")
        }
        VerifyError::Refused(Refusal { message, .. }) => {
            format!("the channel refused: {message}; check {id}, and that {token} belongs to it")
        }
    }
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}
