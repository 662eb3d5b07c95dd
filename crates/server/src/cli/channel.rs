//! `frontdesk channel`: the numbers, pages and widgets of an account.

mod check;
mod connect;
mod pair;

use clap::Subcommand;
use frontdesk_db::{self as db, Store};
use frontdesk_inbox::connections::{self, Channel, Connection, ConnectionId, Credentials, StoredConnection};
use frontdesk_inbox::templates;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_platform::suspensions::Suspensions;
use frontdesk_platform::{By, ServerContext};
use serde::Serialize;
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;

use super::account_arg::AccountArg;
use super::print;
use super::values::id;
use crate::error::{Error, Result};
use crate::installation::{Installation, ServerUrls};
use crate::{clock, connection_draft, routes, secret_key};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Connect a channel
    Connect(Box<connect::Connect>),
    /// List the channels of an account
    List {
        #[command(flatten)]
        account: AccountArg,
    },
    /// Disconnect a channel: nothing more is sent over it
    Disconnect {
        /// The connection's id, as `frontdesk channel list` shows it
        #[arg(value_name = "CONNECTION_ID", value_parser = id::<Connection>)]
        id: ConnectionId,
    },
    /// Reconnect a disconnected channel, with a new token if the old one is invalid
    Reconnect {
        /// The connection's id, as `frontdesk channel list` shows it
        #[arg(value_name = "CONNECTION_ID", value_parser = id::<Connection>)]
        id: ConnectionId,
        /// The vendor's new access token
        #[arg(long, value_name = "TOKEN")]
        access_token: Option<String>,
        /// Reconnect without checking the token first
        #[arg(long)]
        no_check: bool,
    },
    /// Read the templates of a whatsapp channel from the vendor
    Sync {
        /// The connection's id, as `frontdesk channel list` shows it
        #[arg(value_name = "CONNECTION_ID", value_parser = id::<Connection>)]
        id: ConnectionId,
    },
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Connect(wanted) => connect::run(installation, *wanted),
            Self::List { account } => list(installation, account.choose(installation)?),
            Self::Disconnect { id } => disconnect(installation, id),
            Self::Reconnect { id, access_token, no_check } => {
                reconnect(installation, id, access_token, no_check)
            }
            Self::Sync { id } => sync(installation, id),
        }
    }
}

/// The server context for a command.
pub(super) async fn server(installation: &Installation, store: &Store) -> Result<ServerContext> {
    let secrets = secret_key::load(store, &installation.database()?).await?.keys;
    let urls = store.read(ServerUrls::recall).await?;
    let services = connection_draft::services(secrets, urls);
    Ok(ServerContext {
        store: store.clone(),
        services: Arc::new(services),
        clock: Arc::new(clock::now),
        recorder: routes::recorder(),
        suspensions: Suspensions::default(),
    })
}

async fn find(store: &Store, id: ConnectionId) -> Result<StoredConnection> {
    let connection = store.read(move |tx| connections::find_in_any_account(tx, id)).await?;
    connection.ok_or_else(|| {
        Error::Invalid(format!("there is no connection {id}; `frontdesk channel list` shows those there are"))
    })
}

/// A connection, and the HTML of a web chat.
#[derive(Serialize)]
struct ListedConnection<'c> {
    #[serde(flatten)]
    connection: &'c Connection,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
}

fn list(installation: &Installation, account: AccountId) -> Result<()> {
    let (connections, base_url) = installation.look(move |tx| {
        accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?;
        Ok::<_, AccountError>((connections::list(tx, account)?, ServerUrls::recall(tx)?.base_url))
    })?;
    let shown: Vec<ListedConnection<'_>> = connections
        .iter()
        .map(|connection| ListedConnection {
            connection: &connection.public,
            snippet: connection.snippet(&base_url),
        })
        .collect();
    print::output(installation.json, &shown, || {
        let rows = shown.iter().map(|ListedConnection { connection: public, .. }| {
            vec![
                public.id.to_string(),
                public.channel.to_string(),
                public.name.clone(),
                print::or_dash(public.address.as_ref()),
                public.status.to_string(),
                print::or_dash(public.disconnected_reason.as_ref()),
            ]
        });
        let head = ["id", "channel", "name", "address", "status", "reason"];
        let mut text = print::table(
            &head,
            rows.collect(),
            "No channel is connected. Connect one: frontdesk channel connect --channel whatsapp --help",
        );
        for listed in &shown {
            if let Some(snippet) = &listed.snippet {
                let name = print::printable(&listed.connection.name);
                let _ = write!(
                    text,
                    "\n\n{name}: put this into the pages that shall have the chat:\n\n    {snippet}"
                );
            }
        }
        text
    })
}

