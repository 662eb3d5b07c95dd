//! Conversations: what they show, how they are listed, and what is kept as messages come and go.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{
    ANN, ANN_PHONE, BOB, CONVERSATION, Inbox, eventually, hello_to, id, reachable, reply,
};
use crate::people::walk;
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};
use crate::webhooks_scene::{HOUR, moment};

on_every_engine! {
    a_conversation_has_exactly_its_fields,
    conversations_are_listed_by_each_filter,
    a_filter_that_means_nothing_is_refused,
    conversations_are_ordered_by_when_they_began,
    recent_activity_is_found_by_when_it_was,
    unread_and_last_message_follow_the_messages,
    a_long_message_is_shown_in_part,
    reading_clears_the_count_and_sends_a_receipt,
    reading_sends_a_receipt_on_every_channel,
    reading_twice_sends_one_event,
    no_account_sees_the_conversations_of_another,
}

fn a_conversation_has_exactly_its_fields(inbox: Inbox) {
    let before = inbox.advance(0);
    let conversation = inbox.hears(ANN, "Is it still available?");
    has_fields(&conversation, CONVERSATION);
    is_id(&conversation["id"]);
    for field in ["last_message_at", "window_expires_at", "created_at", "updated_at"] {
        is_moment(&conversation[field]);
    }
    for (field, value) in [
        ("channel", json!("whatsapp")),
        ("connection_id", json!(inbox.whatsapp)),
        ("status", json!("open")),
        ("handler", json!("human")),
        ("assistant_id", Value::Null),
        ("assigned_user_id", Value::Null),
        ("unread_count", json!(1)),
        ("last_message_text", json!("Is it still available?")),
    ] {
        assert_eq!(conversation[field], value, "{field}");
    }
    // A day from the channel's own time, which it tells in seconds.
    let open = moment(&conversation["window_expires_at"]) - before;
    assert!((24 * 3_600_000 - 1_000..24 * 3_600_000 + 30_000).contains(&open), "{open}");
    let contact = inbox.client.get(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
    assert_eq!(contact.data()["phone"], ANN_PHONE);
    assert_eq!(walk(&inbox.client, "/conversations"), std::slice::from_ref(&conversation));
    // It is told as it was when the first message had been said in it.
    assert_eq!(inbox.events("conversation.created"), [json!({ "conversation": conversation })]);
    let message = inbox.sends(hello_to("+14155550188"));
    let written = inbox.conversation(text(&message["conversation_id"]));
    assert_eq!(inbox.events("conversation.created")[1..], [json!({ "conversation": written })]);
}

fn conversations_are_listed_by_each_filter(inbox: Inbox) {
    let (mia, max) = (inbox.member("mia@example.com"), inbox.member("max@example.com"));
    let page = inbox.connect("messenger");
    let conversations =
        [inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"), inbox.hears_on(&page, "8642", "Hi!")];
    let patch = |at: usize, body: Value| {
        inbox.client.patch(&format!("/conversations/{}", id(&conversations[at])), body).expect(200);
    };
    patch(0, json!({ "status": "closed", "assigned_user_id": mia }));
    patch(1, json!({ "status": "pending", "assigned_user_id": max }));
    inbox.client.send("POST", &format!("/conversations/{}/read", id(&conversations[2])), None).expect(200);
    let contact = |at: usize| text(&conversations[at]["contact_id"]).to_owned();
    for (query, wanted) in [
        (String::new(), &[0, 1, 2][..]),
        ("status=open".to_owned(), &[2]),
        ("status=pending".to_owned(), &[1]),
        ("status=closed".to_owned(), &[0]),
        ("channel=whatsapp".to_owned(), &[0, 1]),
        ("channel=messenger".to_owned(), &[2]),
        ("channel=web_chat".to_owned(), &[]),
        (format!("assigned_user_id={mia}"), &[0]),
        (format!("assigned_user_id={max}"), &[1]),
        (format!("assigned_user_id={NOTHING}"), &[]),
        (format!("contact_id={}", contact(2)), &[2]),
        (format!("contact_id={NOTHING}"), &[]),
        ("handler=human".to_owned(), &[0, 1, 2]),
        ("handler=assistant".to_owned(), &[]),
        ("unread=true".to_owned(), &[0, 1]),
        ("unread=false".to_owned(), &[2]),
        ("updated_since=2020-01-01T00:00:00Z".to_owned(), &[0, 1, 2]),
        ("updated_since=2120-01-01T00:00:00Z".to_owned(), &[]),
        ("status=closed&channel=whatsapp&unread=true&handler=human".to_owned(), &[0]),
        ("status=closed&unread=false".to_owned(), &[]),
        ("colour=red".to_owned(), &[0, 1, 2]),
    ] {
        let found = walk(&inbox.client, &format!("/conversations?{query}"));
        let wanted: Vec<&str> = wanted.iter().rev().map(|at| id(&conversations[*at])).collect();
        assert_eq!(found.iter().map(id).collect::<Vec<_>>(), wanted, "{query}");
    }
}

fn a_filter_that_means_nothing_is_refused(inbox: Inbox) {
    for query in [
        "status=lost",
        "status=OPEN",
        "channel=sms",
        "handler=robot",
        "unread=maybe",
        "assigned_user_id=me",
        "contact_id=7",
        "updated_since=yesterday",
    ] {
        inbox.client.get(&format!("/conversations?{query}")).expect(400).error("bad_request");
    }
}

fn conversations_are_ordered_by_when_they_began(inbox: Inbox) {
    let first = inbox.hears(ANN, "Hi!");
    let second = inbox.hears(BOB, "Hi!");
    let order =
        || walk(&inbox.client, "/conversations").iter().map(|row| id(row).to_owned()).collect::<Vec<_>>();
    let wanted = vec![id(&second).to_owned(), id(&first).to_owned()];
    assert_eq!(order(), wanted);
    // Activity moves nothing.
    inbox.advance(60);
    inbox.hears(ANN, "Still there?");
    inbox.sends(reply(id(&first), "Yes."));
    inbox.client.patch(&format!("/conversations/{}", id(&first)), json!({ "status": "pending" })).expect(200);
    assert_eq!(order(), wanted);
}

fn recent_activity_is_found_by_when_it_was(inbox: Inbox) {
    let (ann, bob) = (inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"));
    let since = |since: &Value| {
        let found = walk(&inbox.client, &format!("/conversations?updated_since={}", text(since)));
        found.iter().map(|row| id(row).to_owned()).collect::<Vec<_>>()
    };
    inbox.advance(HOUR);
    // A message in, a message out, and a change are activity.
    let heard = inbox.hears(ANN, "Hello?");
    assert!(moment(&heard["updated_at"]) >= moment(&ann["updated_at"]) + 3_600_000);
    assert_eq!(since(&heard["updated_at"]), [id(&ann)]);
    inbox.advance(HOUR);
    inbox.sends(reply(id(&bob), "Hello."));
    let said = inbox.conversation(id(&bob));
    assert_eq!(said["updated_at"], said["last_message_at"]);
    assert_eq!(since(&said["updated_at"]), [id(&bob)]);
    inbox.advance(HOUR);
    let changed = inbox
        .client
        .patch(&format!("/conversations/{}", id(&ann)), json!({ "status": "closed" }))
        .expect(200);
    assert_eq!(since(&changed.data()["updated_at"]), [id(&ann)]);
    assert_eq!(since(&said["updated_at"]), [id(&bob), id(&ann)]);
}

fn unread_and_last_message_follow_the_messages(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "one");
    for (number, words) in ["two", "three"].iter().enumerate() {
        inbox.advance(1);
        let now = inbox.hears(ANN, words);
        assert_eq!((&now["unread_count"], &now["last_message_text"]), (&json!(number + 2), &json!(words)));
        assert!(moment(&now["last_message_at"]) > moment(&conversation["last_message_at"]));
    }
    // Saying something reads nothing.
    inbox.sends(reply(id(&conversation), "four"));
    let now = inbox.conversation(id(&conversation));
    assert_eq!((&now["unread_count"], &now["last_message_text"]), (&json!(3), &json!("four")));
    let image = json!({ "kind": "image", "url": "https://files.example/a.png" });
    inbox.sends(json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": image }));
    assert_eq!(inbox.conversation(id(&conversation))["last_message_text"], Value::Null);
    // Neither does what the channel reports of it.
    inbox.sent_soon(&inbox.whatsapp, 2);
    let before = inbox.conversation(id(&conversation));
    let last = walk(&inbox.client, &format!("/conversations/{}/messages", id(&conversation))).remove(0);
    inbox.becomes(&last, "delivered");
    assert_eq!(inbox.conversation(id(&conversation)), before);
}

fn a_long_message_is_shown_in_part(inbox: Inbox) {
    let long = "wörter ".repeat(100);
    let conversation = inbox.hears(ANN, long.trim());
    let shown = text(&conversation["last_message_text"]);
    assert!(long.starts_with(shown) && (100..400).contains(&shown.chars().count()), "{shown}");
    let message = walk(&inbox.client, &format!("/conversations/{}/messages", id(&conversation))).remove(0);
    assert_eq!(message["text"], long.trim());
}

/// Whether the customer was told that everything they said was read.
fn was_seen(inbox: &Inbox, connection: &str, customer: &str) -> bool {
    let chat = inbox
        .sandbox()
        .get(&format!("/sandbox/chat?connection_id={connection}&customer={customer}"))
        .expect(200);
    let entries = chat.data()["entries"].as_array().expect("entries").clone();
    let mut said = entries.iter().filter(|entry| entry["from"] == "customer").peekable();
    assert!(said.peek().is_some(), "{customer} said nothing");
    said.all(|entry| entry["seen"] == true)
}

fn reading_clears_the_count_and_sends_a_receipt(inbox: Inbox) {
    inbox.hears(ANN, "one");
    let conversation = inbox.hears(ANN, "two");
    assert!(!was_seen(&inbox, &inbox.whatsapp, ANN));
    let read =
        inbox.client.send("POST", &format!("/conversations/{}/read", id(&conversation)), None).expect(200);
    has_fields(read.data(), CONVERSATION);
    assert_eq!(read.data()["unread_count"], 0);
    assert_eq!(*read.data(), inbox.conversation(id(&conversation)));
    assert_eq!(inbox.events("conversation.updated"), [json!({ "conversation": read.data() })]);
    eventually("the receipt", || was_seen(&inbox, &inbox.whatsapp, ANN).then_some(()));
    // A receipt is no message, and what they say next is unread again.
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
    assert_eq!(walk(&inbox.client, &format!("/conversations/{}/messages", id(&conversation))).len(), 2);
    assert_eq!(inbox.hears(ANN, "three")["unread_count"], 1);
    assert!(!was_seen(&inbox, &inbox.whatsapp, ANN));
}

fn reading_sends_a_receipt_on_every_channel(inbox: Inbox) {
    for channel in ["messenger", "instagram", "personal_whatsapp"] {
        let connection = inbox.connect(channel);
        let conversation = inbox.hears_on(&connection, ANN, "Hi!");
        inbox.client.send("POST", &format!("/conversations/{}/read", id(&conversation)), None).expect(200);
        eventually(channel, || was_seen(&inbox, &connection, ANN).then_some(()));
    }
}

fn reading_twice_sends_one_event(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let path = format!("/conversations/{}/read", id(&conversation));
    let first = inbox.client.send("POST", &path, None).expect(200);
    inbox.advance(1);
    assert_eq!(inbox.client.send("POST", &path, None).expect(200).data(), first.data());
    assert_eq!(inbox.client.post(&path, json!({})).expect(200).data(), first.data());
    assert_eq!(inbox.events("conversation.updated").len(), 1);
    // Also where nobody has written, and where the channel is gone.
    let mute = inbox.sends(hello_to("+14155550177"));
    inbox
        .client
        .send("POST", &format!("/conversations/{}/read", text(&mute["conversation_id"])), None)
        .expect(200);
    let gone = inbox.hears(BOB, "Hi!");
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    let read = inbox.client.send("POST", &format!("/conversations/{}/read", id(&gone)), None).expect(200);
    assert_eq!(read.data()["unread_count"], 0);
}

fn no_account_sees_the_conversations_of_another(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "oursecret");
    let theirs = reachable(&inbox.app);
    theirs.client.post("/messages", hello_to(ANN_PHONE)).expect(201);
    let contact = text(&conversation["contact_id"]);
    for path in [
        format!("/conversations?contact_id={contact}"),
        "/conversations".to_owned(),
        "/events".to_owned(),
        "/channels".to_owned(),
    ] {
        let seen = theirs.client.get(&path).expect(200).text;
        for ours in [id(&conversation), contact, &inbox.whatsapp, "oursecret"] {
            assert!(!seen.contains(ours), "{path}: {seen}");
        }
    }
    assert_eq!(walk(&theirs.client, "/conversations").len(), 1);
    assert_eq!(walk(&inbox.client, "/conversations").len(), 1);
}
