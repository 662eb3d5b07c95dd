//! Small requests that would cost much if they were taken at their word: deep and long JSON, compressed bodies, paths and
//! queries of any length, and floods of frames over HTTP/2.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use frontdesk_e2e::{App, Client, Stopwatch, on_sqlite};
use serde_json::json;

use crate::forms::form;

/// No single request of these takes longer, with a debug build on a busy machine.
const TIME_MAX: Duration = Duration::from_secs(15);
const BODY_BYTES_MAX: usize = 1 << 20;

on_sqlite! {
    json_that_is_deep_or_long_is_refused_quickly_everywhere,
    the_last_of_several_fields_with_a_name_counts,
    the_problems_of_a_body_are_not_much_larger_than_the_body,
    compressed_bodies_are_not_expanded,
    long_paths_and_queries_are_answered,
    no_path_leads_out_of_the_dashboard,
}

/// JSON that costs more to read than to write.
fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let room = BODY_BYTES_MAX - 200;
    let names: Vec<String> = (0..room / 13).map(|number| format!("\"{number:08}\":1,")).collect();
    let named = |value: String| format!("{{\"name\":{value}}}").into_bytes();
    vec![
        ("arrays", "[".repeat(room).into()),
        ("closed arrays", named(format!("{}{}", "[".repeat(room / 2), "]".repeat(room / 2)))),
        ("objects", "{\"a\":".repeat(room / 5).into()),
        ("digits", named("1".repeat(room))),
        ("a fraction", named(format!("0.{}", "1".repeat(room)))),
        ("an exponent", named(format!("1e{}", "9".repeat(room)))),
        ("a negative exponent", named(format!("1e-{}", "9".repeat(room)))),
        ("escapes", named(format!("\"{}\"", "\\u0041".repeat(room / 6)))),
        ("surrogates", named(format!("\"{}\"", "\\ud83d\\ude00".repeat(room / 12)))),
        ("lone surrogates", named(format!("\"{}\"", "\\ud800".repeat(room / 6)))),
        ("NULs", named(format!("\"{}\"", "\\u0000".repeat(room / 6)))),
        ("backslashes", named(format!("\"{}\"", "\\\\".repeat(room / 2)))),
        ("accents", named(format!("\"e{}\"", "\u{301}".repeat(room / 2)))),
        ("one name many times", format!("{{{}\"name\":1}}", "\"name\":1,".repeat(room / 9)).into()),
        ("many names", format!("{{{}\"name\":1}}", names.concat()).into()),
        ("many ids", named(format!("1,\"tag_ids\":[{}1]", "1,".repeat(room / 2 - 20)))),
        ("spaces", format!("{}{{}}", " ".repeat(room)).into()),
    ]
}

/// Sends every bomb. Nothing may fail, or take long.
fn throw(to: &Client, method: &str, path: &str) {
    for (what, bomb) in bombs() {
        let start = Stopwatch::start();
        let response = to.with("content-type", "application/json").send(method, path, Some(&bomb));
        assert!(response.status < 500, "{what} at {path} got {}: {}", response.status, response.text);
        assert!(start.elapsed() < TIME_MAX, "{what} at {path} took {:?}", start.elapsed());
        assert!(response.text.len() < BODY_BYTES_MAX, "{what} at {path} got {} bytes", response.text.len());
    }
}

