//! Refuses changes that do not come from our own pages.

use std::net::IpAddr;

use frontdesk_web::{Failure, Result};
use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, Method, Uri};

/// The scheme, host and port of a URL, in lowercase.
pub(crate) fn of(url: &str) -> String {
    let uri: Option<Uri> = url.parse().ok();
    let parts = uri.as_ref().and_then(|uri| Some((uri.scheme_str()?, uri.authority()?.as_str())));
    parts.map_or_else(String::new, |(scheme, authority)| format!("{scheme}://{authority}").to_lowercase())
}

/// Refuses a change that does not come from our own pages: from the server's own address, or the host that the browser
/// addressed under the same scheme. A browser always sends the origin of such a request, and a page cannot choose it.
/// A page of our host under another scheme is not ours: whoever controls the network can serve it.
pub(crate) fn check(method: &Method, headers: &HeaderMap, own: &str) -> Result<()> {
    if matches!(*method, Method::GET | Method::HEAD) || is_own(headers, own) {
        return Ok(());
    }
    Err(Failure::forbidden(
        "origin",
        "This request does not come from a page of this server. Open the dashboard at its own address, and try again there.",
    ))
}

/// Refuses a request of a page that is not ours. A program that is no browser sends no origin.
pub fn refuse_foreign(headers: &HeaderMap, base_url: &str) -> Result<()> {
    if headers.contains_key(ORIGIN) { check(&Method::POST, headers, &of(base_url)) } else { Ok(()) }
}

fn is_own(headers: &HeaderMap, own: &str) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let (Some(origin), None) = (origins.next().and_then(|value| value.to_str().ok()), origins.next()) else {
        return false;
    };
    let origin = origin.to_lowercase();
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default().to_lowercase();
    let (scheme, _) = own.split_once("://").unwrap_or_default();
    let is_addressed = |scheme: &str| !host.is_empty() && origin == format!("{scheme}://{host}");
    origin == own || is_addressed(scheme) || (is_loopback(&host) && is_addressed("http"))
}

/// Whether a host is this machine, of which the network cannot serve a page, so that its pages may come over http.
fn is_loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let bare = authority.host().trim_matches(['[', ']']);
    bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn allowed(method: &str, host: &str, origins: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        check(&method.parse().unwrap(), &headers, "https://desk.example").is_ok()
    }

    #[test]
    fn a_change_comes_from_a_page_of_ours() {
        assert!(allowed("POST", "internal:8080", &["https://desk.example"]));
        assert!(allowed("POST", "internal:8080", &["https://DESK.example"]));
        assert!(allowed("DELETE", "localhost:8080", &["http://localhost:8080"]));
        for origins in [
            &[][..],
            &["null"],
            &["https://evil.example"],
            &["https://desk.example.evil.example"],
            &["https://desk.example:8443"],
            &["http://desk.example"],
            &["https://desk.example", "https://evil.example"],
            &["https://internal:8081"],
            &[""],
        ] {
            assert!(!allowed("POST", "internal:8080", origins), "{origins:?}");
            assert!(allowed("GET", "internal:8080", origins), "{origins:?}");
        }
    }

    #[test]
    fn a_page_of_our_host_under_another_scheme_is_not_ours() {
        assert!(allowed("POST", "desk.example", &["https://desk.example"]));
        assert!(allowed("POST", "alias.example", &["https://alias.example"]));
        for (host, origin) in [
            ("desk.example", "http://desk.example"),
            ("alias.example", "http://alias.example"),
            ("alias.example", "ftp://alias.example"),
            ("alias.example", "alias.example"),
            ("127.0.0.1.evil.example", "http://127.0.0.1.evil.example"),
        ] {
            assert!(!allowed("POST", host, &[origin]), "{origin}");
        }
        assert!(allowed("POST", "[::1]:8080", &["http://[::1]:8080"]));
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("127.0.0.1:8080"));
        headers.insert(ORIGIN, HeaderValue::from_static("https://127.0.0.1:8080"));
        assert!(check(&Method::POST, &headers, "http://127.0.0.1:8080").is_err());
    }

    #[test]
    fn an_origin_is_the_beginning_of_an_address() {
        assert_eq!(of("https://Desk.example/x?y"), "https://desk.example");
        assert_eq!(of("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
        assert_eq!(of("nothing"), "");
    }
}
