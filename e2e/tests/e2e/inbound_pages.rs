//! Messenger and Instagram: what people say to a page, and what becomes of what it says.

use frontdesk_e2e::{Reply, Sink, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{DOUBT, Inbox, TestConnection, events, fresh};
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    a_person_of_a_page_has_no_number_and_one_conversation,
    every_part_of_a_message_is_kept,
    a_chosen_button_is_kept_as_the_choice,
    messages_written_in_the_pages_own_inbox_are_an_agents,
    an_echo_of_our_own_send_is_that_send,
    an_echo_of_a_send_in_doubt_settles_it,
    a_delivery_names_its_messages,
    a_delivery_that_overtakes_the_answer_ends_right,
    a_watermark_covers_what_was_sent_before_it,
    a_watermark_that_overtakes_the_answer_is_not_lost,
    a_watermark_that_overtakes_the_echo_of_a_send_in_doubt_is_not_lost,
    a_watermark_does_not_cover_a_refused_try,
    a_read_by_name_that_overtakes_the_answer_covers_what_was_before,
    on_instagram_a_message_is_read_by_name,
    deleted_messages_and_other_pages_messages_are_left_out,
}

const PSID: &str = "7001";

/// An event between a person and the page, now.
fn event(inbox: &Inbox, connection: &TestConnection, person: &str, told: Value) -> Value {
    let mut event = json!({
        "sender": { "id": person }, "recipient": { "id": connection.page_id() }, "timestamp": inbox.vendors.now(),
    });
    event.as_object_mut().unwrap().extend(told.as_object().unwrap().clone());
    event
}

#[track_caller]
fn tell(inbox: &Inbox, connection: &TestConnection, person: &str, told: Value) {
    inbox.tell(connection, &events(connection, &[event(inbox, connection, person, told)])).expect(200);
}

/// The page's own words to a person, told back.
#[track_caller]
fn echo(inbox: &Inbox, connection: &TestConnection, person: &str, mid: &str, words: &str) {
    let mut told = event(
        inbox,
        connection,
        person,
        json!({ "message": { "mid": mid, "text": words, "is_echo": true } }),
    );
    told["sender"] = json!({ "id": connection.page_id() });
    told["recipient"] = json!({ "id": person });
    inbox.tell(connection, &events(connection, &[told])).expect(200);
}

/// A page to which somebody has written: the conversation's id.
#[track_caller]
fn written(inbox: &Inbox, connection: &TestConnection, person: &str) -> String {
    tell(inbox, connection, person, json!({ "message": { "mid": fresh("m"), "text": "Hello" } }));
    text(&inbox.conversations("")[0]["id"]).to_owned()
}

fn a_person_of_a_page_has_no_number_and_one_conversation(inbox: Inbox) {
    for channel in ["messenger", "instagram"] {
        let connection = inbox.page(channel);
        let first = written(&inbox, &connection, PSID);
        assert_eq!(written(&inbox, &connection, PSID), first);
        let conversation = &inbox.conversations("")[0];
        assert_eq!((&conversation["channel"], &conversation["unread_count"]), (&json!(channel), &json!(2)));
        assert!(conversation["window_expires_at"].is_string());
        let (_, named) = inbox.sent(&first, "Hi");
        let sent = inbox.vendors.sent().pop().unwrap();
        assert_eq!((&sent["channel_message_id"], &sent["to"]), (&json!(named), &json!(PSID)));
    }
    // An id is one person's on one page, and says nothing on another.
    let contacts = walk(&inbox.client, "/contacts");
    assert!(contacts.len() == 2 && contacts.iter().all(|contact| contact["phone"].is_null()), "{contacts:?}");
}

fn every_part_of_a_message_is_kept(inbox: Inbox) {
    let connection = inbox.page("messenger");
    let media =
        |kind: &str| json!({ "type": kind, "payload": { "url": format!("https://cdn.example/{kind}") } });
    let place = json!({ "type": "location", "title": "Here", "payload": { "coordinates": { "lat": 1.5, "long": 2.5 } } });
    let attachments = [
        media("image"),
        media("video"),
        media("audio"),
        media("file"),
        place,
        media("reel"),
        media("fallback"),
    ];
    let message = json!({ "mid": "m_1", "text": "Look https://cdn.example", "attachments": attachments });
    tell(&inbox, &connection, PSID, json!({ "message": message.clone() }));
    let wanted = [
        ("m_1", "text", Some("Look https://cdn.example"), false),
        ("m_1#1", "image", None, true),
        ("m_1#2", "video", None, true),
        ("m_1#3", "audio", None, true),
        ("m_1#4", "document", None, true),
        ("m_1#5", "location", Some("Here (1.5, 2.5)"), false),
        ("m_1#6", "text", Some("[reel] https://cdn.example/reel"), false),
    ];
    let check = || {
        let kept = inbox.all();
        assert_eq!(kept.len(), wanted.len(), "{kept:?}");
        for (message, (id, kind, words, has_media)) in kept.iter().zip(wanted) {
            assert_eq!((&message["channel_message_id"], &message["type"]), (&json!(id), &json!(kind)));
            assert_eq!(
                (&message["text"], message["media_url"].is_string()),
                (&json!(words), has_media),
                "{id}"
            );
        }
    };
    check();
    tell(&inbox, &connection, PSID, json!({ "message": message }));
    check();
    let mut reply = json!({ "mid": "m_2", "text": "That one", "reply_to": { "mid": "m_1" } });
    tell(&inbox, &connection, PSID, json!({ "message": reply.clone() }));
    assert_eq!(inbox.last()["reply_to_message_id"], inbox.all()[0]["id"]);
    reply["mid"] = json!("m_3");
    reply["text"] = Value::Null;
    tell(&inbox, &connection, PSID, json!({ "message": reply }));
    assert_eq!(inbox.last()["text"], "[unsupported message]");
}

