//! Web chat: who a visitor is, what they say, and what they see.

use frontdesk_e2e::{Engine, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{CONVERSATION, id, reply, start};
use crate::people::{add, walk};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};
use crate::waiting::{Watch, connect};
use crate::web_chat_scene::{Chat, door, texts};

on_every_engine! {
    creating_a_visitor_needs_no_key_and_stores_nothing,
    only_a_token_of_this_chat_is_accepted,
    a_visitors_message_opens_a_conversation_without_a_window,
    a_repeated_client_id_stores_one_message,
    concurrent_requests_with_one_client_id_store_one_message,
    a_visitor_introduces_themselves,
    an_email_address_never_joins_two_people,
    problems_of_a_message_are_reported_by_field,
    a_chat_that_was_disconnected_takes_nothing,
    a_visitor_sees_their_own_thread_page_by_page,
    replies_are_shown_to_the_visitor,
    the_caption_of_a_recording_is_shown_with_it,
    a_template_is_not_for_a_chat,
    a_reply_is_sent_then_delivered_then_read,
    reading_marks_no_other_conversations_messages,
    a_visitor_who_writes_again_opens_the_conversation_again,
    another_account_cannot_read_the_conversation,
}

/// What a visitor sees of a message.
const SEEN: &str = "id direction sender_type type text media_url filename client_id created_at";

