//! `frontdesk init`: the first account of an installation, its owner and a key.

use clap::Args;
use frontdesk_kernel::{Email, Patch};
use frontdesk_platform::accounts::{self, AccountSettings};
use frontdesk_platform::keys::Expiry;
use frontdesk_platform::sign_in::{LINK_HOURS, LinkAuthor, NewLink, Purpose, links};
use serde_json::json;

use super::account::invite_owner;
use super::values::Name;
use super::{print, prompt};
use crate::config::read_base_url;
use crate::error::{Error, Result};
use crate::first_account::{self, FirstAccount};
use crate::installation::{Installation, ServerUrls};
use crate::{clock, redis, routes};

const KEY_NAME: &str = "First key";

#[derive(Args)]
pub(super) struct Command {
    /// The business's name
    #[arg(long, value_name = "NAME")]
    account: Name,
    /// The owner's email address, to sign in with; asked for at a terminal
    #[arg(long, visible_alias = "email", value_name = "EMAIL")]
    owner_email: Option<Email>,
    /// The public URL of the server, for the owner's link; that of the last start when left out
    #[arg(long, env = "FRONTDESK_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
}

/// The first account, and the link by which its owner sets a password.
struct Initialised {
    account: FirstAccount,
    link: Option<NewLink>,
    base_url: String,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let base_url = self.base_url.as_deref().map(read_base_url).transpose().map_err(Error::Invalid)?;
        let (recorder, now, database) = (routes::recorder(), clock::now(), installation.database()?);
        let (random, link_random) = (rand::random(), rand::random());
        let made = installation.work_on_new(async |store| {
            if store.read(accounts::any).await? {
                return Ok(None);
            }
            let email = match self.owner_email {
                None if prompt::is_possible() && !installation.json => ask_email()?,
                given => given,
            };
            let settings = AccountSettings {
                name: Some(self.account.into_string()),
                owner_email: email.map_or(Patch::Keep, Patch::Set),
                ..AccountSettings::default()
            };
            let made = store
                .write(move |tx| {
                    let first = (KEY_NAME, Expiry::USUAL);
                    let made = first_account::create(tx, &recorder, &random, &settings, first, now)?;
                    let Some(account) = made else { return Ok::<_, Error>(None) };
                    let owner = (account.account, account.owner);
                    let link = match settings.owner_email {
                        Patch::Set(_) => {
                            let operator = LinkAuthor::Operator;
                            Some(links::create(tx, &link_random, owner, Purpose::Password, operator, now)?)
                        }
                        Patch::Keep | Patch::Clear => None,
                    };
                    let base_url = match &base_url {
                        Some(given) => given.clone(),
                        None => ServerUrls::recall(tx)?.base_url,
                    };
                    Ok(Some(Initialised { account, link, base_url }))
                })
                .await?;
            redis::tell_servers(store, &database, installation.redis()).await;
            Ok(made)
        })?;
        match made {
            Some(made) => report(installation, &made),
            None => Err(Error::Invalid(
                "there is an account already. `frontdesk account list` shows it. Make another one: frontdesk account \
                 create --name NAME --owner-email EMAIL"
                    .to_owned(),
            )),
        }
    }
}

fn ask_email() -> Result<Option<Email>> {
    let question = "The owner's email address, to sign in with (empty to set it later):";
    prompt::ask(question).map_err(Error::doing("ask for the email address"))
}

fn report(installation: &Installation, made: &Initialised) -> Result<()> {
    let Initialised { account: FirstAccount { account, owner, key }, link, base_url } = made;
    let url = link.as_ref().map(|link| link.url(base_url));
    let response = json!({
        "account_id": account,
        "owner_user_id": owner,
        "key_id": key.id,
        "key": key.key.reveal(),
        "expires_at": key.expires_at,
        "sign_in_url": url,
    });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[
            ("account", account.to_string()),
            ("owner", owner.to_string()),
            ("key", key.key.reveal().to_owned()),
            ("expires", key.expires_at.map_or_else(|| "never".to_owned(), |end| end.to_string())),
        ]);
        let sign_in = match &url {
            Some(url) => format!(
                "The owner sets a password and signs in to the dashboard by this link. It works once, within {LINK_HOURS} hours, \
                 while the server runs (`frontdesk serve`):\n\n    {url}"
            ),
            None => invite_owner(*account, &Patch::Keep),
        };
        format!(
            "{fields}\n\nThe key may do everything in the account. It is shown once: store it now.\n\n{sign_in}\n\n\
             Next, connect a channel:\n\n    frontdesk channel connect --channel whatsapp --help"
        )
    })
}
