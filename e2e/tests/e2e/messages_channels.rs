//! Sending over the other channels: Messenger, Instagram and a personal WhatsApp.

use frontdesk_e2e::{Reply, Sink, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, ANN_PHONE, Inbox, MESSAGE, eventually, id, reply};
use crate::people::walk;
use crate::shapes::{has_fields, text};
use crate::uploads::{sending, upload};
use crate::webhooks_scene::{DAY, PRIVATE_TARGETS};

on_every_engine! {
    a_page_answers_in_the_vendors_form,
    media_on_a_page_has_its_caption_in_a_second_message,
    a_page_reports_deliveries_and_reads,
    a_personal_number_has_no_window,
    a_personal_number_sends_media,
    media_of_a_personal_number_is_fetched_only_from_where_anyone_may,
    a_personal_numbers_message_is_stored_once,
    a_thread_belongs_to_its_connection,
    one_person_on_two_channels_has_two_conversations,
    a_page_cannot_be_asked_to_write_to_a_number,
    a_personal_number_that_was_disconnected_works_again_when_it_is_back,
    a_bridge_that_fails_is_tried_again_and_one_that_refuses_us_is_not,
    a_recording_from_a_personal_number_has_its_caption_in_a_second_message,
    the_caption_of_a_recording_reaches_the_person_on_every_channel,
}

const PERSON: &str = "6543219876543210";

