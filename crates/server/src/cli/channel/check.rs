//! Asking a channel, before it is stored, whether it lets us in and is the one that is meant.

use frontdesk_channels::{Class, Refusal};
use frontdesk_inbox::connections::{self, Line, Settings, VerifyError};
use frontdesk_platform::Services;

use crate::connecting::Described;
use crate::error::{Error, Result};

/// Returns what customers know the channel by, where the channel says it. Fails, saying what to correct, when it does
/// not let us in or is known by another address than was given.
pub(super) async fn ask(services: &Services, described: &Described) -> Result<Option<String>> {
    let Described { channel, sandbox, settings, address } = described;
    let asked = connections::verify(services, *channel, *sandbox, settings).await;
    let identity = asked.map_err(|error| refused(&advice(settings, &error), "Nothing was stored"))?;
    if let (Some(given), Some(known)) = (address, &identity.address)
        && digits(given) != digits(known)
    {
        let message = format!("--address is {given}, but the channel says that its number is {known}");
        return Err(refused(&message, "Nothing was stored"));
    }
    Ok(identity.address)
}

/// Asks a channel that is known, before it is connected again.
pub(super) async fn ask_again(services: &Services, line: &Line, settings: &Settings) -> Result<()> {
    match connections::verify(services, line.channel(), line.sandbox, settings).await {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(&advice(settings, &error), "Nothing was changed")),
    }
}

fn refused(why: &str, effect: &str) -> Error {
    Error::Invalid(format!("{why}. {effect}. Correct it and try again, or add --no-check to go on unchecked"))
}

fn advice(settings: &Settings, error: &VerifyError) -> String {
    let (url, token, id) = match settings {
        Settings::WhatsApp(_) => ("--graph-url", "--access-token", "--phone-number-id"),
        Settings::Page(_) => ("--graph-url", "--access-token", "--page-id"),
        Settings::Bridge(_) => ("--bridge-url", "--bridge-key", "--session"),
        Settings::WebChat => return error.to_string(),
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
