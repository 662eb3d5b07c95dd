//! What a channel reports of messages that were sent: a status only rises, in whatever order it is told.

use std::collections::BTreeMap;

use frontdesk_e2e::{at_once, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, EVE, Inbox, TestConnection, fresh, messages, status, statuses};
use crate::shapes::text;

on_every_engine! {
    a_message_rises_from_sent_to_delivered_to_read,
    a_read_that_comes_first_is_delivered_too,
    late_and_repeated_reports_change_nothing,
    a_failure_sends_an_event_with_its_reason,
    a_failure_because_of_an_opt_out_opts_out,
    a_failure_of_the_channel_or_its_token_disconnects_it,
    a_thousand_statuses_out_of_order_end_right,
    concurrent_batches_in_opposite_orders_end_in_the_right_state,
    a_report_that_overtakes_the_answer_ends_right,
    reports_that_overtake_each_other_end_right,
    a_status_of_an_unknown_message_changes_nothing,
    a_report_cannot_name_another_accounts_message,
    a_customers_own_message_has_no_status_to_change,
}

#[track_caller]
fn told(inbox: &Inbox, connection: &TestConnection, id: &str, words: &[&str]) {
    for word in words {
        inbox.tell(connection, &statuses(connection, &[status(id, word)])).expect(200);
    }
}

/// The steps that were told of a message: from which status to which.
#[track_caller]
fn steps(inbox: &Inbox, message: &str) -> Vec<(String, String)> {
    let step = |data: &Value| {
        (text(&data["previous"]["status"]).to_owned(), text(&data["message"]["status"]).to_owned())
    };
    inbox.changes(message).iter().map(step).collect()
}

fn pairs(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    wanted.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
}

/// A conversation whose messages are reported only by the test.
#[track_caller]
fn quiet(inbox: &Inbox, connection: &TestConnection) -> String {
    inbox.vendors.report_by_hand();
    inbox.hear(connection, ANN)
}

fn a_message_rises_from_sent_to_delivered_to_read(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let (id, named) = inbox.sent(&quiet(&inbox, &connection), "Hi");
    for word in ["delivered", "read"] {
        told(&inbox, &connection, &named, &[word]);
        assert_eq!(inbox.status(&id), word);
    }
    assert_eq!(
        steps(&inbox, &id),
        pairs(&[("sending", "sent"), ("sent", "delivered"), ("delivered", "read")])
    );
    assert_eq!(inbox.events("message.sent").len(), 1);
    let last = inbox.changes(&id).pop().unwrap();
    assert_eq!(last["message"], inbox.read(&id));
    assert!(last.get("error").is_none(), "{last}");
}

fn a_read_that_comes_first_is_delivered_too(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let (id, named) = inbox.sent(&quiet(&inbox, &connection), "Hi");
    told(&inbox, &connection, &named, &["read", "delivered", "sent"]);
    assert_eq!(inbox.status(&id), "read");
    assert_eq!(steps(&inbox, &id), pairs(&[("sending", "sent"), ("sent", "read")]));
    let (played, named) = inbox.sent(text(&inbox.only_conversation()["id"]), "Listen");
    told(&inbox, &connection, &named, &["played"]);
    assert_eq!(inbox.status(&played), "read");
}

fn late_and_repeated_reports_change_nothing(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = quiet(&inbox, &connection);
    for (words, end, changes) in [
        (&["read", "delivered", "sent", "read"][..], "read", 2),
        (&["delivered", "delivered", "sent"], "delivered", 2),
        (&["delivered", "failed"], "delivered", 2),
        (&["read", "failed"], "read", 2),
        (&["failed", "delivered", "sent", "read", "failed"], "failed", 2),
        (&["sent", "sent"], "sent", 1),
    ] {
        let (id, named) = inbox.sent(&conversation, "Hi");
        told(&inbox, &connection, &named, words);
        assert_eq!((inbox.status(&id).as_str(), inbox.changes(&id).len()), (end, changes), "{words:?}");
        let batch: Vec<Value> = words.iter().map(|word| status(&named, word)).collect();
        inbox.tell(&connection, &statuses(&connection, &batch)).expect(200);
        assert_eq!(
            (inbox.status(&id).as_str(), inbox.changes(&id).len()),
            (end, changes),
            "{words:?}, again"
        );
    }
}

/// A failed status with this code.
fn failed(id: &str, code: i64) -> Value {
    let mut told = status(id, "failed");
    told["errors"] = json!([{ "code": code, "title": "Title", "message": "Message", "error_data": { "details": "What happened" } }]);
    told
}