fn json_that_is_deep_or_long_is_refused_quickly_everywhere(app: App) {
    let tenant = app.tenant();
    throw(&tenant.client, "POST", "/contacts");
    let stranger = app.anonymous().vendors();
    let (_, form) = form(&app, &tenant, &[]);
    throw(&stranger, "POST", &form);
    throw(&stranger, "POST", "/app/api/session");
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

fn the_last_of_several_fields_with_a_name_counts(app: App) {
    let client = app.tenant().client;
    let twice = r#"{"name":"Ann","email":"ann@example.com","name":"Eve"}"#;
    let made = client.post_text("/contacts", twice).expect(201);
    assert_eq!(made.data()["name"], "Eve");
    // What does not count is not taken either.
    client.post_text("/contacts", r#"{"name":"Ann","name":7}"#).expect(400).details_at(&["name"]);
}

fn the_problems_of_a_body_are_not_much_larger_than_the_body(app: App) {
    let client = app.tenant().client;
    let key = "k".repeat(900_000);
    let wrong: Vec<_> = (0..5_000).map(|number| json!([number, "x"])).collect();
    let bodies = [
        ("/contacts", json!({ "custom_fields": { &key: 7 } })),
        ("/contacts", json!({ "tag_ids": vec![1; 400_000] })),
        ("/broadcasts", json!({ "variables": { &key: { "type": 1, "value": 2, "fallback": 3 } } })),
        (
            "/assistants",
            json!({ "name": "A", "schedule": { "mode": "custom_hours", "hours": { &key: wrong } } }),
        ),
        ("/assistants", json!({ "name": "A", "tool_access": { &key: 7 } })),
        ("/messages", json!({ "type": "template", "template": { "button_params": { &key: 7 } } })),
        ("/messages", json!({ "type": key })),
        ("/segments", json!({ "name": "A", "rules": [{ "field": key, "op": "is" }] })),
    ];
    for (path, body) in bodies {
        let response = client.post(path, body).expect(400);
        assert!(response.text.len() < 2 * BODY_BYTES_MAX, "{path} got {} bytes", response.text.len());
    }
}

fn compressed_bodies_are_not_expanded(app: App) {
    let client = app.tenant().client;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(b"{\"name\":\"").unwrap();
    let piece = vec![b'a'; 1 << 20];
    (0..200).for_each(|_| encoder.write_all(&piece).unwrap());
    encoder.write_all(b"\"}").unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < BODY_BYTES_MAX, "{} bytes", bomb.len());
    for encoding in ["gzip", "x-gzip", "deflate", "br", "zstd", "gzip, gzip"] {
        let start = Stopwatch::start();
        let compressed = client.with("content-encoding", encoding).with("content-type", "application/json");
        let refused = compressed.send("POST", "/contacts", Some(&bomb));
        refused.expect(415).error("bad_request");
        assert!(start.elapsed() < TIME_MAX);
    }
    let plain = client.with("content-encoding", "identity").with("content-type", "application/json");
    plain.send("POST", "/contacts", Some(b"{\"name\":\"Ann\"}")).expect(201);
}

fn long_paths_and_queries_are_answered(app: App) {
    let client = app.tenant().client;
    for path in [
        format!("/contacts/{}", "a".repeat(60_000)),
        format!("/contacts{}", "/a".repeat(30_000)),
        format!("/contacts/{}", "%00".repeat(20_000)),
        format!("/contacts{}me", "/..".repeat(20_000)),
        format!("/contacts?q={}", "a".repeat(60_000)),
        format!("/contacts?q={}", "%25".repeat(20_000)),
        format!("/contacts?{}", "q=a&".repeat(15_000)),
        format!("/contacts?cursor={}", "A".repeat(60_000)),
        format!("/contacts?q={}", "%F0%9F%98%80%20".repeat(4_000)),
    ] {
        let start = Stopwatch::start();
        let response = client.get(&path);
        assert!(response.status < 500 && start.elapsed() < TIME_MAX, "{:.60} got {}", path, response.status);
    }
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

fn no_path_leads_out_of_the_dashboard(app: App) {
    let visitor = app.anonymous().vendors();
    for path in [
        "/../../../../etc/passwd",
        "/assets/../../../../etc/passwd",
        "/assets/..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%5c..%5cetc%5cpasswd",
        "/assets/%252e%252e%252fetc%252fpasswd",
        "/assets/....//....//etc/passwd",
        "//etc/passwd",
        "/media/..%2f..%2fetc%2fpasswd",
        "/media/%00",
        "/forms/..%2f..%2fme",
        "/docs/../../../etc/passwd",
        "/index.html%00.png",
    ] {
        let mut wire = app.wire();
        let _ = wire.send(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        let response = wire.response();
        assert!(response.status < 500, "{path} got {}", response.status);
        assert!(!response.text.contains("root:"), "{path}");
    }
    visitor.get("/healthz").expect(200);
}
