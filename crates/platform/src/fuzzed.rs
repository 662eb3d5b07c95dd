//! Addresses, headers and sealed texts that nobody wrote.

use std::net::IpAddr;
use std::str::from_utf8;

use frontdesk_fuzz::Target;
use http::{HeaderMap, HeaderValue};
use uuid::Uuid;

use crate::address::{Network, Proxies};
use crate::idempotency;
use crate::sealing::{Keyring, SealedCell, SecretKey};

#[test]
fn fuzzed_networks_are_printed_as_they_are_read() {
    let examples = ["203.0.113.7, 203.0.113.0/24", "2001:db8::/32,::ffff:10.0.0.1", "0.0.0.0/0"];
    Target::new("networks").examples(examples).words(["/", "::", "/128", "/33", ",", "%eth0", "[", "]"]).run(
        |bytes| {
            let Some(networks) = from_utf8(bytes).ok().and_then(|text| Network::parse_list(text).ok()) else {
                return 0;
            };
            for network in &networks {
                let printed = network.to_string();
                // Callers are compared as IPv4, so a range of mapped addresses has none of them.
                if printed.starts_with("::ffff:") {
                    continue;
                }
                assert_eq!(printed.parse::<Network>().as_ref(), Ok(network));
            }
            networks.len().min(5)
        },
    );
}

#[test]
fn fuzzed_forwarded_addresses_never_name_a_proxy() {
    let proxies = Proxies::new(Network::parse_list("10.0.0.0/8").expect("a network"));
    let peer: IpAddr = "10.0.0.1".parse().expect("an address");
    let examples = ["203.0.113.7, 10.0.0.2", "[2001:db8::1]:443, 10.1.1.1", "unknown, ::ffff:10.0.0.9"];
    let words = ["10.0.0.3", ",", "::1", "[", "]", ":80", "::ffff:10.0.0.9"];
    Target::new("x-forwarded-for").examples(examples).words(words).run(|bytes| {
        let Ok(value) = HeaderValue::from_bytes(bytes) else { return 0 };
        let headers = HeaderMap::from_iter([(http::HeaderName::from_static("x-forwarded-for"), value)]);
        let client = proxies.client(peer, &headers);
        assert!(client.is_none_or(|client| !proxies.trusts(client) && client == client.to_canonical()));
        1 + u8::from(client.is_some())
    });
}

#[test]
fn fuzzed_idempotency_keys_are_taken_as_they_are_or_refused() {
    Target::new("idempotency-key").examples(["8e03978e-40d5-43dd-bc93-6894a57f9324"]).run(|bytes| {
        let key = idempotency::read_key(bytes);
        assert!(key.as_ref().is_ok_and(|key| key.as_bytes() == bytes) || key.is_err());
        key.is_ok()
    });
}

#[test]
fn fuzzed_sealed_texts_do_not_open() {
    let keys = Keyring::new(SecretKey::from_any_text("secret"));
    let place = SealedCell::outside("test", Uuid::nil());
    let sealed = keys.seal(&place, "words");
    Target::new("sealed").examples([&sealed]).words([":", "=", "v1", "v2"]).bytes_max(4 << 10).run(|bytes| {
        let Ok(text) = from_utf8(bytes) else { return 0 };
        let opened = keys.open(&place, text);
        assert!(opened.is_none() || text == sealed, "{text:?} opens");
        1 + u8::from(opened.is_some())
    });
}