fn a_chosen_button_is_kept_as_the_choice(inbox: Inbox) {
    let connection = inbox.page("messenger");
    let postback = json!({ "postback": { "mid": "m_p", "title": "Get started", "payload": "BEGIN" } });
    tell(&inbox, &connection, PSID, postback);
    assert_eq!(
        (&inbox.last()["type"], &inbox.last()["text"]),
        (&json!("interactive"), &json!("Get started"))
    );
    let quick = json!({ "message": { "mid": "m_q", "text": "Blue", "quick_reply": { "payload": "BLUE" } } });
    tell(&inbox, &connection, PSID, quick);
    assert_eq!((&inbox.last()["type"], &inbox.last()["text"]), (&json!("interactive"), &json!("Blue")));
    // An older postback names no message: told again, it is still the same one.
    let nameless =
        event(&inbox, &connection, PSID, json!({ "postback": { "title": "Menu", "payload": "MENU" } }));
    for _ in 0..2 {
        inbox.tell(&connection, &events(&connection, std::slice::from_ref(&nameless))).expect(200);
    }
    assert_eq!(inbox.all().len(), 3);
}

fn messages_written_in_the_pages_own_inbox_are_an_agents(inbox: Inbox) {
    let connection = inbox.page("messenger");
    echo(&inbox, &connection, PSID, "m_ours", "From the page's own inbox");
    echo(&inbox, &connection, PSID, "m_ours", "From the page's own inbox");
    let message = inbox.last();
    assert_eq!(inbox.all().len(), 1);
    assert_eq!(
        (text(&message["direction"]), text(&message["sender_type"]), text(&message["status"])),
        ("outbound", "agent", "sent")
    );
    let conversation = inbox.only_conversation();
    // Our own words open no window and wait for nobody to read them.
    assert_eq!(
        (&conversation["unread_count"], &conversation["window_expires_at"]),
        (&json!(0), &Value::Null)
    );
    assert_eq!((inbox.events("message.sent").len(), inbox.events("message.received").len()), (1, 0));
    let read = json!({ "read": { "watermark": inbox.vendors.now() + 1000 } });
    tell(&inbox, &connection, PSID, read);
    assert_eq!(inbox.last()["status"], "read");
}

fn an_echo_of_our_own_send_is_that_send(inbox: Inbox) {
    let connection = inbox.page("messenger");
    inbox.vendors.report_by_hand();
    let conversation = written(&inbox, &connection, PSID);
    // After the answer, and before it.
    let (first, named) = inbox.sent(&conversation, "One");
    echo(&inbox, &connection, PSID, &named, "One");
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 600, "times": 1 }]));
    let second = inbox.say(&conversation, "Two");
    assert!(came_true(|| inbox.vendors.sent().len() == 2));
    let named = text(&inbox.vendors.sent()[1]["channel_message_id"]).to_owned();
    echo(&inbox, &connection, PSID, &named, "Two");
    assert_eq!(inbox.status(&second), "sent");
    inbox.advance(0);
    let kept = inbox.all();
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert_eq!((&kept[1]["id"], &kept[2]["id"]), (&json!(first), &json!(second)));
    assert_eq!((&kept[2]["channel_message_id"], &kept[2]["sender_type"]), (&json!(named), &json!("bot")));
    assert_eq!(inbox.events("message.sent").len(), 2);
}

