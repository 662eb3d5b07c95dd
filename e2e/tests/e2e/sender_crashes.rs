//! Servers that end while they send: no customer gets a message twice, nothing stays in doubt, and a message whose call
//! had not begun is sent.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::Duration;

use frontdesk_e2e::{Engine, Stopwatch, came_true, came_true_within, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::inbound_scene::{DOUBT, Inbox, TestConnection, fresh, messages, start};
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    no_message_is_sent_twice_while_the_server_is_killed_repeatedly,
    a_server_that_is_asked_to_end_leaves_nothing_in_doubt,
}

on_shared_stores! {
    messages_claimed_by_a_killed_server_are_sent_by_the_other_or_reported,
}

/// A server that died has charge of a connection for so long, in seconds.
const CHARGE: u64 = 11;
/// How long to wait for what may never come.
const WHILE: Duration = Duration::from_secs(10);

/// Calls that a killed server may have begun without the channel hearing of them: they were being written.
const UNHEARD_MAX: usize = 8;

/// A number that nobody chose.
fn any_below(bound: u64) -> usize {
    usize::try_from(RandomState::new().hash_one(0) % bound).expect("a small number")
}

/// A number that so many people have written to: their conversations.
#[track_caller]
fn crowd(inbox: &Inbox, people: usize) -> (TestConnection, Vec<String>) {
    inbox.vendors.report_by_hand();
    let connection = inbox.whatsapp();
    let hello = |number| {
        inbox.message(&format!("1650551{number:04}"), &fresh("hello"), "text", json!({ "body": "Hello" }))
    };
    inbox.tell(&connection, &messages(&connection, &(0..people).map(hello).collect::<Vec<_>>())).expect(200);
    let conversations =
        inbox.conversations("").iter().map(|conversation| text(&conversation["id"]).to_owned()).collect();
    (connection, conversations)
}

/// Every message of ours.
#[track_caller]
fn outbound(inbox: &Inbox, conversations: &[String]) -> Vec<Value> {
    let of = |conversation: &String| {
        walk(&inbox.client, &format!("/conversations/{conversation}/messages?direction=outbound"))
    };
    conversations.iter().flat_map(of).collect()
}

/// Demands that everything is known to have been sent, once, or is told to be in doubt because its call had begun; and
/// that a report of what was sent after all lifts it.
#[track_caller]
fn all_is_told(inbox: &Inbox, connection: &TestConnection, conversations: &[String], kills: usize) {
    inbox.point(connection);
    let is_over = |message: &Value| message["status"] != "sending";
    let ended = came_true(|| {
        inbox.advance(DOUBT + 60);
        outbound(inbox, conversations).iter().all(is_over)
    });
    assert!(ended, "some messages have no outcome");
    let sent = inbox.vendors.sent();
    let reached: BTreeSet<&str> = sent.iter().map(|sent| text(&sent["our_id"])).collect();
    let people: BTreeSet<&str> = sent.iter().map(|sent| text(&sent["to"])).collect();
    assert_eq!((reached.len(), people.len()), (sent.len(), sent.len()), "somebody got a message twice");
    let messages = outbound(inbox, conversations);
    assert_eq!(messages.len(), conversations.len());
    let mut unheard = 0;
    for message in &messages {
        let id = text(&message["id"]);
        match text(&message["status"]) {
            "sent" => assert!(reached.contains(id), "it was never sent: {message}"),
            "failed" => {
                let error = inbox.changes(id).pop().unwrap()["error"].clone();
                assert_eq!(error["reason"], "unknown_outcome", "{error}");
                unheard += usize::from(!reached.contains(id));
            }
            other => panic!("a message is {other}: {message}"),
        }
    }
    assert!(unheard <= kills * UNHEARD_MAX, "{unheard} have failed though the channel never heard of them");
    for sent in &sent {
        inbox.vendors.report(text(&sent["channel_message_id"]), "delivered");
    }
    let delivered = outbound(inbox, conversations);
    let delivered = delivered.iter().filter(|message| message["status"] == "delivered").count();
    assert_eq!(delivered, sent.len());
}

fn no_message_is_sent_twice_while_the_server_is_killed_repeatedly(inbox: Inbox) {
    const KILLS: usize = 3;
    let (connection, conversations) = crowd(&inbox, 200);
    // Slow enough that some are under way when it happens.
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 30 }]));
    for conversation in &conversations {
        inbox.say(conversation, "Once");
    }
    for _ in 0..KILLS {
        let enough = inbox.vendors.sent().len() + 1 + any_below(40);
        thread::scope(|scope| {
            // A call that may never be answered: the dead server has charge until the clock has moved.
            let mut wire = inbox.app.wire();
            let body = json!({ "advance_seconds": CHARGE }).to_string();
            let head =
                "POST /sandbox/clock HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
            wire.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).expect("it is sent");
            inbox.vendors.advance(CHARGE);
            scope.spawn(move || drop(wire.try_answer()));
            let _all_may_have_been_sent = came_true_within(WHILE, || {
                inbox.vendors.sent().len() >= enough.min(conversations.len() - 10)
            });
            inbox.app.kill();
        });
        inbox.app.restart();
    }
    all_is_told(&inbox, &connection, &conversations, KILLS);
}

fn a_server_that_is_asked_to_end_leaves_nothing_in_doubt(inbox: Inbox) {
    let (connection, conversations) = crowd(&inbox, 60);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 300 }]));
    for conversation in &conversations {
        inbox.say(conversation, "Once");
    }
    assert!(came_true(|| inbox.vendors.sent().len() > 3));
    assert!(inbox.app.stop().success());
    let begun = inbox.vendors.sent().len();
    inbox.vendors.faults(json!([]));
    inbox.app.restart();
    inbox.point(&connection);
    // What was under way has been told of; what was not goes out at once, and nothing goes out twice.
    let restarted = Stopwatch::start();
    let went_out = came_true(|| inbox.vendors.sent().len() >= 60);
    let waited = restarted.elapsed();
    assert!(went_out, "{begun} were begun; {} were sent", inbox.vendors.sent().len());
    assert!(waited < Duration::from_secs(CHARGE / 2), "it waited for the charge to run out: {waited:?}");
    assert!(came_true(|| outbound(&inbox, &conversations).iter().all(|message| message["status"] == "sent")));
    assert_eq!(inbox.vendors.sent().len(), 60);
    all_is_told(&inbox, &connection, &conversations, 0);
}

fn messages_claimed_by_a_killed_server_are_sent_by_the_other_or_reported(engine: Engine) {
    let inbox = Inbox::of(start(engine));
    let (connection, conversations) = crowd(&inbox, 150);
    let second = inbox.app.second_server();
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 30 }]));
    let callers = [inbox.client.clone(), inbox.client.at(&second)];
    for (at, conversation) in conversations.iter().enumerate() {
        let to = json!({ "conversation_id": conversation });
        callers[at % 2].post("/messages", json!({ "type": "text", "to": to, "text": "Once" })).expect(201);
    }
    let enough = 1 + any_below(100);
    assert!(came_true(|| inbox.vendors.sent().len() >= enough));
    // Whichever has charge of the number; killing the other one changes nothing.
    if enough.is_multiple_of(2) {
        inbox.app.kill();
        inbox.app.restart();
    } else {
        second.kill();
    }
    inbox.advance(CHARGE);
    all_is_told(&inbox, &connection, &conversations, 1);
}
