//! What HTTP itself asks of a server: who is asked for, how to authenticate, and bodies for every refusal.

use frontdesk_e2e::{App, Response, on_sqlite};
use serde_json::json;

use crate::shapes::text;

on_sqlite! {
    a_401_says_how_to_authenticate,
    a_request_without_a_host_is_refused,
    headers_that_are_too_large_are_refused_with_a_body,
    bytes_that_are_not_http_are_refused_with_a_body,
    requests_are_logged_with_their_account_and_key,
    a_name_that_shows_nothing_is_blank,
}

fn raw(app: &App, request: &str) -> Response {
    let mut wire = app.wire();
    // What is refused early may not be taken to its end.
    let _ = wire.send(request);
    wire.response()
}

fn a_401_says_how_to_authenticate(app: App) {
    let stranger = app.anonymous();
    for response in [stranger.get("/me"), stranger.with_key("frontdesk_live_nothing").get("/contacts")] {
        let response = response.expect(401);
        assert_eq!(response.header("www-authenticate"), Some("Bearer realm=\"Frontdesk\""));
    }
    assert_eq!(app.tenant().client.get("/nowhere").expect(404).header("www-authenticate"), None);
}

fn a_request_without_a_host_is_refused(app: App) {
    for head in ["GET /api/v1/me HTTP/1.1\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n"] {
        let response = raw(&app, &format!("{head}\r\n")).expect(400);
        assert!(text(&response.error("bad_request")["message"]).contains("Host"));
        assert_eq!(response.header("x-request-id"), Some(text(&response.json["error"]["request_id"])));
        assert!(response.header("x-ratelimit-limit").is_some());
    }
    raw(&app, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").expect(200);
    raw(&app, "GET /healthz HTTP/1.0\r\n\r\n").expect(200);
}

fn headers_that_are_too_large_are_refused_with_a_body(app: App) {
    let large = format!("X-Large: {}\r\n", "a".repeat(200_000));
    let many = (0..150).map(|number| format!("X-Header-{number}: a\r\n")).collect::<Vec<_>>().concat();
    for headers in [large, many] {
        let response = raw(&app, &format!("GET /api/v1/me HTTP/1.1\r\nHost: x\r\n{headers}\r\n")).expect(431);
        let message = text(&response.error("bad_request")["message"]);
        assert!(message.contains("headers"), "{message}");
        assert_eq!(response.header("x-request-id"), Some(text(&response.json["error"]["request_id"])));
        assert_eq!(response.header("content-type"), Some("application/json"));
    }
}

fn bytes_that_are_not_http_are_refused_with_a_body(app: App) {
    let response = raw(&app, "GET /api/v1/me HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n").expect(400);
    response.error("bad_request");
}

fn requests_are_logged_with_their_account_and_key(app: App) {
    let tenant = app.tenant();
    tenant.client.get("/contacts").expect(200);
    tenant.client.get("/nowhere").expect(404);
    app.anonymous().get("/me").expect(401);
    let logs = app.logs();
    let answered: Vec<&str> = logs.lines().filter(|line| line.contains("answered")).collect();
    let known =
        answered.iter().filter(|line| line.contains(&tenant.account.id) && line.contains(&tenant.key.id));
    assert_eq!(known.count(), 2, "{logs}");
    assert!(!logs.contains(&tenant.key.secret));
}

fn a_name_that_shows_nothing_is_blank(app: App) {
    let client = app.tenant().client;
    for invisible in ["\u{200b}", " \u{feff}\u{2060} ", "\u{7}", "\u{3164}"] {
        client.post("/tags", json!({ "name": invisible })).expect(400).details_at(&["name"]);
        let made = client.post("/contacts", json!({ "name": "Ann", "company": invisible })).expect(201);
        assert!(made.data()["company"].is_null(), "{invisible:?}");
        app.run(&["account", "create", "--name", invisible]).expect_failure();
    }
    let family = "\u{1f468}\u{200d}\u{1f469}";
    assert_eq!(client.post("/contacts", json!({ "name": family })).expect(201).data()["name"], family);
}