fn an_echo_of_a_send_in_doubt_settles_it(inbox: Inbox) {
    let connection = inbox.page("messenger");
    inbox.vendors.report_by_hand();
    let conversation = written(&inbox, &connection, PSID);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "cut_after", "times": 1 }]));
    let id = inbox.say(&conversation, "Did you get this?");
    assert!(came_true(|| inbox.vendors.sent().len() == 1));
    inbox.advance(0);
    assert_eq!(inbox.status(&id), "sending");
    let named = text(&inbox.vendors.sent()[0]["channel_message_id"]).to_owned();
    echo(&inbox, &connection, PSID, &named, "Did you get this?");
    assert_eq!(inbox.status(&id), "sent");
    // It went out, and nothing makes that doubtful again.
    inbox.advance(DOUBT + 1);
    assert_eq!((inbox.status(&id).as_str(), inbox.all().len()), ("sent", 2));
}

fn a_delivery_names_its_messages(inbox: Inbox) {
    let connection = inbox.page("messenger");
    inbox.vendors.report_by_hand();
    let conversation = written(&inbox, &connection, PSID);
    let sent: Vec<(String, String)> =
        ["One", "Two", "Three"].map(|words| inbox.sent(&conversation, words)).into();
    let named = json!({ "delivery": { "mids": [sent[1].1, "m_unknown"], "watermark": 1_000 } });
    tell(&inbox, &connection, PSID, named);
    let now: Vec<String> = sent.iter().map(|(id, _)| inbox.status(id)).collect();
    assert_eq!(now, ["sent", "delivered", "sent"]);
    let all = json!({ "delivery": { "watermark": inbox.vendors.now() + 1000 } });
    tell(&inbox, &connection, PSID, all);
    assert!(sent.iter().all(|(id, _)| inbox.status(id) == "delivered"));
    assert!(sent.iter().all(|(id, _)| inbox.changes(id).len() == 2));
}

fn a_delivery_that_overtakes_the_answer_ends_right(inbox: Inbox) {
    let connection = inbox.page("messenger");
    let conversation = written(&inbox, &connection, PSID);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 600, "times": 1 }]));
    let id = inbox.say(&conversation, "Hi");
    assert!(came_true(|| inbox.vendors.sent().first().is_some_and(|sent| sent["status"] == "delivered")));
    inbox.becomes(&id, "delivered");
    assert_eq!(inbox.read(&id)["channel_message_id"], inbox.vendors.sent()[0]["channel_message_id"]);
}

fn a_watermark_covers_what_was_sent_before_it(inbox: Inbox) {
    let connection = inbox.page("messenger");
    inbox.vendors.report_by_hand();
    let conversation = written(&inbox, &connection, PSID);
    let (first, named) = inbox.sent(&conversation, "One");
    let (second, _) = inbox.sent(&conversation, "Two");
    tell(&inbox, &connection, PSID, json!({ "delivery": { "mids": [named] } }));
    let before = inbox.vendors.now();
    inbox.advance(60);
    let (third, _) = inbox.sent(&conversation, "Three");
    let other = written(&inbox, &connection, "7002");
    assert_ne!(other, conversation);
    let (theirs, _) = inbox.sent(&other, "To another");
    let watermark =
        |person: &str, at: i64| tell(&inbox, &connection, person, json!({ "read": { "watermark": at } }));
    let states = || [&first, &second, &third, &theirs].map(|id| inbox.status(id));
    watermark(PSID, before - 60_000);
    watermark("nobody", before + 3_600_000);
    assert_eq!(states(), ["delivered", "sent", "sent", "sent"]);
    watermark(PSID, before);
    watermark(PSID, before);
    assert_eq!(states(), ["read", "read", "sent", "sent"]);
    watermark(PSID, inbox.vendors.now() + 1000);
    assert_eq!(states(), ["read", "read", "read", "sent"]);
    assert_eq!(inbox.changes(&first).len(), 3);
}

fn a_watermark_that_overtakes_the_answer_is_not_lost(inbox: Inbox) {
    let connection = inbox.page("messenger");
    inbox.vendors.report_by_hand();
    let conversation = written(&inbox, &connection, PSID);
    let other = written(&inbox, &connection, "7002");
    for (told, end) in [(&["delivery"][..], "delivered"), (&["read", "delivery"], "read")] {
        let before = inbox.vendors.sent().len();
        inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 1500, "times": 2 }]));
        let (id, theirs) = (inbox.say(&conversation, "Hi"), inbox.say(&other, "Hi"));
        assert!(came_true(|| inbox.vendors.sent().len() == before + 2));
        // Too old to be about this message, and then about it.
        tell(&inbox, &connection, PSID, json!({ "read": { "watermark": inbox.vendors.now() - 60_000 } }));
        for word in told {
            tell(&inbox, &connection, PSID, json!({ *word: { "watermark": inbox.vendors.now() + 1000 } }));
        }
        assert_eq!(inbox.status(&id), "sending", "the answer was not overtaken");
        inbox.becomes(&id, end);
        inbox.becomes(&theirs, "sent");
        let sent = inbox.vendors.sent();
        let named = sent.iter().map(|sent| &sent["channel_message_id"]).collect::<Vec<_>>();
        assert!(named.contains(&&inbox.read(&id)["channel_message_id"]));
        let steps: Vec<Value> =
            inbox.changes(&id).iter().map(|data| data["message"]["status"].clone()).collect();
        assert_eq!(steps, [json!("sent"), json!(end)]);
        inbox.advance(0);
        assert_eq!((inbox.status(&id).as_str(), inbox.status(&theirs).as_str()), (end, "sent"));
    }
}

