//! What becomes of a broadcast: scheduled, cancelled, stopped, tried again; and what is counted of its recipients.

use std::time::Duration;

use frontdesk_e2e::{Stopwatch, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::broadcasts_scene::{
    announce, announced, becomes, counts, counts_become, hello, numbers, once, path, people, phones, read,
    recipients,
};
use crate::inbound_scene;
use crate::inbox_scene::{Inbox, eventually};
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    a_scheduled_broadcast_starts_by_the_clock,
    a_cancelled_schedule_is_a_draft_that_can_be_scheduled_again,
    nothing_is_handed_over_after_the_response_to_a_cancel,
    a_message_that_waits_to_be_tried_again_is_cancelled_too,
    reports_and_replies_are_counted_once,
    the_reply_is_to_the_latest_broadcast_and_within_three_days,
    a_failure_is_counted_and_a_passing_one_can_be_tried_again,
    a_message_that_fails_for_a_while_after_it_was_accepted_can_be_tried_again,
    an_unknown_outcome_is_tried_again_only_on_request,
    a_broadcast_whose_recipients_all_opted_out_has_no_recipients,
    moving_the_clock_puts_no_message_in_doubt_that_waits_for_its_call,
    a_broadcast_that_is_all_rejected_has_failed,
    a_withdrawn_template_stops_it,
    a_disconnected_channel_stops_it,
    five_identical_errors_at_the_start_stop_it,
    a_message_in_doubt_holds_it_open_until_it_is_settled,
    direct_messages_are_sent_before_broadcasts,
    an_erased_contact_leaves_no_trace_and_merged_ones_are_reached_once,
}

fn a_scheduled_broadcast_starts_by_the_clock(inbox: Inbox) {
    let now = inbox.advance(0);
    let mut body = hello(phones(&numbers(2)));
    body["schedule_at"] = json!(at(now + 3_600_000));
    let made = announced(&inbox.client, body);
    assert_eq!((&made["status"], &made["scheduled_at"]), (&json!("scheduled"), &json!(at(now + 3_600_000))));
    inbox.advance(3_000);
    assert_eq!(read(&inbox.client, &made)["status"], "scheduled");
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 0);
    inbox.advance(601);
    becomes(&inbox.client, &made, "sent");
    assert_eq!(inbox.sent_soon(&inbox.whatsapp, 2).len(), 2);
    assert_eq!(inbox.events("broadcast.started").len(), 1);
    // A moment that has passed is now.
    let mut past = hello(phones(&numbers(1)));
    past["schedule_at"] = json!("2020-01-01T00:00:00Z");
    assert_eq!(announced(&inbox.client, past)["status"], "sending");
}

/// A moment as the API writes it.
fn at(millis: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(millis).expect("a moment");
    format!("{moment:.3}")
}

fn a_cancelled_schedule_is_a_draft_that_can_be_scheduled_again(inbox: Inbox) {
    let client = &inbox.client;
    let mut body = hello(phones(&numbers(2)));
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let made = announced(client, body);
    let cancelled = client.send("POST", &format!("{}/cancel", path(&made)), None).expect(200);
    assert_eq!(
        (&cancelled.data()["status"], &cancelled.data()["scheduled_at"]),
        (&json!("draft"), &Value::Null)
    );
    client.send("POST", &format!("{}/cancel", path(&made)), None).expect(200);
    assert_eq!(inbox.events("broadcast.cancelled").len(), 2);
    client.post(&format!("{}/retry", path(&made)), json!({})).expect(409);
    let moved = client
        .post(&format!("{}/schedule", path(&made)), json!({ "schedule_at": "2998-01-01T00:00:00.000Z" }))
        .expect(200);
    assert_eq!(
        (&moved.data()["status"], &moved.data()["scheduled_at"]),
        (&json!("scheduled"), &json!("2998-01-01T00:00:00.000Z"))
    );
    let started = client.send("POST", &format!("{}/schedule", path(&made)), None).expect(200);
    assert_eq!(started.data()["status"], "sending");
    let done = becomes(client, &made, "sent");
    assert_eq!(done["counts"]["sent"], 2);
    client.send("POST", &format!("{}/schedule", path(&made)), None).expect(409);
    client.send("POST", &format!("{}/cancel", path(&made)), None).expect(409);
    assert_eq!(inbox.events("broadcast.started").len(), 1);
}

