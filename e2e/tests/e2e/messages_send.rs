//! Sending over WhatsApp: what is answered at once, what reaches the channel, and what becomes of it.

use frontdesk_e2e::{at_once, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{
    ANN, ANN_PHONE, BOB, BOB_PHONE, CONVERSATION, Inbox, MESSAGE, connect, hello_to, id, reply,
};
use crate::people::{add, walk};
use crate::shapes::{has_fields, is_id, is_moment, text};

on_every_engine! {
    a_text_into_a_conversation_is_answered_at_once_and_reaches_the_customer,
    a_text_to_a_number_goes_into_the_open_conversation,
    every_status_of_a_message_sends_an_event,
    a_template_to_an_unknown_number_makes_its_contact_and_its_conversation,
    a_number_is_the_same_however_it_is_written,
    a_customer_is_answered_where_they_wrote_from,
    a_number_that_a_contact_has_now_is_the_one_that_is_written_to,
    media_of_each_kind_reaches_the_customer_with_caption_and_name,
    several_messages_of_one_conversation_arrive_in_their_order,
    a_contact_that_a_message_would_make_counts_towards_the_limit,
    the_same_key_sends_once,
    the_same_key_at_once_sends_once,
    sending_needs_its_own_scope_and_brings_the_templates,
    an_opted_out_contact_can_still_be_written_to,
    many_first_messages_at_once_make_one_contact_and_one_conversation,
    a_customer_who_hides_their_number_is_answered_all_the_same,
    concurrent_sends_keep_the_order_of_each_conversation,
}

fn a_text_into_a_conversation_is_answered_at_once_and_reaches_the_customer(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Is it still available?");
    let response = inbox.send(reply(id(&conversation), "Yes, it is. \u{1F642}")).expect(201);
    let message = response.data();
    has_fields(message, MESSAGE);
    is_id(&message["id"]);
    is_moment(&message["created_at"]);
    let mut expected = message.clone();
    for (field, value) in [
        ("conversation_id", conversation["id"].clone()),
        ("direction", json!("outbound")),
        ("sender_type", json!("bot")),
        ("type", json!("text")),
        ("text", json!("Yes, it is. \u{1F642}")),
        ("status", json!("sending")),
        ("media_url", Value::Null),
        ("template_name", Value::Null),
        ("channel_message_id", Value::Null),
        ("reply_to_message_id", Value::Null),
    ] {
        expected[field] = value;
    }
    assert_eq!(*message, expected);

    let sent = &inbox.sent_soon(&inbox.whatsapp, 1)[0];
    let raw = json!({
        "messaging_product": "whatsapp", "recipient_type": "individual", "to": ANN, "type": "text",
        "text": { "body": "Yes, it is. \u{1F642}", "preview_url": false }, "biz_opaque_callback_data": message["id"],
    });
    assert_eq!(sent["raw"], raw);
    let delivered = inbox.becomes(message, "delivered");
    expected["status"] = json!("delivered");
    expected["channel_message_id"] = sent["channel_message_id"].clone();
    assert_eq!(delivered, expected);
    let listed = walk(&inbox.client, &format!("/conversations/{}/messages", id(&conversation)));
    assert_eq!((listed.len(), &listed[0]), (2, &delivered));
}

fn a_text_to_a_number_goes_into_the_open_conversation(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    for to in [
        json!({ "phone": ANN_PHONE }),
        json!({ "phone": ANN_PHONE, "channel": "whatsapp" }),
        json!({ "phone": ANN_PHONE, "connection_id": inbox.whatsapp }),
        json!({ "phone": ANN_PHONE, "channel": null, "connection_id": null }),
    ] {
        let message = inbox.sends(json!({ "type": "text", "to": to, "text": "Hello." }));
        assert_eq!(message["conversation_id"], conversation["id"]);
    }
    let sent = inbox.sent_soon(&inbox.whatsapp, 4);
    assert!(sent.iter().all(|one| one["to"] == ANN), "{sent:?}");
    assert_eq!(walk(&inbox.client, "/conversations").len(), 1);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 1);
}

