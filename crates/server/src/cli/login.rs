//! `frontdesk login`: how people sign in.

use clap::Subcommand;
use frontdesk_kernel::{Email, Ids};
use frontdesk_platform::sign_in::reset;
use serde_json::json;

use super::print;
use crate::clock;
use crate::error::{Error, Result};
use crate::installation::{Installation, ServerUrls};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Reset a lost login: end its sessions, remove password and second factor, and make a one-time link
    Reset {
        /// The email address that the person signs in with
        #[arg(value_name = "EMAIL")]
        email: Email,
    },
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Reset { email } => reset(installation, &email),
        }
    }
}

fn reset(installation: &Installation, email: &Email) -> Result<()> {
    let (ids, random, now, key) = (Ids::new(), rand::random(), clock::now(), email.key());
    let done = installation.change(move |tx| {
        let done = reset::by_email(tx, &ids, &random, &key, now)?;
        let urls = ServerUrls::recall(tx)?;
        Ok::<_, Error>(done.map(|done| (done.link.url(&urls.base_url), done.link.expires_at, done.accounts)))
    })?;
    let (url, expires_at, accounts) = done.ok_or_else(|| {
        Error::Invalid(format!(
            "nobody with the email address {email} has a login; `frontdesk member invite {email}` makes the link for a \
             member's first password"
        ))
    })?;
    let response = json!({ "email": email, "accounts": accounts, "url": url, "expires_at": expires_at });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[
            ("link", url.clone()),
            ("expires", expires_at.to_string()),
            ("accounts", accounts.to_string()),
        ]);
        format!(
            "{fields}\n\nThe link works once. Make sure that the address is this person's, and give it to nobody else: \
             whoever opens it gets into all of these accounts."
        )
    })
}