fn nothing_is_handed_over_after_the_response_to_a_cancel(inbox: inbound_scene::Inbox) {
    const MANY: usize = 400;
    inbox.vendors.report_by_hand();
    let connection = inbox.whatsapp();
    // Calls are slow, so that many are under way.
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 200 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(MANY))));
    assert!(came_true(|| inbox.vendors.sent().len() > 20), "nothing is sent");
    let cancelled = inbox.client.send("POST", &format!("{}/cancel", path(&made)), None).expect(200);
    let reached = inbox.vendors.sent().len();
    assert!(reached < MANY, "it was too late to cancel anything");
    let cancelled = cancelled.data().clone();
    assert_eq!((&cancelled["status"], &cancelled["counts"]["sent"]), (&json!("sent"), &json!(reached)));
    inbox.advance(60);
    assert_eq!(inbox.vendors.sent().len(), reached, "something was handed over after the response");
    assert_eq!(read(&inbox.client, &made)["counts"], counts(MANY as i64, reached as i64, 0, 0, 0, 0));
    assert_eq!(recipients(&inbox.client, &made, "?status=cancelled").len(), MANY - reached);
    assert_eq!(recipients(&inbox.client, &made, "?status=sent").len(), reached);
    assert_eq!(inbox.events("broadcast.cancelled").len(), 1);
    assert_eq!(inbox.events("broadcast.completed").len(), 0);
    inbox.client.send("POST", &format!("{}/cancel", path(&made)), None).expect(409);
    inbox.client.post(&format!("{}/retry", path(&made)), json!({})).expect(409);
    drop(connection);
}

fn a_message_that_waits_to_be_tried_again_is_cancelled_too(inbox: Inbox) {
    inbox.faults(json!([{ "on": "send", "kind": "status", "status": 503 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(3))));
    let tried = || recipients(&inbox.client, &made, "").iter().all(|one| one["message_id"].is_string());
    assert!(came_true(tried), "{:?}", recipients(&inbox.client, &made, ""));
    let cancelled = inbox.client.send("POST", &format!("{}/cancel", path(&made)), None).expect(200);
    assert_eq!(
        (&cancelled.data()["status"], &cancelled.data()["counts"]["failed"]),
        (&json!("failed"), &json!(0))
    );
    inbox.heal();
    inbox.advance(600);
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 0);
    let left = recipients(&inbox.client, &made, "?status=cancelled");
    assert_eq!(left.len(), 3);
    let message = inbox.message(&left[0]["message_id"]);
    assert_eq!(message["status"], "failed");
}

fn reports_and_replies_are_counted_once(inbox: Inbox) {
    inbox.report_by_hand();
    let made = announced(&inbox.client, hello(phones(&numbers(4))));
    counts_become(&inbox.client, &made, &counts(4, 4, 0, 0, 0, 0));
    let sent = inbox.sent_soon(&inbox.whatsapp, 4);
    let name = |at: usize| text(&sent[at]["channel_message_id"]);
    inbox.report(name(0), "delivered");
    inbox.report(name(1), "delivered");
    inbox.report(name(1), "read");
    inbox.report(name(1), "delivered");
    // Whoever has read it has got it.
    inbox.report(name(2), "read");
    counts_become(&inbox.client, &made, &counts(4, 4, 3, 2, 0, 0));
    let customer = text(&sent[1]["to"]);
    inbox.hears(customer, "Yes!");
    inbox.hears(customer, "And again");
    inbox.hears(text(&sent[3]["to"]), "Who is this?");
    counts_become(&inbox.client, &made, &counts(4, 4, 3, 2, 2, 0));
    // The worker ends it after the last message.
    becomes(&inbox.client, &made, "sent");
    inbox.report(name(3), "delivered");
    counts_become(&inbox.client, &made, &counts(4, 4, 4, 2, 2, 0));
    let status = |at: usize| {
        let phone = format!("+{}", text(&sent[at]["to"]));
        let found = recipients(&inbox.client, &made, "");
        text(&found.iter().find(|one| one["phone"] == phone.as_str()).expect("a recipient")["status"])
            .to_owned()
    };
    assert_eq!([status(0), status(1), status(2), status(3)], ["delivered", "replied", "read", "replied"]);
    for (query, many) in [("pending", 0), ("delivered", 1), ("read", 1), ("replied", 2), ("failed", 0)] {
        assert_eq!(recipients(&inbox.client, &made, &format!("?status={query}")).len(), many, "{query}");
    }
    // The counts stay what they are when the chore adds them up.
    inbox.advance(1);
    assert_eq!(read(&inbox.client, &made)["counts"], counts(4, 4, 4, 2, 2, 0));
}