fn every_status_of_a_message_sends_an_event(inbox: Inbox) {
    inbox.report_by_hand();
    let conversation = inbox.hears(ANN, "Hi!");
    let message = inbox.sends(reply(id(&conversation), "Hello."));
    let sent = inbox.becomes(&message, "sent");
    let channels = text(&sent["channel_message_id"]).to_owned();
    inbox.report(&channels, "sent");
    inbox.report(&channels, "delivered");
    let delivered = inbox.message(&message["id"]);
    assert_eq!(delivered["status"], "delivered");
    inbox.sandbox().post(&format!("/sandbox/messages/{channels}/read"), json!({})).expect(200);
    let read = inbox.message(&message["id"]);
    assert_eq!(read["status"], "read");
    // What comes late changes nothing.
    inbox.report(&channels, "delivered");
    inbox.report(&channels, "sent");
    assert_eq!(inbox.message(&message["id"]), read);

    let wanted = [
        "contact.created",
        "conversation.created",
        "message.received",
        "message.sent",
        "message.status_changed",
        "message.status_changed",
        "message.status_changed",
    ];
    assert_eq!(inbox.told(), wanted);
    assert_eq!(inbox.events("message.sent"), [json!({ "message": sent })]);
    let steps = [("sending", &sent), ("sent", &delivered), ("delivered", &read)];
    let steps: Vec<Value> = steps
        .iter()
        .map(|(before, now)| json!({ "message": now, "previous": { "status": before } }))
        .collect();
    assert_eq!(inbox.events("message.status_changed"), steps);
}

fn a_template_to_an_unknown_number_makes_its_contact_and_its_conversation(inbox: Inbox) {
    let message = inbox.sends(hello_to(ANN_PHONE));
    has_fields(&message, MESSAGE);
    let said = "Welcome and congratulations! This message shows that you can send messages.";
    for (field, value) in [
        ("type", "template"),
        ("template_name", "hello_world"),
        ("text", said),
        ("sender_type", "bot"),
        ("direction", "outbound"),
        ("status", "sending"),
    ] {
        assert_eq!(message[field], value, "{field}");
    }
    let contacts = walk(&inbox.client, "/contacts");
    assert_eq!(contacts.len(), 1);
    assert_eq!((&contacts[0]["phone"], &contacts[0]["name"]), (&json!(ANN_PHONE), &Value::Null));
    let conversation = inbox.conversation(text(&message["conversation_id"]));
    has_fields(&conversation, CONVERSATION);
    for (field, value) in [
        ("contact_id", contacts[0]["id"].clone()),
        ("channel", json!("whatsapp")),
        ("connection_id", json!(inbox.whatsapp)),
        ("status", json!("open")),
        ("handler", json!("human")),
        ("assistant_id", Value::Null),
        ("assigned_user_id", Value::Null),
        ("unread_count", json!(0)),
        ("last_message_text", json!(said)),
        ("window_expires_at", Value::Null),
    ] {
        assert_eq!(conversation[field], value, "{field}");
    }
    is_moment(&conversation["last_message_at"]);
    assert_eq!(inbox.told()[..2], ["contact.created", "conversation.created"]);
    // Written to again, they are found.
    assert_eq!(inbox.sends(hello_to(ANN_PHONE))["conversation_id"], conversation["id"]);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 1);
    assert_eq!(inbox.events("conversation.created").len(), 1);
    assert_eq!(inbox.events("contact.created").len(), 1);
}

fn a_number_is_the_same_however_it_is_written(inbox: Inbox) {
    let known = add(&inbox.client, json!({ "name": "Ann", "phone": ANN_PHONE }));
    let mut conversations = Vec::new();
    for phone in ["+1 (415) 555-0123", "0014155550123", "14155550123", " +1.415.555.0123 "] {
        let message = inbox.sends(hello_to(phone));
        conversations.push(message["conversation_id"].clone());
    }
    conversations.dedup();
    assert_eq!(conversations.len(), 1, "{conversations:?}");
    assert_eq!(inbox.conversation(text(&conversations[0]))["contact_id"], known.as_str());
    let sent = inbox.sent_soon(&inbox.whatsapp, 4);
    assert!(sent.iter().all(|one| one["to"] == ANN), "{sent:?}");
    assert_eq!(walk(&inbox.client, "/contacts").len(), 1);
}

fn a_customer_is_answered_where_they_wrote_from(inbox: Inbox) {
    // The same phone in Brazil is written with and without its ninth digit; WhatsApp knows it by one of them.
    let conversation = inbox.hears("551187654321", "Oi!");
    let message =
        inbox.sends(json!({ "type": "text", "to": { "phone": "+55 11 98765-4321" }, "text": "Olá!" }));
    assert_eq!(message["conversation_id"], conversation["id"]);
    assert_eq!(inbox.sent_soon(&inbox.whatsapp, 1)[0]["to"], "551187654321");
    assert_eq!(walk(&inbox.client, "/contacts").len(), 1);
}

fn a_number_that_a_contact_has_now_is_the_one_that_is_written_to(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "I am getting a new number.");
    let path = format!("/contacts/{}", text(&conversation["contact_id"]));
    inbox.client.patch(&path, json!({ "phone": BOB_PHONE })).expect(200);
    inbox.sends(hello_to(BOB_PHONE));
    assert_eq!(inbox.sent_soon(&inbox.whatsapp, 1)[0]["raw"]["to"], BOB_PHONE[1..]);
}

