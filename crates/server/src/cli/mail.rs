//! `frontdesk mail`: whether mails go out.

use clap::Subcommand;
use frontdesk_app::mail::{self, SmtpSettings, URL_VARIABLE};
use frontdesk_kernel::Email;
use serde_json::json;
use uuid::Uuid;

use super::print;
use crate::error::{Error, Result};
use crate::installation::{Installation, runtime};
use crate::{clock, config};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Send a test mail now, and show what the SMTP server says
    Test {
        /// The address that gets it
        #[arg(value_name = "ADDRESS")]
        address: Email,
    },
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Test { address } => test(installation, &address),
        }
    }
}

fn test(installation: &Installation, address: &Email) -> Result<()> {
    let settings = settings()?;
    let message_id = Uuid::from_u128(rand::random()).to_string();
    let sent = runtime()?.block_on(mail::send_test(&settings, address, &message_id, clock::now()));
    let response = sent.map_err(|refusal| {
        Error::Invalid(format!("{} did not take the mail: {}", settings.place(), refusal.reason()))
    })?;
    let printed = json!({ "address": address, "server": settings.place(), "response": response });
    print::output(installation.json, &printed, || {
        print::fields(&[
            ("sent to", address.to_string()),
            ("server", settings.place()),
            ("response", print::printable(&response)),
        ])
    })
}

/// The settings that a server with this environment has.
fn settings() -> Result<SmtpSettings> {
    let mut wrong = Vec::new();
    let variable = |name: &str| {
        config::environment(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let read = SmtpSettings::read(variable, |problem| wrong.push(problem));
    match read {
        Some(settings) => Ok(settings),
        None if wrong.is_empty() => Err(Error::Invalid(format!(
            "mail is not set up: set {URL_VARIABLE} and FRONTDESK_MAIL_FROM as for `frontdesk serve`"
        ))),
        None => Err(Error::Invalid(wrong.join("; "))),
    }
}
