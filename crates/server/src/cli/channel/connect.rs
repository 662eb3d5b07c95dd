//! `frontdesk channel connect`: from options to a connection that works.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use frontdesk_inbox::connections::{self, Bridge, Channel, Line, Page, Settings, WhatsApp};
use frontdesk_kernel::ids::{Account, AccountId};
use frontdesk_platform::Means;
use frontdesk_platform::accounts::{self, AccountError};
use serde_json::{Value, json};

use super::{check, means, pair, sync_now};
use crate::cli::print;
use crate::cli::values::{Name, id};
use crate::clock;
use crate::connecting::{self, Described};
use crate::error::{Error, Result};
use crate::installation::Installation;

/// A channel to connect
#[derive(Args)]
#[command(after_help = "\
Examples:
  frontdesk channel connect --account ID --channel whatsapp --sandbox
  frontdesk channel connect --account ID --channel whatsapp --phone-number-id N --waba-id N \\
      --access-token T --app-secret S --verify-token V
  frontdesk channel connect --account ID --channel messenger --page-id N --access-token T --app-secret S --verify-token V
  frontdesk channel connect --account ID --channel personal_whatsapp --bridge-url URL --bridge-key K --session NAME
  frontdesk channel connect --account ID --channel web_chat")]
pub(in crate::cli) struct Connect {
    /// The account's id, as `frontdesk account list` shows it
    #[arg(long, value_name = "ID", value_parser = id::<Account>)]
    account: AccountId,
    /// What kind of channel it is
    #[arg(long, value_enum)]
    channel: Kind,
    /// What it is called in lists
    #[arg(long)]
    name: Option<Name>,
    /// What customers know it by, such as +14155550123
    #[arg(long)]
    address: Option<String>,
    /// Speak to the stand-ins of this installation; nothing else is needed
    #[arg(long)]
    sandbox: bool,
    /// WhatsApp's id of the number
    #[arg(long)]
    phone_number_id: Option<String>,
    /// WhatsApp's id of the business account, which holds the templates
    #[arg(long)]
    waba_id: Option<String>,
    /// The page, for messenger, or the account, for instagram
    #[arg(long)]
    page_id: Option<String>,
    /// The vendor's token that lets us call for this channel
    #[arg(long, value_name = "TOKEN", hide_env_values = true, env = "FRONTDESK_CHANNEL_ACCESS_TOKEN")]
    access_token: Option<String>,
    /// The secret of the vendor's app, which its webhooks are signed with
    #[arg(long, value_name = "SECRET", hide_env_values = true, env = "FRONTDESK_CHANNEL_APP_SECRET")]
    app_secret: Option<String>,
    /// The token that you give Meta together with the webhook's address
    #[arg(long)]
    verify_token: Option<String>,
    /// Where the Graph API answers
    #[arg(long, value_name = "URL")]
    graph_url: Option<String>,
    /// Messages a second that the number may send
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    messages_per_second: Option<u32>,
    /// Where the bridge answers
    #[arg(long, value_name = "URL")]
    bridge_url: Option<String>,
    /// The bridge's API key
    #[arg(long, value_name = "KEY", hide_env_values = true, env = "FRONTDESK_CHANNEL_BRIDGE_KEY")]
    bridge_key: Option<String>,
    /// The bridge's name for the linked device
    #[arg(long)]
    session: Option<String>,
    /// Link by a code that is typed on this phone, instead of a QR code
    #[arg(long, value_name = "NUMBER")]
    pair_phone: Option<String>,
    /// Do not wait for the device to be linked
    #[arg(long)]
    no_wait: bool,
    /// Store the channel without asking it first whether the token and the address are right
    #[arg(long)]
    no_check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Kind {
    Whatsapp,
    PersonalWhatsapp,
    Messenger,
    Instagram,
    WebChat,
}

impl From<Kind> for Channel {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Whatsapp => Self::Whatsapp,
            Kind::PersonalWhatsapp => Self::PersonalWhatsapp,
            Kind::Messenger => Self::Messenger,
            Kind::Instagram => Self::Instagram,
            Kind::WebChat => Self::WebChat,
        }
    }
}

/// What came of connecting, beside the connection itself.
#[derive(Default)]
struct Extras {
    templates: Option<usize>,
    session: Option<String>,
    warning: Option<String>,
}

pub(super) fn run(installation: &Installation, wanted: Connect) -> Result<()> {
    let mut described = describe(&wanted)?;
    let (line, webhook_url, extras) = installation.work(async |store| {
        let means = means(installation, store).await?;
        // The sandbox makes a channel up, so there is nothing that could be wrong about it.
        if !(wanted.no_check || described.sandbox) {
            let known = check::ask(&means.services, &described).await?;
            described.address = described.address.or(known);
        }
        let line = create(&means, &wanted, &described).await?;
        let url = format!("{}/channels/{}/{}", means.services.base_url, line.channel(), line.id());
        let extras = set_up(&means, &wanted, &line, &url).await;
        Ok((line, url, extras))
    })?;
    let answer = json!({
        "connection_id": line.id(), "webhook_url": webhook_url, "templates": extras.templates,
        "session": extras.session, "warning": extras.warning,
    });
    print::answer(installation.json, &present(answer), || told(&line, &webhook_url, &extras))
}

