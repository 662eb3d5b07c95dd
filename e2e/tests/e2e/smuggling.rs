//! Requests whose end is in dispute: a request that hides in the body of another one must never be served.
//!
//! A proxy in front of the server may see the end elsewhere. So most of what is ambiguous is refused, and after a chunked body
//! the connection is closed: nothing that follows it is a request.

use std::io;

use frontdesk_e2e::{App, at_once, on_sqlite};
use serde_json::json;

on_sqlite! {
    a_request_that_hides_in_another_is_never_served,
    a_head_that_can_be_read_in_two_ways_is_refused,
    malformed_chunks_are_refused,
    a_chunked_request_is_the_last_of_its_connection,
    names_and_values_cannot_be_split_into_headers,
}

/// A request that creates a contact that must not be there.
fn hidden(secret: &str) -> String {
    let body = json!({ "name": "Smuggled" }).to_string();
    format!(
        "POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends bytes, and returns the statuses of all responses until the server hangs up.
fn statuses(app: &App, bytes: &str) -> Vec<u16> {
    let mut wire = app.wire();
    // It may hang up while the bytes are still on their way.
    let _ = wire.send(bytes);
    wire.finish();
    let responses = std::iter::from_fn(|| wire.try_answer().map_err(|error: io::Error| error.kind()).ok());
    responses.map(|response| response.status).collect()
}

fn a_request_that_hides_in_another_is_never_served(app: App) {
    let tenant = app.tenant();
    let hidden = hidden(&tenant.key.secret);
    let length = hidden.len();
    // Each is a way to say where the body ends that another program may read in another way.
    let headers = [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n"),
        "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n".to_owned(),
        format!("Content-Length: {length}\r\nTransfer-Encoding: identity, chunked\r\n"),
        format!("Content-Length: {length}\r\nTransfer-Encoding: xchunked\r\n"),
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked, identity\r\n"),
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n"),
        format!("Content-Length: {length}\r\nTransfer-Encoding : chunked\r\n"),
        format!("Content-Length: {length}\r\nTransfer-Encoding:\x0bchunked\r\n"),
        format!("Content-Length: {length}\r\nX: y\r\n Transfer-Encoding: chunked\r\n"),
        format!("Content-Length: {length}\r\nX: y\rTransfer-Encoding: chunked\r\n"),
        format!("Content-Length: {length}\r\nX: y\nTransfer-Encoding: chunked\r\n"),
        format!("Content-Length: {length}\r\nTransfer-Encoding: \"chunked\"\r\n"),
        format!("Content-Length: {length}\r\nTransfer_Encoding: chunked\r\n"),
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\0\r\n"),
        format!("Content-Length: 0\r\nContent-Length: {length}\r\n"),
        format!("Content-Length: {length}\r\nContent-Length: 0\r\n"),
        format!("Content-Length: 0, {length}\r\n"),
        format!("Content-Length: {length}, {length}\r\n"),
        format!("Content-Length: +{length}\r\n"),
        format!("Content-Length: 0x{length:x}\r\n"),
        format!("Content-Length: {length}.0\r\n"),
        format!("Content-Length: {length} \x0c\r\n"),
        "Content-Length: 1e3\r\n".to_owned(),
        format!("Content-Length : {length}\r\n"),
        format!("\r\nContent-Length: {length}\r\n"),
    ];
    let bodies = [format!("0\r\n\r\n{hidden}"), hidden.clone()];
    let attacks: Vec<String> = headers
        .iter()
        .flat_map(|headers| bodies.iter().map(move |body| (headers, body)))
        // No operation has this path, so nothing else is created.
        .map(|(headers, body)| format!("POST /api/v1/nothing HTTP/1.1\r\nHost: x\r\n{headers}\r\n{body}"))
        .collect();
    let found = at_once(attacks.len(), |number| statuses(&app, &attacks[number]));
    for (attack, found) in attacks.iter().zip(&found) {
        assert!(found.iter().all(|status| (400..500).contains(status)), "{attack:?} got {found:?}");
    }
    let smuggled = tenant.client.get("/contacts").expect(200);
    assert_eq!(smuggled.data(), &json!([]), "{}", app.logs());
}

fn a_head_that_can_be_read_in_two_ways_is_refused(app: App) {
    let head = "POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    for headers in [
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Content-Length: 2\r\n folded: x\r\n",
        "X: a\r\n\tb\r\n",
        "X: a\rb\r\n",
        "X\0: a\r\n",
        "X Y: a\r\n",
        ": a\r\n",
    ] {
        let found = statuses(&app, &format!("{head}{headers}\r\n{{}}"));
        assert_eq!(found, [400], "{headers:?}");
    }
    let first = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
    for line in [
        "GET  /healthz HTTP/1.1\r\n",
        "GET /healthz\tHTTP/1.1\r\n",
        "GET /health\rz HTTP/1.1\r\n",
        "G@T /healthz HTTP/1.1 x\r\n",
    ] {
        let found = statuses(&app, &format!("{line}Host: x\r\n\r\n"));
        assert_eq!(found, [400], "{line:?}");
    }
    // HTTP/1.0 has no chunks.
    let found = statuses(&app, "POST /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    assert_eq!(found, [400]);
    assert_eq!(statuses(&app, &format!("{first}\r\n")), [200]);
}

fn malformed_chunks_are_refused(app: App) {
    let tenant = app.tenant();
    let head = format!(
        "POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        tenant.key.secret
    );
    let body = "{\"name\":\"A\"}";
    let chunks = [
        format!("0x{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
        format!("-{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
        format!("+{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
        format!("{:x}\n{body}\n0\n\n", body.len()),
        format!("{:x};a\nb\r\n{body}\r\n0\r\n\r\n", body.len()),
        format!("{:x}\r\n{body}0\r\n\r\n", body.len()),
        format!("{:x}\r\n{body}XX0\r\n\r\n", body.len()),
        format!("ffffffffffffffff\r\n{body}\r\n0\r\n\r\n"),
        format!("1{:016x}\r\n{body}\r\n0\r\n\r\n", body.len()),
        format!("{}\r\n{body}\r\n0\r\n\r\n", "0".repeat(100_000)),
        format!("{:x};{}\r\n{body}\r\n0\r\n\r\n", body.len(), "x".repeat(1 << 20)),
        format!("{:x}\r\n{body}\r\n0\r\n{}\r\n", body.len(), "X: y\r\n".repeat(100_000)),
        format!("\r\n{body}\r\n0\r\n\r\n"),
        format!("{:x}\r\n{body}\r\n", body.len()),
    ];
    let found = at_once(chunks.len(), |number| statuses(&app, &format!("{head}{}", chunks[number])));
    for (chunks, found) in chunks.iter().zip(&found) {
        let shown = &chunks[..chunks.len().min(60)];
        assert!(
            found.len() <= 1 && found.iter().all(|status| (400..500).contains(status)),
            "{shown:?} got {found:?}"
        );
    }
    assert_eq!(tenant.client.get("/contacts").expect(200).data(), &json!([]));
    // Many small chunks with short extensions are fine.
    let small: Vec<String> = body.chars().map(|c| format!("1;a=b\r\n{c}\r\n")).collect();
    let small = small.concat();
    assert_eq!(statuses(&app, &format!("{head}{small}0\r\nX: y\r\n\r\n")), [201]);
}

fn a_chunked_request_is_the_last_of_its_connection(app: App) {
    let tenant = app.tenant();
    let secret = &tenant.key.secret;
    let chunked = format!(
        "POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\nc\r\n{{\"name\":\"A\"}}\r\n0\r\n\r\n"
    );
    let mut wire = app.wire();
    wire.send(format!("{chunked}{}", hidden(secret))).unwrap();
    let response = wire.response().expect(201);
    assert_eq!(response.header("connection"), Some("close"));
    assert_eq!(wire.try_answer().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    assert_eq!(tenant.client.get("/contacts").expect(200).data(), &json!([]));
}

fn names_and_values_cannot_be_split_into_headers(app: App) {
    let tenant = app.tenant();
    let odd = "a\r\nSet-Cookie: x=y\r\n\r\n<html>";
    let client = &tenant.client;
    let made = client.post("/contacts", json!({ "name": odd, "company": odd })).expect(201);
    assert_eq!(made.header("set-cookie"), None);
    for path in [
        "/contacts?q=a%0d%0aSet-Cookie:%20x=y",
        "/contacts?cursor=%0d%0aSet-Cookie:x",
        "/nothing%0d%0aSet-Cookie:%20x=y",
    ] {
        let response = client.get(path);
        assert_eq!(response.header("set-cookie"), None, "{path}");
        assert!(response.status < 500, "{path} got {}", response.status);
    }
    let found = statuses(&app, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\rSet-Cookie: b\r\n\r\n");
    assert_eq!(found, [400]);
}
