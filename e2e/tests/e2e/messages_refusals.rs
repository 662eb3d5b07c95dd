//! What POST /messages refuses, with what is wrong and where, and that a refusal leaves nothing behind.

use frontdesk_e2e::{Response, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, ANN_PHONE, BOB_PHONE, Inbox, connect, hello_to, id, reachable, reply};
use crate::people::walk;
use crate::shapes::{NOTHING, has_fields, text};
use crate::webhooks_scene::{HOUR, moment};

on_every_engine! {
    all_problems_of_a_message_are_reported_at_once,
    another_accounts_rows_are_not_found,
    a_personal_number_must_be_named,
    a_connection_of_another_channel_is_refused,
    without_a_channel_nothing_is_sent,
    a_channel_that_was_disconnected_sends_nothing_until_it_is_back,
    free_text_needs_a_customer_who_wrote,
    the_window_closes_a_day_after_the_last_message_and_opens_with_the_next,
    the_window_counts_from_the_channels_own_time,
    a_refused_message_leaves_no_rows,
    a_text_is_as_long_as_its_channel_allows,
}

fn all_problems_of_a_message_are_reported_at_once(inbox: Inbox) {
    let phone = json!({ "phone": ANN_PHONE });
    let cases: [(Value, &[&str]); 24] = [
        (json!([]), &[""]),
        (json!({}), &["type"]),
        (json!({ "type": "sms", "to": phone }), &["type"]),
        (json!({ "type": null, "to": phone }), &["type"]),
        (json!({ "type": "text" }), &["to", "text"]),
        (json!({ "type": "text", "to": {}, "text": " " }), &["to", "text"]),
        (json!({ "type": "text", "to": "me", "text": 7 }), &["to", "text"]),
        (
            json!({ "type": "text", "to": { "conversation_id": NOTHING, "phone": ANN_PHONE }, "text": "x" }),
            &["to"],
        ),
        (
            json!({ "type": "text", "to": { "conversation_id": "x" }, "text": "x".repeat(4097) }),
            &["to.conversation_id", "text"],
        ),
        (
            json!({ "type": "text", "to": { "phone": "x", "channel": "sms", "connection_id": "y" }, "text": "x" }),
            &["to.phone", "to.channel", "to.connection_id"],
        ),
        (
            json!({ "type": "text", "to": { "phone": "x", "channel": "personal_whatsapp" }, "text": "" }),
            &["to.phone", "to.connection_id", "text"],
        ),
        (
            json!({ "type": "text", "to": { "phone": ANN_PHONE, "channel": "messenger" }, "text": "x" }),
            &["to.channel"],
        ),
        (json!({ "type": "media", "to": phone }), &["media"]),
        (json!({ "type": "media", "to": phone, "media": {} }), &["media.kind", "media.url"]),
        (
            json!({ "type": "media", "to": {}, "media": { "kind": "gif", "url": "ftp://a.example/b", "caption": "x".repeat(1025), "filename": "x".repeat(241) } }),
            &["to", "media.kind", "media.url", "media.caption", "media.filename"],
        ),
        (
            json!({ "type": "media", "to": phone, "media": { "kind": "image", "url": "/a.png" } }),
            &["media.url"],
        ),
        (json!({ "type": "media", "to": phone, "media": { "kind": "image", "url": "" } }), &["media.url"]),
        (
            json!({ "type": "media", "to": phone, "media": { "kind": "image", "url": "https://" } }),
            &["media.url"],
        ),
        (json!({ "type": "template", "to": phone }), &["template"]),
        (json!({ "type": "template", "to": phone, "template": {} }), &["template.name"]),
        (
            json!({ "type": "template", "to": phone, "template": { "name": "", "body_params": ["x", 7, null], "header_media_url": "x" } }),
            &[
                "template.name",
                "template.body_params.1",
                "template.body_params.2",
                "template.header_media_url",
            ],
        ),
        (
            json!({ "type": "template", "to": {}, "template": { "name": "x", "body_params": "x", "button_params": ["x"] } }),
            &["to", "template.body_params", "template.button_params"],
        ),
        (
            json!({ "type": "template", "to": phone, "template": { "button_params": { "first": "x", "1": 7 } } }),
            &["template.name", "template.button_params.first", "template.button_params.1"],
        ),
        (
            json!({ "type": "template", "to": phone, "template": { "name": "x", "language": 7 } }),
            &["template.language"],
        ),
    ];
    for (body, paths) in cases {
        let response = inbox.send(body).expect(400);
        response.error("validation_error");
        response.details_at(paths);
    }
    inbox.client.post_text("/messages", "{").expect(400).error("bad_request");
    assert_eq!(inbox.told(), [""; 0]);
}