/// Leaves out what was not said.
fn present(answer: Value) -> Value {
    match answer {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}

fn told(line: &Line, webhook_url: &str, extras: &Extras) -> String {
    let mut fields = vec![("connection", line.id().to_string()), ("webhook", webhook_url.to_owned())];
    if let Some(count) = extras.templates {
        fields.push(("templates", count.to_string()));
    }
    if let Some(session) = &extras.session {
        fields.push(("session", session.clone()));
    }
    if let Some(warning) = &extras.warning {
        fields.push(("warning", warning.clone()));
    }
    let mut text = print::fields(&fields);
    if line.channel() == Channel::WebChat {
        let base = webhook_url.split("/channels/").next().unwrap_or_default();
        let _ = write!(
            text,
            "\nPut this into the pages that shall have the chat:\n\n    <script src=\"{base}/widget.js\" data-connection=\"{}\" async></script>\n",
            line.id()
        );
    }
    text
}

async fn create(means: &Means, wanted: &Connect, described: &Described) -> Result<Line> {
    let name = wanted.name.as_ref().map_or_else(
        || match &described.address {
            Some(address) => format!("{} {address}", described.channel),
            None => described.channel.to_string(),
        },
        |name| name.as_str().to_owned(),
    );
    let (account, new) = (wanted.account, described.of(&name, wanted.account));
    let (ids, secrets, now) = (means.ids.clone(), means.services.secrets.clone(), clock::now());
    means
        .store
        .write(move |tx| {
            accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?;
            let id = connections::create(tx, &ids, &secrets, &new, now)?;
            let line =
                connections::find(tx, account, id)?.ok_or(frontdesk_db::Error::Decode("connection"))?;
            Ok::<_, AccountError>(line)
        })
        .await
        .map_err(Error::from)
}

/// Everything that makes a new connection work. A failure is told, and leaves a connection that can be set up later.
async fn set_up(means: &Means, wanted: &Connect, line: &Line, webhook_url: &str) -> Extras {
    match line.channel() {
        Channel::Whatsapp => match sync_now(means, line).await {
            Ok(count) => Extras { templates: Some(count), ..Extras::default() },
            Err(error) => {
                let warning = format!(
                    "the templates were not read: {error}. Run `frontdesk channel sync {}` once that is mended",
                    line.id()
                );
                Extras { warning: Some(warning), ..Extras::default() }
            }
        },
        Channel::PersonalWhatsapp => {
            let wait = !wanted.no_wait;
            match pair::link(means, line, webhook_url, wanted.pair_phone.as_deref(), wait).await {
                Ok(session) => Extras { session: Some(session), ..Extras::default() },
                Err(warning) => Extras { warning: Some(warning), ..Extras::default() },
            }
        }
        Channel::Messenger | Channel::Instagram | Channel::WebChat => Extras::default(),
    }
}

fn describe(wanted: &Connect) -> Result<Described> {
    let channel: Channel = wanted.channel.into();
    if wanted.sandbox {
        let mut described = connecting::sandbox(channel);
        if let Some(address) = &wanted.address {
            described.address = Some(address.clone());
        }
        if let Settings::WhatsApp(number) = &mut described.settings {
            number.messages_per_second = wanted.messages_per_second;
        }
        return Ok(described);
    }
    let mut missing = Vec::new();
    let mut need = |option: &str, given: &Option<String>| {
        let given = given.as_deref().map(str::trim).filter(|given| !given.is_empty());
        if given.is_none() {
            missing.push(option.to_owned());
        }
        given.unwrap_or_default().to_owned()
    };
    let (settings, address) = match channel {
        Channel::Whatsapp => {
            let number = WhatsApp {
                phone_number_id: need("--phone-number-id", &wanted.phone_number_id),
                waba_id: need("--waba-id", &wanted.waba_id),
                access_token: need("--access-token", &wanted.access_token),
                app_secret: need("--app-secret", &wanted.app_secret),
                verify_token: need("--verify-token", &wanted.verify_token),
                graph_url: wanted.graph_url.clone(),
                messages_per_second: wanted.messages_per_second,
            };
            (Settings::WhatsApp(number), None)
        }
        Channel::Messenger | Channel::Instagram => {
            let page = Page {
                page_id: need("--page-id", &wanted.page_id),
                access_token: need("--access-token", &wanted.access_token),
                app_secret: need("--app-secret", &wanted.app_secret),
                verify_token: need("--verify-token", &wanted.verify_token),
                graph_url: wanted.graph_url.clone(),
            };
            let address = page.page_id.clone();
            (Settings::Page(page), Some(address))
        }
        Channel::PersonalWhatsapp => {
            let bridge = Bridge {
                bridge_url: Some(need("--bridge-url", &wanted.bridge_url)),
                bridge_key: need("--bridge-key", &wanted.bridge_key),
                session: need("--session", &wanted.session),
                webhook_key: connecting::secret(),
            };
            (Settings::Bridge(bridge), None)
        }
        Channel::WebChat => (Settings::WebChat, None),
    };
    if !missing.is_empty() {
        return Err(Error::Invalid(format!(
            "a {channel} channel needs {}, or --sandbox",
            missing.join(", ")
        )));
    }
    let address = wanted.address.clone().or(address);
    Ok(Described { channel, address, sandbox: false, settings })
}
