//! `frontdesk login`: how people sign in.

use clap::Subcommand;
use frontdesk_kernel::{Email, Ids};
use frontdesk_platform::mails::{self, Queued};
use frontdesk_platform::sign_in::{NewLink, reset};
use serde_json::json;

use super::print;
use crate::clock;
use crate::error::{Error, Result};
use crate::installation::{Installation, ServerUrls};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Reset a lost login: end its sessions, remove password and second factor, and make a one-time link, which is mailed
    /// where mail is set up
    Reset {
        /// The email address that the person signs in with
        #[arg(value_name = "EMAIL")]
        email: Email,
        /// Show the link, also where mail is set up
        #[arg(long)]
        print_link: bool,
    },
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Reset { email, print_link } => reset(installation, &email, print_link),
        }
    }
}

/// Refuses if a mail was not queued.
pub(super) fn was_queued(queued: Queued) -> Result<()> {
    let why = match queued {
        Queued::Yes => return Ok(()),
        Queued::Lately => "a link was mailed to this member a few minutes ago",
        Queued::TooMany => "too many links were mailed in the last 24 hours",
    };
    Err(Error::Invalid(format!("{why}; add --print-link to get one here")))
}

fn reset(installation: &Installation, email: &Email, print_link: bool) -> Result<()> {
    let (ids, random, now, key) = (Ids::new(), rand::random(), clock::now(), email.key());
    let done = installation.change(move |tx| {
        let mails_it = !print_link && mails::is_set_up(tx)?;
        let done = reset::by_email(tx, &ids, &random, (key.as_str(), mails_it), now)?;
        if let Some(queued) = done.as_ref().and_then(|done| done.mailed) {
            was_queued(queued)?;
        }
        let urls = ServerUrls::recall(tx)?;
        let link = |link: NewLink| (link.url(&urls.base_url), link.expires_at);
        Ok::<_, Error>(done.map(|done| (done.link.map(link), done.accounts)))
    })?;
    let (link, accounts) = done.ok_or_else(|| {
        Error::Invalid(format!(
            "nobody with the email address {email} has a login; `frontdesk member invite {email}` makes the link for a \
             member's first password"
        ))
    })?;
    let Some((url, expires_at)) = link else {
        let response = json!({ "email": email, "accounts": accounts, "mailed": true });
        return print::output(installation.json, &response, || {
            let fields =
                print::fields(&[("mailed to", email.to_string()), ("accounts", accounts.to_string())]);
            format!(
                "{fields}\n\nThe link in the mail works once, for 72 hours. To show a link instead, add --print-link."
            )
        });
    };
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
