//! The stand-ins for the vendors, served under `/sandbox` while a connection uses them.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use frontdesk_db::{self as db, Store};
use frontdesk_inbox::connections::{self, Line, Settings};
use frontdesk_platform::settings::SecretKey;
use frontdesk_platform::{Means, accounts};
use frontdesk_sandbox::{BODY_BYTES_MAX, Connection, Cut, Directory, Sandbox};
use http::request::Parts;
use http_body_util::Either;

use super::response::Answer;
use crate::clock::MovableClock;

const PREFIX: &str = "/sandbox";
/// Served by the server itself.
const CLOCK: &str = "/sandbox/clock";

pub(super) struct StandIns {
    sandbox: Sandbox,
    store: Store,
}

impl StandIns {
    pub(super) const BODY_BYTES_MAX: usize = BODY_BYTES_MAX;

    pub(super) fn new(means: &Means, clock: MovableClock) -> Self {
        let register = Register {
            store: means.store.clone(),
            secrets: means.services.secrets.clone(),
            local_url: means.services.local_url.clone(),
        };
        let clock = Arc::new(move || clock.now().millis());
        Self { sandbox: Sandbox::new(Arc::new(register), clock), store: means.store.clone() }
    }

    /// Whether a request is for them: one under their path, while a connection of the installation uses them.
    pub(super) async fn are_asked(&self, parts: &Parts) -> bool {
        let path = parts.uri.path();
        let under = path.strip_prefix(PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        under && path != CLOCK && self.store.read(connections::any_sandbox).await.unwrap_or(false)
    }

    pub(super) async fn answer(&self, parts: Parts, body: Bytes) -> Result<Answer, Cut> {
        Ok(self.sandbox.answer(parts, body).await?.map(Either::Left))
    }
}

/// The installation's connections, as the vendors know them.
struct Register {
    store: Store,
    secrets: SecretKey,
    local_url: String,
}

impl Directory for Register {
    fn connections(&self) -> Pin<Box<dyn Future<Output = Vec<Connection>> + Send + '_>> {
        Box::pin(async {
            let read = self.store.read(|tx| {
                let mut found = Vec::new();
                for line in connections::list_sandbox(tx)? {
                    let account = accounts::find(tx, line.account)?.map(|account| account.name);
                    found.push((line, account.unwrap_or_default()));
                }
                Ok::<_, db::Error>(found)
            });
            let found = read.await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the sandbox does not know its connections");
                Vec::new()
            });
            found.into_iter().filter_map(|(line, account)| self.describe(&line, account)).collect()
        })
    }
}

impl Register {
    fn describe(&self, line: &Line, account_name: String) -> Option<Connection> {
        let connection = &line.connection;
        let digits = |address: &String| address.chars().filter(char::is_ascii_digit).collect();
        let known = Connection {
            id: connection.id.to_string(),
            channel: connection.channel.to_string(),
            name: connection.name.clone(),
            account_name,
            webhook_url: format!("{}/channels/{}/{}", self.local_url, connection.channel, connection.id),
            number: connection.address.as_ref().map(digits).filter(|number: &String| !number.is_empty()),
            ..Connection::default()
        };
        Some(match line.settings(&self.secrets)? {
            Settings::WhatsApp(number) => Connection {
                phone_number_id: Some(number.phone_number_id),
                waba_id: Some(number.waba_id),
                access_token: number.access_token,
                app_secret: number.app_secret,
                ..known
            },
            Settings::Page(page) => Connection {
                page_id: Some(page.page_id),
                access_token: page.access_token,
                app_secret: page.app_secret,
                ..known
            },
            Settings::Bridge(bridge) => Connection {
                session: Some(bridge.session),
                bridge_key: Some(bridge.bridge_key),
                app_secret: bridge.webhook_key,
                ..known
            },
            Settings::WebChat => return None,
        })
    }
}
