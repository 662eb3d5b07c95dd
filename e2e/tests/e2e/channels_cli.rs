//! `frontdesk channel`, beside a running server.

use frontdesk_e2e::{Engine, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN_PHONE, Inbox, hello_to, start};
use crate::shapes::{NOTHING, has_fields, is_id, text};

on_every_engine! {
    connecting_answers_the_connection_and_its_webhook,
    the_same_is_printed_for_people,
    connections_are_listed_with_their_standing,
    a_connection_is_ended_and_brought_back,
    reconnecting_accepts_a_new_token,
    every_missing_option_is_named_at_once,
    mistakes_are_named_and_change_nothing,
    a_channel_of_the_vendors_is_connected_without_being_reached,
    a_channel_connected_before_the_server_starts_works_after_it,
}

fn connect<'a>(inbox: &'a Inbox, channel: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&["channel", "connect", "--account", &inbox.tenant.account.id, "--channel", channel], options].concat()
}

fn connecting_answers_the_connection_and_its_webhook(inbox: Inbox) {
    for (channel, more) in [
        ("whatsapp", "templates"),
        ("messenger", ""),
        ("instagram", ""),
        ("personal_whatsapp", "session"),
        ("web_chat", "snippet"),
    ] {
        let made = inbox.app.cli(&connect(&inbox, channel, &["--sandbox"]));
        has_fields(&made, &format!("connection_id webhook_url {more}"));
        is_id(&made["connection_id"]);
        let path = format!("/channels/{channel}/{}", text(&made["connection_id"]));
        assert!(
            text(&made["webhook_url"]).starts_with("http") && text(&made["webhook_url"]).ends_with(&path),
            "{made}"
        );
        assert_eq!(inbox.channel(text(&made["connection_id"]))["channel"], channel);
    }
    let made = inbox.app.cli(&connect(&inbox, "whatsapp", &["--sandbox"]));
    assert_eq!(made["templates"], 9);
    let made = inbox.app.cli(&connect(&inbox, "personal_whatsapp", &["--sandbox"]));
    assert_eq!(made["session"], "working");
    let named = inbox.app.cli(&connect(
        &inbox,
        "whatsapp",
        &["--sandbox", "--name", "Support", "--address", "+15550001111"],
    ));
    let shown = inbox.channel(text(&named["connection_id"]));
    assert_eq!((&shown["name"], &shown["address"]), (&json!("Support"), &json!("+15550001111")));
}

fn the_same_is_printed_for_people(inbox: Inbox) {
    let shown = |args: &[&str]| {
        let out = inbox.app.run(args).expect_success().out;
        assert!(
            !out.trim().is_empty() && serde_json::from_str::<Value>(&out).is_err(),
            "{args:?} printed {out}"
        );
        out
    };
    let made = shown(&connect(&inbox, "whatsapp", &["--sandbox", "--name", "Support"]));
    let newest = inbox.client.get("/channels").expect(200).data()[0].clone();
    for part in [text(&newest["id"]), "/channels/whatsapp/", "templates", "9"] {
        assert!(made.contains(part), "{part} is not in {made}");
    }
    let widget = shown(&connect(&inbox, "web_chat", &[]));
    assert!(widget.contains("<script"), "{widget}");
    let list = shown(&["channel", "list", "--account", &inbox.tenant.account.id]);
    for part in ["Support", "whatsapp", "web_chat", "connected", &inbox.whatsapp] {
        assert!(list.contains(part), "{part} is not in {list}");
    }
    assert!(shown(&["channel", "sync", &inbox.whatsapp]).contains('9'));
    assert!(shown(&["channel", "disconnect", &inbox.whatsapp]).contains(&inbox.whatsapp));
    let list = shown(&["channel", "list", "--account", &inbox.tenant.account.id]);
    assert!(list.contains("disconnected"), "{list}");
    assert!(shown(&["channel", "reconnect", &inbox.whatsapp]).contains(&inbox.whatsapp));
    let none = shown(&["channel", "list", "--account", &inbox.app.account().id]);
    assert!(none.contains("channel connect"), "{none}");
}

fn connections_are_listed_with_their_standing(inbox: Inbox) {
    inbox.connect("messenger");
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    let listed = inbox.app.cli(&["channel", "list", "--account", &inbox.tenant.account.id]);
    assert_eq!(listed, *inbox.client.get("/channels").expect(200).data());
    assert_eq!(inbox.app.cli(&["channel", "list", "--account", &inbox.app.account().id]), json!([]));
}

fn a_connection_is_ended_and_brought_back(inbox: Inbox) {
    let id = inbox.whatsapp.as_str();
    for _ in 0..2 {
        let said = inbox.app.cli(&["channel", "disconnect", id]);
        assert_eq!(said, json!({ "connection_id": id, "status": "disconnected" }));
        assert_eq!(inbox.channel(id)["status"], "disconnected");
    }
    inbox.send(hello_to(ANN_PHONE)).expect(422).error("channel_not_connected");
    for _ in 0..2 {
        let said = inbox.app.cli(&["channel", "reconnect", id]);
        assert_eq!(said, json!({ "connection_id": id, "status": "connected" }));
        assert_eq!(inbox.channel(id)["status"], "connected");
    }
    let message = inbox.sends(hello_to(ANN_PHONE));
    inbox.becomes(&message, "delivered");
}

