//! `frontdesk init`: the first account of an installation, its owner and a key.

use clap::Args;
use frontdesk_kernel::{Email, Patch};
use frontdesk_platform::accounts::AccountSettings;
use frontdesk_platform::keys::Expiry;
use serde_json::json;

use super::print;
use super::values::Name;
use crate::error::{Error, Result};
use crate::first_account::{self, FirstAccount};
use crate::installation::Installation;
use crate::{clock, redis, routes};

const KEY_NAME: &str = "First key";

#[derive(Args)]
pub(super) struct Command {
    /// The business's name
    #[arg(long, value_name = "NAME")]
    account: Name,
    /// The owner's email address
    #[arg(long, value_name = "EMAIL")]
    owner_email: Option<Email>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let settings = AccountSettings {
            name: Some(self.account.into_string()),
            owner_email: self.owner_email.map_or(Patch::Keep, Patch::Set),
            ..AccountSettings::default()
        };
        let (recorder, now, random, database) =
            (routes::recorder(), clock::now(), rand::random(), installation.database()?);
        let made = installation.work_on_new(async |store| {
            let made = store
                .write(move |tx| {
                    first_account::create(tx, &recorder, &random, &settings, (KEY_NAME, Expiry::USUAL), now)
                })
                .await?;
            redis::tell_servers(store, &database, installation.redis()).await;
            Ok(made)
        })?;
        match made {
            Some(made) => report(installation, &made),
            None => Err(Error::Invalid(
                "there is an account already: make another with `frontdesk account create --name NAME`, and its key \
                 with `frontdesk key create`"
                    .to_owned(),
            )),
        }
    }
}

fn report(installation: &Installation, made: &FirstAccount) -> Result<()> {
    let response = json!({
        "account_id": made.account,
        "owner_user_id": made.owner,
        "key_id": made.key.id,
        "key": made.key.key.reveal(),
        "expires_at": made.key.expires_at,
    });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[
            ("account", made.account.to_string()),
            ("owner", made.owner.to_string()),
            ("key", made.key.key.reveal().to_owned()),
            ("expires", made.key.expires_at.map_or_else(|| "never".to_owned(), |end| end.to_string())),
        ]);
        format!(
            "{fields}\n\nThe key may do everything in the account. It is shown once: store it now. Next, connect a channel:\n\n    \
             frontdesk channel connect --account {} --channel whatsapp --help",
            made.account
        )
    })
}
