//! `frontdesk channel`: the numbers, pages and widgets of an account.

mod check;
mod connect;
mod pair;

use clap::Subcommand;
use frontdesk_db::{self as db, Store};
use frontdesk_inbox::connections::{self, Channel, Connection, ConnectionId, Line, Settings};
use frontdesk_inbox::templates;
use frontdesk_kernel::ids::{Account, AccountId};
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_platform::{By, Means};
use serde_json::json;
use std::sync::Arc;

use super::print;
use super::values::id;
use crate::error::{Error, Result};
use crate::installation::{Installation, Places};
use crate::{clock, connecting, routes, secret_key};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Connect a channel
    Connect(Box<connect::Connect>),
    /// List the channels of an account
    List {
        /// The account's id, as `frontdesk account list` shows it
        #[arg(long, value_name = "ID", value_parser = id::<Account>)]
        account: AccountId,
    },
    /// Disconnect a channel: nothing more is sent over it
    Disconnect {
        /// The connection's id, as `frontdesk channel list` shows it
        #[arg(value_name = "CONNECTION_ID", value_parser = id::<Connection>)]
        id: ConnectionId,
    },
    /// Connect a disconnected channel again, with a new token if the old one is no longer good
    Reconnect {
        /// The connection's id, as `frontdesk channel list` shows it
        #[arg(value_name = "CONNECTION_ID", value_parser = id::<Connection>)]
        id: ConnectionId,
        /// The vendor's new access token
        #[arg(long, value_name = "TOKEN")]
        access_token: Option<String>,
        /// Connect it without asking the channel first whether the token is right
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
            Self::List { account } => list(installation, account),
            Self::Disconnect { id } => disconnect(installation, id),
            Self::Reconnect { id, access_token, no_check } => {
                reconnect(installation, id, access_token, no_check)
            }
            Self::Sync { id } => sync(installation, id),
        }
    }
}

/// What workers and commands share, for a command.
pub(super) async fn means(installation: &Installation, store: &Store) -> Result<Means> {
    let secrets = secret_key::load(store, &installation.database()?).await?.keys;
    let places = store.read(Places::recall).await?;
    let services = connecting::services(secrets, places);
    Ok(Means {
        store: store.clone(),
        services: Arc::new(services),
        clock: Arc::new(clock::now),
        ids: routes::recorder(),
    })
}

async fn find(store: &Store, id: ConnectionId) -> Result<Line> {
    let line = store.read(move |tx| connections::find_in_any_account(tx, id)).await?;
    line.ok_or_else(|| {
        Error::Invalid(format!("there is no connection {id}; `frontdesk channel list` shows those there are"))
    })
}

fn list(installation: &Installation, account: AccountId) -> Result<()> {
    let lines = installation.look(move |tx| {
        accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?;
        connections::list(tx, account).map_err(AccountError::from)
    })?;
    let shown: Vec<&Connection> = lines.iter().map(|line| &line.connection).collect();
    print::answer(installation.json, &shown, || {
        let rows = shown.iter().map(|connection| {
            vec![
                connection.id.to_string(),
                connection.channel.to_string(),
                connection.name.clone(),
                print::or_dash(connection.address.as_ref()),
                connection.status.to_string(),
                print::or_dash(connection.disconnected_reason.as_ref()),
            ]
        });
        let head = ["id", "channel", "name", "address", "status", "reason"];
        print::table(
            &head,
            rows.collect(),
            "No channel is connected. `frontdesk channel connect` connects one.",
        )
    })
}

fn disconnect(installation: &Installation, id: ConnectionId) -> Result<()> {
    let now = clock::now();
    installation.work(async |store| {
        let (line, means) = (find(store, id).await?, means(installation, store).await?);
        let (account, ids) = (line.account, means.ids.clone());
        // Written first: the bridge reports the session's end too, and would give that as the reason.
        store
            .write(move |tx| connections::disconnect_by_operator(tx, &By::system(account, now, &ids), id))
            .await?;
        if let Some(settings) = line.settings(&means.services.secrets) {
            pair::stop(&means, &line, &settings).await;
        }
        Ok(())
    })?;
    print::answer(installation.json, &json!({ "connection_id": id, "status": "disconnected" }), || {
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
        let means = means(installation, store).await?;
        let secrets = means.services.secrets.clone();
        let mut line = find(store, id).await?;
        let replaced = token.is_some();
        if let Some(mut settings) = line.settings(&secrets) {
            match (&mut settings, token) {
                (Settings::WhatsApp(number), Some(token)) => number.access_token = token,
                (Settings::Page(page), Some(token)) => page.access_token = token,
                (Settings::Bridge(bridge), Some(token)) => bridge.bridge_key = token,
                (Settings::WebChat, _) | (_, None) => {}
            }
            // A bridge is asked when the device is linked, below.
            if !(no_check || line.sandbox || line.channel() == Channel::PersonalWhatsapp) {
                check::ask_again(&means.services, &line, &settings).await?;
            }
            if replaced {
                let changed = line.clone();
                store
                    .write(move |tx| connections::change_settings(tx, &secrets, &changed, &settings, now))
                    .await?;
                line = find(store, id).await?;
            }
        }
        // A linked device was stopped when it was disconnected.
        let session = match line.channel() {
            Channel::PersonalWhatsapp => {
                let url = format!("{}/channels/{}/{id}", means.services.base_url, line.channel());
                Some(pair::link(&means, &line, &url, None, true).await.map_err(Error::Invalid)?)
            }
            _ => None,
        };
        let (account, ids) = (line.account, means.ids.clone());
        store.write(move |tx| connections::reconnect(tx, &By::system(account, now, &ids), id)).await?;
        Ok(session)
    })?;
    let mut answer = json!({ "connection_id": id, "status": "connected" });
    let mut shown = vec![("connected", id.to_string())];
    if let Some(session) = session {
        answer["session"] = json!(session);
        shown.push(("session", session));
    }
    print::answer(installation.json, &answer, || print::fields(&shown))
}

fn sync(installation: &Installation, id: ConnectionId) -> Result<()> {
    let count = installation.work(async |store| {
        let line = find(store, id).await?;
        sync_now(&means(installation, store).await?, &line).await
    })?;
    print::answer(installation.json, &json!({ "connection_id": id, "templates": count }), || {
        print::fields(&[("templates", count.to_string())])
    })
}

async fn sync_now(means: &Means, line: &Line) -> Result<usize> {
    templates::sync(means, line).await.map_err(|error| match error {
        templates::SyncError::Store(error) => Error::Store(error),
        other => Error::Invalid(other.to_string()),
    })
}

impl From<db::InvalidUrl> for Error {
    fn from(error: db::InvalidUrl) -> Self {
        Self::Invalid(error.to_string())
    }
}
