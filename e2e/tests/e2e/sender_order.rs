//! Who goes first: one after the other within a conversation, and nobody waits for anybody else's.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_e2e::{Engine, Reply, Sink, at_once, came_true, on_every_engine, on_shared_stores};
use serde_json::json;

use crate::inbound_scene::{ANN, EVE, Inbox, TestConnection, start};
use crate::shapes::text;

on_every_engine! {
    a_conversation_keeps_its_order_while_its_first_message_is_tried_again,
    messages_sent_quickly_arrive_in_order,
    a_slow_channel_delays_no_other,
    a_caption_that_a_channel_cannot_carry_follows_as_a_text,
}

on_shared_stores! {
    two_servers_share_a_queue_and_send_each_message_once,
}

/// What reached each customer, in order.
#[track_caller]
fn reached(inbox: &Inbox) -> BTreeMap<String, Vec<String>> {
    let mut reached: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for sent in inbox.vendors.sent() {
        reached.entry(text(&sent["to"]).to_owned()).or_default().push(text(&sent["text"]).to_owned());
    }
    reached
}

fn a_conversation_keeps_its_order_while_its_first_message_is_tried_again(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let (ann, eve) = (inbox.hear(&connection, ANN), inbox.hear(&connection, EVE));
    inbox.vendors.faults(json!([{ "on": "send", "to": ANN, "kind": "status", "status": 500, "times": 2 }]));
    let ids = ["1", "2", "3"].map(|words| inbox.say(&ann, words));
    let other = inbox.say(&eve, "Not behind them");
    inbox.becomes(&other, "delivered");
    inbox.advance(3);
    assert_eq!(reached(&inbox).get(ANN), None, "one overtook the first");
    assert!(ids.iter().all(|id| inbox.status(id) == "sending"));
    inbox.advance(11);
    inbox.all_become(&ids, "delivered");
    assert_eq!(reached(&inbox)[ANN], ["1", "2", "3"]);
}

fn messages_sent_quickly_arrive_in_order(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversations = [ANN, EVE].map(|from| inbox.hear(&connection, from));
    // Answers of different lengths in time would show who does not wait for whom.
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 40, "times": 3 }]));
    at_once(2, |at| (0..15).for_each(|number| drop(inbox.say(&conversations[at], &format!("{number:02}")))));
    assert!(came_true(|| inbox.vendors.sent().len() == 30));
    inbox.advance(0);
    let wanted: Vec<String> = (0..15).map(|number| format!("{number:02}")).collect();
    let reached = reached(&inbox);
    assert_eq!((&reached[ANN], &reached[EVE]), (&wanted, &wanted));
}

fn a_slow_channel_delays_no_other(inbox: Inbox) {
    let sink = Sink::start();
    let slow = inbox.connect("whatsapp", &inbox.tenant.account.id, &sink.url(""), &[]);
    let path = format!("/v23.0/{}/messages", slow.phone_number_id());
    sink.respond(&path, Reply::status(200).held());
    let quick = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let people: Vec<String> = (0..20).map(|number| format!("1650553{number:04}")).collect();
    let conversations = |connection: &TestConnection| {
        people.iter().map(|from| inbox.hear(connection, from)).collect::<Vec<_>>()
    };
    let (waiting, others) = (conversations(&slow), conversations(&quick));
    let held: Vec<String> = waiting.iter().map(|conversation| inbox.say(conversation, "Slowly")).collect();
    sink.wait(&path, 1);
    let sent: Vec<String> = others.iter().map(|conversation| inbox.say(conversation, "Quickly")).collect();
    inbox.all_become(&sent, "sent");
    assert!(held.iter().all(|id| inbox.status(id) == "sending"));
    sink.release();
    inbox.all_become(&held, "sent");
    assert_eq!(sink.count(&path), held.len());
}

fn a_caption_that_a_channel_cannot_carry_follows_as_a_text(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    let media = json!({ "kind": "audio", "url": "https://files.example/a.ogg", "caption": "Listen" });
    let new = json!({ "type": "media", "to": { "conversation_id": conversation }, "media": media });
    let id = inbox.client.post("/messages", new).expect(201).id();
    let next = inbox.say(&conversation, "Well?");
    inbox.becomes(&next, "delivered");
    inbox.becomes(&id, "delivered");
    let sent = inbox.vendors.sent();
    let types: Vec<(&str, Option<&str>)> =
        sent.iter().map(|sent| (text(&sent["type"]), sent["text"].as_str())).collect();
    assert_eq!(types, [("audio", None), ("text", Some("Listen")), ("text", Some("Well?"))]);
    // Two calls, one message.
    assert_eq!(inbox.all().len(), 3);
}

fn two_servers_share_a_queue_and_send_each_message_once(engine: Engine) {
    const PEOPLE: usize = 12;
    let inbox = Inbox::of(start(engine));
    let second = inbox.app.second_server();
    let connections = [inbox.whatsapp(), inbox.whatsapp()];
    let conversations: Vec<String> = (0..PEOPLE)
        .map(|number| inbox.hear(&connections[number % 2], &format!("1650552{number:04}")))
        .collect();
    let callers = [inbox.client.clone(), inbox.client.at(&second)];
    at_once(4, |writer| {
        for round in 0..10 {
            for conversation in conversations.iter().skip(writer).step_by(4) {
                let to = json!({ "conversation_id": conversation });
                let new = json!({ "type": "text", "to": to, "text": format!("{round}") });
                callers[(round + writer) % 2].post("/messages", new).expect(201);
            }
        }
    });
    let total = PEOPLE * 10;
    assert!(came_true(|| inbox.vendors.sent().len() >= total), "{} were sent", inbox.vendors.sent().len());
    assert!(came_true(|| inbox.conversations("").iter().all(|conversation| {
        inbox.said(&conversation["id"])[1..].iter().all(|message| message["status"] == "delivered")
    })));
    let sent = inbox.vendors.sent();
    let ours: BTreeSet<&str> = sent.iter().map(|sent| text(&sent["our_id"])).collect();
    assert_eq!((sent.len(), ours.len()), (total, total), "one was sent twice");
    let wanted: Vec<String> = (0..10).map(|round| round.to_string()).collect();
    assert!(reached(&inbox).values().all(|words| *words == wanted), "{:?}", reached(&inbox));
}
