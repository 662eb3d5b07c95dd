//! Text that no database stores: a webhook with it is taken, whatever field it is in.

use frontdesk_e2e::{on_every_engine, signed_by_meta};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, Inbox, TestConnection, about, events, fresh, webhook};
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    unusual_text_in_any_webhook_field_is_accepted,
    the_storable_rest_of_odd_text_is_stored,
}

/// What stands for the escapes until the webhook is written, and the escapes: a NUL and half of a surrogate pair.
const MARK: &str = "\u{E000}";
const ESCAPES: &str = "\\u0000\\ud800";

/// Sends a webhook whose marks have become escapes.
#[track_caller]
fn tell(inbox: &Inbox, connection: &TestConnection, body: &Value) {
    let body = body.to_string().replace(MARK, ESCAPES);
    let signature = signed_by_meta(&connection.known.app_secret, body.as_bytes());
    let caller = inbox.app.anonymous().vendors().with("x-hub-signature-256", signature);
    let response = caller.post_text(&connection.path, &body);
    assert_eq!(response.status, 200, "{body}: {}", response.text);
}

/// Marks the string at the given place, counted in the order of the walk. False when there are fewer.
fn mark(value: &mut Value, left: &mut usize) -> bool {
    match value {
        Value::String(text) => {
            if *left == 0 {
                text.insert_str(text.chars().next().map_or(0, char::len_utf8), MARK);
                return true;
            }
            *left -= 1;
            false
        }
        Value::Array(items) => items.iter_mut().any(|item| mark(item, left)),
        Value::Object(fields) => fields.values_mut().any(|field| mark(field, left)),
        _ => false,
    }
}

/// Marks every string but those of which the webhook would be about nothing we know.
fn mark_all(value: &mut Value, kept: &[&str]) {
    match value {
        Value::String(text) => text.push_str(MARK),
        Value::Array(items) => items.iter_mut().for_each(|item| mark_all(item, kept)),
        Value::Object(fields) => {
            for (name, field) in fields {
                if !kept.contains(&name.as_str()) {
                    mark_all(field, kept);
                }
            }
        }
        _ => {}
    }
}

/// A message of every type that WhatsApp sends.
fn said(inbox: &Inbox) -> Vec<Value> {
    let file = json!({ "id": "9", "mime_type": "application/pdf", "sha256": "x", "filename": "a.pdf", "caption": "c", "voice": true });
    let card = json!([{ "name": { "formatted_name": "Eve" }, "phones": [{ "phone": "+16505550199" }] }]);
    let parts = [
        ("text", json!({ "body": "Hello" })),
        ("image", file.clone()),
        ("video", file.clone()),
        ("audio", file.clone()),
        ("document", file.clone()),
        ("sticker", file),
        ("location", json!({ "latitude": 1.5, "longitude": 2.5, "name": "Here", "address": "1 Road" })),
        ("contacts", card),
        ("interactive", json!({ "type": "button_reply", "button_reply": { "id": "b", "title": "Yes" } })),
        (
            "interactive",
            json!({ "type": "list_reply", "list_reply": { "id": "l", "title": "Yes", "description": "d" } }),
        ),
        ("button", json!({ "payload": "p", "text": "Yes" })),
        ("reaction", json!({ "message_id": "wamid.odd", "emoji": "👍" })),
        ("system", json!({ "body": "moved", "wa_id": "16505550177", "type": "user_changed_number" })),
        ("unsupported", json!({ "errors": [{ "code": 131_051, "title": "Unsupported" }] })),
        ("order", json!({ "catalog_id": "c", "text": "Two" })),
    ];
    let message = |(kind, part): (&str, Value)| {
        let mut message = inbox.message(ANN, &fresh("odd"), kind, part);
        message["context"] = json!({ "id": "wamid.odd", "from": ANN });
        message["referral"] = json!({ "source_url": "https://x.example", "headline": "h" });
        message
    };
    parts.into_iter().map(message).collect()
}