fn a_page_answers_in_the_vendors_form(inbox: Inbox) {
    for channel in ["messenger", "instagram"] {
        let page = inbox.connect(channel);
        let conversation = inbox.hears_on(&page, PERSON, "Hi!");
        assert_eq!(
            (&conversation["channel"], &conversation["connection_id"]),
            (&json!(channel), &json!(page))
        );
        let message = inbox.sends(reply(id(&conversation), "Hello."));
        has_fields(&message, MESSAGE);
        assert_eq!((&message["status"], &message["sender_type"]), (&json!("sending"), &json!("bot")));
        let sent = &inbox.sent_soon(&page, 1)[0];
        let raw = json!({ "recipient": { "id": PERSON }, "messaging_type": "RESPONSE", "message": { "text": "Hello." } });
        assert_eq!(sent["raw"], raw, "{channel}");
        let delivered = inbox.becomes(&message, "delivered");
        assert_eq!(delivered["channel_message_id"], sent["channel_message_id"]);
        let contact =
            inbox.client.get(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
        assert_eq!(contact.data()["phone"], Value::Null);
    }
}

fn media_on_a_page_has_its_caption_in_a_second_message(inbox: Inbox) {
    for channel in ["messenger", "instagram"] {
        let page = inbox.connect(channel);
        let conversation = inbox.hears_on(&page, PERSON, "Show me.");
        let url = "https://files.example/a.png";
        for kind in ["image", "video", "audio", "document"] {
            let media = json!({ "kind": kind, "url": url, "caption": "Look", "filename": "a.png" });
            let message = inbox.sends(
                json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": media }),
            );
            assert_eq!((&message["type"], &message["text"]), (&json!(kind), &json!("Look")));
            inbox.becomes(&message, "delivered");
        }
        let sent = inbox.sent_soon(&page, 8);
        for (pair, kind) in sent.chunks(2).zip(["image", "video", "audio", "file"]) {
            let attachment = json!({ "attachment": { "type": kind, "payload": { "url": url } } });
            assert_eq!(pair[0]["raw"]["message"], attachment, "{channel}");
            assert_eq!(pair[1]["raw"]["message"], json!({ "text": "Look" }), "{channel}");
        }
        // Each is one message all the same, known by what was shown.
        let kept =
            walk(&inbox.client, &format!("/conversations/{}/messages?direction=outbound", id(&conversation)));
        let named: Vec<&Value> = kept.iter().rev().map(|message| &message["channel_message_id"]).collect();
        assert_eq!(named, sent.iter().step_by(2).map(|one| &one["channel_message_id"]).collect::<Vec<_>>());
    }
}

fn a_page_reports_deliveries_and_reads(inbox: Inbox) {
    inbox.report_by_hand();
    for channel in ["messenger", "instagram"] {
        let page = inbox.connect(channel);
        let conversation = inbox.hears_on(&page, PERSON, "Hi!");
        let messages: Vec<Value> =
            ["one", "two"].iter().map(|words| inbox.sends(reply(id(&conversation), words))).collect();
        let last = messages.iter().map(|message| inbox.becomes(message, "sent")).next_back().unwrap();
        inbox.report(text(&last["channel_message_id"]), "delivered");
        inbox.becomes(&last, "delivered");
        inbox.report(text(&last["channel_message_id"]), "read");
        // Whoever has read the last has read them all.
        for message in &messages {
            inbox.becomes(message, "read");
        }
    }
}

fn a_personal_number_has_no_window(inbox: Inbox) {
    let device = inbox.connect("personal_whatsapp");
    let to = json!({ "phone": "+1 415 555 0123", "channel": "personal_whatsapp", "connection_id": device });
    let message = inbox.sends(json!({ "type": "text", "to": to, "text": "Hi, it is me." }));
    let conversation = inbox.conversation(text(&message["conversation_id"]));
    assert_eq!(
        (&conversation["channel"], &conversation["window_expires_at"]),
        (&json!("personal_whatsapp"), &Value::Null)
    );
    let sent = &inbox.sent_soon(&device, 1)[0];
    assert_eq!(
        (&sent["raw"]["chatId"], &sent["raw"]["text"]),
        (&json!(format!("{ANN}@c.us")), &json!("Hi, it is me."))
    );
    inbox.becomes(&message, "delivered");
    // What they answer comes into the same conversation, and does not open a window that would close.
    let heard = inbox.hears_on(&device, ANN, "Who?");
    assert_eq!((&heard["id"], &heard["window_expires_at"]), (&conversation["id"], &Value::Null));
    inbox.advance(3 * DAY);
    let later = inbox.sends(reply(id(&conversation), "Never mind."));
    inbox.becomes(&later, "delivered");
    assert_eq!(inbox.sent(&device).len(), 2);
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
}

/// A server of files, and ours may reach it from now on.
fn files(inbox: &Inbox) -> Sink {
    let sink = Sink::start();
    sink.respond("/a.bin", Reply::status(200).header("content-type", "application/x-a").body("a file"));
    inbox.app.restart_with(&[(PRIVATE_TARGETS, "true")]);
    sink
}

fn a_personal_number_sends_media(inbox: Inbox) {
    let device = inbox.connect("personal_whatsapp");
    let to = json!({ "phone": ANN_PHONE, "channel": "personal_whatsapp", "connection_id": device });
    let sink = files(&inbox);
    for kind in ["image", "video", "document"] {
        let media = json!({ "kind": kind, "url": sink.url("/a.bin"), "caption": "Look" });
        let message = inbox.sends(json!({ "type": "media", "to": to, "media": media }));
        inbox.becomes(&message, "delivered");
    }
    let sent = inbox.sent_soon(&device, 3);
    for (one, kind) in sent.iter().zip(["image", "video", "document"]) {
        assert_eq!((&one["type"], &one["raw"]["caption"]), (&json!(kind), &json!("Look")));
        // The bridge is given the file and never its address, which it would fetch from inside our network.
        let mut file = json!({ "mimetype": "application/x-a", "data": "YSBmaWxl" });
        if kind == "document" {
            file["filename"] = json!("a.bin");
        }
        assert_eq!(one["raw"]["file"], file);
    }
    assert_eq!(sink.count("/a.bin"), 3);
}

fn media_of_a_personal_number_is_fetched_only_from_where_anyone_may(inbox: Inbox) {
    let device = inbox.connect("personal_whatsapp");
    let sink = Sink::start();
    sink.respond("/secret", Reply::status(200).body("a secret"));
    let fails = |url: &str, reason: &str| {
        let to = json!({ "phone": ANN_PHONE, "channel": "personal_whatsapp", "connection_id": device });
        let media = json!({ "kind": "image", "url": url });
        let message = inbox.sends(json!({ "type": "media", "to": to, "media": media }));
        inbox.becomes(&message, "failed");
        let changes = inbox.events("message.status_changed");
        let told = changes.iter().find(|data| data["message"]["id"] == message["id"]).unwrap();
        assert_eq!(told["error"]["reason"], reason, "{told}");
        text(&told["error"]["message"]).to_owned()
    };
    fails(&sink.url("/secret"), "media_unavailable");
    assert_eq!(sink.count("/secret"), 0, "a private address was fetched");
    inbox.app.restart_with(&[(PRIVATE_TARGETS, "true")]);
    sink.respond("/gone", Reply::status(404));
    assert!(fails(&sink.url("/gone"), "media_unavailable").contains("404"));
    sink.respond("/large", Reply::status(200).body(vec![0; (16 << 20) + 1]));
    assert!(fails(&sink.url("/large"), "media_too_large").contains("16 MB"));
    assert!(inbox.sent(&device).is_empty());
    // What fails for a moment is tried once more.
    sink.answer_in_turn("/shy", [Reply::status(503)], Reply::status(200).body("a file"));
    let to = json!({ "phone": ANN_PHONE, "channel": "personal_whatsapp", "connection_id": device });
    let media = json!({ "kind": "image", "url": sink.url("/shy") });
    let message = inbox.sends(json!({ "type": "media", "to": to, "media": media }));
    sink.wait("/shy", 1);
    inbox.advance(5);
    inbox.becomes(&message, "delivered");
    assert_eq!(sink.count("/shy"), 2);
}

fn a_personal_numbers_message_is_stored_once(inbox: Inbox) {
    // The bridge tells of everything that its device sends, also of what we sent ourselves.
    let device = inbox.connect("personal_whatsapp");
    let sink = files(&inbox);
    let conversation = inbox.hears_on(&device, ANN, "Hi!");
    let url = sink.url("/a.bin");
    let mut said = vec![
        reply(id(&conversation), "one"),
        reply(id(&conversation), "one"),
        reply(id(&conversation), "two"),
    ];
    said.push(json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": { "kind": "image", "url": url } }));
    said.push(json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": { "kind": "image", "url": url, "caption": "Look" } }));
    for body in said {
        let message = inbox.sends(body);
        inbox.becomes(&message, "delivered");
    }
    let kept =
        walk(&inbox.client, &format!("/conversations/{}/messages?direction=outbound", id(&conversation)));
    assert_eq!(kept.len(), 5, "{kept:?}");
    assert!(kept.iter().all(|message| message["sender_type"] == "bot"), "{kept:?}");
    assert_eq!(inbox.events("message.sent").len(), 5);
}

fn a_thread_belongs_to_its_connection(inbox: Inbox) {
    let second = inbox.connect("whatsapp");
    let (here, there) = (inbox.hears(ANN, "Hi, first!"), inbox.hears_on(&second, ANN, "Hi, second!"));
    assert_ne!(here["id"], there["id"]);
    assert_eq!(here["contact_id"], there["contact_id"]);
    assert_eq!((&here["connection_id"], &there["connection_id"]), (&json!(inbox.whatsapp), &json!(second)));
    inbox.sends(reply(id(&here), "from the first"));
    inbox.sends(reply(id(&there), "from the second"));
    let to = json!({ "phone": ANN_PHONE, "connection_id": second });
    assert_eq!(
        inbox.sends(json!({ "type": "text", "to": to, "text": "by its id" }))["conversation_id"],
        there["id"]
    );
    // The oldest number that works is meant when none is named.
    let unnamed = json!({ "type": "text", "to": { "phone": ANN_PHONE }, "text": "by none" });
    assert_eq!(inbox.sends(unnamed.clone())["conversation_id"], here["id"]);
    let words = |sent: Vec<Value>| sent.iter().map(|one| text(&one["text"]).to_owned()).collect::<Vec<_>>();
    assert_eq!(words(inbox.sent_soon(&inbox.whatsapp, 2)), ["from the first", "by none"]);
    assert_eq!(words(inbox.sent_soon(&second, 2)), ["from the second", "by its id"]);
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    assert_eq!(inbox.sends(unnamed)["conversation_id"], there["id"]);
    inbox.send(reply(id(&here), "from the first")).expect(422).error("channel_not_connected");
}

fn one_person_on_two_channels_has_two_conversations(inbox: Inbox) {
    let device = inbox.connect("personal_whatsapp");
    let (cloud, personal) = (inbox.hears(ANN, "Hi!"), inbox.hears_on(&device, ANN, "Hi!"));
    assert_eq!(cloud["contact_id"], personal["contact_id"]);
    assert_ne!(cloud["id"], personal["id"]);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 1);
}

fn a_page_cannot_be_asked_to_write_to_a_number(inbox: Inbox) {
    let page = inbox.connect("messenger");
    for channel in ["messenger", "instagram", "web_chat"] {
        let to = json!({ "phone": ANN_PHONE, "channel": channel, "connection_id": page });
        inbox
            .send(json!({ "type": "text", "to": to, "text": "Hi!" }))
            .expect(400)
            .details_at(&["to.channel"]);
    }
}

fn to_ann(device: &str, words: &str) -> Value {
    let to = json!({ "phone": ANN_PHONE, "channel": "personal_whatsapp", "connection_id": device });
    json!({ "type": "text", "to": to, "text": words })
}

fn a_personal_number_that_was_disconnected_works_again_when_it_is_back(inbox: Inbox) {
    let device = inbox.connect("personal_whatsapp");
    inbox.app.cli(&["channel", "disconnect", &device]);
    assert_eq!(inbox.channel(&device)["status"], "disconnected");
    inbox.send(to_ann(&device, "Hi!")).expect(422).error("channel_not_connected");
    let back = inbox.app.cli(&["channel", "reconnect", &device]);
    assert_eq!(back, json!({ "connection_id": device, "status": "connected", "session": "working" }));
    assert_eq!(inbox.channel(&device)["status"], "connected");
    let message = inbox.sends(to_ann(&device, "Hi!"));
    inbox.becomes(&message, "delivered");
    assert_eq!(inbox.channel(&device)["status"], "connected");
    // Its customers are heard again, too.
    assert_eq!(inbox.hears_on(&device, ANN, "Hello!")["id"], message["conversation_id"]);
}

fn a_bridge_that_fails_is_tried_again_and_one_that_refuses_us_is_not(inbox: Inbox) {
    let device = inbox.connect("personal_whatsapp");
    inbox.report_by_hand();
    inbox.faults(
        json!([{ "on": "send", "kind": "error", "status": 500, "times": 2, "connection_id": device }]),
    );
    let message = inbox.sends(to_ann(&device, "one"));
    inbox.settle();
    assert_eq!(inbox.message(&message["id"])["status"], "sending");
    inbox.advance(3);
    inbox.advance(11);
    inbox.becomes(&message, "sent");
    inbox.faults(
        json!([{ "on": "send", "kind": "error", "status": 400, "times": 1, "connection_id": device }]),
    );
    let message = inbox.sends(to_ann(&device, "two"));
    assert_eq!(inbox.failure(&message)["reason"], "bad_request");
    assert_eq!(inbox.channel(&device)["status"], "connected");
    inbox.faults(
        json!([{ "on": "send", "kind": "error", "status": 401, "times": 1, "connection_id": device }]),
    );
    let message = inbox.sends(to_ann(&device, "three"));
    assert_eq!(inbox.failure(&message)["reason"], "token_invalid");
    assert_eq!(inbox.channel(&device)["status"], "disconnected");
    inbox.send(to_ann(&device, "four")).expect(422).error("channel_not_connected");
    let sent = inbox.sent(&device);
    assert_eq!(sent.iter().map(|one| &one["text"]).collect::<Vec<_>>(), ["one"]);
}

fn the_caption_of_a_recording_reaches_the_person_on_every_channel(inbox: Inbox) {
    let file = upload(&inbox.client, "a.ogg", "audio/ogg", b"a voice");
    for channel in ["whatsapp", "personal_whatsapp", "messenger", "instagram"] {
        let connection = if channel == "whatsapp" { inbox.whatsapp.clone() } else { inbox.connect(channel) };
        let person = if channel.ends_with("whatsapp") { ANN } else { PERSON };
        let conversation = inbox.hears_on(&connection, person, "Say it.");
        let message = inbox.sends(sending(&conversation, "audio", &file));
        assert_eq!((&message["type"], &message["text"]), (&json!("audio"), &json!("Look")), "{channel}");
        let sent = inbox.sent_soon(&connection, 2);
        assert_eq!((&sent[0]["type"], &sent[0]["text"]), (&json!("audio"), &Value::Null), "{channel}");
        assert_eq!((&sent[1]["type"], &sent[1]["text"]), (&json!("text"), &json!("Look")), "{channel}");
        inbox.becomes(&message, "delivered");
        // Two calls, one message.
        let outbound = format!("/conversations/{}/messages?direction=outbound", id(&conversation));
        assert_eq!(walk(&inbox.client, &outbound).len(), 1, "{channel}");
    }
}

fn a_recording_from_a_personal_number_has_its_caption_in_a_second_message(inbox: Inbox) {
    let device = inbox.connect("personal_whatsapp");
    let sink = files(&inbox);
    let conversation = inbox.hears_on(&device, ANN, "Say it.");
    let media = json!({ "kind": "audio", "url": sink.url("/a.bin"), "caption": "Listen" });
    let message = inbox
        .sends(json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": media }));
    inbox.becomes(&message, "delivered");
    let sent = inbox.sent_soon(&device, 2);
    assert_eq!((&sent[0]["type"], &sent[1]["text"]), (&json!("audio"), &json!("Listen")));
    inbox.settle();
    // The bridge tells of both, and they are one message all the same.
    let kept =
        || walk(&inbox.client, &format!("/conversations/{}/messages?direction=outbound", id(&conversation)));
    eventually("both reports", || {
        Some(()).filter(|()| inbox.sent(&device).iter().all(|one| one["status"] == "delivered"))
    });
    assert_eq!(kept().len(), 1, "{:?}", kept());
    assert_eq!(kept()[0]["sender_type"], "bot");
}