fn the_reply_is_to_the_latest_broadcast_and_within_three_days(inbox: Inbox) {
    let client = &inbox.client;
    let replied = |made: &Value| read(client, made)["counts"]["replied"].clone();
    let first = announced(client, hello(phones(&numbers(2))));
    becomes(client, &first, "sent");
    inbox.advance(60);
    let second = announced(client, hello(phones(&numbers(1))));
    becomes(client, &second, "sent");
    let (one, other) = (numbers(2)[0].clone(), numbers(2)[1].clone());
    inbox.hears(one.trim_start_matches('+'), "To the second");
    assert_eq!((replied(&first), replied(&second)), (json!(0), json!(1)));
    inbox.hears(one.trim_start_matches('+'), "Not to the first either");
    assert_eq!((replied(&first), replied(&second)), (json!(0), json!(1)));
    inbox.advance(73 * 60 * 60);
    inbox.hears(other.trim_start_matches('+'), "Too late");
    assert_eq!((replied(&first), replied(&second)), (json!(0), json!(1)));
}

fn a_failure_is_counted_and_a_passing_one_can_be_tried_again(inbox: Inbox) {
    let client = &inbox.client;
    let ids = people(client, &numbers(3));
    // The channel is not there at all for a while: nothing goes out.
    inbox.faults(json!([{ "on": "send", "kind": "status", "status": 503 }]));
    let made = announced(client, hello(json!({ "type": "contacts", "contact_ids": ids })));
    let failed = eventually("all have failed", || {
        inbox.advance(150);
        Some(read(client, &made)).filter(|now| now["status"] == "failed")
    });
    assert_eq!(failed["counts"], counts(3, 0, 0, 0, 0, 3));
    assert_eq!(inbox.events("broadcast.failed").len(), 1);
    let errors = recipients(client, &made, "?status=failed");
    assert_eq!((errors.len(), &errors[0]["error"]["reason"]), (3, &json!("temporary")));
    inbox.heal();
    client.put(&format!("/contacts/{}/opt-out", ids[0]), json!({})).expect(200);
    let again = client.post(&format!("{}/retry", path(&made)), json!({})).expect(200);
    assert_eq!(
        (&again.data()["status"], &again.data()["counts"]),
        (&json!("sending"), &counts(3, 0, 0, 0, 0, 1))
    );
    let done = becomes(client, &made, "sent");
    assert_eq!((&done["counts"]["sent"], &done["counts"]["failed"]), (&json!(2), &json!(1)));
    assert_eq!(inbox.sent_soon(&inbox.whatsapp, 2).len(), 2);
    client.post(&format!("{}/retry", path(&made)), json!({})).expect(409);
    assert_eq!(inbox.events("broadcast.started").len(), 2);
}

