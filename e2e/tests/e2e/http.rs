//! The manners of every endpoint: the order of checks, paths, methods, queries, encodings.

use std::collections::HashSet;
use std::io::Read;

use flate2::read::GzDecoder;
use frontdesk_e2e::{App, Clocked, Response, on_every_engine, on_sqlite};
use serde_json::{Value, json};

const NOBODY: &str = "0192f0c4-0000-7000-8000-000000000000";

on_every_engine! {
    the_key_is_checked_before_any_other_error,
    the_account_is_checked_before_the_request,
    checks_run_in_the_documented_order,
    a_page_has_one_to_a_hundred_rows,
}

on_sqlite! {
    an_unknown_path_is_not_found,
    the_root_leads_a_browser_to_the_dashboard_and_others_to_the_documentation,
    a_wrong_method_gets_the_allowed_ones,
    a_connect_request_is_refused_and_no_path_is_logged,
    every_response_has_an_id_of_its_own,
    a_query_of_the_wrong_shape_is_a_bad_request,
    unknown_parameters_are_ignored,
    head_is_get_without_the_body,
    responses_are_compressed_on_request,
    no_other_origin_is_allowed,
}

fn the_key_is_checked_before_any_other_error(app: App) {
    let stranger = app.anonymous();
    for (method, path) in [("GET", "/nowhere"), ("DELETE", "/me"), ("GET", "/contacts?limit=abc")] {
        stranger.send(method, path, None).expect(401).error("unauthorized");
    }
    stranger.post_text("/contacts", "{").expect(401);
    stranger.with("content-type", "text/plain").send("POST", "/contacts", Some(b"hello")).expect(401);
}

fn the_account_is_checked_before_the_request(app: Clocked) {
    let account = app.account_with(&["--rate-limit", "1"]);
    let elsewhere = app.key_with(&account, &["--all-scopes", "--allow", "203.0.113.7"]);
    let client = app.client(&app.key(&account, "contacts:read"));
    app.begin_minute();
    client.get("/nowhere").expect(404);
    client.get("/nowhere").expect(429).error("rate_limited");
    client.delete("/me").expect(429);
    app.cli(&["account", "suspend", &account.id]);
    let response = app.client(&elsewhere).get("/nowhere").expect(403);
    assert_eq!(response.error("forbidden")["reason"], "ip_not_allowed");
    client.get("/nowhere").expect(403).error("account_suspended");
}

fn checks_run_in_the_documented_order(app: App) {
    let account = app.account();
    let key = app.key(&account, "deals:read");
    let reader = app.client(&key);
    let plain = |path: &str, bytes: usize| -> Response {
        let mut wire = app.wire();
        let secret = &key.secret;
        wire.send(format!(
            "POST /api/v1{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\
             Content-Type: text/plain\r\nContent-Length: {bytes}\r\n\r\n"
        ))
        .unwrap();
        // A body that is too large is refused unseen.
        if bytes == 1 {
            wire.send("{").unwrap();
        }
        wire.response()
    };
    let large = (1 << 20) + 1;
    plain("/nowhere", large).expect(404).error("not_found");
    plain("/me", large).expect(405).error("bad_request");
    plain("/contacts", large).expect(413).error("bad_request");
    plain("/contacts", 1).expect(415).error("bad_request");
    let unkeyed = reader.with("idempotency-key", "k".repeat(256));
    assert_eq!(unkeyed.post_text("/contacts", "{").expect(403).error("forbidden")["reason"], "scope");

    let writer = app.client(&app.key(&account, "contacts:write"));
    let response = writer.with("idempotency-key", "k".repeat(256)).post_text("/contacts", "{").expect(400);
    response.error("validation_error");
    response.details_at(&["Idempotency-Key"]);
    let path = format!("/contacts/{NOBODY}/notes");
    writer.post_text(&path, "{").expect(400).error("bad_request");
    writer.post(&path, json!({})).expect(400).error("validation_error");
    writer.post(&path, json!({ "body": "hm" })).expect(404).error("not_found");
}

fn an_unknown_path_is_not_found(app: App) {
    let client = app.tenant().client;
    for path in [
        "",
        "/",
        "/nowhere",
        "/me/me",
        "/contacts/not-a-uuid",
        "/contacts/%ff",
        "/contacts/42/notes",
        "/Contacts",
    ] {
        client.get(path).expect(404).error("not_found");
    }
    client.get(&format!("/contacts/{NOBODY}")).expect(404).error("not_found");
    client.get(&format!("/contacts/{NOBODY}/notes")).expect(404).error("not_found");
    client.delete("/tags/not-a-uuid").expect(404).error("not_found");
    client.vendors().get("/api/v2/me").expect(404);
}

fn a_wrong_method_gets_the_allowed_ones(app: App) {
    let client = app.tenant().client;
    let allowed = |response: &Response| -> HashSet<String> {
        response.error("bad_request");
        response.header("allow").expect("Allow").split(',').map(|method| method.trim().to_owned()).collect()
    };
    let on_me = allowed(&client.delete("/me").expect(405));
    assert!(on_me.contains("GET") && !on_me.contains("DELETE") && !on_me.contains("POST"), "{on_me:?}");
    let on_contacts = allowed(&client.put("/contacts", json!({})).expect(405));
    assert!(on_contacts.contains("GET") && on_contacts.contains("POST"), "{on_contacts:?}");
    assert!(!on_contacts.contains("PUT") && !on_contacts.contains("PATCH"), "{on_contacts:?}");
    let on_one = allowed(&client.post(&format!("/contacts/{NOBODY}"), json!({})).expect(405));
    assert!(on_one.contains("GET") && on_one.contains("PATCH"), "{on_one:?}");
}

