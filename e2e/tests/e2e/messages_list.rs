//! The messages of a conversation, and each of its filters.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, BOB, Inbox, MESSAGE, id, reply};
use crate::people::walk;
use crate::shapes::has_fields;

on_every_engine! {
    messages_are_listed_by_direction_type_and_status,
    a_filter_that_means_nothing_is_refused,
    a_message_that_came_in_reads_back,
}

fn messages_are_listed_by_direction_type_and_status(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "one");
    inbox.hears(BOB, "elsewhere");
    let two = inbox.sends(reply(id(&conversation), "two"));
    inbox.becomes(&two, "delivered");
    inbox.faults(json!([{ "on": "send", "kind": "error", "code": 131_026, "times": 1 }]));
    let three = inbox.sends(reply(id(&conversation), "three"));
    inbox.becomes(&three, "failed");
    let image = json!({ "kind": "image", "url": "https://files.example/a.png", "caption": "four" });
    let four = inbox
        .sends(json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": image }));
    inbox.becomes(&four, "delivered");
    let hello = json!({ "name": "promo_code", "body_params": ["five"], "button_params": { "0": "X" } });
    let five = inbox.sends(
        json!({ "type": "template", "to": { "conversation_id": id(&conversation) }, "template": hello }),
    );
    inbox.becomes(&five, "delivered");
    inbox.says(
        &inbox.whatsapp,
        ANN,
        json!({ "location": { "latitude": 52.5, "longitude": 13.4, "name": "six" } }),
    );
    let path = format!("/conversations/{}/messages", id(&conversation));
    let whole = walk(&inbox.client, &path);
    assert_eq!(whole.len(), 6);
    for (query, wanted) in [
        ("direction=inbound", &[0, 5][..]),
        ("direction=outbound", &[1, 2, 3, 4]),
        ("type=text", &[0, 1, 2]),
        ("type=image", &[3]),
        ("type=template", &[4]),
        ("type=location", &[5]),
        ("type=video", &[]),
        ("status=failed", &[2]),
        ("status=sending", &[]),
        ("status=delivered&direction=outbound", &[1, 3, 4]),
        ("direction=outbound&type=text&status=failed", &[2]),
    ] {
        let wanted: Vec<&Value> = wanted.iter().rev().map(|at| &whole[5 - at]).collect();
        assert_eq!(
            walk(&inbox.client, &format!("{path}?{query}")).iter().collect::<Vec<_>>(),
            wanted,
            "{query}"
        );
    }
}

fn a_filter_that_means_nothing_is_refused(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    for query in ["direction=up", "type=smell", "status=lost", "status=SENT", "direction=inbound,outbound"] {
        let path = format!("/conversations/{}/messages?{query}", id(&conversation));
        inbox.client.get(&path).expect(400).error("bad_request");
    }
    inbox.client.get("/conversations/x/messages").expect(404).error("not_found");
    inbox.client.get("/messages/x").expect(404).error("not_found");
}

fn a_message_that_came_in_reads_back(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Is it still available?");
    let message = walk(&inbox.client, &format!("/conversations/{}/messages", id(&conversation))).remove(0);
    has_fields(&message, MESSAGE);
    for (field, value) in [
        ("direction", json!("inbound")),
        ("sender_type", json!("customer")),
        ("type", json!("text")),
        ("text", json!("Is it still available?")),
        ("media_url", Value::Null),
        ("template_name", Value::Null),
        ("conversation_id", conversation["id"].clone()),
    ] {
        assert_eq!(message[field], value, "{field}");
    }
    assert_eq!(inbox.message(&message["id"]), message);
    assert_eq!(inbox.events("message.received"), [json!({ "message": message })]);
}
