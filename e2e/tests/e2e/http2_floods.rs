//! Frames of HTTP/2 that no well-behaved client sends. The server closes such a connection, and goes on with the others.

use std::time::Duration;

use frontdesk_e2e::{App, Stopwatch, Wire, on_sqlite};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const FRAME_HEAD_BYTES: usize = 9;
const TIME_MAX: Duration = Duration::from_secs(30);

on_sqlite! {
    floods_of_frames_end_the_connection,
    a_head_that_expands_hugely_is_refused,
    malformed_heads_over_http2_are_refused,
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header as a literal that is not indexed.
fn header(name: &str, value: &str) -> Vec<u8> {
    [&[0, name.len() as u8][..], name.as_bytes(), &[value.len() as u8], value.as_bytes()].concat()
}

fn head(path: &str) -> Vec<u8> {
    let pairs = [(":method", "GET"), (":scheme", "http"), (":authority", "x"), (":path", path)];
    pairs.iter().flat_map(|(name, value)| header(name, value)).collect()
}

/// A connection after its settings.
fn open(app: &App) -> Wire {
    let mut wire = app.wire();
    wire.send([PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()).expect("the server takes connections");
    wire
}

/// Sends frames, and returns the kinds and first bytes of the frames that come back until the server hangs up. It may hang
/// up while frames are still on their way.
fn answered(mut wire: Wire, sent: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let start = Stopwatch::start();
    let _ = wire.send(sent);
    wire.finish();
    let bytes = wire.rest().unwrap_or_default();
    assert!(start.elapsed() < TIME_MAX, "it took {:?}", start.elapsed());
    frames(&bytes)
}

/// The complete frames in these bytes.
fn frames(bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let (mut rest, mut found) = (bytes, Vec::new());
    while let [first, second, third, kind, ..] = *rest {
        let end = FRAME_HEAD_BYTES + u32::from_be_bytes([0, first, second, third]) as usize;
        let Some(payload) = rest.get(FRAME_HEAD_BYTES..end) else { break };
        found.push((kind, payload.to_vec()));
        rest = &rest[end..];
    }
    found
}

/// Whether a request with this head is served. The status of a response is in the static table: 200 is 0x88.
fn is_request_served(app: &App, block: &[u8]) -> bool {
    let mut wire = open(app);
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, block)).expect("it is connected");
    let is_decided = |kind: u8| [HEADERS, RST_STREAM, GO_AWAY].contains(&kind);
    let decided = wire.until(|bytes| frames(bytes).iter().any(|(kind, _)| is_decided(*kind)));
    let found = frames(&decided.expect("the server responds or hangs up"));
    found.iter().any(|(kind, payload)| *kind == HEADERS && payload.first() == Some(&0x88))
}

fn is_served(app: &App) {
    app.tenant().client.get("/me").expect(200);
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

/// Whether the server has said that it ends the connection because of an error.
fn ended_in_anger(found: &[(u8, Vec<u8>)]) -> bool {
    found
        .iter()
        .any(|(kind, payload)| *kind == GO_AWAY && payload.get(4..8).is_some_and(|code| code != [0; 4]))
}

fn floods_of_frames_end_the_connection(app: App) {
    const MANY: u32 = 20_000;
    let begun = frame(HEADERS, END_STREAM, 1, &head("/healthz"));
    let more = frame(CONTINUATION, 0, 1, &header("x", "y"));
    let empty = frame(CONTINUATION, 0, 1, &[]);
    let flood = |of: &[u8]| [begun.clone(), of.repeat(MANY as usize)].concat();
    for continued in [flood(&more), flood(&empty)] {
        let found = answered(open(&app), &continued);
        assert!(ended_in_anger(&found) || found.iter().all(|(kind, _)| *kind != HEADERS), "it went on");
    }
    // Requests that are cancelled as soon as they are sent.
    let resets: Vec<u8> = (0..MANY)
        .flat_map(|number| {
            let stream = 2 * number + 1;
            [
                frame(HEADERS, END_HEADERS | END_STREAM, stream, &head("/api/v1/me")),
                frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()),
            ]
        })
        .flatten()
        .collect();
    assert!(ended_in_anger(&answered(open(&app), &resets)), "it takes any number of cancelled requests");
    // Each asks for an answer.
    let (pings, settings) =
        (frame(PING, 0, 0, &[7; 8]).repeat(MANY as usize), frame(SETTINGS, 0, 0, &[]).repeat(MANY as usize));
    for asking in [pings, settings] {
        answered(open(&app), &asking);
    }
    // Data without a request, and empty data.
    let data = [
        frame(HEADERS, END_HEADERS, 1, &head("/api/v1/contacts")),
        frame(DATA, 0, 1, &[]).repeat(MANY as usize),
    ]
    .concat();
    answered(open(&app), &data);
    assert!(ended_in_anger(&answered(open(&app), &frame(DATA, 0, 5, b"x"))));
    is_served(&app);
}

fn a_head_that_expands_hugely_is_refused(app: App) {
    // A large header is put into the table once, and then named by one byte each time.
    let value = "v".repeat(120);
    let large = [&[0x40, 1][..], b"x", &[120], value.as_bytes()].concat();
    // The first entry of the table has the number 62, and an index has the highest bit.
    let indexed = 0xBE;
    let block = [head("/healthz"), large, vec![indexed; 16_000]].concat();
    assert!(!is_request_served(&app, &block));
    is_served(&app);
}

fn malformed_heads_over_http2_are_refused(app: App) {
    let usual = head("/healthz");
    let odd = [
        [usual.clone(), header(":path", "/api/v1/me")].concat(),
        [usual.clone(), header("connection", "keep-alive")].concat(),
        [usual.clone(), header("transfer-encoding", "chunked")].concat(),
        [usual.clone(), header("Upper", "x")].concat(),
        [usual.clone(), header("x", "a\r\nb: c")].concat(),
        [usual.clone(), header("x\r\ny", "z")].concat(),
        [usual.clone(), header("x", "a\0b")].concat(),
        [header("x", "y"), usual.clone()].concat(),
        [usual.clone(), header(":status", "200")].concat(),
        [usual.clone(), header("content-length", "7")].concat(),
        [&header(":method", "GET")[..], &header(":scheme", "http"), &header(":authority", "x")].concat(),
        head("healthz"),
        head("/health z"),
        vec![0xFF; 64],
    ];
    for block in odd {
        assert!(!is_request_served(&app, &block), "{} is served", block.escape_ascii());
    }
    assert!(is_request_served(&app, &usual));
    is_served(&app);
}
