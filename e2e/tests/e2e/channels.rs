//! GET /channels: the account's connections.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{Inbox, reachable};
use crate::people::walk;
use crate::shapes::{has_fields, is_id, is_moment, text};

on_every_engine! {
    a_channel_has_exactly_its_fields,
    every_connection_of_the_account_is_listed_the_newest_first,
    a_disconnected_channel_is_listed_as_such,
    every_change_of_a_connection_is_an_event,
    a_send_over_a_disconnected_channel_names_the_command_that_connects_it_again,
    secrets_are_shown_nowhere,
}

fn a_channel_has_exactly_its_fields(inbox: Inbox) {
    let list = inbox.client.get("/channels").expect(200);
    assert_eq!(list.json["meta"], json!({ "next_cursor": null, "has_more": false, "limit": 1 }));
    let channel = &list.data()[0];
    has_fields(channel, "id channel name address status disconnected_reason created_at");
    is_id(&channel["id"]);
    is_moment(&channel["created_at"]);
    assert_eq!(channel["id"], inbox.whatsapp.as_str());
    assert_eq!((&channel["channel"], &channel["status"]), (&json!("whatsapp"), &json!("connected")));
    assert_eq!(channel["disconnected_reason"], Value::Null);
    assert!(text(&channel["address"]).starts_with('+') && !text(&channel["name"]).is_empty(), "{channel}");
    // Any good key may look.
    inbox.app.client(&inbox.app.key(&inbox.tenant.account, "ai:usage")).get("/channels").expect(200);
}

fn every_connection_of_the_account_is_listed_the_newest_first(inbox: Inbox) {
    let theirs = reachable(&inbox.app);
    let mut made = vec![inbox.whatsapp.clone()];
    for channel in ["messenger", "instagram", "personal_whatsapp", "web_chat", "whatsapp"] {
        made.push(inbox.connect(channel));
    }
    made.reverse();
    let list = inbox.client.get("/channels").expect(200);
    let rows = list.data().as_array().unwrap();
    assert_eq!(rows.iter().map(|row| text(&row["id"])).collect::<Vec<_>>(), made);
    let kinds: Vec<&str> = rows.iter().map(|row| text(&row["channel"])).collect();
    assert_eq!(kinds, ["whatsapp", "web_chat", "personal_whatsapp", "instagram", "messenger", "whatsapp"]);
    assert_eq!(theirs.client.get("/channels").expect(200).data().as_array().unwrap().len(), 1);
    assert_eq!(inbox.app.tenant().client.get("/channels").expect(200).data(), &json!([]));
}

fn a_disconnected_channel_is_listed_as_such(inbox: Inbox) {
    let before = inbox.channel(&inbox.whatsapp);
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    let gone = inbox.channel(&inbox.whatsapp);
    assert_eq!(gone["status"], "disconnected");
    assert!(!text(&gone["disconnected_reason"]).is_empty());
    inbox.app.cli(&["channel", "reconnect", &inbox.whatsapp]);
    assert_eq!(inbox.channel(&inbox.whatsapp), before);
}

fn every_change_of_a_connection_is_an_event(inbox: Inbox) {
    let events = || -> Vec<Value> {
        let mut found = walk(&inbox.client, "/events");
        found.retain(|event| text(&event["event_type"]).starts_with("channel."));
        found.reverse();
        found.into_iter().map(|event| json!([event["event_type"], event["data"]])).collect()
    };
    let connected = inbox.channel(&inbox.whatsapp);
    assert_eq!(events(), [json!(["channel.connected", { "channel": connected }])]);
    // The second of each changes nothing.
    for _ in 0..2 {
        inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    }
    let gone = inbox.channel(&inbox.whatsapp);
    for _ in 0..2 {
        inbox.app.cli(&["channel", "reconnect", &inbox.whatsapp]);
    }
    let told = events();
    assert_eq!(told.len(), 3, "{told:?}");
    let reason = &gone["disconnected_reason"];
    assert_eq!(told[1], json!(["channel.disconnected", { "channel": gone, "reason": reason }]));
    assert_eq!(told[2], json!(["channel.connected", { "channel": connected }]));
}

fn a_send_over_a_disconnected_channel_names_the_command_that_connects_it_again(inbox: Inbox) {
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    let command = format!("frontdesk channel reconnect {}", inbox.whatsapp);
    for to in [
        json!({ "phone": "+14155550123" }),
        json!({ "phone": "+14155550123", "connection_id": inbox.whatsapp }),
    ] {
        let template = json!({ "type": "template", "to": to, "template": { "name": "hello_world" } });
        let refused = inbox.client.post("/messages", template).expect(422);
        let error = refused.error("channel_not_connected");
        assert!(text(&error["message"]).contains(&command), "{error}");
    }
    let none = inbox.app.tenant();
    let template = json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": { "name": "hello_world" } });
    let refused = none.client.post("/messages", template).expect(422);
    let error = refused.error("channel_not_connected");
    assert!(text(&error["message"]).contains("frontdesk channel connect"), "{error}");
}

fn secrets_are_shown_nowhere(inbox: Inbox) {
    let secrets = ["SECRETTOKEN123", "SECRETAPP456", "SECRETVERIFY789"];
    let account = inbox.tenant.account.id.as_str();
    let made = inbox.app.cli(&[
        "channel",
        "connect",
        "--account",
        account,
        "--channel",
        "messenger",
        "--page-id",
        "100200300",
        "--access-token",
        secrets[0],
        "--app-secret",
        secrets[1],
        "--verify-token",
        secrets[2],
        "--no-check",
    ]);
    let seen = [
        made.to_string(),
        inbox.client.get("/channels").expect(200).text,
        inbox.app.cli(&["channel", "list", "--account", account]).to_string(),
        inbox.app.run(&["channel", "list", "--account", account]).expect_success().out,
        inbox.app.logs(),
    ];
    for secret in secrets {
        assert!(seen.iter().all(|text| !text.contains(secret)), "{seen:?}");
    }
}