fn a_message_that_fails_for_a_while_after_it_was_accepted_can_be_tried_again(inbox: inbound_scene::Inbox) {
    let client = &inbox.client;
    inbox.vendors.report_by_hand();
    let connection = inbox.whatsapp();
    let made = announced(client, hello(phones(&numbers(3))));
    becomes(client, &made, "sent");
    let sent = inbox.vendors.sent();
    // One is delivered, one fails for a while, one for good.
    for (at, code) in [(1, 130_429), (2, 131_026)] {
        let mut report = inbound_scene::status(text(&sent[at]["channel_message_id"]), "failed");
        report["errors"] = json!([{ "code": code, "title": "Failed" }]);
        inbox.tell(&connection, &inbound_scene::statuses(&connection, &[report])).expect(200);
    }
    inbox.vendors.report(text(&sent[0]["channel_message_id"]), "delivered");
    counts_become(client, &made, &counts(3, 3, 1, 0, 0, 2));
    let again = client.post(&format!("{}/retry", path(&made)), json!({})).expect(200);
    assert_eq!(
        (&again.data()["status"], &again.data()["counts"]),
        (&json!("sending"), &counts(3, 2, 1, 0, 0, 1))
    );
    becomes(client, &made, "sent");
    counts_become(client, &made, &counts(3, 3, 1, 0, 0, 1));
    let after = inbox.vendors.sent();
    assert_eq!((after.len(), &after[3]["to"]), (4, &sent[1]["to"]));
    client.post(&format!("{}/retry", path(&made)), json!({})).expect(409);
}

fn an_unknown_outcome_is_tried_again_only_on_request(inbox: inbound_scene::Inbox) {
    let client = &inbox.client;
    inbox.vendors.report_by_hand();
    inbox.whatsapp();
    inbox.vendors.faults(json!([{ "on": "send", "kind": "cut", "times": 1 }]));
    let made = announced(client, hello(phones(&numbers(3))));
    once(client, &made, |now| now["counts"]["sent"] == 2);
    inbox.advance(inbound_scene::DOUBT + 5);
    becomes(client, &made, "sent");
    counts_become(client, &made, &counts(3, 2, 0, 0, 0, 1));
    let retry = format!("{}/retry", path(&made));
    client.post(&retry, json!({})).expect(409);
    client.post(&retry, json!({ "include_unknown": false })).expect(409);
    let again = client.post(&retry, json!({ "include_unknown": true })).expect(200);
    assert_eq!(again.data()["counts"], counts(3, 2, 0, 0, 0, 0));
    becomes(client, &made, "sent");
    counts_become(client, &made, &counts(3, 3, 0, 0, 0, 0));
    assert_eq!(inbox.vendors.sent().len(), 3);
}

fn a_broadcast_whose_recipients_all_opted_out_has_no_recipients(inbox: Inbox) {
    let client = &inbox.client;
    let ids = people(client, &numbers(2));
    let mut body = hello(json!({ "type": "contacts", "contact_ids": ids }));
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let made = announced(client, body);
    for id in &ids {
        client.put(&format!("/contacts/{id}/opt-out"), json!({})).expect(200);
    }
    client.send("POST", &format!("{}/schedule", path(&made)), None).expect(200);
    let failed = becomes(client, &made, "failed");
    assert_eq!(failed["counts"], counts(2, 0, 0, 0, 0, 0));
    let told = inbox.events("broadcast.failed").remove(0);
    assert_eq!(
        (&told["reason"], &told["error"]["reason"]),
        (&json!("no_recipients"), &json!("no_recipients"))
    );
    for recipient in recipients(client, &made, "") {
        assert_eq!(
            (&recipient["status"], &recipient["error"]["reason"]),
            (&json!("cancelled"), &json!("no_recipients"))
        );
    }
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 0);
}

fn moving_the_clock_puts_no_message_in_doubt_that_waits_for_its_call(inbox: inbound_scene::Inbox) {
    const MANY: usize = 200;
    inbox.vendors.report_by_hand();
    inbox.whatsapp();
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 300 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(MANY))));
    for enough in [1, 20, 60] {
        assert!(came_true(|| inbox.vendors.sent().len() >= enough));
        inbox.advance(2 * inbound_scene::DOUBT);
    }
    becomes(&inbox.client, &made, "sent");
    let total = i64::try_from(MANY).unwrap();
    counts_become(&inbox.client, &made, &counts(total, total, 0, 0, 0, 0));
    assert_eq!(inbox.vendors.sent().len(), MANY);
}

