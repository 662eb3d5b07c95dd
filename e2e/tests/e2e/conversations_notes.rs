//! Private notes on conversations, and the members whom they mention.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, BOB, Inbox, id, member};
use crate::shapes::{NOTHING, has_fields, is_id, text};

on_every_engine! {
    a_note_is_listed_with_its_conversation_alone,
    a_note_is_never_sent,
    a_note_tells_whom_it_mentions,
    only_members_of_the_account_are_mentioned,
    everything_wrong_with_a_note_is_told_at_once,
    an_erased_contact_leaves_no_note,
    a_merged_conversation_keeps_its_notes,
}

fn notes(conversation: &Value) -> String {
    format!("/conversations/{}/notes", id(conversation))
}

fn a_note_is_listed_with_its_conversation_alone(inbox: Inbox) {
    let (ann, bob) = (inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"));
    let first = inbox.client.post(&notes(&ann), json!({ "body": "Prefers mornings." })).expect(201);
    has_fields(first.data(), "id conversation_id body author_user_id created_at updated_at");
    is_id(&first.data()["id"]);
    assert_eq!(first.data()["conversation_id"], ann["id"]);
    assert_eq!(first.data()["author_user_id"], inbox.tenant.account.owner.as_str());
    let second = inbox.client.post(&notes(&ann), json!({ "body": "Zwei\nZeilen" })).expect(201);
    assert_eq!(inbox.client.get(&notes(&ann)).expect(200).data(), &json!([second.data(), first.data()]));
    assert_eq!(inbox.client.get(&notes(&bob)).expect(200).data(), &json!([]));
    let of_contact = format!("/contacts/{}/notes", text(&ann["contact_id"]));
    assert_eq!(inbox.client.get(&of_contact).expect(200).data(), &json!([]));
    let told = inbox.events("note.created");
    assert_eq!(told, [json!({ "note": first.data() }), json!({ "note": second.data() })]);
}

fn a_note_is_never_sent(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.client.post(&notes(&conversation), json!({ "body": "A difficult one." })).expect(201);
    inbox.settle();
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
    assert_eq!(inbox.conversation(id(&conversation)), conversation);
}

fn a_note_tells_whom_it_mentions(inbox: Inbox) {
    let (mia, max) = (inbox.member("mia@example.com"), inbox.member("max@example.com"));
    let conversation = inbox.hears(ANN, "Hi!");
    let body = json!({ "body": "@Mia, @Max: please look.", "mentioned_user_ids": [mia, max] });
    let note = inbox.client.post(&notes(&conversation), body).expect(201);
    let told = inbox.events("note.created");
    assert_eq!(told, [json!({ "note": note.data(), "mentioned_user_ids": [mia, max] })]);
}

fn only_members_of_the_account_are_mentioned(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let other = inbox.app.tenant();
    let theirs = member(&inbox.app, &other.account, "eve@example.com");
    let left = inbox.member("mia@example.com");
    inbox.app.cli(&["member", "remove", &left]);
    let mentioned = json!([inbox.tenant.account.owner, theirs, left, NOTHING, "x"]);
    let response =
        inbox.client.post(&notes(&conversation), json!({ "body": " ", "mentioned_user_ids": mentioned }));
    let response = response.expect(400);
    response.error("validation_error");
    let at = [
        "body",
        "mentioned_user_ids.1",
        "mentioned_user_ids.2",
        "mentioned_user_ids.3",
        "mentioned_user_ids.4",
    ];
    response.details_at(&at);
    let well_formed = json!({ "body": "Hm.", "mentioned_user_ids": [theirs] });
    inbox.client.post(&notes(&conversation), well_formed).expect(400).details_at(&["mentioned_user_ids.0"]);
    assert_eq!(inbox.client.get(&notes(&conversation)).expect(200).data(), &json!([]));
    assert_eq!(inbox.events("note.created"), [Value::Null; 0]);
}

fn everything_wrong_with_a_note_is_told_at_once(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    for body in [json!({}), json!({ "body": "" }), json!({ "body": null }), json!({ "body": 7 })] {
        inbox.client.post(&notes(&conversation), body).expect(400).details_at(&["body"]);
    }
    for nothing in [NOTHING, "nothing"] {
        let path = format!("/conversations/{nothing}/notes");
        inbox.client.get(&path).expect(404).error("not_found");
        inbox.client.post(&path, json!({ "body": "Hm." })).expect(404).error("not_found");
    }
    let other = inbox.app.tenant().client;
    other.get(&notes(&conversation)).expect(404);
    other.post(&notes(&conversation), json!({ "body": "Hm." })).expect(404);
}

fn an_erased_contact_leaves_no_note(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.client.post(&notes(&conversation), json!({ "body": "Hm." })).expect(201);
    inbox.client.delete(&format!("/contacts/{}", text(&conversation["contact_id"]))).expect(200);
    inbox.client.get(&notes(&conversation)).expect(404);
    let again = inbox.hears(ANN, "It is me again.");
    assert_ne!(again["id"], conversation["id"]);
    assert_eq!(inbox.client.get(&notes(&again)).expect(200).data(), &json!([]));
}

fn a_merged_conversation_keeps_its_notes(inbox: Inbox) {
    let (ann, bob) = (inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"));
    let note = inbox.client.post(&notes(&bob), json!({ "body": "Hm." })).expect(201);
    let merge = format!("/contacts/{}/merge", text(&ann["contact_id"]));
    inbox.client.post(&merge, json!({ "contact_id": bob["contact_id"] })).expect(200);
    assert_eq!(inbox.client.get(&notes(&bob)).expect(200).data(), &json!([note.data()]));
}
