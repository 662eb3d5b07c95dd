//! Snoozed conversations, and conversations that are marked as unread.

use frontdesk_e2e::{Engine, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, BOB, CONVERSATION, Inbox, id, reply, start};
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    a_snoozed_conversation_opens_at_its_time,
    a_customer_who_writes_ends_a_snooze,
    our_own_messages_do_not_end_a_snooze,
    another_status_ends_a_snooze,
    a_snooze_is_ended_or_moved,
    a_snooze_needs_a_time_in_the_future,
    a_snooze_survives_a_restart,
    marking_as_unread_counts_one_message,
}

on_shared_stores! {
    of_two_servers_one_opens_a_conversation,
}

fn path(conversation: &Value) -> String {
    format!("/conversations/{}", id(conversation))
}

/// A moment so many seconds after the clock's.
fn later(inbox: &Inbox, seconds: i64) -> String {
    let now = inbox.advance(0);
    let moment = jiff::Timestamp::from_millisecond(now + seconds * 1_000).expect("a moment");
    format!("{moment:.3}")
}

fn snooze(inbox: &Inbox, conversation: &Value, seconds: i64) -> Value {
    let until = later(inbox, seconds);
    let response =
        inbox.client.post(&format!("{}/snooze", path(conversation)), json!({ "until": until })).expect(200);
    assert_eq!(
        (&response.data()["status"], &response.data()["snoozed_until"]),
        (&json!("pending"), &json!(until))
    );
    response.data().clone()
}

