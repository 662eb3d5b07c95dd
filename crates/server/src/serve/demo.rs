//! The Demo account, which the first start on an empty database creates, so that there is something to try at
//! once.
//!
//! Its key has every scope, so it is created only if no one else can reach the server, or on request.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use frontdesk_agent::assistants::{self, NewAssistant};
use frontdesk_db::{self as db, Store, Tx};
use frontdesk_inbox::connections::{self, Channel, StoredConnection};
use frontdesk_inbox::templates;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Patch, Secret, Timestamp};
use frontdesk_platform::accounts::{self, AccountSettings};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::keys::Expiry;
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::sign_in::{LinkAuthor, NewLink, Purpose, links};
use frontdesk_platform::{By, ServerContext, is_local_url};
use frontdesk_web::{FieldPath, Input, Problems};
use serde_json::json;

use crate::error::{Error, Result};
use crate::installation::ServerUrls;
use crate::{connection_draft, first_account};

const RATE_LIMIT: i64 = 600;
const KEY_NAME: &str = "Demo key";
const OWNER_EMAIL: &str = "owner@example.com";

/// The Demo account and its key.
pub(super) struct DemoAccount {
    key: Secret,
    connection: StoredConnection,
    /// Signs the owner in, once.
    link: NewLink,
}

/// Whether only this machine can reach the server: both its address and its base URL are loopback.
pub(super) fn is_private(address: SocketAddr, urls: &ServerUrls) -> bool {
    address.ip().to_canonical().is_loopback() && is_local_url(&urls.base_url)
}

/// Creates the account, its key and its channel if there is no account yet. If several servers start at once,
/// one of them does this.
pub(super) async fn create(
    store: &Store,
    recorder: &Arc<Recorder>,
    secrets: &Keyring,
    now: Timestamp,
) -> Result<Option<DemoAccount>> {
    let (recorder, random, secrets) = (recorder.clone(), rand::random(), secrets.clone());
    let link_random: [u8; 32] = rand::random();
    let settings = AccountSettings {
        name: Some("Demo".to_owned()),
        rate_limit: Patch::Set(RATE_LIMIT),
        ..AccountSettings::default()
    };
    let channel = connection_draft::sandbox(Channel::Whatsapp);
    let made = store.write(move |tx| {
        let made = first_account::create(tx, &recorder, &random, &settings, (KEY_NAME, Expiry::Never), now)?;
        let Some(made) = made else { return Ok(None) };
        let id = connections::create(
            tx,
            &recorder,
            &secrets,
            &channel.of(Some("Demo WhatsApp"), made.account),
            now,
        )?;
        let connection = connections::find(tx, made.account, id)?.ok_or(db::Error::Decode("connection"))?;
        add_assistant(tx, &By::system(made.account, now, &recorder))?;
        let owner = (made.account, made.owner);
        set_owner_email(tx, made.account, now)?;
        let link = links::create(tx, &link_random, owner, Purpose::SignIn, LinkAuthor::Operator, now)?;
        Ok::<_, Error>(Some(DemoAccount { key: made.key.key, connection, link }))
    });
    made.await
}

/// Gives the owner an address, so that a password can be set in the dashboard.
fn set_owner_email(tx: &mut Tx<'_>, account: AccountId, now: Timestamp) -> Result<()> {
    let email = OWNER_EMAIL.parse().map_err(|_| db::Error::Decode("email"))?;
    let settings = AccountSettings { owner_email: Patch::Set(email), ..AccountSettings::default() };
    accounts::set(tx, account, &settings, now)?;
    Ok(())
}

