//! Every kind of message that a WhatsApp customer can send, and what is kept of it.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, Inbox, about, fresh, messages};
use crate::shapes::{has_fields, is_id, is_moment, text};

on_every_engine! {
    every_type_is_kept_as_the_table_says,
    a_message_has_exactly_its_fields_and_its_event_shows_the_same,
    a_reaction_is_no_message,
    a_reply_names_what_it_quotes,
    an_item_that_cannot_be_stored_does_not_affect_the_others,
    a_message_to_a_group_is_ignored,
    a_very_long_text_is_cut_and_a_strange_one_kept,
}

/// A type, what comes under its name, and the type, text and media that are kept.
fn table() -> Vec<(&'static str, Value, &'static str, Option<&'static str>, bool)> {
    let media = |caption: Option<&str>| json!({ "id": "55501", "mime_type": "image/png", "sha256": "x", "caption": caption });
    let card = |name: &str, phones: &[&str]| {
        let phones: Vec<Value> = phones.iter().map(|phone| json!({ "phone": phone })).collect();
        json!({ "name": { "formatted_name": name }, "phones": phones })
    };
    vec![
        ("text", json!({ "body": "  Héllo 👋\nthere " }), "text", Some("  Héllo 👋\nthere "), false),
        ("image", media(Some("Look")), "image", Some("Look"), true),
        ("image", media(None), "image", None, true),
        ("video", media(Some("Play")), "video", Some("Play"), true),
        ("audio", json!({ "id": "55502", "mime_type": "audio/ogg", "voice": true }), "audio", None, true),
        (
            "document",
            json!({ "id": "55503", "mime_type": "application/pdf", "filename": "a.pdf", "caption": "Read" }),
            "document",
            Some("Read"),
            true,
        ),
        ("sticker", json!({ "id": "55504", "mime_type": "image/webp" }), "image", None, true),
        (
            "location",
            json!({ "latitude": 52.5, "longitude": 13.4, "name": "Café", "address": "Street 1" }),
            "location",
            Some("Café, Street 1 (52.5, 13.4)"),
            false,
        ),
        ("location", json!({ "latitude": -1.5, "longitude": 0 }), "location", Some("-1.5, 0"), false),
        (
            "contacts",
            json!([card("Ann Lee", &["+1 650 555 1234", "+49 30 1"]), card("Bo", &[])]),
            "text",
            Some("Ann Lee, +1 650 555 1234, +49 30 1\nBo"),
            false,
        ),
        (
            "interactive",
            json!({ "type": "button_reply", "button_reply": { "id": "yes-1", "title": "Yes" } }),
            "interactive",
            Some("Yes"),
            false,
        ),
        (
            "interactive",
            json!({ "type": "list_reply", "list_reply": { "id": "9", "title": "Nine", "description": "o'clock" } }),
            "interactive",
            Some("Nine"),
            false,
        ),
        (
            "button",
            json!({ "payload": "p", "text": "Stop promotions" }),
            "interactive",
            Some("Stop promotions"),
            false,
        ),
        (
            "order",
            json!({ "catalog_id": "1", "text": "Two of these" }),
            "text",
            Some("[order] Two of these"),
            false,
        ),
        ("unsupported", json!({}), "text", Some("[unsupported message]"), false),
        ("hologram", json!({ "depth": 3 }), "text", Some("[unsupported message]"), false),
        (
            "system",
            json!({ "body": "Ann changed", "type": "customer_identity_changed" }),
            "text",
            Some("Ann changed"),
            false,
        ),
    ]
}

fn every_type_is_kept_as_the_table_says(inbox: Inbox) {
    let connection = inbox.whatsapp();
    for (kind, part, ..) in table() {
        let said = inbox.message(ANN, &fresh(kind), kind, part);
        inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    }
    let kept = inbox.all();
    assert_eq!(kept.len(), table().len());
    for (message, (kind, part, stored, words, has_media)) in kept.iter().zip(table()) {
        assert_eq!(message["type"], stored, "{kind} {part}");
        assert_eq!(message["text"], json!(words), "{kind} {part}");
        assert_eq!(message["media_url"].is_string(), has_media, "{kind} {part}");
        assert_eq!(
            (text(&message["direction"]), text(&message["sender_type"]), text(&message["status"])),
            ("inbound", "customer", "delivered")
        );
    }
    assert_eq!(inbox.only_conversation()["unread_count"], table().len());
}

