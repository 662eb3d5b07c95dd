//! Addresses of callers, behind trusted proxies, and allowlists.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use http::HeaderMap;
use ipnet::{IpNet, Ipv4Net};
use serde::{Serialize, Serializer};

/// An address or a CIDR range of addresses, IPv4 or IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no address or CIDR range such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32")]
pub struct NotANetwork(String);

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// Reads a comma-separated list; blanks between are ignored.
    pub fn parse_list(list: &str) -> Result<Vec<Self>, NotANetwork> {
        list.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::parse).collect()
    }
}

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let net = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address.to_canonical()),
            Err(_) => canonical(text.parse().map_err(|_| NotANetwork(text.to_owned()))?),
        };
        Ok(Self(net))
    }
}

/// A range of IPv4-mapped addresses as the range of IPv4 that it is, because addresses are compared in that form.
fn canonical(net: IpNet) -> IpNet {
    const MAPPED_BITS: u8 = 96;
    let IpNet::V6(mapped) = net else { return net };
    let bits = mapped.prefix_len().checked_sub(MAPPED_BITS);
    let inner =
        mapped.addr().to_ipv4_mapped().zip(bits).and_then(|(addr, bits)| Ipv4Net::new(addr, bits).ok());
    inner.map_or(net, IpNet::V4)
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.prefix_len() == self.0.max_prefix_len() { self.0.addr().fmt(f) } else { self.0.fmt(f) }
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The proxies whose `X-Forwarded-For` is trusted.
#[derive(Clone, Debug, Default)]
pub struct Proxies(Vec<Network>);

impl Proxies {
    pub fn new(trusted: Vec<Network>) -> Self {
        Self(trusted)
    }

    /// The client's address: the peer's own or, when the peer is a trusted proxy, the right-most address in
    /// `X-Forwarded-For` that is not a trusted proxy. None if it is unknown.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            return Some(peer);
        }
        let mut hops: Vec<&str> = Vec::new();
        for value in headers.get_all("x-forwarded-for") {
            hops.extend(value.to_str().ok()?.split(','));
        }
        for hop in hops.into_iter().rev() {
            let address = read_hop(hop.trim())?;
            if !self.trusts(address) {
                return Some(address);
            }
        }
        None
    }

    /// Whether an address is one of these proxies.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

/// The address that limits count a client by.
///
/// An IPv6 client usually controls a whole /64 and can change its address with every request, so the last 64 bits are
/// dropped. An IPv4-mapped address counts as the IPv4 address.
pub fn client_network(address: IpAddr) -> IpAddr {
    const NETWORK: u128 = u128::MAX << 64;
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK)),
        address @ IpAddr::V4(_) => address,
    }
}

/// An address as proxies write it: bare, in brackets, or with a port.
fn read_hop(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    let address = bare.parse::<IpAddr>().or_else(|_| hop.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

/// Whether a base URL is loopback. If it is not, others reach the server, perhaps through a proxy on this machine.
pub fn is_local_url(base_url: &str) -> bool {
    let host = base_url.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    host.is_some_and(|host| is_loopback(&host))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => bare.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &str, peer: &str, forwarded: &[&str]) -> Option<String> {
        let proxies = Proxies::new(Network::parse_list(trusted).unwrap());
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).map(|address| address.to_string())
    }

    #[test]
    fn a_stranger_cannot_choose_its_address() {
        assert_eq!(client("", "203.0.113.9", &["1.2.3.4"]).as_deref(), Some("203.0.113.9"));
        assert_eq!(client("10.0.0.0/8", "203.0.113.9", &["1.2.3.4"]).as_deref(), Some("203.0.113.9"));
    }

    #[test]
    fn behind_proxies_the_right_most_stranger_is_the_client() {
        assert_eq!(
            client("10.0.0.0/8", "10.0.0.1", &["9.9.9.9, 1.2.3.4, 10.0.0.2"]).as_deref(),
            Some("1.2.3.4")
        );
        assert_eq!(
            client("10.0.0.0/8", "10.0.0.1", &["9.9.9.9", "1.2.3.4:5555"]).as_deref(),
            Some("1.2.3.4")
        );
        assert_eq!(client("::1", "::1", &["[2001:db8::7]:443"]).as_deref(), Some("2001:db8::7"));
        assert_eq!(client("127.0.0.1", "::ffff:127.0.0.1", &["1.2.3.4"]).as_deref(), Some("1.2.3.4"));
    }

    #[test]
    fn an_unknown_address_is_none() {
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &[]), None);
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["10.0.0.2"]), None);
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["1.2.3.4, unknown"]), None);
    }

    #[test]
    fn an_ipv6_client_is_counted_by_its_64_bit_network() {
        let counted = |text: &str| client_network(text.parse().unwrap()).to_string();
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(counted("2001:db8:1:2::"), "2001:db8:1:2::");
        assert_eq!(counted("2001:db8:1:3::1"), "2001:db8:1:3::");
        assert_eq!(counted("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(counted("203.0.113.7"), "203.0.113.7");
    }

    #[test]
    fn networks_are_read_and_written() {
        let list = Network::parse_list("203.0.113.7, 2001:db8::/32,10.0.0.0/8").unwrap();
        let written: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(written, ["203.0.113.7", "2001:db8::/32", "10.0.0.0/8"]);
        assert!(list[0].contains("::ffff:203.0.113.7".parse().unwrap()));
        assert!(!list[2].contains("11.0.0.1".parse().unwrap()));
        let mapped: Network = "::ffff:10.0.0.0/104".parse().unwrap();
        assert_eq!(mapped.to_string(), "10.0.0.0/8");
        assert!(
            mapped.contains("10.1.2.3".parse().unwrap()) && !mapped.contains("11.0.0.1".parse().unwrap())
        );
        assert!(Network::parse_list("203.0.113.0/33").is_err());
        assert!(Network::parse_list("example.com").is_err());
    }
}
