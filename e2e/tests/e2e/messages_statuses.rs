//! GET /messages/{id}/statuses: what became of a message, step by step.

use frontdesk_e2e::{came_true, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, DOUBT, Inbox, events, fresh, messages, status, statuses};
use crate::shapes::{NOTHING, has_fields, is_moment, text};

on_every_engine! {
    every_status_is_listed_with_its_time,
    a_failure_says_why,
    a_failure_that_was_doubted_stays_in_the_list,
    inbound_messages_begin_as_delivered,
    echoes_of_our_own_messages_begin_as_sent,
    statuses_are_the_accounts_own,
}

/// The moment of every report that the tests make, as it is shown.
const REPORTED: &str = "2025-06-15T15:06:40.000Z";

#[track_caller]
fn listed(inbox: &Inbox, message: &str) -> Vec<Value> {
    let list = inbox.client.get(&format!("/messages/{message}/statuses")).expect(200);
    let rows = list.data().as_array().expect("a list").clone();
    assert_eq!(list.json["meta"], json!({ "next_cursor": null, "has_more": false, "limit": rows.len() }));
    for row in &rows {
        has_fields(row, "status at error");
        is_moment(&row["at"]);
        assert_eq!(row["error"].is_object(), row["status"] == "failed", "{row}");
    }
    rows
}

#[track_caller]
fn words(inbox: &Inbox, message: &str) -> Vec<String> {
    listed(inbox, message).iter().map(|row| text(&row["status"]).to_owned()).collect()
}

fn every_status_is_listed_with_its_time(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let conversation = inbox.hear(&connection, ANN);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "status", "status": 503, "times": 1 }]));
    let id = inbox.say(&conversation, "Hi");
    assert!(came_true(|| inbox.vendors.faults_left() == 0));
    assert_eq!(words(&inbox, &id), ["sending"]);
    inbox.advance(5);
    inbox.becomes(&id, "sent");
    let named = text(&inbox.read(&id)["channel_message_id"]).to_owned();
    // What changes nothing is not listed.
    for word in ["sent", "delivered", "delivered", "read", "sent"] {
        inbox.tell(&connection, &statuses(&connection, &[status(&named, word)])).expect(200);
    }
    let all = listed(&inbox, &id);
    let told: Vec<&str> = all.iter().map(|row| text(&row["status"])).collect();
    assert_eq!(told, ["sending", "sent", "delivered", "read"]);
    assert_eq!(all[0]["at"], inbox.read(&id)["created_at"]);
    assert!(text(&all[1]["at"]) > text(&all[0]["at"]), "{all:?}");
    assert_eq!((&all[2]["at"], &all[3]["at"]), (&json!(REPORTED), &json!(REPORTED)));
}

fn a_failure_says_why(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let conversation = inbox.hear(&connection, ANN);
    // In a report.
    let (id, named) = inbox.sent(&conversation, "Hi");
    let mut failed = status(&named, "failed");
    failed["errors"] =
        json!([{ "code": 131_026, "title": "Title", "error_data": { "details": "What happened" } }]);
    inbox.tell(&connection, &statuses(&connection, &[failed])).expect(200);
    let error = json!({ "code": "131026", "reason": "recipient_unreachable", "message": "What happened" });
    let all = listed(&inbox, &id);
    assert_eq!(all[2], json!({ "status": "failed", "at": REPORTED, "error": error }));
    // In the response.
    inbox
        .vendors
        .faults(json!([{ "on": "send", "kind": "error", "status": 400, "code": 131_047, "times": 1 }]));
    let id = inbox.say(&conversation, "Hi");
    inbox.becomes(&id, "failed");
    let all = listed(&inbox, &id);
    assert_eq!(words(&inbox, &id), ["sending", "failed"]);
    let told = inbox.changes(&id).pop().unwrap();
    assert_eq!((&all[1]["error"], &all[1]["error"]["reason"]), (&told["error"], &json!("outside_window")));
}

fn a_failure_that_was_doubted_stays_in_the_list(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let conversation = inbox.hear(&connection, ANN);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "cut_after", "times": 1 }]));
    let id = inbox.say(&conversation, "Did you get this?");
    assert!(came_true(|| inbox.vendors.faults_left() == 0));
    inbox.advance(0);
    inbox.advance(DOUBT + 1);
    inbox.becomes(&id, "failed");
    inbox.vendors.report(text(&inbox.vendors.sent()[0]["channel_message_id"]), "delivered");
    inbox.becomes(&id, "delivered");
    let all = listed(&inbox, &id);
    assert_eq!(words(&inbox, &id), ["sending", "failed", "delivered"]);
    assert_eq!(all[1]["error"]["reason"], "unknown_outcome");
}

fn inbound_messages_begin_as_delivered(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let said = inbox.message(ANN, &fresh("theirs"), "text", json!({ "body": "Hello" }));
    inbox.tell(&connection, &messages(&connection, &[said])).expect(200);
    let message = inbox.last();
    let only = json!({ "status": "delivered", "at": message["created_at"], "error": null });
    assert_eq!(listed(&inbox, text(&message["id"])), [only]);
}

fn echoes_of_our_own_messages_begin_as_sent(inbox: Inbox) {
    let page = inbox.page("messenger");
    let echo = json!({
        "sender": { "id": page.page_id() }, "recipient": { "id": "7001" }, "timestamp": 1_750_000_000_000_i64,
        "message": { "mid": "m_echo", "text": "From the page", "is_echo": true },
    });
    inbox.tell(&page, &events(&page, &[echo])).expect(200);
    let message = inbox.last();
    assert_eq!((text(&message["direction"]), text(&message["status"])), ("outbound", "sent"));
    let id = text(&message["id"]);
    assert_eq!(listed(&inbox, id), [json!({ "status": "sent", "at": REPORTED, "error": null })]);
    let read = json!({ "sender": { "id": "7001" }, "recipient": { "id": page.page_id() }, "timestamp": 1_750_000_000_000_i64,
        "read": { "watermark": inbox.vendors.now() + 1_000 } });
    inbox.tell(&page, &events(&page, &[read])).expect(200);
    assert_eq!(words(&inbox, id), ["sent", "read"]);
}

fn statuses_are_the_accounts_own(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let (id, _) = inbox.sent(&inbox.hear(&connection, ANN), "Hi");
    let path = format!("/messages/{id}/statuses");
    inbox.app.tenant().client.get(&path).expect(404).error("not_found");
    inbox.client.get(&format!("/messages/{NOTHING}/statuses")).expect(404).error("not_found");
    let reader = inbox.app.client(&inbox.app.key(&inbox.tenant.account, "conversations:read"));
    reader.get(&path).expect(403).error("forbidden");
}
