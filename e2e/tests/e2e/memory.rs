//! Attacks on the server's memory: bodies that nobody asked for, endless headers, and too many connections or uploads.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use frontdesk_e2e::{
    App, Client, Engine, Response, Stopwatch, Wire, came_true_within, on_every_engine, on_sqlite, read_some,
};
use serde_json::json;

use crate::inbox_scene::{ANN, Inbox, start};
use crate::shapes::NOTHING;
use crate::uploads::upload;

on_every_engine! {
    alone an_account_has_only_its_share_of_running_uploads,
    alone an_account_stores_only_so_much,
    alone a_text_field_may_come_before_the_file_of_an_upload,
}

on_sqlite! {
    alone bodies_to_unknown_addresses_are_not_held,
    alone unsigned_bodies_to_a_known_address_share_a_budget,
    alone an_upload_with_endless_headers_is_refused,
    alone an_address_has_only_its_share_of_the_connections,
}

const MIB: usize = 1 << 20;
/// What the memory may grow by under an attack that sends far more. A server holds 64 MiB of bodies of strangers, and
/// the allocator keeps some of what was freed.
const GROWTH_MAX: usize = 130 * MIB;
/// On a busy machine, the test is slower than the server.
const SOON: Duration = Duration::from_secs(20);

/// Sends the beginning of a body to an address, and does not end it.
fn begin(app: &App, path: &str, announced: usize, sent: usize) -> TcpStream {
    let base = app.base();
    let address = base.strip_prefix("http://").expect("an http:// address");
    let mut stream = TcpStream::connect(address).expect("the server takes connections");
    stream.set_read_timeout(Some(SOON)).expect("a timeout");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {announced}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    let piece = vec![b' '; MIB / 4];
    for _ in 0..sent / piece.len() {
        // The server may refuse it before it has everything.
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    stream
}

/// The beginning of the response.
fn response(stream: &mut TcpStream) -> String {
    let mut bytes = [0; 2048];
    let read = read_some(stream, &mut bytes).unwrap_or(0);
    String::from_utf8_lossy(&bytes[..read]).into_owned()
}

fn bodies_to_unknown_addresses_are_not_held(inbox: Inbox) {
    const CALLERS: usize = 60;
    let app = &inbox.app;
    let before = app.memory_bytes();
    for path in [
        format!("/channels/whatsapp/{NOTHING}"),
        format!("/channels/web_chat/{NOTHING}/messages"),
        "/channels/nothing".to_owned(),
        format!("/forms/{}", "x".repeat(43)),
        format!("/bookings/{}", "x".repeat(43)),
        format!("/api/ai/triggers/hook/{}", "x".repeat(43)),
    ] {
        let mut callers: Vec<TcpStream> =
            (0..CALLERS / 6).map(|_| begin(app, &path, 4 * MIB, 15 * MIB / 4)).collect();
        for caller in &mut callers {
            // The response comes although the body has not ended.
            let told = response(caller);
            assert!(told.starts_with("HTTP/1.1 404"), "{path}: {told}");
        }
    }
    let callers: Vec<TcpStream> = (0..CALLERS)
        .map(|_| begin(app, &format!("/channels/whatsapp/{NOTHING}"), 4 * MIB, 15 * MIB / 4))
        .collect();
    let grown = app.memory_bytes().saturating_sub(before);
    assert!(grown < GROWTH_MAX / 2, "it grew by {} MiB", grown / MIB);
    drop(callers);
    inbox.hears(ANN, "Still there?");
}

fn unsigned_bodies_to_a_known_address_share_a_budget(inbox: Inbox) {
    const CALLERS: usize = 50;
    let app = &inbox.app;
    let before = app.memory_bytes();
    let path = format!("/channels/whatsapp/{}", inbox.whatsapp);
    let mut callers: Vec<TcpStream> =
        (0..CALLERS).map(|_| begin(app, &path, 4 * MIB, 15 * MIB / 4)).collect();
    let grown = app.memory_bytes().saturating_sub(before);
    assert!(grown < GROWTH_MAX, "it grew by {} MiB", grown / MIB);
    // Few of them fit into the share of one address. The others are told to come back.
    let mut refused = 0;
    for caller in &mut callers {
        caller.set_read_timeout(Some(Duration::from_secs(1))).expect("a timeout");
        let told = response(caller);
        if told.starts_with("HTTP/1.1 503") {
            assert!(told.to_lowercase().contains("\r\nretry-after: "), "{told}");
            refused += 1;
        }
    }
    assert!(refused > CALLERS / 2, "{refused} of {CALLERS} were refused");
    // What they held is free once they are gone.
    drop(callers);
    let unsigned = || app.anonymous().vendors().post(&path, json!({ "x": "y".repeat(1000) })).status;
    assert!(came_true_within(SOON, || unsigned() == 403), "it stays full");
    inbox.hears(ANN, "Still there?");
}

const FORM: &str = "multipart/form-data; boundary=x1x2x3";

/// Begins an upload, and does not end it.
fn begin_upload(app: &App, key: &str, body: &str) -> Wire {
    let mut wire = app.wire();
    let head = format!(
        "POST /api/v1/media HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nContent-Type: {FORM}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        100 * MIB
    );
    // The server may refuse it before it has everything.
    let _ = wire.send(head);
    wire
}

fn an_upload_with_endless_headers_is_refused(app: App) {
    let key = app.tenant().key.secret;
    let before = app.memory_bytes();
    let begun = Stopwatch::start();
    let endless = "a".repeat(1000);
    for opening in [
        // One header without an end, many headers, a preamble without an end, and a second part.
        "--x1x2x3\r\nContent-Disposition: form-data; name=\"file\"; filename=\"".to_owned() + &endless,
        "--x1x2x3\r\nX-Another: header\r\n".to_owned() + &"X-Another: header\r\n".repeat(50),
        "preamble".to_owned() + &endless,
        format!(
            "--x1x2x3\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x1x2x3\r\nX: {endless}"
        ),
    ] {
        let mut wire = begin_upload(&app, &key, &opening);
        let more = "a".repeat(MIB);
        let sent = (0..6).take_while(|_| wire.send(&more).is_ok()).count();
        let refused = wire.try_answer();
        let refused = refused.unwrap_or_else(|error| panic!("no response after {sent} MiB: {error}"));
        refused.expect(400).error("bad_request");
    }
    let grown = app.memory_bytes().saturating_sub(before);
    assert!(grown < GROWTH_MAX / 2, "it grew by {} MiB", grown / MIB);
    assert!(begun.elapsed() < SOON, "it took {:?}", begun.elapsed());
}

fn a_text_field_may_come_before_the_file_of_an_upload(inbox: Inbox) {
    let note = "n".repeat(MIB / 2);
    let part = |name: &str, content: &str| {
        format!("--x1x2x3\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n")
    };
    let body = format!("{}{}--x1x2x3--\r\n", part("note", &note), part("file", "the file"));
    let made = inbox.client.with("content-type", FORM).send("POST", "/media", Some(body.as_bytes()));
    assert_eq!(made.expect(201).data()["size"], "the file".len());
}

const PART: &str = "--x1x2x3\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nbegun";

fn an_account_has_only_its_share_of_running_uploads(app: App) {
    const UPLOADS: usize = 10;
    let (ours, theirs) = (app.tenant(), app.tenant());
    let begin = || begin_upload(&app, &ours.key.secret, PART);
    let try_upload = |client: &Client| -> Response {
        let body = format!("{PART}\r\n--x1x2x3--\r\n");
        client.with("content-type", FORM).send("POST", "/media", Some(body.as_bytes()))
    };
    let mut running: Vec<Wire> = (0..UPLOADS).map(|_| begin()).collect();
    let is_full = || {
        let full = try_upload(&ours.client).status == 429;
        if !full {
            // The call may have had the place of one of them, which was then refused.
            running.push(begin());
        }
        full
    };
    assert!(came_true_within(SOON, is_full), "there is no limit");
    let refused = try_upload(&ours.client).expect(429);
    refused.error("rate_limited");
    assert!(refused.header("retry-after").is_some());
    try_upload(&theirs.client).expect(201);
    drop(running);
    assert!(came_true_within(SOON, || try_upload(&ours.client).status == 201), "it never ends");
}

fn an_account_stores_only_so_much(engine: Engine) {
    let inbox = Inbox::of(start(engine).env("FRONTDESK_UPLOADS_MIB_MAX", "1"));
    upload(&inbox.client, "a.bin", "image/png", &vec![7; MIB / 2]);
    upload(&inbox.client, "b.bin", "image/png", &vec![7; MIB]);
    let body = format!("{PART}\r\n--x1x2x3--\r\n");
    let more =
        |client: &Client| client.with("content-type", FORM).send("POST", "/media", Some(body.as_bytes()));
    let refused = more(&inbox.client).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "upload_storage_full");
    more(&inbox.app.tenant().client).expect(201);
    // Files that were not sent are deleted after a week.
    inbox.advance(8 * 24 * 60 * 60);
    assert!(came_true_within(SOON, || more(&inbox.client).status == 201), "nothing was deleted");
}

