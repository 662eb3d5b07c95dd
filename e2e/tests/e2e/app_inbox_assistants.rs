//! The dashboard's inbox next to assistants: what needs a person, who wrote what, what happened to a conversation, and
//! replies that cross each other.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::agent_scene::{Desk, calls, says};
use crate::app_scene::{Browser, member};
use crate::inbox_scene::{ANN, BOB, Inbox, id, reply};
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    a_conversation_with_an_assistant_is_neither_unread_nor_unassigned,
    a_handed_off_conversation_needs_a_person_until_one_answers,
    who_takes_a_conversation_over_is_the_person_it_needs,
    a_message_of_an_assistant_names_it_and_its_run,
    a_thread_lists_what_happened_to_its_conversation,
    changes_of_an_erased_conversation_are_gone,
    a_reply_after_somebody_elses_is_refused_until_that_one_was_seen,
    a_request_that_names_another_member_is_refused,
}

const VIEWS: [(&str, &str); 4] = [
    ("unread", "status=open&unread=true"),
    ("unassigned", "status=open&assigned=nobody"),
    ("needs_person", "status=open&needs_person=true"),
    ("with_assistant", "status=open&handler=assistant"),
];

/// A member's browser at this inbox, and the member's id.
fn desk(inbox: &Inbox, email: &str) -> (Browser, String) {
    let id = member(&inbox.app, &inbox.tenant.account, email, "agent");
    (Browser::new(&inbox.app).sign_in(email), id)
}

/// The views in which the account's only conversation is, by their counts, which the lists agree with.
#[track_caller]
fn views(browser: &Browser) -> Vec<&'static str> {
    let counts = browser.get("/inbox/counts").expect(200).data().clone();
    assert_eq!(counts["all"], 1, "{counts}");
    let is_in = |(name, query): &(&'static str, &str)| {
        let rows = browser.get(&format!("/inbox?{query}")).expect(200).data().as_array().map_or(0, Vec::len);
        assert_eq!(counts[name], rows, "{name}: {counts}");
        rows == 1
    };
    VIEWS.iter().filter(|view| is_in(view)).map(|(name, _)| *name).collect()
}

fn a_conversation_with_an_assistant_is_neither_unread_nor_unassigned(desk_: Desk) {
    let (browser, _) = desk(&desk_.inbox, "mia@example.com");
    desk_.script(json!([says("It is.")]));
    let conversation = desk_.hears(ANN, "Is it still available?");
    assert!(conversation["unread_count"].as_i64() > Some(0), "{conversation}");
    assert_eq!(views(&browser), ["with_assistant"]);
    let read = browser.get("/inbox?unread=false").expect(200);
    assert_eq!(read.data().as_array().map(Vec::len), Some(1));
    let others = browser.get("/inbox?needs_person=false").expect(200);
    assert_eq!(others.data()[0]["needs_person_since"], Value::Null);
}

fn a_handed_off_conversation_needs_a_person_until_one_answers(desk_: Desk) {
    let (browser, _) = desk(&desk_.inbox, "mia@example.com");
    desk_.script(json!([calls(&[("hand_off", json!({ "message": "A person will help." }))]), says("Bye.")]));
    let conversation = desk_.hears(ANN, "I want a person.");
    desk_.becomes(&desk_.runs_of(&conversation)[0], "succeeded");
    assert_eq!(views(&browser), ["unread", "unassigned", "needs_person"]);
    let since =
        browser.get(&format!("/inbox/{}", id(&conversation))).expect(200).data()["needs_person_since"]
            .clone();
    assert!(since.is_string(), "{since}");
    // A program that writes is not a person.
    desk_.inbox.sends(reply(id(&conversation), "We have your message."));
    assert!(views(&browser).contains(&"needs_person"));
    browser.post("/v1/messages", reply(id(&conversation), "How can I help?")).expect(201);
    assert!(!views(&browser).contains(&"needs_person"));
    // Closing it ends the need too, and so does another assistant.
    let handover = format!("/v1/conversations/{}/handover", id(&conversation));
    let to_assistant = json!({ "to": "assistant", "assistant_id": desk_.assistant });
    for ending in ["close", "assistant"] {
        browser.post(&handover, to_assistant.clone()).expect(200);
        desk_
            .client
            .post(&format!("/conversations/{}/handover", id(&conversation)), json!({ "to": "human" }))
            .expect(200);
        assert!(views(&browser).contains(&"needs_person"), "{ending}");
        if ending == "close" {
            let path = format!("/v1/conversations/{}", id(&conversation));
            browser.patch(&path, json!({ "status": "closed" })).expect(200);
            browser.patch(&path, json!({ "status": "open" })).expect(200);
        } else {
            browser.post(&handover, to_assistant.clone()).expect(200);
        }
        assert!(!views(&browser).contains(&"needs_person"), "{ending}");
    }
}