fn media_of_each_kind_reaches_the_customer_with_caption_and_name(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Send me everything.");
    let url = "https://files.example/a%20file.bin?x=1";
    for kind in ["image", "video", "document", "audio"] {
        let media = json!({ "kind": kind, "url": url, "caption": "Look", "filename": "report.pdf" });
        let to = json!({ "conversation_id": conversation["id"] });
        let message = inbox.sends(json!({ "type": "media", "to": to, "media": media }));
        has_fields(&message, MESSAGE);
        for (field, value) in [("type", kind), ("media_url", url), ("text", "Look"), ("sender_type", "bot")] {
            assert_eq!(message[field], value, "{field} of {kind}");
        }
        inbox.becomes(&message, "delivered");
    }
    let bare = inbox.sends(
        json!({ "type": "media", "to": { "phone": ANN_PHONE }, "media": { "kind": "document", "url": url } }),
    );
    assert_eq!((&bare["text"], &bare["type"]), (&Value::Null, &json!("document")));
    let sent = inbox.sent_soon(&inbox.whatsapp, 6);
    let parts: Vec<Value> =
        sent.iter().map(|one| json!([one["type"], one["raw"][text(&one["raw"]["type"])]])).collect();
    let wanted = [
        json!(["image", { "link": url, "caption": "Look" }]),
        json!(["video", { "link": url, "caption": "Look" }]),
        json!(["document", { "link": url, "caption": "Look", "filename": "report.pdf" }]),
        json!(["audio", { "link": url }]),
        // A recording has no caption, so that follows.
        json!(["text", { "body": "Look", "preview_url": false }]),
        json!(["document", { "link": url }]),
    ];
    assert_eq!(parts, wanted);
    assert_eq!(walk(&inbox.client, &format!("/conversations/{}/messages", id(&conversation))).len(), 6);
}

fn several_messages_of_one_conversation_arrive_in_their_order(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Tell me more.");
    let said: Vec<String> = (0..25).map(|number| format!("Number {number}")).collect();
    for words in &said {
        inbox.sends(reply(id(&conversation), words));
    }
    let sent = inbox.sent_soon(&inbox.whatsapp, 25);
    assert_eq!(sent.iter().map(|one| text(&one["text"]).to_owned()).collect::<Vec<_>>(), said);
}

fn a_contact_that_a_message_would_make_counts_towards_the_limit(inbox: Inbox) {
    let account = inbox.app.account_with(&["--rate-limit", "1000000", "--contact-limit", "1"]);
    let client = inbox.app.client(&inbox.app.key_with(&account, &["--all-scopes"]));
    let number = connect(&inbox.app, &account, "whatsapp");
    client.post("/messages", hello_to(ANN_PHONE)).expect(201);
    let told = walk(&client, "/events?event_type=conversation.created").len();
    let full = client.post("/messages", hello_to(BOB_PHONE)).expect(402);
    let details = &full.error("plan_limit_reached")["details"];
    assert_eq!(*details, json!([{ "limit": 1, "resource": "contacts" }]));
    assert_eq!(walk(&client, "/contacts").len(), 1);
    assert_eq!(walk(&client, "/conversations").len(), 1);
    assert_eq!(walk(&client, "/events?event_type=conversation.created").len(), told);
    // Whoever is there already can be written to.
    client.post("/messages", hello_to(ANN_PHONE)).expect(201);
    inbox.settle();
    assert_eq!(inbox.sent(&number).len(), 2);
}

fn the_same_key_sends_once(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let once = inbox.client.with("idempotency-key", "greeting-1");
    let first = once.post("/messages", reply(id(&conversation), "Hello.")).expect(201);
    inbox.becomes(first.data(), "delivered");
    for _ in 0..3 {
        let again = once.post("/messages", reply(id(&conversation), "Hello.")).expect(201);
        assert_eq!((&again.body, again.header("idempotent-replayed")), (&first.body, Some("true")));
    }
    let other = once.post("/messages", reply(id(&conversation), "Hello again.")).expect(422);
    assert_eq!(other.error("unprocessable")["reason"], "idempotency_key_reused");
    // A refusal is remembered as well, and made anew it is another message.
    let refused = inbox.client.with("idempotency-key", "greeting-2");
    let body = json!({ "type": "text", "to": { "phone": BOB_PHONE }, "text": "Hello." });
    let said = refused.post("/messages", body.clone()).expect(422);
    assert_eq!(refused.post("/messages", body).expect(422).body, said.body);
    inbox.settle();
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 1);
    assert_eq!(walk(&inbox.client, &format!("/conversations/{}/messages", id(&conversation))).len(), 2);
}