fn a_message_has_exactly_its_fields_and_its_event_shows_the_same(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let said = inbox.message(ANN, "wamid.one", "text", json!({ "body": "Hello" }));
    inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    let message = inbox.last();
    has_fields(
        &message,
        "id conversation_id direction sender_type type text media_url template_name status channel_message_id
         reply_to_message_id created_at",
    );
    is_id(&message["id"]);
    is_moment(&message["created_at"]);
    assert_eq!(message["channel_message_id"], "wamid.one");
    let conversation = inbox.only_conversation();
    assert_eq!(message["conversation_id"], conversation["id"]);
    assert_eq!(inbox.events("message.received"), [json!({ "message": message })]);
    assert_eq!(inbox.events("conversation.created").len(), 1);
    assert_eq!(inbox.events("contact.created").len(), 1);
    assert_eq!(
        (
            &conversation["status"],
            &conversation["handler"],
            &conversation["last_message_text"],
            &conversation["channel"]
        ),
        (&json!("open"), &json!("human"), &json!("Hello"), &json!("whatsapp"))
    );
}

fn a_reaction_is_no_message(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    let (_, ours) = inbox.sent(&conversation, "How are you?");
    let before = (inbox.all().len(), inbox.only_conversation()["unread_count"].clone());
    for (message_id, emoji) in [
        (ours.as_str(), json!("👍")),
        (&ours, json!("❤️")),
        (&ours, Value::Null),
        ("wamid.unknown", json!("👍")),
    ] {
        let part = json!({ "message_id": message_id, "emoji": emoji });
        let said = inbox.message(ANN, &fresh("reaction"), "reaction", part);
        inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    }
    assert_eq!((inbox.all().len(), inbox.only_conversation()["unread_count"].clone()), before);
    assert_eq!(inbox.events("message.received").len(), 1);
}

fn a_reply_names_what_it_quotes(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    let first = inbox.last();
    let (ours, named) = inbox.sent(&conversation, "Which one?");
    for (quoted, wanted) in [
        (text(&first["channel_message_id"]), first["id"].clone()),
        (&named, json!(ours)),
        ("wamid.nobody-knows", Value::Null),
    ] {
        let mut said = inbox.message(ANN, &fresh("reply"), "text", json!({ "body": "This" }));
        said["context"] = json!({ "from": "15550001111", "id": quoted });
        inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
        assert_eq!(inbox.last()["reply_to_message_id"], wanted, "{quoted}");
    }
}

fn an_item_that_cannot_be_stored_does_not_affect_the_others(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let hello = |id: &str| inbox.message(ANN, id, "text", json!({ "body": id }));
    let mut timeless = hello("wamid.timeless");
    timeless["timestamp"] = json!("soon");
    let mut nobodys = hello("wamid.nobodys");
    nobodys["from"] = Value::Null;
    let odd = [json!(7), timeless, nobodys, json!({ "type": "text" }), json!({ "from": { "id": 1 } })];
    let all = [&[hello("wamid.1")][..], &odd, &[hello("wamid.2")]].concat();
    inbox.tell(&connection, &messages(&connection, &all)).expect(200);
    let kept: Vec<Value> = inbox.all().into_iter().map(|message| message["text"].clone()).collect();
    assert_eq!(kept, ["wamid.1", "wamid.2"]);
}

fn a_message_to_a_group_is_ignored(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let mut said = inbox.message(ANN, "wamid.group", "text", json!({ "body": "Hi all" }));
    said["group_id"] = json!("120363");
    inbox.tell(&connection, &about(&connection, json!({ "messages": [said] }))).expect(200);
    assert!(inbox.conversations("").is_empty());
}

fn a_very_long_text_is_cut_and_a_strange_one_kept(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let long = "é".repeat(70_000);
    for body in [&long, "nul \0 inside", "\u{202e}backwards"] {
        let said = inbox.message(ANN, &fresh("odd"), "text", json!({ "body": body }));
        inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    }
    let kept = inbox.all();
    assert_eq!(text(&kept[0]["text"]).chars().count(), 65_536);
    assert_eq!((&kept[1]["text"], &kept[2]["text"]), (&json!("nul  inside"), &json!("\u{202e}backwards")));
}