/// Creates an assistant that answers the customers of the sandbox, and of a web chat.
fn add_assistant(tx: &mut Tx<'_>, by: &By) -> Result<()> {
    let wanted = json!({
        "name": "Robin",
        "system_prompt": "You are the friendly assistant of a furniture shop. Be brief.",
        "targets": ["whatsapp", "web_chat"],
        "handle_voice": true,
        "handle_images": true,
    });
    let new = NewAssistant::read(Some(&wanted), &mut FieldPath::root(), &mut Problems::new());
    let new = new.ok_or(db::Error::Decode("assistant"))?;
    assistants::create(tx, by, &new).map_err(|error| Error::Invalid(error.to_string()))?;
    Ok(())
}

/// The next step on an installation without an account.
pub(super) async fn next_step(store: &Store) -> Result<&'static str> {
    let any = store.read(accounts::any).await?;
    Ok(if any { "" } else { NEXT_STEP })
}

const NEXT_STEP: &str = "\
There is no account yet. Make the first one, its owner and a key, with the same --database:

    frontdesk init --account NAME --owner-email EMAIL

";

/// Syncs the templates of the Demo account's channel, once the server responds.
pub(super) async fn furnish(server: &ServerContext, made: &DemoAccount) {
    if let Err(error) = templates::sync(server, &made.connection).await {
        tracing::warn!(%error, "the Demo account has no templates yet; `frontdesk channel sync` reads them");
    }
}

/// The text that is printed about it, once. Its first command writes as a customer, whom the assistant answers: a
/// conversation that begins with a message of the account belongs to people.
pub(super) fn greeting(address: SocketAddr, base_url: &str, made: &DemoAccount) -> String {
    let (base, key) = (format!("http://{}", reachable(address)), made.key.reveal());
    let link = made.link.url(base_url);
    let token = if is_local_url(base_url) {
        ""
    } else {
        "\\\n      -H \"Authorization: Bearer $FRONTDESK_SANDBOX_TOKEN\" "
    };
    format!(
        "\
Welcome to Frontdesk. A Demo account was made, and a key that may do everything in it.
The key is shown once: store it now.

    {key}

1. Open the dashboard. This link signs the owner in, once:

    {link}

2. Write as a customer, here or at {base}/sandbox

    curl {base}/sandbox/customers/14155550123/messages {token}\\
      -H 'Content-Type: application/json' \\
      -d '{{\"text\": \"Hello, do you have oak tables?\"}}'

   The Demo account's assistant answers within seconds. See its answer in the dashboard, at /sandbox, or with the API:

    curl {base}/api/v1/conversations -H 'Authorization: Bearer {key}'

3. Write back in the dashboard: then the conversation is yours, and the assistant is quiet until you hand it back.

Everything else is described at {base}/docs

"
    )
}

/// The address for callers on this machine: a server that listens on all addresses also listens on loopback.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    let host = match address.ip() {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    SocketAddr::new(host, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_everywhere_is_found_here() {
        let at = |address: &str| reachable(address.parse().unwrap()).to_string();
        assert_eq!(at("0.0.0.0:80"), "127.0.0.1:80");
        assert_eq!(at("[::]:8080"), "[::1]:8080");
        assert_eq!(at("192.0.2.1:8080"), "192.0.2.1:8080");
    }

    #[test]
    fn a_server_is_private_when_its_address_and_its_base_url_are_loopback() {
        let private = |address: &str, base_url: &str| {
            let urls = ServerUrls { base_url: base_url.to_owned(), local_url: String::new() };
            is_private(address.parse().unwrap(), &urls)
        };
        for base_url in
            ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080", "http://127.1.2.3"]
        {
            assert!(private("127.0.0.1:8080", base_url), "{base_url}");
            assert!(private("[::1]:8080", base_url), "{base_url}");
            assert!(!private("0.0.0.0:8080", base_url), "{base_url}");
            assert!(!private("[::]:8080", base_url) && !private("192.168.1.2:80", base_url), "{base_url}");
        }
        for base_url in
            ["https://api.example.com", "http://10.0.0.1", "http://localhost.example.com", "http://[::]:80"]
        {
            assert!(!private("127.0.0.1:8080", base_url), "{base_url}");
        }
    }
}