fn a_connect_request_is_refused_and_no_path_is_logged(app: App) {
    for target in ["203.0.113.7:443", "example.com:443", "/forms/SECRETTOKEN", "/media/SECRETTOKEN"] {
        let mut wire = app.wire();
        wire.send(format!("CONNECT {target} HTTP/1.1\r\nhost: example.com\r\n\r\n")).unwrap();
        let response = wire.response().expect(405);
        assert_eq!(
            response.error("bad_request")["request_id"],
            response.header("x-request-id").expect("an id")
        );
        assert!(response.header("allow").is_some(), "no Allow for {target}");
    }
    let logs = app.logs();
    assert!(!logs.contains("panicked") && !logs.contains("SECRETTOKEN"), "{logs}");
}

fn every_response_has_an_id_of_its_own(app: App) {
    let client = app.tenant().client;
    let ids: HashSet<String> = ["/me", "/me", "/contacts", "/nowhere", "/contacts?limit=0"]
        .map(|path| client.get(path).request_id().to_owned())
        .into();
    assert_eq!(ids.len(), 5);
    client.get("/nowhere").expect(404).error("not_found");
}

fn a_page_has_one_to_a_hundred_rows(app: App) {
    let client = app.tenant().client;
    for limit in [1, 20, 100] {
        let response = client.get(&format!("/contacts?limit={limit}")).expect(200);
        assert_eq!(response.json["meta"], json!({ "next_cursor": null, "has_more": false, "limit": limit }));
        assert_eq!(response.data(), &json!([]));
    }
    assert_eq!(client.get("/contacts").expect(200).json["meta"]["limit"], 20);
    for limit in ["0", "101", "-1", "99999999999999999999"] {
        let response = client.get(&format!("/contacts?limit={limit}")).expect(400);
        response.error("validation_error");
        response.details_at(&["limit"]);
    }
    for limit in ["abc", "1.5", "1e2", "0x10"] {
        client.get(&format!("/contacts?limit={limit}")).expect(400).error("bad_request");
    }
}

fn a_query_of_the_wrong_shape_is_a_bad_request(app: App) {
    let client = app.tenant().client;
    for query in [
        "cursor=made-up",
        "cursor=%00",
        "tag_id=vip",
        "segment_id=7",
        "updated_since=yesterday",
        "created_since=2026-13-01T00:00:00Z",
    ] {
        client.get(&format!("/contacts?{query}")).expect(400).error("bad_request");
    }
    client.get("/events?cursor=made-up").expect(400).error("bad_request");
}

fn unknown_parameters_are_ignored(app: App) {
    let client = app.tenant().client;
    client.get("/me?verbose=1&limit=abc").expect(200);
    client.get("/contacts?verbose=1&page=%ff&=&&x").expect(200);
    let made = client.post("/contacts", json!({ "name": "Ada", "shoe_size": 38, "id": NOBODY })).expect(201);
    assert_ne!(made.id(), NOBODY);
    assert_eq!(made.data().get("shoe_size"), None);
}

fn head_is_get_without_the_body(app: App) {
    let tenant = app.tenant();
    let head = |path: &str| {
        let mut wire = app.wire();
        let secret = &tenant.key.secret;
        wire.send(format!(
            "HEAD {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\nConnection: close\r\n\r\n"
        ))
        .unwrap();
        String::from_utf8(wire.rest().unwrap()).unwrap()
    };
    for (path, status) in
        [("/api/v1/me", "200"), ("/api/v1/nowhere", "404"), ("/api/v1/contacts?limit=0", "400")]
    {
        let response = head(path);
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{response}");
        assert_eq!(response.find("\r\n\r\n"), Some(response.len() - 4), "a body after {response}");
        assert!(response.to_lowercase().contains("x-ratelimit-remaining:"), "{response}");
    }
}

fn responses_are_compressed_on_request(app: App) {
    let client = app.tenant().client;
    for number in 0..20 {
        client.post("/contacts", json!({ "name": format!("Ada {number}") })).expect(201);
    }
    let plain = client.get("/contacts").expect(200);
    assert_eq!(plain.header("content-encoding"), None);
    let response = client.with("accept-encoding", "gzip").get("/contacts").expect(200);
    assert_eq!(response.header("content-encoding"), Some("gzip"));
    assert!(response.header("vary").unwrap_or_default().to_lowercase().contains("accept-encoding"));
    assert!(response.body.len() < plain.body.len() / 2);
    let mut text = String::new();
    GzDecoder::new(&*response.body).read_to_string(&mut text).unwrap();
    assert_eq!(text, plain.text);
    assert_ne!(plain.json, Value::Null);
}

fn no_other_origin_is_allowed(app: App) {
    let client = app.tenant().client.with("origin", "https://elsewhere.example");
    let preflight = client.with("access-control-request-method", "GET");
    for response in [client.get("/me").expect(200), preflight.send("OPTIONS", "/me", None)] {
        let granted: Vec<_> =
            response.headers.keys().filter(|name| name.as_str().starts_with("access-control-")).collect();
        assert!(granted.is_empty(), "{granted:?}");
    }
}

fn the_root_leads_a_browser_to_the_dashboard_and_others_to_the_documentation(app: App) {
    let anybody = app.anonymous().vendors();
    let leads = |accept: &str| {
        let response = anybody.with("accept", accept).get("/").expect(302);
        assert_eq!(response.header("vary"), Some("accept"));
        response.header("location").map(str::to_owned).expect("a location")
    };
    for browser in ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "TEXT/HTML ; q=1"] {
        assert_eq!(leads(browser), "/app");
    }
    for other in ["*/*", "application/json", "text/htmlx", ""] {
        assert_eq!(leads(other), "/docs");
    }
    assert_eq!(anybody.get("/").expect(302).header("location"), Some("/docs"));
    anybody.post("/", json!({})).expect(405);
}
