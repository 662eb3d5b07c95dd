//! Notices a proxy that is not declared.
//!
//! All clients of such a proxy share its address, so the failed sign-ins of one lock out everybody. A header that names
//! the client, from a peer on this machine or in a private network, shows such a proxy. It is logged and stored, and
//! `frontdesk doctor` reports it. A peer in a public network may be anybody, so its headers say nothing.

use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, Ordering};

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::{Proxies, ServerContext, settings};
use http::HeaderMap;
use serde::{Deserialize, Serialize};

use crate::config::Role;
use crate::error::Result;

/// The setting that stores the last observation.
const SETTING: &str = "undeclared_proxy";
/// The headers in which a proxy names its client.
const CLIENT_HEADERS: [&str; 2] = ["x-forwarded-for", "forwarded"];
/// Headers that a proxy adds to a forwarded request.
pub(super) const FORWARDING: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];
/// The least time between two warnings.
const WARNING_MILLIS: i64 = 60 * 60 * 1_000;

/// A proxy that was noticed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UndeclaredProxy {
    pub(crate) address: IpAddr,
    /// In RFC 3339.
    pub(crate) at: String,
}

impl UndeclaredProxy {
    /// The proxy that a server has noticed since one last started.
    pub(crate) fn recall(tx: &mut ReadTx<'_>) -> db::Result<Option<Self>> {
        Ok(settings::get(tx, SETTING)?.and_then(|stored| serde_json::from_str(&stored).ok()))
    }
}

/// Looks at the requests of one server.
pub(super) struct ProxyWatch {
    server: ServerContext,
    proxies: Proxies,
    /// The time of the next warning, in milliseconds.
    next: AtomicI64,
}

impl ProxyWatch {
    /// Starts without observations: the proxy may have been declared since.
    pub(super) async fn start(server: &ServerContext, proxies: &Proxies, role: Role) -> Result<Self> {
        if role.serves_api() && server.store.read(UndeclaredProxy::recall).await?.is_some() {
            server.store.write(|tx| settings::remove(tx, SETTING)).await?;
        }
        Ok(Self { server: server.clone(), proxies: proxies.clone(), next: AtomicI64::new(i64::MIN) })
    }

    /// Looks at a request.
    pub(super) fn look(&self, peer: IpAddr, headers: &HeaderMap) {
        if !self.is_undeclared(peer, headers) {
            return;
        }
        let now = (self.server.clock)();
        let next = self.next.load(Ordering::Relaxed);
        let is_first = now.millis() >= next
            && self
                .next
                .compare_exchange(next, now.millis() + WARNING_MILLIS, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if is_first {
            self.warn(peer.to_canonical(), now);
        }
    }

    fn is_undeclared(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        CLIENT_HEADERS.iter().any(|header| headers.contains_key(*header))
            && is_internal(peer)
            && !self.proxies.trusts(peer)
    }

    fn warn(&self, address: IpAddr, now: Timestamp) {
        tracing::warn!(
            proxy = %address,
            "requests come through a proxy that is not declared, so all of its clients share one address and its limits; \
             set FRONTDESK_TRUSTED_PROXIES to the address of the proxy and restart the server"
        );
        let noticed = UndeclaredProxy { address, at: now.to_string() };
        let (store, stored) =
            (self.server.store.clone(), serde_json::to_string(&noticed).unwrap_or_default());
        tokio::spawn(async move {
            if let Err(error) = store.write(move |tx| settings::put(tx, SETTING, &stored)).await {
                tracing::warn!(%error, "the undeclared proxy could not be stored for `frontdesk doctor`");
            }
        });
    }
}

/// Whether an address is on this machine or in a private network.
fn is_internal(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_peers_of_this_machine_and_of_private_networks_are_internal() {
        for internal in ["127.0.0.1", "10.1.2.3", "172.17.0.1", "192.168.0.1", "::1", "fd00::1", "fe80::1"] {
            assert!(is_internal(internal.parse().unwrap()), "{internal}");
        }
        for public in ["203.0.113.7", "172.32.0.1", "2001:db8::1", "::ffff:203.0.113.7"] {
            assert!(!is_internal(public.parse().unwrap()), "{public}");
        }
    }
}
