//! The Demo account: what the first start on an empty database makes, so that there is something to try at once.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use frontdesk_crm::pipelines;
use frontdesk_db::Store;
use frontdesk_kernel::scope::Scopes;
use frontdesk_kernel::{Ids, Patch, Secret, Timestamp};
use frontdesk_platform::accounts::{self, AccountSettings};
use frontdesk_platform::keys::{self, CreateKey, Expiry};

use crate::error::{Error, Result};

const RATE_LIMIT: i64 = 600;
/// Any number, the same for every server, that no other lock uses.
const FIRST_START_LOCK: i64 = 0x6672_6f6e_7464_656d;

/// Makes the account and its key if there is no account yet. Of several servers that start at once, one does.
pub(super) async fn create(store: &Store, ids: &Arc<Ids>, now: Timestamp) -> Result<Option<Secret>> {
    let (ids, random) = (ids.clone(), rand::random());
    let settings = AccountSettings {
        name: Some("Demo".to_owned()),
        rate_limit: Patch::Set(RATE_LIMIT),
        ..AccountSettings::default()
    };
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
        Ok::<_, Error>(Some(keys::create(tx, &ids, &random, &wanted, now)?.key))
    });
    made.await
}

/// What is printed about it, once.
pub(super) fn greeting(address: SocketAddr, key: &Secret) -> String {
    let (base, key) = (format!("http://{}", reachable(address)), key.reveal());
    format!(
        "\
Welcome to Frontdesk. A Demo account was made, and a key that may do everything in it.
The key is shown once: store it now.

    {key}

Create a contact, then list the contacts:

    curl {base}/api/v1/contacts \\
      -H 'Authorization: Bearer {key}' \\
      -H 'Content-Type: application/json' \\
      -d '{{\"name\": \"Ada Lovelace\", \"email\": \"ada@example.com\"}}'

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
    fn the_greeting_can_be_pasted_whatever_is_listened_on() {
        let greet = |address: &str| greeting(address.parse().unwrap(), &Secret::new("frontdesk_live_x"));
        assert!(greet("0.0.0.0:80").contains("curl http://127.0.0.1:80/api/v1/contacts -H"));
        assert!(greet("[::]:8080").contains("curl http://[::1]:8080/api/v1/contacts \\\n"));
        assert!(greet("192.0.2.1:8080").contains("'Authorization: Bearer frontdesk_live_x'"));
    }
}