fn who_takes_a_conversation_over_is_the_person_it_needs(desk_: Desk) {
    let (browser, mia) = desk(&desk_.inbox, "mia@example.com");
    let (_, bob) = desk(&desk_.inbox, "bob@example.com");
    desk_.script(json!([says("It is.")]));
    let conversation = desk_.hears(ANN, "Is it still available?");
    let handover = format!("/v1/conversations/{}/handover", id(&conversation));
    browser.post(&handover, json!({ "to": "human", "user_id": mia })).expect(200);
    assert!(!views(&browser).contains(&"needs_person"));
    browser.post(&handover, json!({ "to": "assistant", "assistant_id": desk_.assistant })).expect(200);
    browser.post(&handover, json!({ "to": "human", "user_id": bob })).expect(200);
    assert!(views(&browser).contains(&"needs_person"));
}

fn a_message_of_an_assistant_names_it_and_its_run(desk_: Desk) {
    let (browser, _) = desk(&desk_.inbox, "mia@example.com");
    desk_.script(json!([calls(&[("send_message", json!({ "text": "Let me look." }))]), says("It is.")]));
    let conversation = desk_.hears(ANN, "Is it still available?");
    let run = desk_.becomes(&desk_.runs_of(&conversation)[0], "succeeded");
    desk_.inbox.sends(reply(id(&conversation), "By a program."));
    browser.post("/v1/messages", reply(id(&conversation), "By a person.")).expect(201);
    let messages = browser.get(&format!("/conversations/{}/messages", id(&conversation))).expect(200);
    for message in messages.data().as_array().expect("a list") {
        let expected = match text(&message["text"]) {
            "Let me look." | "It is." => (json!(desk_.assistant), run["id"].clone()),
            _ => (Value::Null, Value::Null),
        };
        assert_eq!((&message["assistant_id"], &message["run_id"]), (&expected.0, &expected.1), "{message}");
    }
    assert_eq!(messages.data().as_array().map(Vec::len), Some(5));
}

fn a_thread_lists_what_happened_to_its_conversation(desk_: Desk) {
    let (browser, mia) = desk(&desk_.inbox, "mia@example.com");
    desk_.script(json!([says("It is.")]));
    let conversation = desk_.hears(ANN, "Is it still available?");
    desk_.becomes(&desk_.runs_of(&conversation)[0], "succeeded");
    let changes = format!("/conversations/{}/changes", id(&conversation));
    assert_eq!(browser.get(&changes).expect(200).data(), &json!([]));
    let path = format!("/v1/conversations/{}", id(&conversation));
    browser.post("/v1/messages", reply(id(&conversation), "I take over.")).expect(201);
    browser.patch(&path, json!({ "assigned_user_id": mia })).expect(200);
    browser.patch(&path, json!({ "assigned_user_id": mia })).expect(200);
    desk_
        .client
        .patch(&format!("/conversations/{}", id(&conversation)), json!({ "status": "closed" }))
        .expect(200);
    desk_.inbox.hears(ANN, "One more question");
    browser.patch(&path, json!({ "assigned_user_id": null, "status": "pending" })).expect(200);
    let list = browser.get(&changes).expect(200);
    has_fields(&list.data()[0], "id kind by_user_id by_assistant_id user_id assistant_id created_at");
    let seen: Vec<(&str, &Value, &Value)> = list
        .data()
        .as_array()
        .expect("a list")
        .iter()
        .map(|change| (text(&change["kind"]), &change["by_user_id"], &change["user_id"]))
        .collect();
    let (me, none) = (json!(mia), Value::Null);
    let expected = [
        ("unassigned", &me, &none),
        ("to_assistant", &none, &none),
        ("reopened", &none, &none),
        ("closed", &none, &none),
        ("assigned", &me, &me),
        ("to_person", &me, &none),
    ];
    assert_eq!(seen, expected);
    let first = browser.get(&format!("{changes}?limit=2")).expect(200);
    let next = text(&first.json["meta"]["next_cursor"]).to_owned();
    let rest = browser.get(&format!("{changes}?cursor={next}")).expect(200);
    assert_eq!(rest.data().as_array().map(Vec::len), Some(4));
    browser.get(&format!("/conversations/{NOTHING}/changes")).expect(404).error("not_found");
    Browser::new(&desk_.inbox.app).get(&changes).expect(401);
    let stranger = crate::app_scene::account(&desk_.inbox.app);
    assert_ne!(stranger.id, desk_.inbox.tenant.account.id);
    let other = Browser::new(&desk_.inbox.app).sign_in(crate::app_scene::OWNER);
    other.get(&changes).expect(404).error("not_found");
}