/// Every shape of webhook of a WhatsApp number.
fn whatsapp(inbox: &Inbox, connection: &TestConnection) -> Vec<Value> {
    let contact = json!([{ "profile": { "name": "Ann" }, "wa_id": ANN, "user_id": "US.1" }]);
    let mut shapes: Vec<Value> = said(inbox)
        .into_iter()
        .map(|message| about(connection, json!({ "contacts": contact, "messages": [message] })))
        .collect();
    let error = json!({ "code": 131_026, "title": "t", "message": "m", "error_data": { "details": "d" } });
    let report = |status: &str| {
        json!({
            "id": "wamid.odd", "status": status, "timestamp": "1750000000", "recipient_id": ANN,
            "biz_opaque_callback_data": "x", "errors": [error], "pricing": { "category": "service" },
        })
    };
    for status in ["sent", "delivered", "read", "failed", "played"] {
        shapes.push(about(connection, json!({ "statuses": [report(status)] })));
    }
    let template = json!({
        "event": "APPROVED", "message_template_id": "5", "message_template_name": "hello_world",
        "message_template_language": "en_US", "reason": "NONE",
    });
    shapes
        .push(webhook(connection, json!([{ "field": "message_template_status_update", "value": template }])));
    let preference = json!({ "wa_id": ANN, "detail": "d", "category": "marketing", "value": "stop", "timestamp": "1750000000" });
    shapes.push(webhook(connection, json!([{ "field": "user_preferences", "value": {
        "metadata": { "phone_number_id": connection.phone_number_id() }, "contacts": contact, "user_preferences": [preference],
    } }])));
    shapes
}

/// Every shape of event of a page.
fn page(connection: &TestConnection) -> Vec<Value> {
    let of = |part: Value| {
        let mut event = json!({ "sender": { "id": "7001" }, "recipient": { "id": connection.page_id() }, "timestamp": 1_750_000_000_000_i64 });
        event.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        events(connection, &[event])
    };
    let file = |kind: &str| json!({ "message": { "mid": fresh("odd"), "attachments": [{ "type": kind, "payload": { "url": "https://x.example/a", "title": "t" } }] } });
    vec![
        of(
            json!({ "message": { "mid": fresh("odd"), "text": "Hello", "reply_to": { "mid": "m_1" }, "quick_reply": { "payload": "p" } } }),
        ),
        of(json!({ "message": { "mid": fresh("odd"), "text": "Ours", "is_echo": true } })),
        of(file("image")),
        of(file("file")),
        of(file("fallback")),
        of(json!({ "postback": { "mid": fresh("odd"), "title": "Start", "payload": "BEGIN" } })),
        of(json!({ "reaction": { "mid": "m_1", "action": "react", "reaction": "love", "emoji": "❤" } })),
        of(json!({ "delivery": { "mids": ["m_1"], "watermark": 1_750_000_000_000_i64 } })),
        of(json!({ "read": { "mid": "m_1", "watermark": 1_750_000_000_000_i64 } })),
    ]
}

fn unusual_text_in_any_webhook_field_is_accepted(inbox: Inbox) {
    let connections = [inbox.whatsapp(), inbox.page("messenger"), inbox.page("instagram")];
    let (mut sent, mut shapes) = (0, 0);
    for connection in &connections {
        let known = if connection.known.channel == "whatsapp" {
            whatsapp(&inbox, connection)
        } else {
            page(connection)
        };
        for shape in known {
            shapes += 1;
            for at in 0.. {
                let (mut odd, mut left) = (shape.clone(), at);
                if !mark(&mut odd, &mut left) {
                    break;
                }
                tell(&inbox, connection, &odd);
                sent += 1;
            }
            let mut odd = shape.clone();
            mark_all(
                &mut odd,
                &["object", "field", "type", "phone_number_id", "status", "event", "timestamp"],
            );
            tell(&inbox, connection, &odd);
        }
    }
    assert!(shapes == 40 && sent > 300, "{sent} webhooks of {shapes} shapes");
    for message in walk(&inbox.client, "/events?event_type=message.received") {
        assert!(!message.to_string().contains("\\u0000"), "{message}");
    }
}

fn the_storable_rest_of_odd_text_is_stored(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let file = json!({ "id": "9", "mime_type": format!("text/{MARK}plain"), "filename": format!("a{MARK}.txt"), "caption": format!("Look{MARK}!") });
    let id = fresh("odd");
    let said = inbox.message(ANN, &format!("{id}{MARK}"), "document", file);
    let contact = json!([{ "profile": { "name": format!("A{MARK}nn") }, "wa_id": ANN }]);
    let body = about(&connection, json!({ "contacts": contact, "messages": [said] }));
    // The second time it is known by its id.
    for _ in 0..2 {
        tell(&inbox, &connection, &body);
    }
    let message = inbox.last();
    assert_eq!((text(&message["type"]), text(&message["text"])), ("document", "Look\u{FFFD}!"));
    assert_eq!(message["channel_message_id"], format!("{id}\u{FFFD}"));
    let contacts = walk(&inbox.client, "/contacts");
    assert_eq!((contacts.len(), &contacts[0]["name"]), (1, &json!("A\u{FFFD}nn")));
    let emoji = json!({ "message_id": format!("{id}{MARK}"), "emoji": format!("👍{MARK}") });
    tell(
        &inbox,
        &connection,
        &about(&connection, json!({ "messages": [inbox.message(ANN, &fresh("odd"), "reaction", emoji)] })),
    );
}
