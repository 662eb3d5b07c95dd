//! Who may use the sandbox, and what it fetches for them.

use frontdesk_e2e::{App, Client, Engine, Reply, Response, Sink, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, Inbox, connect, hello_to};
use crate::shapes::text;
use crate::webhooks_scene::PRIVATE_TARGETS;

on_every_engine! {
    demo another_website_cannot_use_the_sandbox,
    demo a_body_that_is_not_labelled_as_json_is_refused,
    demo behind_a_trusted_proxy_the_clients_address_counts,
    demo the_token_opens_the_sandbox_from_anywhere,
    demo a_server_with_a_public_base_url_needs_the_tokens,
    demo the_clock_is_behind_the_same_rules,
    demo the_sandbox_is_closed_while_no_connection_uses_it,
    demo the_sandbox_shows_what_its_page_can_do,
    demo media_is_not_fetched_from_the_internal_network,
    demo media_is_fetched_and_kept_by_the_sandbox,
}

const TOKEN: &str = "a token that nobody guesses";
const CLOCK: &str = "FRONTDESK_SANDBOX_CLOCK";

fn said(media: &Value) -> Value {
    json!({ "media": media })
}

fn customer() -> String {
    format!("/sandbox/customers/{ANN}/messages")
}

#[track_caller]
fn refused(response: Response, told: &str) {
    let error = response.expect(403).error("forbidden").clone();
    assert!(text(&error["message"]).contains(told), "{error}");
    assert!(
        text(&error["message"]).contains("/sandbox") || matches!(told, "own machine" | "token"),
        "{error}"
    );
}

