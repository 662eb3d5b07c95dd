//! Sends whose outcome nobody knows: never repeated, told of by the channel's reports, and failed after ten minutes.

use frontdesk_e2e::{Reply, Sink, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::inbound_scene::{ANN, DOUBT, Inbox, status, statuses};
use crate::shapes::text;

on_every_engine! {
    a_call_that_is_cut_is_never_made_again,
    a_lost_response_is_replaced_by_the_report,
    a_late_report_corrects_a_failed_message,
    a_call_that_times_out_has_an_unknown_outcome,
    a_send_in_doubt_delays_its_conversation_only_briefly,
    an_empty_success_response_still_means_accepted,
    a_read_receipt_that_goes_wrong_holds_up_nothing,
}

/// Cuts the next call, and waits until it was.
#[track_caller]
fn cut(inbox: &Inbox, conversation: &str, kind: &str) -> String {
    inbox.vendors.faults(json!([{ "on": "send", "kind": kind, "times": 1 }]));
    let id = inbox.say(conversation, "Did you get this?");
    assert!(came_true(|| inbox.vendors.faults_left() == 0), "it was never sent");
    inbox.advance(0);
    id
}

#[track_caller]
fn has_failed_in_doubt(inbox: &Inbox, id: &str) {
    assert_eq!(inbox.status(id), "failed");
    let told = inbox.changes(id);
    let last = told.last().expect("somebody was told");
    let error = &last["error"];
    assert_eq!((&error["reason"], &error["code"]), (&json!("unknown_outcome"), &json!("unknown_outcome")));
    assert!(text(&error["message"]).len() > 20, "{error}");
    assert_eq!(last["previous"]["status"], "sending");
}

fn a_call_that_is_cut_is_never_made_again(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let id = cut(&inbox, &inbox.hear(&connection, ANN), "cut");
    for _ in 0..3 {
        assert_eq!(inbox.status(&id), "sending");
        inbox.advance(DOUBT / 3 - 5);
    }
    assert_eq!(inbox.status(&id), "sending");
    inbox.advance(20);
    has_failed_in_doubt(&inbox, &id);
    inbox.app.restart();
    inbox.advance(DOUBT);
    assert!(inbox.vendors.sent().is_empty(), "it was sent again");
    assert_eq!((inbox.changes(&id).len(), inbox.events("message.sent").len()), (1, 0));
}

fn a_lost_response_is_replaced_by_the_report(inbox: Inbox) {
    let connection = inbox.whatsapp();
    let conversation = inbox.hear(&connection, ANN);
    // Reported at once, by itself.
    let id = cut(&inbox, &conversation, "cut_after");
    inbox.becomes(&id, "delivered");
    assert_eq!(inbox.read(&id)["channel_message_id"], inbox.vendors.sent()[0]["channel_message_id"]);
    // Reported after some minutes.
    inbox.vendors.report_by_hand();
    let id = cut(&inbox, &conversation, "cut_after");
    inbox.advance(DOUBT / 2);
    assert_eq!(inbox.status(&id), "sending");
    inbox.vendors.report(text(&inbox.vendors.sent()[1]["channel_message_id"]), "sent");
    assert_eq!(inbox.status(&id), "sent");
    inbox.advance(DOUBT);
    assert_eq!(inbox.status(&id), "sent");
    assert_eq!((inbox.vendors.sent().len(), inbox.events("message.sent").len()), (2, 2));
}

fn a_late_report_corrects_a_failed_message(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let conversation = inbox.hear(&connection, ANN);
    for (number, word) in ["sent", "delivered", "read"].into_iter().enumerate() {
        let id = cut(&inbox, &conversation, "cut_after");
        inbox.advance(DOUBT + 1);
        has_failed_in_doubt(&inbox, &id);
        let named = text(&inbox.vendors.sent()[number]["channel_message_id"]).to_owned();
        inbox.vendors.report(&named, word);
        let message = inbox.read(&id);
        assert_eq!((&message["status"], &message["channel_message_id"]), (&json!(word), &json!(named)));
        let last = inbox.changes(&id).pop().unwrap();
        assert_eq!(last["previous"]["status"], "failed");
        assert!(last.get("error").is_none(), "{last}");
        // From here on it is a message like any other.
        inbox.vendors.report(&named, "read");
        assert_eq!(inbox.status(&id), "read");
    }
    // What the channel itself says has failed stays so, in doubt or not.
    let id = cut(&inbox, &conversation, "cut_after");
    let named = text(&inbox.vendors.sent()[3]["channel_message_id"]).to_owned();
    inbox.vendors.report(&named, "failed");
    inbox.advance(DOUBT + 1);
    inbox.tell(&connection, &statuses(&connection, &[status(&named, "delivered")])).expect(200);
    assert_eq!(inbox.status(&id), "failed");
    assert_ne!(inbox.changes(&id)[0]["error"]["reason"], "unknown_outcome");
}

fn a_call_that_times_out_has_an_unknown_outcome(inbox: Inbox) {
    let sink = Sink::start();
    let connection = inbox.connect("whatsapp", &inbox.tenant.account.id, &sink.url(""), &[]);
    let path = format!("/v23.0/{}/messages", connection.phone_number_id());
    sink.respond(&path, Reply::status(200).held());
    let conversation = inbox.hear(&connection, ANN);
    let id = inbox.say(&conversation, "Anybody there?");
    sink.wait(&path, 1);
    // Returns when the call has been given up.
    inbox.advance(60);
    assert_eq!((inbox.status(&id).as_str(), sink.count(&path)), ("sending", 1));
    inbox.advance(DOUBT);
    has_failed_in_doubt(&inbox, &id);
    assert_eq!(sink.count(&path), 1);
    let mut report = status("wamid.late", "delivered");
    report["biz_opaque_callback_data"] = json!(id);
    inbox.tell(&connection, &statuses(&connection, &[report])).expect(200);
    assert_eq!(inbox.status(&id), "delivered");
}

fn a_send_in_doubt_delays_its_conversation_only_briefly(inbox: Inbox) {
    let connection = inbox.whatsapp();
    inbox.vendors.report_by_hand();
    let conversation = inbox.hear(&connection, ANN);
    let first = cut(&inbox, &conversation, "cut");
    let second = inbox.say(&conversation, "Hello?");
    inbox.advance(0);
    assert_eq!(inbox.status(&second), "sending", "it overtook what may still be under way");
    inbox.advance(60);
    assert_eq!((inbox.status(&first).as_str(), inbox.status(&second).as_str()), ("sending", "sent"));
}

fn an_empty_success_response_still_means_accepted(inbox: Inbox) {
    let sink = Sink::start();
    let connection = inbox.connect("whatsapp", &inbox.tenant.account.id, &sink.url(""), &[]);
    let path = format!("/v23.0/{}/messages", connection.phone_number_id());
    let conversation = inbox.hear(&connection, ANN);
    for (at, body) in ["", "ok", "{}", "[1]"].into_iter().enumerate() {
        sink.respond(&path, Reply::status(200).body(body));
        let id = inbox.say(&conversation, "Hi");
        inbox.becomes(&id, "sent");
        assert_eq!((&inbox.read(&id)["channel_message_id"], sink.count(&path)), (&Value::Null, at + 1));
        // Its report names it.
        let named = format!("wamid.named-{at}");
        let mut report = status(&named, "delivered");
        report["biz_opaque_callback_data"] = json!(id);
        inbox.tell(&connection, &statuses(&connection, &[report])).expect(200);
        let message = inbox.read(&id);
        assert_eq!(
            (&message["status"], &message["channel_message_id"]),
            (&json!("delivered"), &json!(named))
        );
    }
}

fn a_read_receipt_that_goes_wrong_holds_up_nothing(inbox: Inbox) {
    let sink = Sink::start();
    let connection = inbox.connect("whatsapp", &inbox.tenant.account.id, &sink.url(""), &[]);
    let path = format!("/v23.0/{}/messages", connection.phone_number_id());
    for (at, wrong) in
        [Reply::status(500), Reply::closed(), Reply::status(200).held()].into_iter().enumerate()
    {
        let person = format!("1650555020{at}");
        let conversation = inbox.hear(&connection, &person);
        let before = sink.count(&path);
        sink.answer_in_turn(&path, [wrong], Reply::status(200));
        inbox.client.post(&format!("/conversations/{conversation}/read"), json!({})).expect(200);
        let came = sink.wait(&path, before + 1);
        assert_eq!(came[before].json()["status"], "read", "a receipt");
        let id = inbox.say(&conversation, "Answering");
        inbox.becomes(&id, "sent");
    }
    // The customers' own messages are what they were.
    sink.release();
    inbox.advance(DOUBT + 60);
    let all = inbox.conversations("");
    for conversation in &all {
        let said = inbox.said(&conversation["id"]);
        assert_eq!((&said[0]["status"], &said[1]["status"]), (&json!("delivered"), &json!("sent")));
    }
    assert_eq!(all.len(), 3);
}
