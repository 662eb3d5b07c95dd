//! Channels are asked whether they let us in: when they are connected, and by the doctor.

use frontdesk_e2e::{Connection, Outcome, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::Inbox;
use crate::shapes::text;

on_every_engine! {
    a_channel_that_refuses_its_token_is_not_stored,
    a_bridge_that_refuses_its_key_is_not_stored,
    a_channel_that_cannot_be_reached_is_not_stored_unless_unchecked,
    an_address_that_is_not_the_channels_own_is_refused,
    an_address_that_is_left_out_comes_from_the_channel,
    a_channel_that_refuses_its_new_token_is_not_connected_again,
    alone the_doctor_asks_every_connected_channel,
    the_doctor_notices_a_key_that_does_not_open_the_tokens,
}

/// A number that the vendors know by this token.
fn known() -> Connection {
    Connection {
        channel: "whatsapp".to_owned(),
        name: "Support".to_owned(),
        phone_number_id: Some("111".to_owned()),
        waba_id: Some("222".to_owned()),
        access_token: "good".to_owned(),
        app_secret: "secret".to_owned(),
        number: Some("15550001111".to_owned()),
        ..Connection::default()
    }
}

fn connect(inbox: &Inbox, options: &[&str]) -> Outcome {
    let account = inbox.tenant.account.id.as_str();
    let fixed = ["channel", "connect", "--json", "--account", account, "--channel"];
    inbox.app.run(&[&fixed, options].concat())
}

/// Connects the number, with this token.
fn connect_number(inbox: &Inbox, token: &str, options: &[&str]) -> Outcome {
    let url = inbox.vendors.graph_url();
    let number = ["whatsapp", "--phone-number-id", "111", "--waba-id", "222", "--access-token", token];
    let rest = ["--app-secret", "secret", "--verify-token", "v", "--graph-url", &url];
    connect(inbox, &[&number[..], &rest, options].concat())
}

/// Demands a refusal that names this, and that nothing was stored.
#[track_caller]
fn stores_nothing(inbox: &Inbox, outcome: Outcome, named: &[&str]) {
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let said: Value = serde_json::from_str(&outcome.err).unwrap_or_else(|_| panic!("no JSON: {outcome:?}"));
    let message = text(&said["error"]["message"]);
    for part in ["--no-check"].iter().chain(named) {
        assert!(message.contains(part), "{part} is not in {message}");
    }
    assert_eq!(*inbox.client.get("/channels").expect(200).data(), json!([]));
}

fn a_channel_that_refuses_its_token_is_not_stored(inbox: Inbox) {
    inbox.vendors.keep(known());
    let outcome = connect_number(&inbox, "bad", &[]);
    stores_nothing(&inbox, outcome, &["--access-token"]);
    // A good token that belongs to another number.
    let url = inbox.vendors.graph_url();
    let page = ["messenger", "--page-id", "999", "--access-token", "good", "--app-secret", "s"];
    let outcome = connect(&inbox, &[&page[..], &["--verify-token", "v", "--graph-url", &url]].concat());
    stores_nothing(&inbox, outcome, &["--page-id"]);
    let made = connect_number(&inbox, "good", &[]).expect_success().json();
    assert_eq!(inbox.client.get("/channels").expect(200).data()[0]["id"], made["connection_id"]);
}

fn a_bridge_that_refuses_its_key_is_not_stored(inbox: Inbox) {
    let device = Connection {
        channel: "personal_whatsapp".to_owned(),
        name: "device".to_owned(),
        session: Some("device".to_owned()),
        bridge_key: Some("good".to_owned()),
        ..Connection::default()
    };
    inbox.vendors.keep(device);
    let url = inbox.vendors.graph_url().replace("/graph", "/bridge");
    let bridge = ["personal_whatsapp", "--bridge-url", &url, "--session", "device", "--bridge-key"];
    let outcome = connect(&inbox, &[&bridge[..], &["bad"]].concat());
    stores_nothing(&inbox, outcome, &["--bridge-key"]);
    connect(&inbox, &[&bridge[..], &["good", "--no-wait"]].concat()).expect_success();
}

fn a_channel_that_cannot_be_reached_is_not_stored_unless_unchecked(inbox: Inbox) {
    let nowhere = ["--graph-url", "http://127.0.0.1:1"];
    let page =
        ["instagram", "--page-id", "1", "--access-token", "x", "--app-secret", "s", "--verify-token", "v"];
    let outcome = connect(&inbox, &[&page[..], &nowhere].concat());
    stores_nothing(&inbox, outcome, &["--graph-url"]);
    connect(&inbox, &[&page[..], &nowhere, &["--no-check"]].concat()).expect_success();
}

fn an_address_that_is_not_the_channels_own_is_refused(inbox: Inbox) {
    inbox.vendors.keep(known());
    let outcome = connect_number(&inbox, "good", &["--address", "+15550002222"]);
    stores_nothing(&inbox, outcome, &["--address", "+15550002222", "+15550001111"]);
    connect_number(&inbox, "good", &["--address", "+1 555 000 1111"]).expect_success();
}

fn an_address_that_is_left_out_comes_from_the_channel(inbox: Inbox) {
    inbox.vendors.keep(known());
    connect_number(&inbox, "good", &[]).expect_success();
    assert_eq!(inbox.client.get("/channels").expect(200).data()[0]["address"], "+15550001111");
}

/// What the doctor says about channels and the secret key, with its exit code.
fn examined(inbox: &Inbox) -> (Option<i32>, Vec<Value>) {
    let outcome = inbox.app.run(&["doctor", "--listen", "127.0.0.1:0", "--json"]);
    let checks = outcome.json()["checks"].as_array().expect("checks").clone();
    let told = checks.into_iter().filter(|check| matches!(text(&check["name"]), "channel" | "secret key"));
    (outcome.code, told.collect())
}

fn of<'a>(checks: &'a [Value], part: &str) -> &'a Value {
    let found = checks.iter().find(|check| text(&check["message"]).contains(part));
    found.unwrap_or_else(|| panic!("{part} is not in {checks:?}"))
}