fn an_address_has_only_its_share_of_the_connections(engine: Engine) {
    const CONNECTIONS: usize = 8;
    let ask = |wire: &mut Wire| {
        wire.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").ok()?;
        wire.try_answer().ok()
    };
    let limit = CONNECTIONS.to_string();
    for (proxies, is_limited) in [("10.0.0.0/8", true), ("127.0.0.0/8", false)] {
        let start = App::start(engine).env("FRONTDESK_CONNECTIONS_PER_ADDRESS", &limit);
        let app = start.env("FRONTDESK_TRUSTED_PROXIES", proxies).ready();
        let mut open = Vec::new();
        let refused = (0..4 * CONNECTIONS).find_map(|_| {
            let mut wire = app.wire();
            let response = ask(&mut wire).expect("a response");
            open.push(wire);
            Some(response).filter(|response| response.status != 200)
        });
        assert_eq!(refused.is_some(), is_limited, "{proxies}");
        let Some(refused) = refused else { continue };
        assert_eq!((refused.status, refused.json["error"]["code"].as_str()), (429, Some("rate_limited")));
        assert_eq!(refused.header("retry-after"), Some("5"));
        open.truncate(1);
        let is_free = || ask(&mut app.wire()).is_some_and(|response| response.status == 200);
        assert!(came_true_within(SOON, is_free), "it never recovered");
    }
}