fn creating_a_visitor_needs_no_key_and_stores_nothing(chat: Chat) {
    let path = chat.path("visitors");
    let made = [
        chat.anybody().send("POST", &path, None),
        chat.anybody().post(&path, json!({})),
        chat.anybody().post(&path, json!({ "name": "Ann", "email": "ann@example.com" })),
        chat.anybody().post(&path, json!({ "name": null, "email": null })),
    ];
    let mut ids = Vec::new();
    for response in made {
        let data = response.expect(201).data().clone();
        has_fields(&data, "visitor_id token");
        is_id(&data["visitor_id"]);
        assert!(!text(&data["token"]).contains("ann"), "{data}");
        ids.push(text(&data["visitor_id"]).to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4);
    assert_eq!((walk(&chat.client, "/contacts").len(), chat.told()), (0, Vec::new()));
    for (body, path) in [
        (json!({ "name": 7 }), "name"),
        (json!({ "name": "n".repeat(201) }), "name"),
        (json!({ "email": "nobody" }), "email"),
    ] {
        let refused = chat.anybody().post(&chat.path("visitors"), body).expect(400);
        refused.error("validation_error");
        refused.details_at(&[path]);
    }
}

fn only_a_token_of_this_chat_is_accepted(chat: Chat) {
    let other = chat.connect("web_chat");
    let (ann, stranger) = (chat.visitor(), chat.visitor_of(&other, json!({})));
    let said = ann.says("Hello!");
    let mut altered = ann.token.clone().into_bytes();
    altered[60] = if altered[60] == b'A' { b'B' } else { b'A' };
    let altered = String::from_utf8(altered).unwrap();
    let callers = [
        chat.anybody(),
        chat.anybody().with_key(""),
        chat.anybody().with_key(&stranger.token),
        chat.anybody().with_key(&altered),
        chat.anybody().with_key(&ann.token[..ann.token.len() - 4]),
        chat.anybody().with_key(&chat.tenant.key.secret),
        chat.anybody().with("authorization", format!("Basic {}", ann.token)),
    ];
    for caller in callers {
        for response in [
            caller.post(&chat.path("messages"), json!({ "text": "Let me in" })),
            caller.get(&chat.path("messages")),
            caller.post(&chat.path("read"), json!({ "message_id": said["id"] })),
            caller.get(&chat.path("stream")),
        ] {
            assert_eq!(response.expect(403).error("forbidden")["reason"], "visitor_token");
        }
    }
    for token in ["", altered.as_str(), stranger.token.as_str()] {
        let response = chat.anybody().get(&chat.path(&format!("stream?token={token}"))).expect(403);
        assert_eq!(response.error("forbidden")["reason"], "visitor_token");
    }
    // Only a stream is opened by its address.
    chat.anybody().get(&chat.path(&format!("messages?token={}", ann.token))).expect(403);
    assert_eq!(texts(&ann.sees()), ["Hello!"]);
    assert_eq!(walk(&chat.client, "/contacts").len(), 1);
}

fn a_visitors_message_opens_a_conversation_without_a_window(chat: Chat) {
    let ann = chat.visitor_as(json!({ "name": "Ann" }));
    let said = ann.tells(json!({ "text": "Hello!\nIs anybody there?", "client_id": "first" }));
    has_fields(&said, SEEN);
    is_id(&said["id"]);
    is_moment(&said["created_at"]);
    assert_eq!(
        (&said["direction"], &said["sender_type"], &said["type"], &said["client_id"]),
        (&json!("inbound"), &json!("customer"), &json!("text"), &json!("first"))
    );
    assert_eq!(said["text"], "Hello!\nIs anybody there?");
    let conversation = chat.conversation_of(&said);
    has_fields(&conversation, CONVERSATION);
    assert_eq!(
        (
            &conversation["channel"],
            &conversation["connection_id"],
            &conversation["status"],
            &conversation["unread_count"]
        ),
        (&json!("web_chat"), &json!(chat.connection), &json!("open"), &json!(1))
    );
    assert_eq!(conversation["window_expires_at"], Value::Null);
    assert_eq!(chat.contact_of(&said)["name"], "Ann");
    let received = chat.events("message.received");
    assert_eq!(received, [json!({ "message": chat.message(&said["id"]) })]);
    assert_eq!(received[0]["message"]["status"], "delivered");
    let told = chat.told();
    for once in ["contact.created", "conversation.created", "message.received"] {
        assert_eq!(told.iter().filter(|told| *told == once).count(), 1, "{told:?}");
    }
    // However long it was, it can be answered.
    chat.advance(30 * 24 * 3600);
    let message = chat.replies(id(&conversation), "Sorry for the delay.");
    chat.becomes(&message, "sent");
}

fn a_repeated_client_id_stores_one_message(chat: Chat) {
    let (ann, bob) = (chat.visitor(), chat.visitor());
    let said = ann.tells(json!({ "text": "Hello!", "client_id": "1" }));
    assert_eq!(ann.tells(json!({ "text": "Hello!", "client_id": "1" })), said);
    // What was said first stays.
    assert_eq!(ann.tells(json!({ "text": "Goodbye!", "client_id": "1" })), said);
    let other = bob.tells(json!({ "text": "Hello!", "client_id": "1" }));
    assert_ne!(other["id"], said["id"]);
    // Without a name of the page's own, each is a new one.
    let (first, second) = (ann.says("Again"), ann.says("Again"));
    assert_ne!(first["id"], second["id"]);
    assert_eq!(first["client_id"], Value::Null);
    assert_eq!(texts(&ann.sees()), ["Hello!", "Again", "Again"]);
    assert_eq!(texts(&bob.sees()), ["Hello!"]);
    assert_eq!(chat.events("message.received").len(), 4);
    assert_eq!(chat.conversation_of(&said)["unread_count"], 3);
}

fn concurrent_requests_with_one_client_id_store_one_message(chat: Chat) {
    let ann = chat.visitor_as(json!({ "name": "Ann", "email": "ann@example.com" }));
    let responses =
        at_once(8, |_| ann.tells(json!({ "text": "Hello!", "client_id": "1", "email": "ann@example.com" })));
    assert!(responses.iter().all(|response| *response == responses[0]), "{responses:?}");
    at_once(8, |number| ann.says(&number.to_string()));
    assert_eq!(ann.sees().len(), 9);
    assert_eq!(chat.events("message.received").len(), 9);
    for list in ["/contacts", "/conversations"] {
        assert_eq!(walk(&chat.client, list).len(), 1, "{list}");
    }
}

fn a_visitor_introduces_themselves(chat: Chat) {
    let known = |said: &Value| {
        let contact = chat.contact_of(said);
        (contact["name"].clone(), contact["email"].clone(), contact["phone"].clone())
    };
    let ann = chat.visitor_as(json!({ "name": "Ann", "email": "ann@example.com" }));
    let said = ann.says("Hello!");
    assert_eq!(known(&said), (json!("Ann"), json!("ann@example.com"), Value::Null));
    // With the first message, which counts for more than the introduction.
    let bob = chat.visitor_as(json!({ "name": "Somebody" }));
    let said = bob.tells(json!({ "text": "Hi!", "name": "Bob", "email": "bob@example.com" }));
    assert_eq!(known(&said), (json!("Bob"), json!("bob@example.com"), Value::Null));
    // With a later one.
    let cyd = chat.visitor();
    let said = cyd.says("Hi!");
    assert_eq!(known(&said).1, Value::Null);
    cyd.tells(json!({ "text": "It is me", "name": "Cyd", "email": "cyd@example.com" }));
    assert_eq!(known(&said), (json!("Cyd"), json!("cyd@example.com"), Value::Null));
    // What is known is not overwritten.
    cyd.tells(json!({ "text": "Or is it?", "name": "Dan", "email": "dan@example.com" }));
    assert_eq!(known(&said), (json!("Cyd"), json!("cyd@example.com"), Value::Null));
    assert_eq!(walk(&chat.client, "/contacts").len(), 3);
}

fn an_email_address_never_joins_two_people(chat: Chat) {
    let customer = add(&chat.client, json!({ "name": "Ann", "email": "ann@example.com" }));
    let introduction = json!({ "name": "Ann", "email": "ann@example.com" });
    let first = chat.visitor_as(introduction.clone());
    let second = chat.visitor_as(introduction);
    let (one, two) = (first.says("My secret"), second.says("I am Ann"));
    let third = chat.visitor();
    third.says("Hi!");
    let three = third.tells(json!({ "text": "I am Ann, too", "email": "ANN@example.com" }));
    let mut contacts: Vec<String> =
        [&one, &two, &three].map(|said| id(&chat.contact_of(said)).to_owned()).to_vec();
    contacts.push(customer);
    contacts.sort();
    contacts.dedup();
    assert_eq!(contacts.len(), 4, "two of them are one");
    assert_eq!(texts(&first.sees()), ["My secret"]);
    assert_eq!(texts(&second.sees()), ["I am Ann"]);
    assert_eq!(texts(&third.sees()), ["Hi!", "I am Ann, too"]);
}

fn problems_of_a_message_are_reported_by_field(chat: Chat) {
    let ann = chat.visitor();
    let longest = "ü".repeat(4_096);
    assert_eq!(ann.says(&longest)["text"], longest.as_str());
    ann.tells(json!({ "text": "Hi!", "client_id": "c".repeat(64), "name": "n".repeat(200) }));
    let cases: [(Value, &[&str]); 9] = [
        (json!({}), &["text"]),
        (json!({ "text": null }), &["text"]),
        (json!({ "text": " \n " }), &["text"]),
        (json!({ "text": 7 }), &["text"]),
        (json!({ "text": "x".repeat(4_097) }), &["text"]),
        (json!({ "text": "Hi!", "client_id": "c".repeat(65) }), &["client_id"]),
        (json!({ "text": "Hi!", "name": "n".repeat(201) }), &["name"]),
        (json!({ "text": "Hi!", "email": "nobody" }), &["email"]),
        (json!({ "client_id": [], "email": "@" }), &["text", "client_id", "email"]),
    ];
    for (body, paths) in cases {
        let refused = ann.post("messages", body).expect(400);
        refused.error("validation_error");
        refused.details_at(paths);
    }
    let caller = chat.anybody().with_key(&ann.token);
    for body in ["{", "no", "{\"text\":\"Hi!\"", "\u{0}"] {
        caller.post_text(&chat.path("messages"), body).expect(400).error("bad_request");
    }
    for body in ["[]", "7", "null", "\"text\""] {
        caller.post_text(&chat.path("messages"), body).expect(400).error("validation_error");
    }
    let large = json!({ "text": "x".repeat(70 << 10) }).to_string();
    caller.post_text(&chat.path("messages"), large).expect(413);
    for (body, path) in [(json!({}), "message_id"), (json!({ "message_id": "x" }), "message_id")] {
        ann.post("read", body).expect(400).details_at(&[path]);
    }
    for query in ["messages?limit=0", "messages?limit=101"] {
        ann.get(query).expect(400).details_at(&["limit"]);
    }
    for query in ["messages?limit=x", "messages?after=x", "stream?after=x"] {
        ann.get(query).expect(400).error("bad_request");
    }
    assert_eq!(ann.sees().len(), 2);
    assert_eq!(chat.events("message.received").len(), 2);
}

fn a_chat_that_was_disconnected_takes_nothing(chat: Chat) {
    let (ann, conversation) = chat.met();
    chat.app.cli(&["channel", "disconnect", &chat.connection]);
    ann.post("messages", json!({ "text": "Still there?" })).expect(422).error("channel_not_connected");
    let refused = chat.anybody().post(&chat.path("visitors"), json!({})).expect(422);
    refused.error("channel_not_connected");
    chat.send(reply(&conversation, "Yes.")).expect(422).error("channel_not_connected");
    // What was said can still be read.
    assert_eq!(texts(&ann.sees()), ["Hello!"]);
    chat.app.cli(&["channel", "reconnect", &chat.connection]);
    ann.says("Still there?");
    chat.replies(&conversation, "Yes.");
    assert_eq!(texts(&ann.sees()), ["Hello!", "Still there?", "Yes."]);
}

fn a_visitor_sees_their_own_thread_page_by_page(chat: Chat) {
    let (ann, bob, mute) = (chat.visitor(), chat.visitor(), chat.visitor());
    let first = ann.says("0");
    let conversation = id(&chat.conversation_of(&first)).to_owned();
    bob.says("Not Ann's");
    for number in 1..=6 {
        if number % 2 == 0 {
            ann.says(&number.to_string());
        } else {
            chat.replies(&conversation, &number.to_string());
        }
    }
    let all = ann.sees();
    assert_eq!(texts(&all), ["0", "1", "2", "3", "4", "5", "6"]);
    for message in &all {
        has_fields(message, SEEN);
    }
    assert_eq!(all[0], first);
    assert_eq!((&all[1]["direction"], &all[1]["sender_type"]), (&json!("outbound"), &json!("bot")));
    assert_eq!(texts(&bob.sees()), ["Not Ann's"]);
    assert_eq!(mute.sees(), [Value::Null; 0]);
    let mut seen = Vec::new();
    let mut query = "messages?limit=3".to_owned();
    loop {
        let page = ann.get(&query).expect(200);
        let rows = page.data().as_array().unwrap();
        assert!(rows.len() <= 3);
        seen.extend(rows.iter().cloned());
        assert_eq!(page.json["meta"]["limit"], 3);
        assert_eq!(page.json["meta"]["has_more"], page.json["meta"]["next_cursor"].is_string());
        match page.json["meta"]["next_cursor"].as_str() {
            Some(after) => query = format!("messages?limit=3&after={after}"),
            None => break,
        }
    }
    assert_eq!(seen, all);
    let rest = ann.get(&format!("messages?after={}", id(&all[4]))).expect(200);
    assert_eq!(rest.data(), &json!(all[5..]));
    // Somebody else's message is a moment and nothing more.
    let elsewhere = bob.get(&format!("messages?after={}", id(&all[0]))).expect(200);
    assert_eq!(texts(elsewhere.data().as_array().unwrap()), ["Not Ann's"]);
    assert_eq!(ann.get(&format!("messages?after={NOTHING}")).expect(200).data(), &json!(all));
}

fn the_caption_of_a_recording_is_shown_with_it(chat: Chat) {
    let (ann, conversation) = chat.met();
    let media = json!({ "kind": "audio", "url": "https://files.example/a.ogg", "caption": "Listen" });
    let message =
        chat.sends(json!({ "type": "media", "to": { "conversation_id": conversation }, "media": media }));
    let seen = ann.sees().pop().expect("the recording");
    assert_eq!((&seen["type"], &seen["text"]), (&json!("audio"), &json!("Listen")));
    assert_eq!(seen["media_url"], "https://files.example/a.ogg");
    chat.becomes(&message, "delivered");
}

fn replies_are_shown_to_the_visitor(chat: Chat) {
    let (ann, conversation) = chat.met();
    let words = chat.replies(&conversation, "Welcome!");
    let media = json!({ "kind": "image", "url": "https://files.example/a.png", "caption": "Our shop" });
    let image =
        chat.sends(json!({ "type": "media", "to": { "conversation_id": conversation }, "media": media }));
    let seen = ann.sees();
    assert_eq!((&seen[1]["id"], &seen[2]["id"]), (&words["id"], &image["id"]));
    assert_eq!((&seen[1]["type"], &seen[1]["text"]), (&json!("text"), &json!("Welcome!")));
    assert_eq!(
        (&seen[2]["type"], &seen[2]["text"], &seen[2]["media_url"]),
        (&json!("image"), &json!("Our shop"), &json!("https://files.example/a.png"))
    );
    assert_eq!(seen.len(), 3);
    chat.becomes(&words, "delivered");
    chat.becomes(&image, "delivered");
}

fn a_template_is_not_for_a_chat(chat: Chat) {
    let (ann, conversation) = chat.met();
    let template = json!({
        "type": "template", "to": { "conversation_id": conversation }, "template": { "name": "hello_world" },
    });
    let refused = chat.send(template).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "template_not_supported");
    assert_eq!(ann.sees().len(), 1);
}

