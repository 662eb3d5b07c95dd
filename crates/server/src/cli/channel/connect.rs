//! `frontdesk channel connect`: creates a working connection from options.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use frontdesk_inbox::connections::{
    self, Bridge, Channel, Credentials, Page, StoredConnection, WebChat, WhatsApp,
};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::ServerContext;
use frontdesk_platform::accounts::{self, AccountError};
use serde_json::{Value, json};

use super::{check, pair, server, sync_now};
use crate::cli::account_arg::AccountArg;
use crate::cli::print;
use crate::cli::values::Name;
use crate::clock;
use crate::connection_draft::{self, ConnectionDraft};
use crate::error::{Error, Result};
use crate::installation::Installation;

/// A channel to connect
#[derive(Args)]
#[command(after_help = "\
Examples:
  frontdesk channel connect --channel whatsapp --sandbox
  frontdesk channel connect --channel whatsapp --phone-number-id N --waba-id N \\
      --access-token T --app-secret S --verify-token V
  frontdesk channel connect --channel messenger --page-id N --access-token T --app-secret S --verify-token V
  frontdesk channel connect --channel personal_whatsapp --bridge-url URL --bridge-key K --session NAME
  frontdesk channel connect --channel web_chat")]
pub(in crate::cli) struct Connect {
    #[command(flatten)]
    account: AccountArg,
    /// The kind of channel
    #[arg(long, value_enum)]
    channel: Kind,
    /// The name in lists
    #[arg(long)]
    name: Option<Name>,
    /// The address that customers see, such as +14155550123
    #[arg(long)]
    address: Option<String>,
    /// Use this installation's simulators; no other option is needed
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
    /// The vendor's access token for this channel
    #[arg(long, value_name = "TOKEN", hide_env_values = true, env = "FRONTDESK_CHANNEL_ACCESS_TOKEN")]
    access_token: Option<String>,
    /// The secret of the vendor's app, with which its webhooks are signed
    #[arg(long, value_name = "SECRET", hide_env_values = true, env = "FRONTDESK_CHANNEL_APP_SECRET")]
    app_secret: Option<String>,
    /// The token that you give Meta together with the webhook's address
    #[arg(long)]
    verify_token: Option<String>,
    /// The URL of the Graph API
    #[arg(long, value_name = "URL")]
    graph_url: Option<String>,
    /// Messages per second that the number may send
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    messages_per_second: Option<u32>,
    /// The URL of the bridge
    #[arg(long, value_name = "URL")]
    bridge_url: Option<String>,
    /// The bridge's API key
    #[arg(long, value_name = "KEY", hide_env_values = true, env = "FRONTDESK_CHANNEL_BRIDGE_KEY")]
    bridge_key: Option<String>,
    /// The bridge's name for the linked device
    #[arg(long)]
    session: Option<String>,
    /// Link with a code that is typed on this phone, instead of a QR code
    #[arg(long, value_name = "NUMBER")]
    pair_phone: Option<String>,
    /// Do not wait for the device to be linked
    #[arg(long)]
    no_wait: bool,
    /// Store the channel without checking the token and the address first
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

/// The results of connecting, in addition to the connection itself.
#[derive(Default)]
struct Extras {
    templates: Option<usize>,
    session: Option<String>,
    warning: Option<String>,
}

pub(super) fn run(installation: &Installation, wanted: Connect) -> Result<()> {
    let mut draft = describe(&wanted)?;
    let account = wanted.account.choose(installation)?;
    let (connection, webhook_url, extras) = installation.work(async |store| {
        let server = server(installation, store).await?;
        // A sandbox channel is generated, so there is nothing to check.
        if !(wanted.no_check || draft.sandbox) {
            let known = check::ask(&server.services, &draft).await?;
            draft.address = draft.address.or(known);
        }
        let connection = create(&server, account, &wanted, &draft).await?;
        let url =
            format!("{}/channels/{}/{}", server.services.base_url, connection.channel(), connection.id());
        let extras = set_up(&server, &wanted, &connection).await;
        Ok((connection, url, extras))
    })?;
    let response = json!({
        "connection_id": connection.id(), "webhook_url": webhook_url, "templates": extras.templates,
        "session": extras.session, "warning": extras.warning,
        "snippet": webhook_url.split("/channels/").next().and_then(|base| connection.snippet(base)),
    });
    print::output(installation.json, &present(response), || told(&connection, &webhook_url, &extras))
}

/// Leaves out empty fields.
fn present(response: Value) -> Value {
    match response {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}

fn told(connection: &StoredConnection, webhook_url: &str, extras: &Extras) -> String {
    let mut fields = vec![("connection", connection.id().to_string()), ("webhook", webhook_url.to_owned())];
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
    let base = webhook_url.split("/channels/").next().unwrap_or_default();
    if let Some(snippet) = connection.snippet(base) {
        let _ = write!(text, "\n\nPut this into the pages that shall have the chat:\n\n    {snippet}\n");
    }
    text
}

async fn create(
    server: &ServerContext,
    account: AccountId,
    wanted: &Connect,
    draft: &ConnectionDraft,
) -> Result<StoredConnection> {
    let name = wanted.name.as_ref().map(Name::as_str);
    let new = draft.of(name, account);
    let (recorder, secrets, now) = (server.recorder.clone(), server.services.secrets.clone(), clock::now());
    server
        .store
        .write(move |tx| {
            accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?;
            let id = connections::create(tx, &recorder, &secrets, &new, now)?;
            let connection =
                connections::find(tx, account, id)?.ok_or(frontdesk_db::Error::Decode("connection"))?;
            Ok::<_, AccountError>(connection)
        })
        .await
        .map_err(Error::from)
}

/// Sets up a new connection. If this fails, the error is printed, and the connection can be set up later.
async fn set_up(server: &ServerContext, wanted: &Connect, connection: &StoredConnection) -> Extras {
    match connection.channel() {
        Channel::Whatsapp => match sync_now(server, connection).await {
            Ok(count) => Extras { templates: Some(count), ..Extras::default() },
            Err(error) => {
                let warning = format!(
                    "the templates were not read: {error}. Run `frontdesk channel sync {}` once that is mended",
                    connection.id()
                );
                Extras { warning: Some(warning), ..Extras::default() }
            }
        },
        Channel::PersonalWhatsapp => {
            let wait = !wanted.no_wait;
            match pair::link(server, connection, wanted.pair_phone.as_deref(), wait).await {
                Ok(session) => Extras { session: Some(session.to_owned()), ..Extras::default() },
                Err(error) => Extras { warning: Some(error.to_string()), ..Extras::default() },
            }
        }
        Channel::Messenger | Channel::Instagram | Channel::WebChat => Extras::default(),
    }
}

fn describe(wanted: &Connect) -> Result<ConnectionDraft> {
    let channel: Channel = wanted.channel.into();
    if wanted.sandbox {
        let mut draft = connection_draft::sandbox(channel);
        if let Some(address) = &wanted.address {
            draft.address = Some(address.clone());
        }
        if let Credentials::WhatsApp(number) = &mut draft.credentials {
            number.messages_per_second = wanted.messages_per_second;
        }
        return Ok(draft);
    }
    let mut missing = Vec::new();
    let mut need = |option: &str, given: &Option<String>| {
        let given = given.as_deref().map(str::trim).filter(|given| !given.is_empty());
        if given.is_none() {
            missing.push(option.to_owned());
        }
        given.unwrap_or_default().to_owned()
    };
    let (credentials, address) = match channel {
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
            (Credentials::WhatsApp(number), None)
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
            (Credentials::Page(page), Some(address))
        }
        Channel::PersonalWhatsapp => {
            let bridge = Bridge {
                bridge_url: Some(need("--bridge-url", &wanted.bridge_url)),
                bridge_key: need("--bridge-key", &wanted.bridge_key),
                session: need("--session", &wanted.session),
                webhook_key: connection_draft::secret(),
            };
            (Credentials::Bridge(bridge), None)
        }
        Channel::WebChat => (Credentials::WebChat(WebChat::default()), None),
    };
    if !missing.is_empty() {
        return Err(Error::Invalid(format!(
            "a {channel} channel needs {}, or --sandbox",
            missing.join(", ")
        )));
    }
    let address = wanted.address.clone().or(address);
    Ok(ConnectionDraft { channel, address, sandbox: false, credentials })
}