fn another_accounts_rows_are_not_found(inbox: Inbox) {
    let theirs = reachable(&inbox.app);
    let their_number = connect(&inbox.app, &theirs.account, "whatsapp");
    let said = theirs.client.post("/messages", hello_to(ANN_PHONE)).expect(201);
    let their_conversation = text(&said.data()["conversation_id"]).to_owned();
    for to in [
        json!({ "conversation_id": their_conversation }),
        json!({ "conversation_id": NOTHING }),
        json!({ "phone": ANN_PHONE, "connection_id": their_number }),
        json!({ "phone": ANN_PHONE, "connection_id": NOTHING }),
        json!({ "phone": ANN_PHONE, "channel": "personal_whatsapp", "connection_id": NOTHING }),
    ] {
        inbox
            .send(json!({ "type": "template", "to": to, "template": { "name": "hello_world" } }))
            .expect(404)
            .error("not_found");
        inbox.send(json!({ "type": "text", "to": to, "text": "Hi!" })).expect(404).error("not_found");
    }
    inbox.client.get(&format!("/messages/{}", said.id())).expect(404).error("not_found");
    inbox.client.get(&format!("/conversations/{their_conversation}/messages")).expect(404).error("not_found");
    inbox.client.get(&format!("/conversations/{NOTHING}/messages")).expect(404).error("not_found");
    assert_eq!(inbox.told(), [""; 0]);
    assert_eq!(walk(&theirs.client, &format!("/conversations/{their_conversation}/messages")).len(), 1);
}

fn a_personal_number_must_be_named(inbox: Inbox) {
    inbox.connect("personal_whatsapp");
    for connection in [json!(null), json!("")] {
        let to = json!({ "phone": ANN_PHONE, "channel": "personal_whatsapp", "connection_id": connection });
        let response = inbox.send(json!({ "type": "text", "to": to, "text": "Hi!" })).expect(400);
        response.error("validation_error");
        response.details_at(&["to.connection_id"]);
    }
}

fn a_connection_of_another_channel_is_refused(inbox: Inbox) {
    let (page, device) = (inbox.connect("messenger"), inbox.connect("personal_whatsapp"));
    for (channel, connection) in [
        ("whatsapp", &page),
        ("whatsapp", &device),
        ("personal_whatsapp", &inbox.whatsapp),
        ("personal_whatsapp", &page),
    ] {
        let to = json!({ "phone": ANN_PHONE, "channel": channel, "connection_id": connection });
        let response = inbox.send(json!({ "type": "text", "to": to, "text": "Hi!" })).expect(400);
        response.error("validation_error");
        response.details_at(&["to.connection_id"]);
    }
    assert_eq!(walk(&inbox.client, "/contacts").len(), 0);
}

#[track_caller]
fn not_connected(response: Response) {
    let response = response.expect(422);
    has_fields(response.error("channel_not_connected"), "code message request_id");
}

