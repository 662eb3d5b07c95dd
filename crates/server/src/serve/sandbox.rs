//! Serves the sandbox under `/sandbox` to admitted callers, while a connection uses it.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use frontdesk_db::{self as db, Store};
use frontdesk_inbox::connections::{self, Credentials, StoredConnection};
use frontdesk_outbound::Client;
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::{ServerContext, accounts, store_failure};
use frontdesk_sandbox::{BODY_BYTES_MAX, Connection, Directory, Disconnect, Fetched, Home};
use frontdesk_web::{Failure, Result};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Uri};
use http_body_util::{BodyExt, Either, LengthLimitError, Limited};
use hyper::body::Incoming;

use super::response::{self, HttpResponse};
use super::sandbox_access::{self, SandboxAccess, SandboxCaller};
use super::sandbox_clock::SandboxClock;
use crate::clock::MovableClock;

/// The path of the clock, which the server itself serves.
const CLOCK: &str = "/sandbox/clock";
/// The largest body that the clock reads.
const CLOCK_BYTES_MAX: usize = 64 << 10;
/// The deadline for receiving a body to the sandbox.
const BODY_TIME_MAX: Duration = Duration::from_secs(20);
/// The deadline for fetching a customer's media.
const FETCH_TIME_MAX: Duration = Duration::from_secs(20);

pub(super) struct SandboxService {
    sandbox: frontdesk_sandbox::Sandbox,
    store: Store,
    access: SandboxAccess,
    /// The movable clock, if it is enabled.
    clock: Option<SandboxClock>,
}

impl SandboxService {
    pub(super) fn new(
        server: &ServerContext,
        clock: MovableClock,
        access: SandboxAccess,
        movable: Option<SandboxClock>,
    ) -> Self {
        let services = &server.services;
        let directory = ConnectionDirectory {
            store: server.store.clone(),
            secrets: services.secrets.clone(),
            local_url: services.local_url.clone(),
        };
        let outbound = services.outbound.clone();
        let home = Home {
            url: services.local_url.clone(),
            has_movable_clock: movable.is_some(),
            fetch: Arc::new(move |url, bytes_max| {
                let fetched = fetch(outbound.clone(), url, bytes_max);
                Box::pin(async {
                    tokio::time::timeout(FETCH_TIME_MAX, fetched).await.unwrap_or_else(timed_out)
                })
            }),
        };
        let clock = Arc::new(move || clock.now().millis());
        let sandbox = frontdesk_sandbox::Sandbox::inside(Arc::new(directory), clock, home);
        Self { sandbox, store: server.store.clone(), access, clock: movable }
    }

    /// Responds to a request under the sandbox's path. `client` is its address, if known.
    pub(super) async fn respond(
        &self,
        parts: Parts,
        body: &mut Incoming,
        peer: IpAddr,
        client: Option<IpAddr>,
    ) -> Result<std::result::Result<HttpResponse, Disconnect>> {
        let caller = self.access.admit(&parts, peer, client)?;
        if parts.uri.path() == CLOCK {
            return self.move_clock(caller, &parts, body).await.map(Ok);
        }
        // The server's own calls always work, because reconnecting a connection calls the vendor first.
        if caller != SandboxCaller::Own {
            self.check_in_use().await?;
        }
        let body = read_body(body, BODY_BYTES_MAX).await?;
        sandbox_access::check_body(caller, &parts.headers, &body)?;
        Ok(self.sandbox.respond(parts, body).await.map(|response| response.map(Either::Left)))
    }

    /// Refuses callers while no sandbox connection is connected.
    async fn check_in_use(&self) -> Result<()> {
        let found = self.store.read(|tx| {
            if connections::any_sandbox_connected(tx)? {
                return Ok(None);
            }
            connections::list_sandbox(tx).map(Some)
        });
        let Some(disconnected) = found.await.map_err(|error: db::Error| store_failure(&error))? else {
            return Ok(());
        };
        Err(Failure::not_found(match disconnected.last() {
            Some(StoredConnection { public: connection, .. }) => format!(
                "No sandbox connection is connected. Reconnect \"{}\" with `frontdesk channel reconnect {}`.",
                connection.name, connection.id
            ),
            None => "No sandbox connection is connected. Connect one with `frontdesk channel connect --account ID --channel \
                     whatsapp --sandbox`."
                .to_owned(),
        }))
    }

