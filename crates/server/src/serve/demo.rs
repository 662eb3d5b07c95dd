//! The Demo account: what the first start on an empty database makes, so that there is something to try at once.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use frontdesk_crm::pipelines;
use frontdesk_db::{self as db, Store};
use frontdesk_inbox::connections::{self, Channel, Line};
use frontdesk_inbox::templates;
use frontdesk_kernel::scope::Scopes;
use frontdesk_kernel::{Ids, Patch, Secret, Timestamp};
use frontdesk_platform::Means;
use frontdesk_platform::accounts::{self, AccountSettings};
use frontdesk_platform::keys::{self, CreateKey, Expiry};
use frontdesk_platform::sealing::Keyring;

use crate::connecting;
use crate::error::{Error, Result};

const RATE_LIMIT: i64 = 600;
/// Any number, the same for every server, that no other lock uses.
const FIRST_START_LOCK: i64 = 0x6672_6f6e_7464_656d;

/// What the first start made.
pub(super) struct Made {
    key: Secret,
    line: Line,
}

/// Makes the account, its key and its channel if there is no account yet. Of several servers that start at once, one
/// does.
pub(super) async fn create(
    store: &Store,
    ids: &Arc<Ids>,
    secrets: &Keyring,
    now: Timestamp,
) -> Result<Option<Made>> {
    let (ids, random, secrets) = (ids.clone(), rand::random(), secrets.clone());
    let settings = AccountSettings {
        name: Some("Demo".to_owned()),
        rate_limit: Patch::Set(RATE_LIMIT),
        ..AccountSettings::default()
    };
    let channel = connecting::sandbox(Channel::Whatsapp);
    let made = store.write(move |tx| {
        if !tx.try_lock(FIRST_START_LOCK)? || accounts::any(tx)? {
            return Ok(None);
        }
        let account = accounts::create(tx, &ids, &settings, now)?.account;
        pipelines::ensure_default(tx, account, now, &ids)?;
        let wanted = CreateKey {
            account,
            name: "Demo key".to_owned(),
            scopes: Scopes::all(),
            member: None,
            expiry: Expiry::Never,
            allowlist: Vec::new(),
            rate_limit: None,
        };
        let key = keys::create(tx, &ids, &random, &wanted, now)?.key;
        let id = connections::create(tx, &ids, &secrets, &channel.of("Demo WhatsApp", account), now)?;
        let line = connections::find(tx, id)?.ok_or(db::Error::Decode("connection"))?;
        Ok::<_, Error>(Some(Made { key, line }))
    });
    made.await
}

/// Reads the templates of the Demo account's channel, once the server answers.
pub(super) async fn furnish(means: &Means, made: &Made) {
    if let Err(error) = templates::sync(means, &made.line).await {
        tracing::warn!(%error, "the Demo account has no templates yet; `frontdesk channel sync` reads them");
    }
}

/// What is printed about it, once.
pub(super) fn greeting(address: SocketAddr, made: &Made) -> String {
    let (base, key) = (format!("http://{}", reachable(address)), made.key.reveal());
    format!(
        "\
Welcome to Frontdesk. A Demo account was made, and a key that may do everything in it.
The key is shown once: store it now.

    {key}

Send a message to a customer of the sandbox, then be that customer at {base}/sandbox

    curl {base}/api/v1/messages \\
      -H 'Authorization: Bearer {key}' \\
      -H 'Content-Type: application/json' \\
      -d '{{\"type\": \"template\", \"to\": {{\"phone\": \"+14155550123\"}}, \"template\": {{\"name\": \"hello_world\"}}}}'

    curl {base}/api/v1/contacts -H 'Authorization: Bearer {key}'

Everything else is described at {base}/docs

"
    )
}

/// Where a caller on this machine finds the server: one that listens everywhere also listens here.
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
}