fn a_channel_that_refuses_its_new_token_is_not_connected_again(inbox: Inbox) {
    inbox.vendors.keep(known());
    let made = connect_number(&inbox, "good", &[]).expect_success().json();
    let id = text(&made["connection_id"]);
    inbox.app.cli(&["channel", "disconnect", id]);
    let status = || inbox.client.get("/channels").expect(200).data()[0]["status"].clone();
    let refused = inbox.app.run(&["channel", "reconnect", id, "--access-token", "bad"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("--access-token") && refused.err.contains("--no-check"), "{refused:?}");
    assert_eq!(status(), "disconnected");
    // The token that was stored is still the good one.
    inbox.app.run(&["channel", "reconnect", id]).expect_success();
    assert_eq!(status(), "connected");
    inbox.app.run(&["channel", "reconnect", id, "--access-token", "bad", "--no-check"]).expect_success();
    assert_eq!(status(), "connected");
}

fn the_doctor_asks_every_connected_channel(inbox: Inbox) {
    let (number, page) = (inbox.whatsapp(), inbox.page("messenger"));
    let (code, checks) = examined(&inbox);
    assert_eq!(code, Some(0), "{checks:?}");
    for connection in [&number, &page] {
        assert_eq!(of(&checks, &connection.id)["status"], "ok", "{checks:?}");
    }
    // The vendor takes back the page's token.
    inbox.vendors.keep(Connection { access_token: "another".to_owned(), ..page.known.clone() });
    let (code, checks) = examined(&inbox);
    assert_eq!(code, Some(1), "{checks:?}");
    assert_eq!(of(&checks, &number.id)["status"], "ok", "{checks:?}");
    let refused = of(&checks, &page.id);
    assert_eq!(refused["status"], "failed", "{refused}");
    assert!(text(&refused["message"]).contains(&format!("channel reconnect {}", page.id)), "{refused}");
    inbox.app.cli(&["channel", "disconnect", &page.id]);
    assert_eq!(examined(&inbox).0, Some(0));
}

fn the_doctor_notices_a_key_that_does_not_open_the_tokens(inbox: Inbox) {
    inbox.whatsapp();
    let args = ["doctor", "--listen", "127.0.0.1:0", "--json"];
    let other = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, [7; 32]);
    let outcome = inbox.app.run_with(&[("FRONTDESK_SECRET_KEY", &other)], &args);
    let report = outcome.json();
    let checks = report["checks"].as_array().expect("checks");
    let key = checks.iter().find(|check| check["name"] == "secret key").expect("the key's check");
    assert_eq!((outcome.code, &key["status"]), (Some(1), &json!("failed")), "{report}");
    assert!(text(&key["message"]).contains("FRONTDESK_SECRET_KEY"), "{key}");
}