    async fn move_clock(
        &self,
        caller: SandboxCaller,
        parts: &Parts,
        body: &mut Incoming,
    ) -> Result<HttpResponse> {
        let clock = self.clock.as_ref().ok_or_else(|| {
            Failure::not_found("Start the server with FRONTDESK_SANDBOX_CLOCK=true to move its clock here.")
        })?;
        if parts.method != Method::POST {
            return Err(Failure::method_not_allowed("POST"));
        }
        let body = read_body(body, CLOCK_BYTES_MAX).await?;
        sandbox_access::check_body(caller, &parts.headers, &body)?;
        Ok(response::render(clock.advance(&body).await?.into(), false))
    }
}

/// Fetches a customer's media from a user's address, with the checks for such addresses.
async fn fetch(client: Client, url: String, bytes_max: usize) -> std::result::Result<Fetched, String> {
    let uri: Uri = url.parse().map_err(|why| format!("it is no address: {why}"))?;
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static("frontdesk-sandbox"));
    let opened = client.open(Method::GET, uri, headers, FETCH_TIME_MAX).await;
    let mut opened = opened.map_err(|why| why.to_string())?;
    if !opened.status.is_success() {
        return Err(format!("the address answered {}", opened.status.as_u16()));
    }
    let mut bytes = BytesMut::new();
    while let Some(piece) = opened.next().await.map_err(|why| why.to_string())? {
        if bytes.len() + piece.len() > bytes_max {
            return Err(format!("it is larger than {bytes_max} bytes"));
        }
        bytes.extend_from_slice(&piece);
    }
    let content_type = opened.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    Ok(Fetched { content_type: content_type.map(ToOwned::to_owned), bytes: bytes.freeze() })
}

fn timed_out(_: tokio::time::error::Elapsed) -> std::result::Result<Fetched, String> {
    Err(format!("it did not arrive within {} s", FETCH_TIME_MAX.as_secs()))
}

/// The installation's connections, with the data that a vendor has.
struct ConnectionDirectory {
    store: Store,
    secrets: Keyring,
    local_url: String,
}

impl Directory for ConnectionDirectory {
    fn connections(&self) -> Pin<Box<dyn Future<Output = Vec<Connection>> + Send + '_>> {
        Box::pin(async {
            let read = self.store.read(|tx| {
                let mut found = Vec::new();
                for connection in connections::list_sandbox(tx)? {
                    let account = accounts::find(tx, connection.account)?.map(|account| account.name);
                    found.push((connection, account.unwrap_or_default()));
                }
                Ok::<_, db::Error>(found)
            });
            let found = read.await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the sandbox could not read its connections");
                Vec::new()
            });
            found
                .into_iter()
                .filter_map(|(connection, account)| self.describe(&connection, account))
                .collect()
        })
    }
}

impl ConnectionDirectory {
    fn describe(&self, connection: &StoredConnection, account_name: String) -> Option<Connection> {
        let public = &connection.public;
        let digits = |address: &String| address.chars().filter(char::is_ascii_digit).collect();
        let known = Connection {
            id: public.id.to_string(),
            channel: public.channel.to_string(),
            name: public.name.clone(),
            account_name,
            is_disconnected: !connection.is_connected(),
            disconnected_reason: public.disconnected_reason.clone(),
            webhook_url: format!("{}/channels/{}/{}", self.local_url, public.channel, public.id),
            number: public.address.as_ref().map(digits).filter(|number: &String| !number.is_empty()),
            ..Connection::default()
        };
        Some(match connection.credentials(&self.secrets).cloned()? {
            Credentials::WhatsApp(number) => Connection {
                phone_number_id: Some(number.phone_number_id),
                waba_id: Some(number.waba_id),
                access_token: number.access_token,
                app_secret: number.app_secret,
                ..known
            },
            Credentials::Page(page) => Connection {
                page_id: Some(page.page_id),
                access_token: page.access_token,
                app_secret: page.app_secret,
                ..known
            },
            Credentials::Bridge(bridge) => Connection {
                session: Some(bridge.session),
                bridge_key: Some(bridge.bridge_key),
                app_secret: bridge.webhook_key,
                ..known
            },
            Credentials::WebChat(_) => return None,
        })
    }
}

/// Reads a whole body, unless it is too large or too slow.
async fn read_body(body: &mut Incoming, bytes_max: usize) -> Result<Bytes> {
    let whole = Limited::new(body, bytes_max).collect();
    match tokio::time::timeout(BODY_TIME_MAX, whole).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Failure::too_large(bytes_max)),
        Ok(Err(_)) => Err(Failure::bad_request("The body broke off before its end. Send the request again.")),
        Err(_) => Err(Failure::request_timeout()),
    }
}