fn changes_of_an_erased_conversation_are_gone(desk_: Desk) {
    let (browser, _) = desk(&desk_.inbox, "mia@example.com");
    desk_.script(json!([says("It is.")]));
    let conversation = desk_.hears(ANN, "Is it still available?");
    desk_.becomes(&desk_.runs_of(&conversation)[0], "succeeded");
    browser.post("/v1/messages", reply(id(&conversation), "I take over.")).expect(201);
    desk_.client.delete(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
    browser.get(&format!("/conversations/{}/changes", id(&conversation))).expect(404).error("not_found");
}

fn a_reply_after_somebody_elses_is_refused_until_that_one_was_seen(inbox: Inbox) {
    let (mia, _) = desk(&inbox, "mia@example.com");
    let (bob, _) = desk(&inbox, "bob@example.com");
    let conversation = inbox.hears(ANN, "Is it still available?");
    let newest = || {
        let messages = mia.get(&format!("/conversations/{}/messages?limit=1", id(&conversation))).expect(200);
        messages.data()[0]["id"].clone()
    };
    let seen = newest();
    let answer = |words: &str, seen: &Value| {
        let to = json!({ "conversation_id": id(&conversation), "last_seen_message_id": seen });
        json!({ "type": "text", "to": to, "text": words })
    };
    inbox.advance(1);
    bob.post("/v1/messages", answer("It is.", &seen)).expect(201);
    let refused = mia.post("/v1/messages", answer("No, it is sold.", &seen)).expect(422);
    refused.error("unprocessable");
    assert_eq!(refused.json["error"]["reason"], "newer_reply");
    // One's own reply does not count, nor what the customer writes.
    inbox.advance(1);
    bob.post("/v1/messages", answer("And it is cheap.", &seen)).expect(201);
    inbox.advance(1);
    mia.post("/v1/messages", answer("Sorry, it is sold.", &newest())).expect(201);
    let seen = newest();
    inbox.advance(1);
    inbox.hears(ANN, "What a pity.");
    mia.post("/v1/messages", answer("It really is.", &seen)).expect(201);
    // A program's reply counts too, and a message of another conversation says nothing.
    inbox.advance(1);
    inbox.sends(reply(id(&conversation), "How was our service?"));
    mia.post("/v1/messages", answer("Goodbye.", &seen)).expect(422);
    mia.post("/v1/messages", reply(id(&conversation), "Goodbye.")).expect(201);
    let other = inbox.hears(BOB, "Hello!");
    let to = json!({ "conversation_id": id(&other), "last_seen_message_id": seen });
    mia.post("/v1/messages", json!({ "type": "text", "to": to, "text": "Hello." })).expect(201);
}

fn a_request_that_names_another_member_is_refused(inbox: Inbox) {
    let (mia, me) = desk(&inbox, "mia@example.com");
    let (_, bob) = desk(&inbox, "bob@example.com");
    let conversation = inbox.hears(ANN, "Hello?");
    let as_member = |member: &str| Browser { client: mia.client.with("frontdesk-member", member) };
    for stranger in [bob.as_str(), NOTHING, "x", ""] {
        let refused = as_member(stranger).post("/v1/messages", reply(id(&conversation), "Hi!")).expect(401);
        refused.error("unauthorized");
    }
    as_member(&me).post("/v1/messages", reply(id(&conversation), "Hi!")).expect(201);
    assert_eq!(inbox.sent_soon(&inbox.whatsapp, 1).len(), 1);
}