fn a_broadcast_that_is_all_rejected_has_failed(inbox: Inbox) {
    inbox.faults(json!([{ "on": "send", "kind": "error", "status": 400, "code": 131_026 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(8))));
    let failed = becomes(&inbox.client, &made, "failed");
    assert_eq!(failed["counts"], counts(8, 0, 0, 0, 0, 8), "they were rejected one by one");
    let told = inbox.events("broadcast.failed");
    assert_eq!((told.len(), &told[0]["broadcast"]["counts"]["failed"]), (1, &json!(8)));
    assert!(told[0].get("error").is_none());
    let one = recipients(&inbox.client, &made, "").remove(0);
    assert_eq!(one["error"]["code"], "131026");
    inbox.client.post(&format!("{}/retry", path(&made)), json!({})).expect(409);
}

fn a_withdrawn_template_stops_it(inbox: Inbox) {
    let mut body = hello(phones(&numbers(30)));
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let made = announced(&inbox.client, body);
    // The first call is refused because the vendor has paused the template.
    inbox.faults(json!([{ "on": "send", "kind": "error", "status": 400, "code": 132_015 }]));
    inbox.client.send("POST", &format!("{}/schedule", path(&made)), None).expect(200);
    let failed = becomes(&inbox.client, &made, "failed");
    let rejected = failed["counts"]["failed"].as_i64().expect("a count");
    assert!((1..30).contains(&rejected), "{failed}");
    let told = inbox.events("broadcast.failed").remove(0);
    assert_eq!(told["error"]["reason"], "template_withdrawn", "{told}");
    let left = recipients(&inbox.client, &made, "?status=cancelled");
    assert_eq!(left.len() as i64, 30 - rejected);
    assert_eq!(left.last().unwrap()["error"]["reason"], "template_withdrawn");
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 0);
}

fn a_disconnected_channel_stops_it(inbox: Inbox) {
    let mut body = hello(phones(&numbers(20)));
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let made = announced(&inbox.client, body);
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    inbox.client.send("POST", &format!("{}/schedule", path(&made)), None).expect(422);
    inbox.app.cli(&["channel", "reconnect", &inbox.whatsapp]);
    // The vendor says that the token is no longer good.
    inbox.faults(json!([{ "on": "send", "kind": "error", "status": 401, "code": 190 }]));
    inbox.client.send("POST", &format!("{}/schedule", path(&made)), None).expect(200);
    let failed = becomes(&inbox.client, &made, "failed");
    assert_eq!(failed["counts"]["sent"], 0);
    let told = inbox.events("broadcast.failed").remove(0);
    assert_eq!(told["error"]["reason"], "channel_not_connected", "{told}");
    let all = recipients(&inbox.client, &made, "");
    assert!(all.iter().all(|one| one["status"] == "cancelled" || one["status"] == "failed"), "{all:?}");
    announce(&inbox.client, hello(phones(&numbers(1)))).expect(422);
}

