use super::*;
use frontdesk_platform::sealing::SecretKey;

const HERE: &str = "127.0.0.1";

fn ring(text: &str) -> Keyring {
    Keyring::new(SecretKey::from_any_text(text))
}

fn access() -> SandboxAccess {
    SandboxAccess::new(Some(Secret::new("open sesame")), &ring("a key"), true)
}

fn parts(path: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = http::Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn admit(path: &str, client: &str, headers: &[(&str, &str)]) -> Result<SandboxCaller> {
    let client = client.parse().unwrap();
    access().admit(&parts(path, headers), client, Some(client))
}

#[track_caller]
fn refused(outcome: Result<SandboxCaller>, told: &str) {
    let failure = outcome.unwrap_err();
    assert_eq!(failure.status(), 403);
    assert!(failure.message().contains(told), "{}", failure.message());
}

#[test]
fn callers_on_this_machine_are_admitted() {
    for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080", "127.8.8.8"] {
        let origin = format!("http://{host}");
        let from_the_page = [("host", host), ("origin", &origin), ("sec-fetch-site", "same-origin")];
        assert_eq!(admit("/sandbox/faults", HERE, &[("host", host)]).unwrap(), SandboxCaller::Other);
        assert!(admit("/sandbox/faults", "::1", &from_the_page).is_ok(), "{host}");
    }
}

#[test]
fn callers_elsewhere_are_refused() {
    for client in ["192.0.2.7", "10.0.0.1", "2001:db8::1"] {
        refused(admit("/sandbox", client, &[("host", "127.0.0.1")]), "own machine");
    }
    let parts = parts("/sandbox", &[("host", "127.0.0.1"), ("forwarded", "for=127.0.0.1")]);
    refused(access().admit(&parts, HERE.parse().unwrap(), None), "own machine");
}

#[test]
fn a_server_with_a_public_base_url_admits_only_the_token() {
    let public = SandboxAccess::new(Some(Secret::new("open sesame")), &ring("a key"), false);
    let here = HERE.parse().unwrap();
    // A proxy on this machine that adds no header looks like this.
    refused(public.admit(&parts("/sandbox", &[("host", "127.0.0.1")]), here, Some(here)), "needs a token");
    let known = [("host", "desk.example"), ("authorization", "Bearer open sesame")];
    assert_eq!(public.admit(&parts("/sandbox", &known), here, Some(here)).unwrap(), SandboxCaller::Other);
}

#[test]
fn a_forwarded_request_is_not_from_this_machine() {
    for header in FORWARDING {
        let headers = [("host", "127.0.0.1"), (header, "127.0.0.1")];
        refused(admit("/sandbox", HERE, &headers), "own machine");
    }
    // Behind a trusted proxy, the client's own address counts.
    let headers = [("host", "localhost"), ("x-forwarded-for", "x")];
    let behind = |client: &str| {
        let client = Some(client.parse().unwrap());
        access().admit(&parts("/sandbox", &headers), "10.0.0.9".parse().unwrap(), client)
    };
    assert!(behind(HERE).is_ok());
    refused(behind("192.0.2.7"), "own machine");
}

#[test]
fn a_name_that_resolves_to_loopback_is_refused() {
    for host in
        ["rebound.example:8080", "localhost.example", "127.0.0.1.example", "0.0.0.0", "x@localhost", ""]
    {
        refused(admit("/sandbox", HERE, &[("host", host)]), "loopback address");
    }
    refused(admit("/sandbox", HERE, &[]), "loopback address");
    refused(admit("/sandbox", HERE, &[("host", "localhost"), ("host", "evil.example")]), "loopback address");
    refused(admit("http://evil.example/sandbox", HERE, &[("host", "localhost")]), "loopback address");
}

#[test]
fn pages_of_other_origins_are_refused() {
    let host = ("host", "localhost:8080");
    for origin in
        ["https://evil.example", "null", "http://localhost:3000", "http://127.0.0.1:8080", "http://"]
    {
        refused(admit("/sandbox/faults", HERE, &[host, ("origin", origin)]), "other origins");
    }
    for site in ["cross-site", "same-site"] {
        refused(admit("/sandbox/faults", HERE, &[host, ("sec-fetch-site", site)]), "other origins");
    }
}

#[test]
fn a_link_to_the_page_may_be_followed_from_anywhere() {
    let link = [
        ("host", "localhost:8080"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    assert!(admit("/sandbox", HERE, &link).is_ok());
    refused(admit("/sandbox/messages", HERE, &link), "other origins");
}

#[test]
fn the_token_and_the_pass_open_it_from_anywhere() {
    let far = "192.0.2.7";
    let token = ("authorization", "Bearer open sesame");
    assert_eq!(admit("/sandbox", far, &[token]).unwrap(), SandboxCaller::Other);
    refused(admit("/sandbox", far, &[("authorization", "Bearer open sesam")]), "own machine");
    let pass = sandbox_pass::of(&ring("a key"));
    let header = sandbox_pass::HEADER;
    assert_eq!(admit("/sandbox", far, &[(header.as_str(), &pass)]).unwrap(), SandboxCaller::Own);
    let other = sandbox_pass::of(&ring("another key"));
    refused(admit("/sandbox", far, &[(header.as_str(), &other)]), "own machine");
    let closed = SandboxAccess::new(None, &ring("a key"), true);
    let far = far.parse().unwrap();
    refused(closed.admit(&parts("/sandbox", &[("authorization", "Bearer ")]), far, Some(far)), "own machine");
}

#[test]
fn a_body_is_labelled_as_json() {
    let labelled = |kind: &'static str| HeaderMap::from_iter([(CONTENT_TYPE, kind.parse().unwrap())]);
    for kind in ["application/json", "Application/JSON; charset=utf-8"] {
        assert!(check_body(SandboxCaller::Other, &labelled(kind), b"{}").is_ok(), "{kind}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"] {
        assert_eq!(
            check_body(SandboxCaller::Other, &labelled(kind), b"{}").unwrap_err().status(),
            415,
            "{kind}"
        );
    }
    assert_eq!(check_body(SandboxCaller::Other, &HeaderMap::new(), b"{}").unwrap_err().status(), 415);
    assert!(check_body(SandboxCaller::Other, &HeaderMap::new(), b"").is_ok());
    assert!(check_body(SandboxCaller::Own, &labelled("multipart/form-data; boundary=x"), b"--x").is_ok());
}