fn a_reply_is_sent_then_delivered_then_read(chat: Chat) {
    let (ann, conversation) = chat.met();
    let (one, two) = (chat.replies(&conversation, "One"), chat.replies(&conversation, "Two"));
    for message in [&one, &two] {
        // Stored is sent; nobody has seen it.
        chat.becomes(message, "sent");
    }
    chat.settle();
    assert_eq!(chat.message(&one["id"])["status"], "sent");
    assert_eq!(ann.sees().len(), 3);
    for message in [&one, &two] {
        assert_eq!(chat.message(&message["id"])["status"], "delivered");
    }
    let read = ann.post("read", json!({ "message_id": one["id"] })).expect(200);
    assert_eq!(read.data(), &json!({ "message_id": one["id"], "count": 1 }));
    assert_eq!(chat.message(&one["id"])["status"], "read");
    assert_eq!(chat.message(&two["id"])["status"], "delivered");
    for count in [1, 0] {
        let read = ann.post("read", json!({ "message_id": two["id"] })).expect(200);
        assert_eq!(read.data()["count"], count);
    }
    ann.sees();
    let told = chat.events("message.status_changed");
    for message in [&one, &two] {
        let about = told.iter().filter(|data| data["message"]["id"] == message["id"]);
        let statuses: Vec<&Value> = about.map(|data| &data["message"]["status"]).collect();
        assert_eq!(statuses, ["sent", "delivered", "read"]);
    }
    assert_eq!(told.len(), 6);
}