fn the_same_key_at_once_sends_once(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let once = inbox.client.with("idempotency-key", "greeting-1");
    let responses = at_once(8, |_| once.post("/messages", reply(id(&conversation), "Hello.")));
    let made: Vec<_> = responses.iter().filter(|response| response.status == 201).collect();
    assert!(!made.is_empty());
    assert!(made.iter().all(|response| response.body == made[0].body));
    let rest = responses.iter().filter(|response| response.status != 201);
    rest.for_each(|response| drop(response.clone().expect(409).error("conflict").clone()));
    inbox.becomes(made[0].data(), "delivered");
    inbox.settle();
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 1);
}

fn sending_needs_its_own_scope_and_brings_the_templates(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let only = |scopes: &str| inbox.app.client(&inbox.app.key(&inbox.tenant.account, scopes));
    let sender = only("messages:send");
    let sent = sender.post("/messages", reply(id(&conversation), "Hello.")).expect(201);
    sender.get("/templates").expect(200);
    let message = format!("/messages/{}", sent.id());
    for path in
        [message.as_str(), &format!("/conversations/{}/messages", id(&conversation)), "/conversations"]
    {
        assert_eq!(sender.get(path).expect(403).error("forbidden")["reason"], "scope", "{path}");
    }
    let reader = only("messages:read,conversations:write,templates:read");
    reader.get(&message).expect(200);
    reader.post("/messages", reply(id(&conversation), "Hello.")).expect(403).error("forbidden");
    only("messages:read").get(&format!("/conversations/{}", id(&conversation))).expect(403);
    only("conversations:read").get(&message).expect(403);
    inbox.settle();
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 1);
}

fn an_opted_out_contact_can_still_be_written_to(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "STOP");
    let path = format!("/contacts/{}/opt-out", text(&conversation["contact_id"]));
    assert_eq!(inbox.client.get(&path).expect(200).data()["opted_out"], true);
    let message = inbox.sends(reply(id(&conversation), "As you wish."));
    inbox.becomes(&message, "delivered");
    assert_eq!(inbox.client.get(&path).expect(200).data()["opted_out"], true);
}

fn many_first_messages_at_once_make_one_contact_and_one_conversation(inbox: Inbox) {
    let responses = at_once(12, |_| inbox.send(hello_to(ANN_PHONE)));
    for response in &responses {
        assert_eq!(response.status, 201, "{}", response.text);
        assert_eq!(response.data()["conversation_id"], responses[0].data()["conversation_id"]);
    }
    assert_eq!(walk(&inbox.client, "/contacts").len(), 1);
    assert_eq!(walk(&inbox.client, "/conversations").len(), 1);
    assert_eq!((inbox.events("contact.created").len(), inbox.events("conversation.created").len()), (1, 1));
    inbox.sent_soon(&inbox.whatsapp, 12);
}

fn a_customer_who_hides_their_number_is_answered_all_the_same(inbox: Inbox) {
    let words = json!({ "text": "Hi!", "user_id": "US.13491208655302741918", "hide_number": true });
    inbox.says(&inbox.whatsapp, ANN, words);
    let conversation = walk(&inbox.client, "/conversations").remove(0);
    let contact = inbox.client.get(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
    assert_eq!(contact.data()["phone"], Value::Null);
    let message = inbox.sends(reply(id(&conversation), "Hello."));
    let sent = &inbox.sent_soon(&inbox.whatsapp, 1)[0];
    assert_eq!(sent["raw"]["recipient"], "US.13491208655302741918");
    assert!(sent["raw"].get("to").is_none(), "{sent}");
    inbox.becomes(&message, "delivered");
}

fn concurrent_sends_keep_the_order_of_each_conversation(inbox: Inbox) {
    let conversations = [inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!")];
    let responses =
        at_once(24, |number| inbox.send(reply(id(&conversations[number % 2]), &format!("Number {number}"))));
    let mut ids: Vec<String> = responses.into_iter().map(|response| response.expect(201).id()).collect();
    let sent = inbox.sent_soon(&inbox.whatsapp, 24);
    let mut ours: Vec<String> = sent.iter().map(|one| text(&one["our_id"]).to_owned()).collect();
    ids.sort();
    // In each conversation they go out in the order in which they were taken.
    for customer in [ANN, BOB] {
        let own = sent.iter().filter(|one| one["to"] == customer).map(|one| text(&one["our_id"]));
        assert!(own.is_sorted(), "{sent:?}");
    }
    ours.sort();
    assert_eq!(ours, ids);
}