fn a_failure_sends_an_event_with_its_reason(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = quiet(&inbox, &connection);
    for (code, reason) in
        [(131_026, "recipient_unreachable"), (131_047, "outside_window"), (999_999, "bad_request")]
    {
        let (id, named) = inbox.sent(&conversation, "Hi");
        inbox.tell(&connection, &statuses(&connection, &[failed(&named, code)])).expect(200);
        let last = inbox.changes(&id).pop().unwrap();
        let error = json!({ "code": code.to_string(), "reason": reason, "message": "What happened" });
        assert_eq!((&last["error"], &last["message"]["status"]), (&error, &json!("failed")));
        assert_eq!(inbox.status(&id), "failed");
    }
    // One without a reason is a failure too.
    let (id, named) = inbox.sent(&conversation, "Hi");
    told(&inbox, &connection, &named, &["failed"]);
    assert_eq!(inbox.status(&id), "failed");
}

fn a_failure_because_of_an_opt_out_opts_out(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let (_, named) = inbox.sent(&quiet(&inbox, &connection), "Hi");
    inbox.tell(&connection, &statuses(&connection, &[failed(&named, 131_050)])).expect(200);
    let path = format!("/contacts/{}/opt-out", inbox.contact(ANN));
    assert_eq!(inbox.client.get(&path).expect(200).data()["opted_out"], true);
    assert_eq!(inbox.events("contact.opted_out").len(), 1);
}

fn a_failure_of_the_channel_or_its_token_disconnects_it(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = quiet(&inbox, &connection);
    let standing = || inbox.client.get("/channels").expect(200).data()[0].clone();
    for (number, code) in [190, 131_042].into_iter().enumerate() {
        let (id, named) = inbox.sent(&conversation, "Hi");
        let report = statuses(&connection, &[failed(&named, code)]);
        inbox.tell(&connection, &report).expect(200);
        assert_eq!(inbox.status(&id), "failed");
        let channel = standing();
        assert_eq!(channel["status"], "disconnected", "{code}");
        assert_eq!(channel["disconnected_reason"], format!("What happened (code {code})"));
        let told = inbox.events("channel.disconnected");
        assert_eq!(told.len(), number + 1);
        assert_eq!(told[number], json!({ "channel": channel, "reason": channel["disconnected_reason"] }));
        inbox.app.cli(&["channel", "reconnect", &connection.id]);
        // The same report again says nothing new.
        inbox.tell(&connection, &report).expect(200);
        assert_eq!(standing()["status"], "connected", "{code}");
    }
}

fn a_thousand_statuses_out_of_order_end_right(inbox: Inbox) {
    const MESSAGES: usize = 100;
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    // Of many people, so that they are sent side by side.
    let people: Vec<String> = (0..MESSAGES).map(|number| format!("1650556{number:04}")).collect();
    let hello = |from: &String| inbox.message(from, &fresh("hello"), "text", json!({ "body": "Hello" }));
    inbox
        .tell(&connection, &messages(&connection, &people.iter().map(hello).collect::<Vec<_>>()))
        .expect(200);
    let ids: Vec<String> = inbox
        .conversations("")
        .iter()
        .map(|conversation| inbox.say(text(&conversation["id"]), "Hi"))
        .collect();
    inbox.all_become(&ids, "sent");
    let named: Vec<String> =
        ids.iter().map(|id| text(&inbox.read(id)["channel_message_id"]).to_owned()).collect();
    // What is told of each: four plans, each of ten statuses in no order at all.
    let plans: [(&[&str], &str); 4] = [
        (&["read", "sent", "delivered"], "read"),
        (&["delivered", "sent"], "delivered"),
        (&["sent"], "sent"),
        (&["failed", "sent"], "failed"),
    ];
    let plan = |number: usize| plans[number % plans.len()];
    let mut told = Vec::new();
    for round in 0..10 {
        for step in 0..MESSAGES {
            // A walk that meets every message once a round, each round in another order.
            let number = (step * 37 + round * 11) % MESSAGES;
            let words = plan(number).0;
            told.push(status(&named[number], words[(round + number) % words.len()]));
        }
    }
    assert_eq!(told.len(), 1000);
    inbox.tell(&connection, &statuses(&connection, &told)).expect(200);
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(inbox.status(id), plan(number).1, "message {number}");
    }
    // Nobody was told of a step backwards, nor twice of the same.
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for data in inbox.events("message.status_changed") {
        let entry = seen.entry(text(&data["message"]["id"]).to_owned()).or_default();
        let previous = entry.last().map_or("sending", String::as_str);
        assert_eq!(data["previous"]["status"], previous);
        entry.push(text(&data["message"]["status"]).to_owned());
    }
    assert!(seen.len() == MESSAGES && seen.values().all(|steps| steps.len() <= 3), "{seen:?}");
}