fn disconnect(installation: &Installation, id: ConnectionId) -> Result<()> {
    let now = clock::now();
    installation.work(async |store| {
        let (connection, server) = (find(store, id).await?, server(installation, store).await?);
        let (account, recorder) = (connection.account, server.recorder.clone());
        // Written first: otherwise the bridge's report of the session's end would give the reason.
        store
            .write(move |tx| {
                connections::disconnect_by_operator(tx, &By::system(account, now, &recorder), id)
            })
            .await?;
        pair::stop(&server, &connection).await;
        Ok(())
    })?;
    print::output(installation.json, &json!({ "connection_id": id, "status": "disconnected" }), || {
        print::fields(&[("disconnected", id.to_string())])
    })
}

fn reconnect(
    installation: &Installation,
    id: ConnectionId,
    token: Option<String>,
    no_check: bool,
) -> Result<()> {
    let now = clock::now();
    let session = installation.work(async |store| {
        let server = server(installation, store).await?;
        let secrets = server.services.secrets.clone();
        let mut connection = find(store, id).await?;
        let replaced = token.is_some();
        if let Some(mut credentials) = connection.credentials(&secrets).cloned() {
            match (&mut credentials, token) {
                (Credentials::WhatsApp(number), Some(token)) => number.access_token = token,
                (Credentials::Page(page), Some(token)) => page.access_token = token,
                (Credentials::Bridge(bridge), Some(token)) => bridge.bridge_key = token,
                (Credentials::WebChat(_), _) | (_, None) => {}
            }
            // A bridge is checked when the device is linked, below.
            if !(no_check || connection.sandbox || connection.channel() == Channel::PersonalWhatsapp) {
                check::ask_again(&server.services, &connection, &credentials).await?;
            }
            if replaced {
                let changed = connection.clone();
                store
                    .write(move |tx| {
                        connections::change_credentials(tx, &secrets, &changed, &credentials, now)
                    })
                    .await?;
                connection = find(store, id).await?;
            }
        }
        // A linked device's session was stopped when it was disconnected.
        let session = match connection.channel() {
            Channel::PersonalWhatsapp => {
                let linked = pair::link(&server, &connection, None, true).await;
                Some(linked.map_err(|error| Error::Invalid(error.to_string()))?)
            }
            _ => None,
        };
        let (account, recorder) = (connection.account, server.recorder.clone());
        store.write(move |tx| connections::reconnect(tx, &By::system(account, now, &recorder), id)).await?;
        Ok(session)
    })?;
    let mut response = json!({ "connection_id": id, "status": "connected" });
    let mut shown = vec![("connected", id.to_string())];
    if let Some(session) = session {
        response["session"] = json!(session);
        shown.push(("session", session.to_owned()));
    }
    print::output(installation.json, &response, || print::fields(&shown))
}

fn sync(installation: &Installation, id: ConnectionId) -> Result<()> {
    let count = installation.work(async |store| {
        let connection = find(store, id).await?;
        sync_now(&server(installation, store).await?, &connection).await
    })?;
    print::output(installation.json, &json!({ "connection_id": id, "templates": count }), || {
        print::fields(&[("templates", count.to_string())])
    })
}

async fn sync_now(server: &ServerContext, connection: &StoredConnection) -> Result<usize> {
    templates::sync(server, connection).await.map_err(|error| match error {
        templates::SyncError::Store(error) => Error::Store(error),
        other => Error::Invalid(other.to_string()),
    })
}

impl From<db::InvalidUrl> for Error {
    fn from(error: db::InvalidUrl) -> Self {
        Self::Invalid(error.to_string())
    }
}