fn without_a_channel_nothing_is_sent(inbox: Inbox) {
    let client = inbox.app.tenant().client;
    not_connected(client.post("/messages", hello_to(ANN_PHONE)));
    not_connected(
        client.post("/messages", json!({ "type": "text", "to": { "phone": ANN_PHONE }, "text": "Hi!" })),
    );
    assert_eq!(walk(&client, "/events").len() + walk(&client, "/contacts").len(), 0);
}

fn a_channel_that_was_disconnected_sends_nothing_until_it_is_back(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let ways = [
        reply(id(&conversation), "Hello."),
        hello_to(ANN_PHONE),
        hello_to(BOB_PHONE),
        json!({ "type": "text", "to": { "phone": ANN_PHONE, "connection_id": inbox.whatsapp }, "text": "Hello." }),
        json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": { "kind": "image", "url": "https://a.example/b.png" } }),
    ];
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    let told = inbox.told();
    for body in &ways {
        not_connected(inbox.send(body.clone()));
    }
    assert_eq!((inbox.told(), walk(&inbox.client, "/contacts").len()), (told, 1));
    inbox.app.cli(&["channel", "reconnect", &inbox.whatsapp]);
    for body in ways {
        inbox.sends(body);
    }
    inbox.sent_soon(&inbox.whatsapp, 5);
}

#[track_caller]
fn outside_window(response: Response) {
    let response = response.expect(422);
    let error = response.error("unprocessable");
    has_fields(error, "code message request_id reason");
    assert_eq!(error["reason"], "outside_window");
}

fn free_text_needs_a_customer_who_wrote(inbox: Inbox) {
    let (text_to, media) =
        (json!({ "phone": ANN_PHONE }), json!({ "kind": "image", "url": "https://a.example/b.png" }));
    outside_window(inbox.send(json!({ "type": "text", "to": text_to, "text": "Hi!" })));
    outside_window(inbox.send(json!({ "type": "media", "to": text_to, "media": media })));
    assert_eq!((walk(&inbox.client, "/contacts").len(), inbox.told()), (0, Vec::new()));
    let conversation = inbox.sends(hello_to(ANN_PHONE))["conversation_id"].clone();
    outside_window(inbox.send(json!({ "type": "text", "to": text_to, "text": "Hi!" })));
    outside_window(inbox.send(reply(text(&conversation), "Hi!")));
    outside_window(
        inbox.send(json!({ "type": "media", "to": { "conversation_id": conversation }, "media": media })),
    );
    // Each connection has its own window.
    let second = inbox.connect("whatsapp");
    inbox.hears_on(&second, ANN, "Hi!");
    outside_window(inbox.send(reply(text(&conversation), "Hi!")));
    inbox.hears(ANN, "Hi!");
    inbox.sends(reply(text(&conversation), "Hi!"));
}

fn the_window_closes_a_day_after_the_last_message_and_opens_with_the_next(inbox: Inbox) {
    for (channel, connection) in [
        ("whatsapp", inbox.whatsapp.clone()),
        ("messenger", inbox.connect("messenger")),
        ("instagram", inbox.connect("instagram")),
    ] {
        let conversation = inbox.hears_on(&connection, ANN, "Hi!");
        inbox.advance(24 * HOUR - 60);
        let message = inbox.sends(reply(id(&conversation), "Just in time."));
        inbox.becomes(&message, "delivered");
        inbox.advance(61);
        outside_window(inbox.send(reply(id(&conversation), "Too late.")));
        assert_eq!(
            inbox.conversation(id(&conversation))["window_expires_at"],
            conversation["window_expires_at"],
            "{channel}"
        );
        // What we say does not open it; what they say does, for a day from then.
        let renewed = inbox.hears_on(&connection, ANN, "Are you there?");
        assert!(
            moment(&renewed["window_expires_at"])
                >= moment(&conversation["window_expires_at"]) + 24 * 3_600_000,
            "{channel}"
        );
        inbox.advance(23 * HOUR);
        inbox.sends(reply(id(&conversation), "Yes."));
    }
}