fn concurrent_batches_in_opposite_orders_end_in_the_right_state(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = quiet(&inbox, &connection);
    let sent: Vec<(String, String)> = (0..12).map(|_| inbox.sent(&conversation, "Hi")).collect();
    let batch = |word: &str, backwards: bool| {
        let mut told: Vec<Value> = sent.iter().map(|(_, named)| status(named, word)).collect();
        if backwards {
            told.reverse();
        }
        statuses(&connection, &told)
    };
    let batches =
        [batch("delivered", false), batch("read", true), batch("delivered", true), batch("read", false)];
    at_once(8, |number| drop(inbox.tell(&connection, &batches[number % batches.len()]).expect(200)));
    assert!(sent.iter().all(|(id, _)| inbox.status(id) == "read"));
}

fn a_report_that_overtakes_the_answer_ends_right(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 700, "times": 1 }]));
    let id = inbox.say(&conversation, "Hi");
    inbox.becomes(&id, "delivered");
    assert!(inbox.read(&id)["channel_message_id"].is_string(), "the report named it");
    // The answer comes, and takes nothing back; the next message goes out behind it.
    inbox.advance(0);
    let next = inbox.say(&conversation, "And?");
    inbox.becomes(&next, "delivered");
    assert_eq!(inbox.status(&id), "delivered");
    assert_eq!((inbox.events("message.sent").len(), inbox.vendors.sent().len()), (2, 2));
    inbox.advance(crate::inbound_scene::DOUBT + 1);
    assert_eq!(inbox.status(&id), "delivered");
}

fn reports_that_overtake_each_other_end_right(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    inbox.vendors.faults(json!([
        { "on": "webhook", "kind": "reorder_statuses" },
        { "on": "webhook", "kind": "duplicate_webhook" },
    ]));
    let ids: Vec<String> = (0..5).map(|number| inbox.say(&conversation, &number.to_string())).collect();
    inbox.all_become(&ids, "delivered");
    inbox.vendors.faults(json!([]));
    for id in &ids {
        let path = format!("/sandbox/messages/{}/read", text(&inbox.read(id)["channel_message_id"]));
        inbox.vendors.calls().post(&path, json!({})).expect(200);
        assert_eq!(inbox.status(id), "read");
    }
}

fn a_status_of_an_unknown_message_changes_nothing(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let (id, _) = inbox.sent(&quiet(&inbox, &connection), "Hi");
    let mut foreign = status("wamid.nobodys", "read");
    foreign["biz_opaque_callback_data"] = json!("not an id of ours");
    let mut unknown = status("wamid.nobodys-2", "read");
    unknown["biz_opaque_callback_data"] = json!(crate::shapes::NOTHING);
    let batch = [foreign, unknown, failed("wamid.nobodys-3", 131_026), status("", "read")];
    inbox.tell(&connection, &statuses(&connection, &batch)).expect(200);
    inbox.tell(&connection, &statuses(&connection, &batch)).expect(200);
    assert_eq!((inbox.status(&id).as_str(), inbox.changes(&id).len()), ("sent", 1));
    assert_eq!(inbox.events("message.status_changed").len(), 1);
}

fn a_report_cannot_name_another_accounts_message(inbox: Inbox) {
    let (connection, second) = (inbox.whatsapp(), inbox.whatsapp());
    let (id, named) = inbox.sent(&quiet(&inbox, &connection), "Hi");
    let other = inbox.app.tenant();
    let theirs = inbox.connect("whatsapp", &other.account.id, &inbox.vendors.graph_url(), &[]);
    for liar in [&theirs, &second] {
        let mut told = status(&named, "failed");
        told["biz_opaque_callback_data"] = json!(id);
        inbox.tell(liar, &statuses(liar, &[told])).expect(200);
        assert_eq!(inbox.status(&id), "sent");
    }
    assert_eq!(inbox.changes(&id).len(), 1);
}

fn a_customers_own_message_has_no_status_to_change(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let said = inbox.message(EVE, "wamid.theirs", "text", json!({ "body": "Hello" }));
    inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    told(&inbox, &connection, "wamid.theirs", &["sent", "read", "failed"]);
    assert_eq!(inbox.last()["status"], "delivered");
    assert!(inbox.events("message.status_changed").is_empty());
}
