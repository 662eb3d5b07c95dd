//! The door that vendors' webhooks come through: whom it believes, and that it never turns a customer away.

use frontdesk_e2e::{on_every_engine, signed_by_meta};
use serde_json::json;

use crate::inbound_scene::{ANN, EVE, Inbox, about, fresh, messages, tell, webhook};
use crate::people::walk;
use crate::shapes::NOTHING;

on_every_engine! {
    the_challenge_is_returned_for_the_right_verify_token,
    only_webhooks_signed_with_the_apps_secret_are_accepted,
    an_unknown_address_is_not_found,
    a_webhook_takes_two_methods,
    a_signed_body_that_is_no_json_is_refused,
    an_unknown_webhook_is_accepted_and_changes_nothing,
    a_body_has_a_limit,
    webhooks_of_other_numbers_are_ignored,
    a_suspended_account_still_receives,
    a_disconnected_channel_still_receives,
}

fn the_challenge_is_returned_for_the_right_verify_token(inbox: Inbox) {
    let line = inbox.whatsapp();
    let ask = |query: &str| inbox.app.anonymous().vendors().get(&format!("{}?{query}", line.path));
    let response =
        ask("hub.mode=subscribe&hub.verify_token=agreed&hub.challenge=1158%2B201%3Cb%3E").expect(200);
    assert_eq!(response.text, "1158+201<b>");
    assert!(response.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")));
    for wrong in [
        "hub.mode=subscribe&hub.verify_token=Agreed&hub.challenge=1",
        "hub.mode=subscribe&hub.verify_token=&hub.challenge=1",
        "hub.mode=unsubscribe&hub.verify_token=agreed&hub.challenge=1",
        "hub.mode=subscribe&hub.challenge=1",
        "",
    ] {
        ask(wrong).expect(403).error("forbidden");
    }
}

fn only_webhooks_signed_with_the_apps_secret_are_accepted(inbox: Inbox) {
    let (connection, other) = (inbox.whatsapp(), inbox.whatsapp());
    let body = messages(&connection, &[inbox.message(ANN, "wamid.1", "text", json!({ "body": "Hello" }))]);
    let body = body.to_string();
    let good = signed_by_meta(&connection.known.app_secret, body.as_bytes());
    let caller = inbox.app.anonymous().vendors();
    for forged in [
        signed_by_meta(&other.known.app_secret, body.as_bytes()),
        signed_by_meta("", body.as_bytes()),
        signed_by_meta(&connection.known.app_secret, format!("{body} ").as_bytes()),
        good.trim_start_matches("sha256=").to_owned(),
        good.replace("sha256", "sha1"),
        good[..good.len() - 2].to_owned(),
        String::new(),
    ] {
        caller
            .with("x-hub-signature-256", &forged)
            .post_text(&connection.path, &body)
            .expect(403)
            .error("forbidden");
    }
    caller.post_text(&connection.path, &body).expect(403).error("forbidden");
    let longer = body.replace("Hello", "Hello!");
    caller.with("x-hub-signature-256", &good).post_text(&connection.path, longer).expect(403);
    assert!(inbox.conversations("").is_empty(), "a forged message was stored");
    caller.with("x-hub-signature-256", &good).post_text(&connection.path, &body).expect(200);
    assert_eq!(inbox.last()["text"], "Hello");
}

fn an_unknown_address_is_not_found(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let caller = inbox.app.anonymous().vendors();
    for path in [
        format!("/channels/whatsapp/{NOTHING}"),
        format!("/channels/messenger/{}", connection.id),
        format!("/channels/personal_whatsapp/{}", connection.id),
        format!("/channels/smoke_signals/{}", connection.id),
        format!("{}/more", connection.path),
        "/channels/whatsapp/none".to_owned(),
        "/channels/whatsapp".to_owned(),
        "/channels".to_owned(),
    ] {
        caller.get(&path).expect(404).error("not_found");
        caller.post_text(&path, "{}").expect(404).error("not_found");
    }
}

fn a_webhook_takes_two_methods(inbox: Inbox) {
    let connection = inbox.whatsapp();
    for method in ["PUT", "PATCH", "DELETE"] {
        let response = inbox.app.anonymous().vendors().send(method, &connection.path, None).expect(405);
        response.error("bad_request");
        assert_eq!(response.header("allow"), Some("GET, POST"), "{method}");
    }
}

fn a_signed_body_that_is_no_json_is_refused(inbox: Inbox) {
    let connection = inbox.whatsapp();
    for body in ["", "hello", "{\"entry\":[", "\u{feff}{}"] {
        let signature = signed_by_meta(&connection.known.app_secret, body.as_bytes());
        let caller = inbox.app.anonymous().vendors().with("x-hub-signature-256", signature);
        caller.post_text(&connection.path, body).expect(400).error("bad_request");
    }
}

fn an_unknown_webhook_is_accepted_and_changes_nothing(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let before = walk(&inbox.client, "/events");
    for body in [
        json!(null),
        json!([]),
        json!("hello"),
        json!({}),
        json!({ "object": "page", "entry": [{ "messaging": [{ "sender": { "id": "1" } }] }] }),
        webhook(
            &connection,
            json!([{ "field": "account_update", "value": { "event": "VERIFIED_ACCOUNT" } }]),
        ),
        webhook(&connection, json!([{ "field": "messages", "value": null }, { "field": 7 }, null])),
        about(
            &connection,
            json!({ "messages": [{}, null, 1, { "from": ANN }, { "id": "x", "type": "text" }] }),
        ),
        about(&connection, json!({ "messages": {}, "statuses": "all" })),
        about(
            &connection,
            json!({ "statuses": [{ "id": "wamid.x", "status": "warming_up", "timestamp": "1" }] }),
        ),
    ] {
        inbox.tell(&connection, &body).expect(200);
    }
    assert!(inbox.conversations("").is_empty());
    assert_eq!(walk(&inbox.client, "/events"), before);
}

fn a_body_has_a_limit(inbox: Inbox) {
    const LIMIT: usize = 4 << 20;
    let connection = inbox.whatsapp();
    let said = inbox.message(ANN, "wamid.1", "text", json!({ "body": "Hello" }));
    let mut body = messages(&connection, &[said]);
    let bare = body.to_string().len() + r#","pad":"""#.len();
    body["pad"] = json!("x".repeat(LIMIT - bare));
    inbox.tell(&connection, &body).expect(200);
    assert_eq!(inbox.last()["text"], "Hello");
    body["pad"] = json!("x".repeat(LIMIT - bare + 1));
    inbox.tell(&connection, &body).expect(413).error("bad_request");
}

fn webhooks_of_other_numbers_are_ignored(inbox: Inbox) {
    let (connection, other) = (inbox.whatsapp(), inbox.whatsapp());
    let said = inbox.message(ANN, "wamid.1", "text", json!({ "body": "Not for you" }));
    // Signed by this app, about a number that is another connection's.
    inbox.tell(&connection, &messages(&other, &[said])).expect(200);
    assert!(inbox.conversations("").is_empty());
}

fn a_suspended_account_still_receives(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.app.cli(&["account", "suspend", &inbox.tenant.account.id]);
    let said = inbox.message(ANN, "wamid.1", "text", json!({ "body": "Anybody there?" }));
    inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    inbox.client.get("/conversations").expect(403).error("account_suspended");
    inbox.app.cli(&["account", "resume", &inbox.tenant.account.id]);
    assert_eq!(inbox.last()["text"], "Anybody there?");
}

fn a_disconnected_channel_still_receives(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    inbox.app.cli(&["channel", "disconnect", &connection.id]);
    let to = json!({ "conversation_id": conversation });
    let refused = inbox.client.post("/messages", json!({ "type": "text", "to": to, "text": "Hi" }));
    refused.expect(422).error("channel_not_connected");
    for from in [ANN, EVE] {
        let said = inbox.message(from, &fresh("late"), "text", json!({ "body": "Hello?" }));
        tell(&inbox.app.anonymous(), &connection, &messages(&connection, &[said])).expect(200);
    }
    assert_eq!(inbox.conversations("").len(), 2);
    assert_eq!(inbox.events("message.received").len(), 3);
}