fn five_identical_errors_at_the_start_stop_it(inbox: Inbox) {
    inbox.faults(json!([{ "on": "send", "kind": "error", "status": 400, "code": 132_000 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(40))));
    let failed = becomes(&inbox.client, &made, "failed");
    assert_eq!(failed["counts"], counts(40, 0, 0, 0, 0, 5));
    let told = inbox.events("broadcast.failed").remove(0);
    assert_eq!(
        (&told["error"]["reason"], &told["error"]["code"]),
        (&json!("request_errors"), &json!("132000"))
    );
    assert_eq!(recipients(&inbox.client, &made, "?status=cancelled").len(), 35);
    // One that fails among others stops nothing.
    inbox.faults(json!([{ "on": "send", "kind": "error", "status": 400, "code": 132_000, "times": 1 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(40))));
    let done = becomes(&inbox.client, &made, "sent");
    assert_eq!((&done["counts"]["sent"], &done["counts"]["failed"]), (&json!(39), &json!(1)));
}

fn a_message_in_doubt_holds_it_open_until_it_is_settled(inbox: inbound_scene::Inbox) {
    inbox.vendors.report_by_hand();
    let connection = inbox.whatsapp();
    inbox.vendors.faults(json!([{ "on": "send", "kind": "cut", "times": 1 }]));
    let made = announced(&inbox.client, hello(phones(&numbers(3))));
    once(&inbox.client, &made, |now| now["counts"]["sent"] == 2);
    assert_eq!(read(&inbox.client, &made)["status"], "sending");
    inbox.advance(inbound_scene::DOUBT + 5);
    let done = becomes(&inbox.client, &made, "sent");
    assert_eq!(done["counts"], counts(3, 2, 0, 0, 0, 1));
    let failed = recipients(&inbox.client, &made, "?status=failed").remove(0);
    assert_eq!(failed["error"]["reason"], "unknown_outcome");
    // It is never repeated.
    inbox.client.post(&format!("{}/retry", path(&made)), json!({})).expect(409);
    drop(connection);
}

fn direct_messages_are_sent_before_broadcasts(inbox: Inbox) {
    let account = inbox.tenant.account.id.as_str();
    let connect = ["channel", "connect", "--account", account, "--channel", "whatsapp", "--sandbox"];
    inbox.app.cli(&["channel", "disconnect", &inbox.whatsapp]);
    let slow = inbox.app.cli(&[&connect[..], &["--messages-per-second", "10"]].concat());
    let slow = text(&slow["connection_id"]).to_owned();
    let (conversation, other) = (inbox.hears_on(&slow, "14155550777", "Hello?"), numbers(61)[60].clone());
    let made = announced(&inbox.client, hello(phones(&numbers(61))));
    once(&inbox.client, &made, |now| now["counts"]["sent"].as_i64() > Some(5));
    let begun = Stopwatch::start();
    let reply = inbox.sends(crate::inbox_scene::reply(text(&conversation["id"]), "Yes?"));
    inbox.becomes(&reply, "delivered");
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "it waited behind the broadcast: {:?}",
        begun.elapsed()
    );
    // So does a message to somebody whom the broadcast has not reached yet.
    let direct = inbox.sends(crate::inbox_scene::hello_to(&other));
    inbox.becomes(&direct, "delivered");
    assert!(
        begun.elapsed() < Duration::from_secs(4),
        "it waited behind the broadcast: {:?}",
        begun.elapsed()
    );
    let done = becomes(&inbox.client, &made, "sent");
    assert_eq!(done["counts"]["sent"], 61);
}

fn an_erased_contact_leaves_no_trace_and_merged_ones_are_reached_once(inbox: Inbox) {
    let client = &inbox.client;
    let ids = people(client, &numbers(4));
    let mut body = hello(json!({ "type": "all" }));
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let made = announced(client, body);
    assert_eq!(made["counts"]["total"], 4);
    client.delete(&format!("/contacts/{}", ids[0])).expect(200);
    client.post(&format!("/contacts/{}/merge", ids[1]), json!({ "contact_id": ids[2] })).expect(200);
    client.send("POST", &format!("{}/schedule", path(&made)), None).expect(200);
    let done = becomes(client, &made, "sent");
    assert_eq!(
        done["counts"],
        counts(
            4,
            2,
            done["counts"]["delivered"].as_i64().unwrap(),
            done["counts"]["read"].as_i64().unwrap(),
            0,
            0
        )
    );
    assert_eq!(inbox.sent_soon(&inbox.whatsapp, 2).len(), 2);
    let gone: Vec<Value> = recipients(client, &made, "?status=cancelled");
    assert_eq!(gone.len(), 2);
    assert!(gone.iter().any(|one| one["phone"].is_null() && one["contact_id"].is_null()), "{gone:?}");
    assert!(gone.iter().any(|one| one["error"]["reason"] == "merged"), "{gone:?}");
    assert_eq!(walk(client, "/conversations").len(), 2);
}
