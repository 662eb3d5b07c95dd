//! Requests that no well-behaved client makes. The server answers or hangs up, and goes on.

use std::thread::sleep;
use std::time::Duration;

use frontdesk_e2e::{App, Wire, at_once, on_every_engine, on_sqlite};
use serde_json::json;

on_every_engine! {
    a_malformed_request_is_refused_and_not_stored,
    an_abandoned_request_does_nothing,
}

on_sqlite! {
    unusual_paths_and_headers_cause_no_error,
    pipelined_requests_are_answered_in_turn,
    a_connection_outlives_a_refusal,
    a_slow_body_is_waited_for,
}

#[track_caller]
fn still_well(app: &App) {
    app.tenant().client.get("/me").expect(200);
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

/// What the server says to these bytes before it hangs up.
fn said(app: &App, bytes: &[u8]) -> String {
    let mut wire = app.wire();
    // It may hang up while the bytes are still on their way.
    let _ = wire.send(bytes);
    wire.finish();
    String::from_utf8_lossy(&wire.rest().unwrap_or_default()).into_owned()
}

fn a_malformed_request_is_refused_and_not_stored(app: App) {
    let head = "POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let garbage: Vec<Vec<u8>> = vec![
        b"\0\0\0\0".to_vec(),
        b"\r\n\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"GET /api/v1/me HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n".to_vec(),
        b"GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n".to_vec(),
        format!("GET /api/v1/{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(200_000)).into(),
        format!("GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "a".repeat(2_000_000)).into(),
        format!("GET /api/v1/me HTTP/1.1\r\nHost: x\r\n{}\r\n", "X: y\r\n".repeat(5_000)).into(),
        format!("{head}Content-Length: banana\r\n\r\n{{}}").into(),
        format!("{head}Content-Length: -1\r\n\r\n{{}}").into(),
        format!("{head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}").into(),
        format!("{head}Content-Length: 18446744073709551616\r\n\r\n{{}}").into(),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n").into(),
        format!("{head}Transfer-Encoding: banana\r\n\r\n{{}}").into(),
        format!("{head}Content-Length: 100\r\n\r\n{{}}").into(),
    ];
    let responses = at_once(garbage.len(), |number| said(&app, &garbage[number]));
    for (sent, response) in garbage.iter().zip(&responses) {
        let sent = String::from_utf8_lossy(&sent[..sent.len().min(60)]).into_owned();
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 4"), "{sent:?} got {response}");
    }
    // HTTP/2 is answered in its own frames.
    let response = said(&app, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nthese bytes are no frame");
    assert!(!response.contains("HTTP/1.1"), "{response}");
    still_well(&app);
}

fn unusual_paths_and_headers_cause_no_error(app: App) {
    let secret = app.tenant().key.secret;
    let get = |target: &str, header: &str| {
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n{header}Connection: close\r\n\r\n"
        );
        said(&app, request.as_bytes())
    };
    for target in [
        "/api/v1/contacts/%",
        "/api/v1/contacts/%zz",
        "/api/v1/contacts/%00",
        "/api/v1/contacts/..%2f..%2fme",
        "/api/v1/../v1/me/..",
        "/api/v1//me",
        "//api/v1/me",
        "/api/v1/contacts?q=%ff%fe",
        "/api/v1/contacts?q=%00",
        "/api/v1/contacts?q='%20OR%201=1--",
        "/api/v1/contacts?q=%25%5F%5C",
        "/api/v1/contacts?cursor=%f0%9f%92%a5",
        "/api/v1/contacts?updated_since=-999999999999-01-01T00:00:00Z",
        "http://elsewhere.example/api/v1/me",
        "*",
    ] {
        let response = get(target, "");
        assert!(
            response.starts_with("HTTP/1.1 2") || response.starts_with("HTTP/1.1 4"),
            "{target} got {response}"
        );
    }
    for header in [
        "X-Forwarded-For: ,,,\r\n",
        "Accept-Encoding: gzip;q=banana\r\n",
        "X-Request-Id: \x01\r\n",
        "Range: bytes=-1\r\n",
    ] {
        let response = get("/api/v1/me", header);
        assert!(
            response.starts_with("HTTP/1.1 2") || response.starts_with("HTTP/1.1 4"),
            "{header} got {response}"
        );
    }
    still_well(&app);
}

fn pipelined_requests_are_answered_in_turn(app: App) {
    let secret = app.tenant().key.secret;
    let request = |path: &str| {
        format!("GET /api/v1{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\r\n")
    };
    let mut wire = app.wire();
    wire.send([request("/me"), request("/nowhere"), request("/contacts")].concat()).unwrap();
    wire.response().expect(200).data()["scopes"].as_array().unwrap();
    wire.response().expect(404).error("not_found");
    assert_eq!(wire.response().expect(200).data(), &json!([]));
}

/// The head of a request that makes a contact.
fn head(secret: &str, bytes: usize) -> String {
    format!(
        "POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\
         Content-Type: application/json\r\nContent-Length: {bytes}\r\n\r\n"
    )
}

fn a_connection_outlives_a_refusal(app: App) {
    let secret = app.tenant().key.secret;
    let mut wire = app.wire();
    for (body, status) in [("{", 400), ("[]", 400), ("{\"name\":\"Ada\"}", 201), ("{}", 400)] {
        wire.send(head(&secret, body.len()) + body).unwrap();
        wire.response().expect(status);
    }
}

fn a_slow_body_is_waited_for(app: App) {
    let secret = app.tenant().key.secret;
    let body = b"{\"name\":\"Ada\"}";
    let mut wire = app.wire();
    wire.send(head(&secret, body.len())).unwrap();
    for byte in body {
        sleep(Duration::from_millis(20));
        wire.send([*byte]).unwrap();
    }
    assert_eq!(wire.response().expect(201).data()["name"], "Ada");
}

fn an_abandoned_request_does_nothing(app: App) {
    let tenant = app.tenant();
    let wires: Vec<Wire> = (0..20)
        .map(|number| {
            let mut wire = app.wire();
            let body = format!("{{\"name\":\"Ada {number}\"}}");
            wire.send(head(&tenant.key.secret, body.len() + 1) + &body).unwrap();
            wire
        })
        .collect();
    drop(wires);
    still_well(&app);
    assert_eq!(tenant.client.get("/contacts").expect(200).data(), &json!([]));
}