fn another_website_cannot_use_the_sandbox(app: App) {
    let caller = app.anonymous().vendors();
    let host = app.base().replace("http://", "");
    for path in ["/sandbox", "/sandbox/messages", "/sandbox/graph/v23.0/1/message_templates"] {
        refused(caller.with("host", "rebound.example").get(path), "loopback address");
    }
    for origin in ["https://evil.example", "null", "http://localhost:1"] {
        refused(caller.with("origin", origin).get("/sandbox/faults"), "other origins");
        let fault = json!({ "faults": [{ "on": "send", "kind": "error", "code": 190 }] });
        refused(caller.with("origin", origin).put("/sandbox/faults", fault), "other origins");
        let plain = caller.with("origin", origin).with("content-type", "text/plain");
        refused(plain.send("POST", &customer(), Some(br#"{"text":"hi"}"#)), "other origins");
    }
    refused(caller.with("sec-fetch-site", "cross-site").get("/sandbox/messages"), "other origins");
    refused(caller.with("x-forwarded-for", "203.0.113.9").get("/sandbox/messages"), "own machine");
    // Its own page may.
    let page = caller.with("origin", format!("http://{host}")).with("sec-fetch-site", "same-origin");
    page.post(&customer(), json!({ "text": "hi" })).expect(200);
    caller.get("/sandbox").expect(200);
}

fn a_body_that_is_not_labelled_as_json_is_refused(app: App) {
    let caller = app.anonymous().vendors();
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        let response = caller.with("content-type", kind).send("POST", &customer(), Some(br#"{"text":"hi"}"#));
        response.expect(415).error("bad_request");
    }
    caller.send("POST", &customer(), Some(br#"{"text":"hi"}"#)).expect(415);
    caller.post(&customer(), json!({ "text": "hi" })).expect(200);
    caller.send("DELETE", "/sandbox/faults", None).expect(200);
}

fn behind_a_trusted_proxy_the_clients_address_counts(engine: Engine) {
    let start = App::start(engine).env("FRONTDESK_TRUSTED_PROXIES", "127.0.0.1");
    let app = start.env("FRONTDESK_SANDBOX_TOKEN", TOKEN).ready();
    let caller = app.anonymous().vendors();
    refused(caller.with("x-forwarded-for", "203.0.113.9").get("/sandbox/messages"), "own machine");
    refused(caller.with("x-forwarded-for", "unknown").get("/sandbox/messages"), "own machine");
    caller.get("/sandbox/messages").expect(200);
    caller.with("x-forwarded-for", "::1").get("/sandbox/messages").expect(200);
    caller.with("x-forwarded-for", "203.0.113.9").with_key(TOKEN).get("/sandbox/messages").expect(200);
    // The server's own calls go on.
    let tenant = app.tenant();
    connect(&app, &tenant.account, "whatsapp");
    let sent = tenant.client.post("/messages", hello_to("+14155550123")).expect(201).id();
    let status =
        || text(&tenant.client.get(&format!("/messages/{sent}")).expect(200).data()["status"]).to_owned();
    assert!(came_true(|| status() == "delivered"), "{}", app.logs());
}

fn the_token_opens_the_sandbox_from_anywhere(engine: Engine) {
    let app = App::start(engine).env("FRONTDESK_SANDBOX_TOKEN", TOKEN).env(CLOCK, "true").ready();
    let stranger = app.anonymous().vendors().with("host", "desk.example");
    let stranger = stranger.with("origin", "https://desk.example").with("x-real-ip", "203.0.113.9");
    let known = stranger.with_key(TOKEN);
    known.get("/sandbox/messages").expect(200);
    known.post("/sandbox/clock", json!({ "advance_seconds": 1 })).expect(200);
    known.post(&customer(), said(&json!({ "kind": "image" }))).expect(200);
    for wrong in ["", "a token", &TOKEN[1..], &format!("{TOKEN}!")] {
        refused(stranger.with_key(wrong).get("/sandbox/messages"), "own machine");
    }
    assert!(!app.logs().contains(TOKEN));
    // Without one, none opens it.
    app.restart_with(&[("FRONTDESK_SANDBOX_TOKEN", "")]);
    for wrong in ["", TOKEN] {
        refused(stranger.with_key(wrong).get("/sandbox/messages"), "own machine");
    }
}

/// A proxy on this machine may forward requests without a header, so they look like local ones.
fn a_server_with_a_public_base_url_needs_the_tokens(engine: Engine) {
    let start = App::start(engine).args(&["--base-url", "https://desk.example"]);
    let start = start.env("FRONTDESK_SANDBOX_TOKEN", TOKEN).env("FRONTDESK_METRICS_TOKEN", "for metrics");
    let app = start.env(CLOCK, "true").ready();
    connect(&app, &app.tenant().account, "whatsapp");
    let forwarded = app.anonymous().vendors();
    refused(forwarded.get("/sandbox"), "token");
    refused(forwarded.get("/sandbox/messages"), "token");
    refused(forwarded.post("/sandbox/clock", json!({ "advance_seconds": 1 })), "token");
    forwarded.get("/metrics").expect(404);
    forwarded.with_key(TOKEN).get("/metrics").expect(404);
    forwarded.with_key("for metrics").get("/metrics").expect(200);
    forwarded.with_key(TOKEN).get("/sandbox/messages").expect(200);
}

fn the_clock_is_behind_the_same_rules(engine: Engine) {
    let app = App::start(engine).env(CLOCK, "true").ready();
    let caller = app.anonymous().vendors();
    let ahead = || json!({ "advance_seconds": 1 });
    refused(caller.with("host", "rebound.example").post("/sandbox/clock", ahead()), "loopback address");
    refused(caller.with("origin", "https://evil.example").post("/sandbox/clock", ahead()), "other origins");
    let plain = caller.with("content-type", "text/plain");
    plain.send("POST", "/sandbox/clock", Some(br#"{"advance_seconds":1}"#)).expect(415);
    caller.post("/sandbox/clock", ahead()).expect(200);
}

fn the_sandbox_is_closed_while_no_connection_uses_it(app: App) {
    let caller = app.anonymous().vendors();
    let connections = caller.get("/sandbox/connections").expect(200).data().clone();
    let demo = text(&connections[0]["id"]).to_owned();
    app.run(&["channel", "disconnect", &demo]).expect_success();
    for path in ["/sandbox", "/sandbox/messages", "/sandbox/connections"] {
        let error = caller.get(path).expect(404).error("not_found").clone();
        assert!(text(&error["message"]).contains(&format!("frontdesk channel reconnect {demo}")), "{error}");
    }
    caller.put("/sandbox/faults", json!({ "faults": [] })).expect(404);
    // The server's own calls are answered, or it could never be connected again.
    app.run(&["channel", "sync", &demo]).expect_success();
    app.run(&["channel", "reconnect", &demo]).expect_success();
    caller.get("/sandbox/messages").expect(200);
}

fn the_sandbox_shows_what_its_page_can_do(app: App) {
    let caller = app.anonymous().vendors();
    let tenant = app.tenant();
    let second = connect(&app, &tenant.account, "whatsapp");
    app.run(&["channel", "disconnect", &second]).expect_success();
    let connections = caller.get("/sandbox/connections").expect(200).data().clone();
    let states: Vec<&str> =
        connections.as_array().expect("a list").iter().map(|one| text(&one["status"])).collect();
    assert_eq!(states, ["connected", "disconnected"]);
    assert!(connections[0]["disconnected_reason"].is_null());
    assert!(!text(&connections[1]["disconnected_reason"]).is_empty());
    // The clock's buttons are there only where they work.
    assert_eq!(caller.get("/sandbox/settings").expect(200).data()["movable_clock"], false);
    app.restart_with(&[(CLOCK, "true")]);
    assert_eq!(caller.get("/sandbox/settings").expect(200).data()["movable_clock"], true);
}

fn media_is_not_fetched_from_the_internal_network(engine: Engine) {
    let sink = Sink::start();
    sink.respond("/secret", Reply::status(200).body("inside"));
    let inbox = Inbox::of(App::start(engine).env(CLOCK, "true"));
    let messenger = connect(&inbox.app, &inbox.tenant.account, "messenger");
    for connection in [&inbox.whatsapp, &messenger] {
        let media = json!({ "kind": "image", "url": sink.url("/secret"), "content_type": "image/png" });
        let body = json!({ "connection_id": connection, "media": media });
        let error = inbox.sandbox().post(&customer(), body).expect(400).json["error"].clone();
        assert!(text(&error["message"]).starts_with("media.url was not fetched"), "{error}");
    }
    // Nor when a webhook that the sandbox signs names the address.
    let page = page_of(&inbox.sandbox(), &messenger);
    let attachment = json!({ "type": "image", "payload": { "url": sink.url("/secret") } });
    let message = json!({ "mid": "m_1", "attachments": [attachment] });
    let event = json!({ "sender": { "id": "7001" }, "recipient": { "id": page }, "timestamp": 1, "message": message });
    let body = json!({ "object": "page", "entry": [{ "id": page, "time": 1, "messaging": [event] }] });
    let body = json!({ "connection_id": messenger, "body": body });
    inbox.sandbox().post("/sandbox/webhooks", body).expect(200);
    inbox.advance(0);
    assert_eq!(sink.count("/secret"), 0, "an address inside was fetched");
}

fn media_is_fetched_and_kept_by_the_sandbox(engine: Engine) {
    let sink = Sink::start();
    sink.respond("/a.png", Reply::status(200).header("Content-Type", "image/png").body("a picture"));
    sink.respond("/gone", Reply::status(404));
    let inbox = Inbox::of(App::start(engine).env(PRIVATE_TARGETS, "true"));
    let messenger = connect(&inbox.app, &inbox.tenant.account, "messenger");
    for connection in [&inbox.whatsapp, &messenger] {
        let media = json!({ "kind": "image", "url": sink.url("/a.png") });
        inbox.sandbox().post(&customer(), json!({ "connection_id": connection, "media": media })).expect(200);
    }
    let found = || inbox.client.get("/events?event_type=message.received").expect(200).data().clone();
    assert!(came_true(|| found().as_array().is_some_and(|all| all.len() == 2)), "{}", inbox.app.logs());
    for event in found().as_array().expect("a list") {
        let url = text(&event["data"]["message"]["media_url"]).to_owned();
        let link = url.strip_prefix(&inbox.app.base()).expect("a link to this server");
        let open = || inbox.app.anonymous().vendors().get(link);
        assert!(came_true(|| open().status == 200), "{}", inbox.app.logs());
        assert_eq!(open().body, b"a picture");
    }
    assert_eq!(sink.count("/a.png"), 2);
    // The connection's token is not shown to whoever serves it.
    assert!(sink.at("/a.png").iter().all(|call| !call.headers.contains_key("authorization")));
    let gone = json!({ "kind": "image", "url": sink.url("/gone") });
    let error = inbox.sandbox().post(&customer(), said(&gone)).expect(400).json["error"].clone();
    assert!(text(&error["message"]).contains("answered 404"), "{error}");
}

fn page_of(sandbox: &Client, connection: &str) -> String {
    let connections = sandbox.get("/sandbox/connections").expect(200);
    let all = connections.data().as_array().expect("a list").clone();
    let found = all.iter().find(|one| one["id"] == connection).expect("the connection");
    text(&found["page_id"]).to_owned()
}