fn reconnecting_accepts_a_new_token(inbox: Inbox) {
    let id = inbox.whatsapp.as_str();
    inbox.app.cli(&["channel", "disconnect", id]);
    inbox.app.cli(&["channel", "reconnect", id, "--access-token", "a-new-token"]);
    // The stand-in takes whatever token its connection has: the new one is what both know.
    let message = inbox.sends(hello_to(ANN_PHONE));
    inbox.becomes(&message, "delivered");
    assert_eq!(inbox.app.cli(&["channel", "sync", id])["templates"], 9);
}

fn every_missing_option_is_named_at_once(inbox: Inbox) {
    let before = inbox.client.get("/channels").expect(200).json;
    let cases: [(&str, &[&str], &[&str]); 5] = [
        (
            "whatsapp",
            &[],
            &[
                "--phone-number-id",
                "--waba-id",
                "--access-token",
                "--app-secret",
                "--verify-token",
                "--sandbox",
            ],
        ),
        (
            "whatsapp",
            &["--waba-id", "1", "--access-token", "x"],
            &["--phone-number-id", "--app-secret", "--verify-token"],
        ),
        (
            "messenger",
            &["--app-secret", " "],
            &["--page-id", "--access-token", "--app-secret", "--verify-token"],
        ),
        ("instagram", &[], &["--page-id", "--access-token", "--app-secret", "--verify-token"]),
        ("personal_whatsapp", &[], &["--bridge-url", "--bridge-key", "--session"]),
    ];
    for (channel, given, missing) in cases {
        let said = inbox.app.run(&connect(&inbox, channel, given)).expect_failure();
        for option in missing {
            assert!(said.contains(option), "{option} is not named for {channel}: {said}");
        }
        for option in given.iter().filter(|option| option.starts_with("--") && !missing.contains(option)) {
            assert!(!said.contains(option), "{option} was given: {said}");
        }
    }
    assert_eq!(inbox.client.get("/channels").expect(200).json, before);
}

fn mistakes_are_named_and_change_nothing(inbox: Inbox) {
    // With one account alone, none need be named.
    inbox.app.account();
    let before = inbox.client.get("/channels").expect(200).json;
    let account = inbox.tenant.account.id.as_str();
    let cases: [(&[&str], &str); 9] = [
        (&["channel", "connect", "--account", account, "--channel", "sms", "--sandbox"], "sms"),
        (&["channel", "connect", "--account", account, "--sandbox"], "--channel"),
        (&["channel", "connect", "--channel", "whatsapp", "--sandbox"], "--account"),
        (&["channel", "connect", "--account", NOTHING, "--channel", "whatsapp", "--sandbox"], NOTHING),
        (&["channel", "list", "--account", NOTHING], NOTHING),
        (&["channel", "disconnect", NOTHING], NOTHING),
        (&["channel", "reconnect", NOTHING], NOTHING),
        (&["channel", "sync", NOTHING], NOTHING),
        (&["channel", "disconnect", "x"], "x"),
    ];
    for (args, named) in cases {
        let said = inbox.app.run(args).expect_failure();
        assert!(said.contains(named), "{args:?} said {said}");
    }
    assert_eq!(inbox.client.get("/channels").expect(200).json, before);
}

fn a_channel_of_the_vendors_is_connected_without_being_reached(inbox: Inbox) {
    let options = [
        "--phone-number-id",
        "1",
        "--waba-id",
        "2",
        "--access-token",
        "x",
        "--app-secret",
        "y",
        "--verify-token",
        "z",
        "--graph-url",
        "http://127.0.0.1:1",
        "--no-check",
    ];
    let made = inbox.app.cli(&connect(&inbox, "whatsapp", &options));
    has_fields(&made, "connection_id webhook_url warning");
    assert!(text(&made["warning"]).contains("channel sync"), "{made}");
    assert_eq!(inbox.channel(text(&made["connection_id"]))["status"], "connected");
}

fn a_channel_connected_before_the_server_starts_works_after_it(engine: Engine) {
    let app = start(engine).unstarted();
    app.cli(&["init", "--account", "Acme"]);
    let tenant = app.tenant();
    let made = app.cli(&[
        "channel",
        "connect",
        "--account",
        &tenant.account.id,
        "--channel",
        "whatsapp",
        "--sandbox",
    ]);
    // Nobody answers for the stand-ins yet.
    has_fields(&made, "connection_id webhook_url warning");
    app.restart();
    let id = text(&made["connection_id"]);
    assert_eq!(app.cli(&["channel", "sync", id])["templates"], 9);
    tenant.client.post("/messages", hello_to(ANN_PHONE)).expect(201);
}