fn the_window_counts_from_the_channels_own_time(inbox: Inbox) {
    let now = inbox.advance(0) / 1000;
    let said = |at: i64| {
        inbox.says(&inbox.whatsapp, ANN, json!({ "text": "Hi!", "timestamp": at }));
        walk(&inbox.client, "/conversations").remove(0)
    };
    let expires = |conversation: &Value| moment(&conversation["window_expires_at"]) / 1000;
    let conversation = said(now - 10 * 3600);
    assert_eq!(expires(&conversation), now + 14 * 3600);
    // One that was late does not shorten it, and one from the future does not lengthen it.
    assert_eq!(expires(&said(now - 20 * 3600)), now + 14 * 3600);
    let ahead = expires(&said(now + 7 * 24 * 3600));
    assert!((now + 24 * 3600..now + 24 * 3600 + 60).contains(&ahead), "{ahead} from {now}");
    let stale =
        inbox.says(&inbox.whatsapp, "14155550155", json!({ "text": "Hi!", "timestamp": now - 25 * 3600 }));
    assert_eq!(stale["status"], 200);
    outside_window(
        inbox.send(json!({ "type": "text", "to": { "phone": "+14155550155" }, "text": "Hello." })),
    );
}

fn a_refused_message_leaves_no_rows(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.advance(25 * HOUR);
    let before = (inbox.told(), inbox.conversation(id(&conversation)));
    for body in [
        reply(id(&conversation), "Too late."),
        json!({ "type": "text", "to": { "phone": ANN_PHONE }, "text": "Too late." }),
        json!({ "type": "text", "to": { "phone": BOB_PHONE }, "text": "Nobody wrote." }),
        json!({ "type": "template", "to": { "phone": BOB_PHONE }, "template": { "name": "no_such_template" } }),
        json!({ "type": "template", "to": { "phone": BOB_PHONE }, "template": { "name": "pending_review", "body_params": ["x"] } }),
        json!({ "type": "template", "to": { "phone": BOB_PHONE }, "template": { "name": "appointment_reminder" } }),
    ] {
        inbox.send(body.clone()).expect(422);
        inbox
            .client
            .with("idempotency-key", body.to_string().len().to_string())
            .post("/messages", body)
            .expect(422);
    }
    inbox.settle();
    assert_eq!((inbox.told(), inbox.conversation(id(&conversation))), before);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 1);
    assert_eq!(walk(&inbox.client, "/conversations").len(), 1);
    assert_eq!(walk(&inbox.client, &format!("/conversations/{}/messages", id(&conversation))).len(), 1);
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
}

fn a_text_is_as_long_as_its_channel_allows(inbox: Inbox) {
    for (channel, letter, most) in
        [("whatsapp", "x", 4096), ("messenger", "x", 2000), ("instagram", "x", 1000), ("instagram", "é", 500)]
    {
        let connection = if channel == "whatsapp" { inbox.whatsapp.clone() } else { inbox.connect(channel) };
        let conversation = inbox.hears_on(&connection, ANN, "Tell me everything.");
        let longest = inbox.sends(reply(id(&conversation), &letter.repeat(most)));
        let response = inbox.send(reply(id(&conversation), &letter.repeat(most + 1))).expect(400);
        response.error("validation_error");
        response.details_at(&["text"]);
        inbox.becomes(&longest, "delivered");
        assert_eq!(inbox.sent_soon(&connection, 1)[0]["text"], letter.repeat(most), "{channel}");
        if channel == "instagram" {
            // A caption goes as a text there.
            let media = json!({ "kind": "image", "url": "https://a.example/b.png", "caption": letter.repeat(most + 1) });
            let to = json!({ "conversation_id": id(&conversation) });
            inbox
                .send(json!({ "type": "media", "to": to, "media": media }))
                .expect(400)
                .details_at(&["media.caption"]);
        }
    }
}