fn a_watermark_that_overtakes_the_echo_of_a_send_in_doubt_is_not_lost(inbox: Inbox) {
    let connection = inbox.page("messenger");
    inbox.vendors.report_by_hand();
    let conversation = written(&inbox, &connection, PSID);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "cut_after", "times": 1 }]));
    let id = inbox.say(&conversation, "Did you get this?");
    assert!(came_true(|| inbox.vendors.sent().len() == 1));
    inbox.advance(0);
    tell(&inbox, &connection, PSID, json!({ "read": { "watermark": inbox.vendors.now() + 1000 } }));
    assert_eq!(inbox.status(&id), "sending");
    let named = text(&inbox.vendors.sent()[0]["channel_message_id"]).to_owned();
    echo(&inbox, &connection, PSID, &named, "Did you get this?");
    assert_eq!(inbox.status(&id), "read");
}

fn a_watermark_does_not_cover_a_refused_try(inbox: Inbox) {
    let sink = Sink::start();
    let connection = inbox.connect("messenger", &inbox.tenant.account.id, &sink.url("/graph"), &[]);
    let path = format!("/graph/v23.0/{}/messages", connection.page_id());
    let refusal = json!({ "error": { "message": "Try later", "code": 2 } });
    let taken = json!({ "recipient_id": PSID, "message_id": "m_taken" });
    sink.answer_in_turn(
        &path,
        [Reply::status(500).body(refusal.to_string()).held()],
        Reply::status(200).body(taken.to_string()),
    );
    let conversation = written(&inbox, &connection, PSID);
    let id = inbox.say(&conversation, "Hi");
    sink.wait(&path, 1);
    tell(&inbox, &connection, PSID, json!({ "read": { "watermark": inbox.vendors.now() + 1000 } }));
    sink.release();
    inbox.advance(0);
    inbox.advance(5);
    // What was read, was read before this went out.
    assert_eq!((inbox.status(&id).as_str(), sink.count(&path)), ("sent", 2));
}

fn a_read_by_name_that_overtakes_the_answer_covers_what_was_before(inbox: Inbox) {
    let connection = inbox.page("instagram");
    inbox.vendors.report_by_hand();
    let conversation = written(&inbox, &connection, PSID);
    let (first, _) = inbox.sent(&conversation, "One");
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 1500, "times": 1 }]));
    let second = inbox.say(&conversation, "Two");
    assert!(came_true(|| inbox.vendors.sent().len() == 2));
    let named = text(&inbox.vendors.sent()[1]["channel_message_id"]).to_owned();
    tell(&inbox, &connection, PSID, json!({ "read": { "mid": named } }));
    assert_eq!([&first, &second].map(|message| inbox.status(message)), ["sent", "sending"]);
    inbox.becomes(&second, "read");
    assert_eq!(inbox.status(&first), "read");
}

fn on_instagram_a_message_is_read_by_name(inbox: Inbox) {
    let connection = inbox.page("instagram");
    inbox.vendors.report_by_hand();
    let conversation = written(&inbox, &connection, PSID);
    let (first, _) = inbox.sent(&conversation, "One");
    let (second, named) = inbox.sent(&conversation, "Two");
    let (third, _) = inbox.sent(&conversation, "Three");
    tell(&inbox, &connection, PSID, json!({ "read": { "mid": named } }));
    // Whoever has read a message has read those before it, and not those after it.
    let statuses = [&first, &second, &third].map(|message| inbox.status(message));
    assert_eq!(statuses, ["read", "read", "sent"]);
}

fn deleted_messages_and_other_pages_messages_are_left_out(inbox: Inbox) {
    let connection = inbox.page("messenger");
    written(&inbox, &connection, PSID);
    tell(&inbox, &connection, PSID, json!({ "message": { "mid": "m_gone", "is_deleted": true } }));
    tell(&inbox, &connection, PSID, json!({ "optin": { "type": "one_time" } }));
    let mut foreign = events(
        &connection,
        &[event(&inbox, &connection, PSID, json!({ "message": { "mid": "m_f", "text": "x" } }))],
    );
    foreign["entry"][0]["id"] = json!("999");
    inbox.tell(&connection, &foreign).expect(200);
    foreign["entry"][0]["id"] = json!(connection.page_id());
    foreign["object"] = json!("instagram");
    inbox.tell(&connection, &foreign).expect(200);
    assert_eq!(inbox.all().len(), 1);
}