fn reading_marks_no_other_conversations_messages(chat: Chat) {
    let (_ann, conversation) = chat.met();
    let message = chat.replies(&conversation, "For Ann");
    chat.becomes(&message, "sent");
    let (bob, _) = chat.met();
    for visitor in [&bob, &chat.visitor()] {
        let read = visitor.post("read", json!({ "message_id": message["id"] })).expect(200);
        assert_eq!(read.data()["count"], 0);
    }
    assert_eq!(chat.message(&message["id"])["status"], "sent");
}

fn a_visitor_who_writes_again_opens_the_conversation_again(chat: Chat) {
    let (ann, conversation) = chat.met();
    let path = format!("/conversations/{conversation}");
    chat.client.patch(&path, json!({ "status": "closed" })).expect(200);
    let said = ann.says("One more thing");
    let found = chat.conversation_of(&said);
    assert_eq!((id(&found), &found["status"]), (conversation.as_str(), &json!("open")));
    assert_eq!(found["last_message_text"], "One more thing");
    assert_eq!(walk(&chat.client, "/conversations?channel=web_chat").len(), 1);
}

fn another_account_cannot_read_the_conversation(chat: Chat) {
    let (_ann, conversation) = chat.met();
    let message = chat.replies(&conversation, "Just between us");
    let stranger = chat.app.tenant();
    let theirs =
        text(
            &chat.app.cli(&[
                "channel",
                "connect",
                "--account",
                &stranger.account.id,
                "--channel",
                "web_chat",
            ])["connection_id"],
        )
        .to_owned();
    for path in [
        format!("/conversations/{conversation}"),
        format!("/conversations/{conversation}/messages"),
        format!("/messages/{}", id(&message)),
    ] {
        stranger.client.get(&path).expect(404).error("not_found");
        chat.client.get(&path).expect(200);
    }
    let response = stranger.client.post("/messages", reply(&conversation, "Psst!"));
    response.expect(404).error("not_found");
    assert_eq!(walk(&stranger.client, "/conversations").len(), 0);
    let events = walk(&stranger.client, "/events");
    assert!(events.iter().all(|event| event["event_type"] == "channel.connected"), "{events:?}");
    // A visitor of their chat is nobody in this one, and the other way round.
    let eve = chat.visitor_of(&theirs, json!({}));
    assert_eq!(eve.sees(), [Value::Null; 0]);
    chat.anybody().with_key(&eve.token).get(&chat.path("messages")).expect(403);
    chat.anybody().get(&door(NOTHING, "messages")).expect(404);
}

#[test]
fn an_address_that_a_contact_got_meanwhile_is_kept() {
    let chat = Chat::of(start(Engine::Postgres));
    let visitor = chat.visitor();
    let said = visitor.says("Hello");
    let contact = text(&chat.contact_of(&said)["id"]).to_owned();
    let (mut database, mut watch) = (connect(&chat.app), Watch::of(&chat.app));
    // Somebody has given the contact an address, and has not committed yet.
    let mut change = database.transaction().unwrap();
    let given = "UPDATE contacts SET email = 'first@example.com', email_key = 'first@example.com'";
    change.batch_execute(&format!("{given} WHERE id = '{contact}'")).unwrap();
    std::thread::scope(|scope| {
        let message = json!({ "text": "Write to me", "email": "second@example.com" });
        let told = scope.spawn(|| visitor.post("messages", message));
        watch.until(1);
        change.commit().unwrap();
        told.join().unwrap().expect(201);
    });
    assert_eq!(chat.contact_of(&said)["email"], "first@example.com");
}