fn a_snoozed_conversation_opens_at_its_time(inbox: Inbox) {
    let (conversation, other) = (inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"));
    assert_eq!(conversation["snoozed_until"], Value::Null);
    let snoozed = snooze(&inbox, &conversation, 600);
    has_fields(&snoozed, CONVERSATION);
    assert_eq!(inbox.conversation(id(&conversation)), snoozed);
    inbox.advance(590);
    assert_eq!(inbox.conversation(id(&conversation)), snoozed);
    inbox.advance(20);
    let opened = inbox.conversation(id(&conversation));
    assert_eq!((&opened["status"], &opened["snoozed_until"]), (&json!("open"), &Value::Null));
    let told = inbox.events("conversation.updated");
    assert_eq!(told, [json!({ "conversation": snoozed }), json!({ "conversation": opened })]);
    inbox.advance(3_600);
    assert_eq!(inbox.events("conversation.updated").len(), 2);
    assert_eq!(inbox.conversation(id(&other)), other);
}

fn a_customer_who_writes_ends_a_snooze(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    snooze(&inbox, &conversation, 600);
    let heard = inbox.hears(ANN, "Are you there?");
    assert_eq!((&heard["status"], &heard["snoozed_until"]), (&json!("open"), &Value::Null));
    let told = inbox.events("conversation.updated");
    assert_eq!((told.len(), &told[1]["conversation"]["status"]), (2, &json!("open")));
    assert_eq!(told[1]["conversation"]["snoozed_until"], Value::Null);
    inbox.advance(700);
    assert_eq!(inbox.events("conversation.updated").len(), 2);
}

fn our_own_messages_do_not_end_a_snooze(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let snoozed = snooze(&inbox, &conversation, 600);
    inbox.sends(reply(id(&conversation), "We will come back to you."));
    let now = inbox.conversation(id(&conversation));
    assert_eq!((&now["status"], &now["snoozed_until"]), (&json!("pending"), &snoozed["snoozed_until"]));
}

fn another_status_ends_a_snooze(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    for status in ["open", "closed"] {
        snooze(&inbox, &conversation, 600);
        let kept = inbox.client.patch(&path(&conversation), json!({ "status": "pending" })).expect(200);
        assert!(kept.data()["snoozed_until"].is_string());
        let ended = inbox.client.patch(&path(&conversation), json!({ "status": status })).expect(200);
        let now = ended.data();
        assert_eq!((&now["status"], &now["snoozed_until"]), (&json!(status), &Value::Null));
    }
    inbox.advance(700);
    assert_eq!(inbox.conversation(id(&conversation))["status"], "closed");
}

fn a_snooze_is_ended_or_moved(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let end = |conversation: &Value| {
        let ended = inbox
            .client
            .post(&format!("{}/snooze", path(conversation)), json!({ "until": null }))
            .expect(200);
        ended.data().clone()
    };
    assert_eq!(end(&conversation), conversation);
    snooze(&inbox, &conversation, 600);
    let ended = end(&conversation);
    assert_eq!((&ended["status"], &ended["snoozed_until"]), (&json!("open"), &Value::Null));
    snooze(&inbox, &conversation, 600);
    let moved = snooze(&inbox, &conversation, 6_000);
    inbox.advance(700);
    assert_eq!(inbox.conversation(id(&conversation)), moved);
    // One that is pending without a snooze stays so.
    inbox.client.patch(&path(&conversation), json!({ "status": "open" })).expect(200);
    let pending = inbox.client.patch(&path(&conversation), json!({ "status": "pending" })).expect(200);
    assert_eq!(&end(&conversation), pending.data());
}

fn a_snooze_needs_a_time_in_the_future(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let snoozing = format!("{}/snooze", path(&conversation));
    for body in [
        json!({}),
        json!({ "until": "soon" }),
        json!({ "until": 7 }),
        json!({ "until": "2020-01-01T00:00:00Z" }),
        json!({ "until": later(&inbox, 0) }),
    ] {
        let response = inbox.client.post(&snoozing, body).expect(400);
        response.error("validation_error");
        response.details_at(&["until"]);
    }
    let nowhere = format!("/conversations/{NOTHING}/snooze");
    inbox.client.post(&nowhere, json!({ "until": null })).expect(404).error("not_found");
    let other = inbox.app.tenant().client;
    other.post(&snoozing, json!({ "until": null })).expect(404).error("not_found");
    assert_eq!(inbox.conversation(id(&conversation)), conversation);
}

fn a_snooze_survives_a_restart(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    snooze(&inbox, &conversation, 600);
    inbox.app.restart();
    inbox.advance(700);
    assert_eq!(inbox.conversation(id(&conversation))["status"], "open");
}

fn marking_as_unread_counts_one_message(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let unread = |conversation: &Value| {
        inbox.client.send("POST", &format!("{}/unread", path(conversation)), None).expect(200).data().clone()
    };
    assert_eq!(unread(&conversation), conversation);
    inbox.hears(ANN, "Hello?");
    assert_eq!(unread(&conversation)["unread_count"], 2);
    assert_eq!(inbox.events("conversation.updated"), [Value::Null; 0]);
    inbox.client.send("POST", &format!("{}/read", path(&conversation)), None).expect(200);
    let marked = unread(&conversation);
    assert_eq!(marked["unread_count"], 1);
    assert_eq!(inbox.conversation(id(&conversation)), marked);
    let told = inbox.events("conversation.updated");
    assert_eq!((told.len(), &told[1]["conversation"]), (2, &marked));
    let listed = inbox.client.get("/conversations?unread=true").expect(200);
    assert_eq!(listed.data(), &json!([marked]));
    inbox.client.send("POST", &format!("/conversations/{NOTHING}/unread"), None).expect(404);
}

fn of_two_servers_one_opens_a_conversation(engine: Engine) {
    let inbox = Inbox::of(start(engine));
    let _second = inbox.app.second_server();
    let conversations: Vec<Value> =
        (0..20).map(|number| inbox.hears(&format!("1415555{number:04}"), "Hi!")).collect();
    for conversation in &conversations {
        snooze(&inbox, conversation, 600);
    }
    inbox.advance(700);
    let told = inbox.events("conversation.updated");
    for conversation in &conversations {
        assert_eq!(inbox.conversation(id(conversation))["status"], "open");
        let opened = told
            .iter()
            .map(|data| &data["conversation"])
            .filter(|one| text(&one["id"]) == id(conversation) && one["status"] == "open");
        assert_eq!(opened.count(), 1);
    }
}
