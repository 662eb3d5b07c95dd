//! What a customer's message does to its conversation.

use frontdesk_e2e::{Engine, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, EVE, Inbox, TestConnection, about, fresh, messages, start, webhook};
use crate::shapes::text;
use crate::webhooks_scene::{HOUR, moment};

on_every_engine! {
    every_entry_of_a_batch_is_kept_in_each_persons_order,
    a_repeated_webhook_stores_nothing_new,
    a_webhook_repeated_concurrently_is_stored_once,
    a_closed_conversation_opens_again,
    unread_messages_are_counted_until_they_are_read,
    the_window_counts_from_the_channels_own_time,
    a_clock_that_runs_ahead_does_not_hold_the_window_open,
    the_window_closes_after_a_day,
    stop_and_start_opt_out_and_in,
    only_the_bare_word_opts_out,
    opt_out_words_can_be_configured,
    a_preference_at_the_channel_itself_counts_too,
}

const DAY: i64 = 24 * 60 * 60 * 1000;

fn every_entry_of_a_batch_is_kept_in_each_persons_order(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let told = |from: &str, id: &str| inbox.message(from, id, "text", json!({ "body": id }));
    let part =
        |told: Vec<Value>| about(&connection, json!({ "messages": told }))["entry"][0]["changes"][0].clone();
    let mut body = webhook(
        &connection,
        json!([
            part(vec![told(ANN, "1"), told(EVE, "2"), told(ANN, "3")]),
            { "field": "account_update", "value": {} },
            part(vec![told(ANN, "4")]),
        ]),
    );
    let second =
        webhook(&connection, json!([part(vec![told(ANN, "5"), told(EVE, "6")])]))["entry"][0].clone();
    body["entry"].as_array_mut().unwrap().push(second);
    inbox.tell(&connection, &body).expect(200);
    let said = |from: &str| {
        let conversation = &inbox.conversations(&format!("?contact_id={}", inbox.contact(from)))[0];
        let all = inbox.said(&conversation["id"]);
        all.iter().map(|message| text(&message["text"]).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (said(ANN), said(EVE)),
        (vec!["1".into(), "3".into(), "4".into(), "5".into()], vec!["2".into(), "6".into()])
    );
    assert_eq!(inbox.events("message.received").len(), 6);
}

fn a_repeated_webhook_stores_nothing_new(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let said = inbox.message(ANN, "wamid.once", "image", json!({ "id": "1", "caption": "Look" }));
    inbox.tell(&connection, &messages(&connection, &[said.clone(), said.clone()])).expect(200);
    inbox.tell(&connection, &messages(&connection, std::slice::from_ref(&said))).expect(200);
    // Later, and with other words: the channel's id decides.
    inbox.advance(HOUR);
    let changed = inbox.message(ANN, "wamid.once", "text", json!({ "body": "Other" }));
    inbox.tell(&connection, &messages(&connection, &[changed])).expect(200);
    let kept = inbox.all();
    assert_eq!((kept.len(), &kept[0]["text"]), (1, &json!("Look")));
    assert_eq!(
        (&inbox.only_conversation()["unread_count"], inbox.events("message.received").len()),
        (&json!(1), 1)
    );
}

fn a_webhook_repeated_concurrently_is_stored_once(inbox: Inbox) {
    let connection = inbox.whatsapp();
    for round in 0..10 {
        // Of somebody new, and of somebody known.
        let from = format!("1650555{:04}", round / 2);
        let said = inbox.message(&from, &format!("wamid.{round}"), "text", json!({ "body": "Once" }));
        let body = messages(&connection, &[said]);
        at_once(6, |_| drop(inbox.tell(&connection, &body).expect(200)));
    }
    assert_eq!(inbox.events("message.received").len(), 10);
    let conversations = inbox.conversations("");
    assert!(
        conversations.len() == 5
            && conversations.iter().all(|conversation| conversation["unread_count"] == 2),
        "{conversations:?}"
    );
}

fn a_closed_conversation_opens_again(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let id = inbox.hear(&connection, ANN);
    let path = format!("/conversations/{id}");
    for (set, then, told) in [("closed", "open", 2), ("pending", "pending", 1), ("open", "open", 1)] {
        let before = inbox.events("conversation.updated").len();
        inbox.client.patch(&path, json!({ "status": set })).expect(200);
        assert_eq!(inbox.hear(&connection, ANN), id, "another conversation");
        assert_eq!(inbox.client.get(&path).expect(200).data()["status"], then);
        let updated = inbox.events("conversation.updated");
        assert_eq!(updated.len() - before, told, "{set}");
        assert_eq!(updated.last().unwrap()["conversation"]["status"], then);
    }
    assert_eq!(inbox.events("conversation.created").len(), 1);
}

fn unread_messages_are_counted_until_they_are_read(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let id = inbox.hear(&connection, ANN);
    inbox.hear(&connection, ANN);
    assert_eq!(inbox.only_conversation()["unread_count"], 2);
    inbox.say(&id, "Ours is not unread");
    assert_eq!(
        (&inbox.only_conversation()["unread_count"], inbox.conversations("?unread=true").len()),
        (&json!(2), 1)
    );
    let read = inbox.client.post(&format!("/conversations/{id}/read"), json!({})).expect(200);
    assert_eq!(read.data()["unread_count"], 0);
    assert!(inbox.conversations("?unread=true").is_empty());
    inbox.hear(&connection, ANN);
    assert_eq!(inbox.only_conversation()["unread_count"], 1);
}

/// Says something at a moment of the channel's own, in seconds.
#[track_caller]
fn said_at(inbox: &Inbox, connection: &TestConnection, seconds: i64) {
    let mut said = inbox.message(ANN, &fresh("then"), "text", json!({ "body": "Then" }));
    said["timestamp"] = json!(seconds.to_string());
    inbox.tell(connection, &messages(connection, &[said])).expect(200);
}

#[track_caller]
fn respond(inbox: &Inbox) -> u16 {
    let to = json!({ "conversation_id": inbox.only_conversation()["id"] });
    let response = inbox.client.post("/messages", json!({ "type": "text", "to": to, "text": "Yes?" }));
    if response.status != 201 {
        assert_eq!(response.error("unprocessable")["reason"], "outside_window");
    }
    response.status
}

fn the_window_counts_from_the_channels_own_time(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let now = inbox.vendors.now() / 1000;
    // A message that comes two days late opens nothing.
    said_at(&inbox, &connection, now - 2 * DAY / 1000);
    assert_eq!(moment(&inbox.only_conversation()["window_expires_at"]), (now - DAY / 1000) * 1000);
    assert_eq!(respond(&inbox), 422);
    said_at(&inbox, &connection, now - 3600);
    assert_eq!(moment(&inbox.only_conversation()["window_expires_at"]), (now - 3600) * 1000 + DAY);
    assert_eq!(respond(&inbox), 201);
    // An older one that comes after it closes nothing.
    said_at(&inbox, &connection, now - 7200);
    assert_eq!(moment(&inbox.only_conversation()["window_expires_at"]), (now - 3600) * 1000 + DAY);
    assert_eq!(respond(&inbox), 201);
}

fn a_clock_that_runs_ahead_does_not_hold_the_window_open(inbox: Inbox) {
    let connection = inbox.whatsapp();
    said_at(&inbox, &connection, inbox.vendors.now() / 1000 + 3 * DAY / 1000);
    assert!(moment(&inbox.only_conversation()["window_expires_at"]) <= inbox.vendors.now() + DAY);
    inbox.advance(25 * HOUR);
    assert_eq!(respond(&inbox), 422);
}

fn the_window_closes_after_a_day(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.hear(&connection, ANN);
    inbox.advance(24 * HOUR - 60);
    assert_eq!(respond(&inbox), 201);
    inbox.advance(60);
    assert_eq!(respond(&inbox), 422);
    inbox.hear(&connection, ANN);
    assert_eq!(respond(&inbox), 201);
}

#[track_caller]
fn write(inbox: &Inbox, connection: &TestConnection, words: &str) {
    let said = inbox.message(ANN, &fresh("words"), "text", json!({ "body": words }));
    inbox.tell(connection, &messages(connection, &[said])).expect(200);
}

#[track_caller]
fn opt_out(inbox: &Inbox) -> (Value, Value) {
    let path = format!("/contacts/{}/opt-out", inbox.contact(ANN));
    let found = inbox.client.get(&path).expect(200).data().clone();
    assert_eq!(found["opted_out_at"].is_string(), found["opted_out"] == true, "{found}");
    (found["opted_out"].clone(), found["source"].clone())
}

fn stop_and_start_opt_out_and_in(inbox: Inbox) {
    let connection = inbox.whatsapp();
    for (stop, start) in
        [("STOP", "START"), (" stop! ", "Start."), ("Unsubscribe", "UNSTOP"), ("sToP.", "start!!")]
    {
        write(&inbox, &connection, stop);
        assert_eq!(opt_out(&inbox), (json!(true), json!("whatsapp")), "{stop}");
        // Twice says no more than once.
        write(&inbox, &connection, stop);
        write(&inbox, &connection, start);
        assert_eq!(opt_out(&inbox), (json!(false), Value::Null), "{start}");
    }
    let (out, back) = (inbox.events("contact.opted_out"), inbox.events("contact.opted_in"));
    assert_eq!((out.len(), back.len()), (4, 4));
    assert!(out.iter().chain(&back).all(|data| data["contact"]["id"] == inbox.contact(ANN).as_str()));
    // The words are messages too, and whoever is out can still be answered.
    assert_eq!(inbox.all().len(), 12);
    write(&inbox, &connection, "stop");
    assert_eq!(respond(&inbox), 201);
}

fn only_the_bare_word_opts_out(inbox: Inbox) {
    let connection = inbox.whatsapp();
    for words in ["please stop", "stop it", "nonstop", "st op", "stopp", "?", "", "stop\nstart"] {
        if !words.is_empty() {
            write(&inbox, &connection, words);
        }
    }
    let captioned = inbox.message(ANN, &fresh("image"), "image", json!({ "id": "1", "caption": "stop" }));
    inbox.tell(&connection, &messages(&connection, &[captioned])).expect(200);
    assert_eq!(opt_out(&inbox), (json!(false), Value::Null));
    assert!(inbox.events("contact.opted_out").is_empty());
}

fn opt_out_words_can_be_configured(engine: Engine) {
    let chosen = start(engine)
        .env("FRONTDESK_STOP_WORDS", " ARRÊT , baja del todo,")
        .env("FRONTDESK_START_WORDS", "encore");
    let inbox = Inbox::of(chosen);
    let connection = inbox.whatsapp();
    for words in ["arrêt", "Baja del todo!"] {
        write(&inbox, &connection, words);
        assert_eq!(opt_out(&inbox).0, true, "{words}");
        write(&inbox, &connection, "start");
        assert_eq!(opt_out(&inbox).0, true, "start is no longer a word");
        write(&inbox, &connection, "Encore");
        assert_eq!(opt_out(&inbox).0, false);
    }
    write(&inbox, &connection, "stop");
    assert_eq!(opt_out(&inbox).0, false, "stop is no longer a word");
}

fn a_preference_at_the_channel_itself_counts_too(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.hear(&connection, ANN);
    let prefer = |who: &str, value: &str| {
        let told = json!({ "wa_id": who, "category": "marketing_messages", "value": value, "timestamp": "1750000000" });
        let value = json!({
            "messaging_product": "whatsapp",
            "metadata": { "phone_number_id": connection.phone_number_id() },
            "contacts": [{ "profile": { "name": "Ann" }, "wa_id": who }],
            "user_preferences": [told],
        });
        inbox
            .tell(
                &connection,
                &webhook(&connection, json!([{ "field": "user_preferences", "value": value }])),
            )
            .expect(200);
    };
    prefer(ANN, "stop");
    assert_eq!(opt_out(&inbox), (json!(true), json!("whatsapp")));
    prefer(ANN, "maybe");
    assert_eq!(opt_out(&inbox).0, true);
    prefer(ANN, "resume");
    assert_eq!(opt_out(&inbox).0, false);
    // Who has not written yet may have a wish all the same.
    prefer(EVE, "stop");
    let path = format!("/contacts/{}/opt-out", inbox.contact(EVE));
    assert_eq!(inbox.client.get(&path).expect(200).data()["opted_out"], true);
    let told = (inbox.events("contact.opted_out").len(), inbox.events("contact.opted_in").len());
    assert_eq!((told, inbox.conversations("").len()), ((2, 1), 1));
}
