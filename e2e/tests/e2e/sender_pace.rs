//! How fast a number sends: as fast as it may, and slower when it was told to slow down.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{Inbox, a_number, eventually};
use crate::shapes::text;

on_every_engine! {
    a_number_sends_no_faster_than_it_was_connected_to,
    a_number_that_is_rate_limited_slows_down,
    a_number_that_may_send_nothing_is_not_connected,
}

/// A number that may send so many messages a second.
#[track_caller]
fn paced(inbox: &Inbox, per_second: &str) -> String {
    let account = inbox.tenant.account.id.as_str();
    let connect = ["channel", "connect", "--account", account, "--channel", "whatsapp", "--sandbox"];
    let made = inbox.app.cli(&[&connect[..], &["--messages-per-second", per_second]].concat());
    text(&made["connection_id"]).to_owned()
}

/// A greeting from a number to somebody new: the message.
#[track_caller]
fn greet(inbox: &Inbox, connection: &str) -> Value {
    let to = json!({ "phone": a_number(), "connection_id": connection });
    inbox.sends(json!({ "type": "template", "to": to, "template": { "name": "hello_world" } }))
}

/// Demands that each of these was sent, and once.
#[track_caller]
fn are_sent_once(inbox: &Inbox, connection: &str, messages: &[Value]) {
    inbox.settle();
    let sent = inbox.sent_soon(connection, messages.len());
    let ids: BTreeSet<&str> = sent.iter().map(|one| text(&one["our_id"])).collect();
    assert_eq!(ids, messages.iter().map(|message| text(&message["id"])).collect());
    let people: BTreeSet<&str> = sent.iter().map(|one| text(&one["to"])).collect();
    assert_eq!(people.len(), messages.len());
}

fn a_number_sends_no_faster_than_it_was_connected_to(inbox: Inbox) {
    let number = paced(&inbox, "5");
    let begun = Instant::now();
    let messages: Vec<Value> = (0..12).map(|_| greet(&inbox, &number)).collect();
    inbox.sent_soon(&number, 12);
    let taken = begun.elapsed();
    // Five may go at once, and seven more take a fifth of a second each.
    assert!(taken >= Duration::from_millis(1_350), "twelve went out in {taken:?}");
    for message in &messages {
        inbox.becomes(message, "delivered");
    }
    are_sent_once(&inbox, &number, &messages);
}

fn a_number_that_is_rate_limited_slows_down(inbox: Inbox) {
    let number = paced(&inbox, "8");
    inbox.faults(
        json!([{ "on": "send", "kind": "error", "code": 130_429, "times": 1, "connection_id": number }]),
    );
    let mut messages = vec![greet(&inbox, &number)];
    eventually("the refusal", || {
        let left = inbox.sandbox().get("/sandbox/faults").expect(200);
        left.data()["faults"].as_array().filter(|left| left.is_empty()).map(|_| ())
    });
    inbox.settle();
    let refused = inbox.message(&messages[0]["id"]);
    assert!(matches!(text(&refused["status"]), "sending" | "sent" | "delivered"), "{refused}");
    let begun = Instant::now();
    messages.extend((0..6).map(|_| greet(&inbox, &number)));
    eventually("the six", || {
        let sent = inbox.sent(&number);
        let others = sent.iter().filter(|one| one["our_id"] != messages[0]["id"]).count();
        Some(()).filter(|()| others == 6)
    });
    let taken = begun.elapsed();
    // At its usual pace all of them would go at once; now two do, and then two a second.
    assert!(taken >= Duration::from_millis(1_500), "six went out in {taken:?}");
    for message in &messages {
        inbox.becomes(message, "delivered");
    }
    are_sent_once(&inbox, &number, &messages);
}

fn a_number_that_may_send_nothing_is_not_connected(inbox: Inbox) {
    let account = inbox.tenant.account.id.as_str();
    let connect = ["channel", "connect", "--account", account, "--channel", "whatsapp", "--sandbox"];
    for pace in ["0", "x", "1.5"] {
        let asked = inbox.app.run(&[&connect[..], &["--messages-per-second", pace]].concat());
        let said = asked.expect_failure();
        assert!(said.contains("--messages-per-second"), "{said}");
    }
    let listed = inbox.client.get("/channels").expect(200);
    assert_eq!(listed.data().as_array().map(Vec::len), Some(1));
}
