//! Changing a conversation: its status, whose it is, and who answers.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, BOB, CONVERSATION, Inbox, id, member, reply};
use crate::shapes::{NOTHING, has_fields};
use crate::webhooks_scene::moment;

on_every_engine! {
    a_status_moves_to_any_other,
    a_conversation_is_given_to_a_member_and_taken_back,
    only_a_member_of_the_account_is_given_anything,
    fields_left_out_of_a_patch_stay,
    a_patch_without_changes_writes_no_event,
    all_problems_of_a_change_are_reported_at_once,
    a_customer_opens_a_closed_conversation_again,
    sending_a_message_leaves_the_status_unchanged,
    a_person_takes_over,
    there_is_no_assistant_to_hand_over_to,
    all_problems_of_a_handover_are_reported,
    reading_does_not_allow_changing,
}

fn path(conversation: &Value) -> String {
    format!("/conversations/{}", id(conversation))
}

fn a_status_moves_to_any_other(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let mut told = Vec::new();
    for status in ["pending", "closed", "open", "closed", "pending", "open"] {
        inbox.advance(1);
        let changed = inbox.client.patch(&path(&conversation), json!({ "status": status })).expect(200);
        has_fields(changed.data(), CONVERSATION);
        let mut expected = conversation.clone();
        expected["status"] = json!(status);
        expected["updated_at"] = changed.data()["updated_at"].clone();
        assert_eq!(*changed.data(), expected);
        assert!(moment(&changed.data()["updated_at"]) > moment(&conversation["updated_at"]));
        assert_eq!(inbox.conversation(id(&conversation)), expected);
        told.push(json!({ "conversation": expected }));
    }
    assert_eq!(inbox.events("conversation.updated"), told);
}

fn a_conversation_is_given_to_a_member_and_taken_back(inbox: Inbox) {
    let mia = inbox.member("mia@example.com");
    let conversation = inbox.hears(ANN, "Hi!");
    let changed = inbox.client.patch(&path(&conversation), json!({ "assigned_user_id": mia })).expect(200);
    assert_eq!(changed.data()["assigned_user_id"], mia.as_str());
    assert_eq!(*changed.data(), inbox.conversation(id(&conversation)));
    let changed = inbox
        .client
        .patch(&path(&conversation), json!({ "assigned_user_id": inbox.tenant.account.owner }))
        .expect(200);
    assert_eq!(changed.data()["assigned_user_id"], inbox.tenant.account.owner.as_str());
    let changed = inbox.client.patch(&path(&conversation), json!({ "assigned_user_id": null })).expect(200);
    assert_eq!(changed.data()["assigned_user_id"], Value::Null);
    assert_eq!(inbox.events("conversation.updated").len(), 3);
}

fn only_a_member_of_the_account_is_given_anything(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let other = inbox.app.tenant();
    let theirs = member(&inbox.app, &other.account, "eve@example.com");
    let left = inbox.member("mia@example.com");
    inbox.app.cli(&["member", "remove", &left]);
    let before = (inbox.told(), inbox.conversation(id(&conversation)));
    for user in [theirs.as_str(), &other.account.owner, &left, NOTHING] {
        inbox
            .client
            .patch(&path(&conversation), json!({ "status": "closed", "assigned_user_id": user }))
            .expect(404)
            .error("not_found");
        let handover = json!({ "to": "human", "user_id": user });
        inbox
            .client
            .post(&format!("{}/handover", path(&conversation)), handover)
            .expect(404)
            .error("not_found");
    }
    assert_eq!((inbox.told(), inbox.conversation(id(&conversation))), before);
}

fn fields_left_out_of_a_patch_stay(inbox: Inbox) {
    let mia = inbox.member("mia@example.com");
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.client.patch(&path(&conversation), json!({ "assigned_user_id": mia })).expect(200);
    let changed = inbox.client.patch(&path(&conversation), json!({ "status": "pending" })).expect(200);
    assert_eq!(changed.data()["assigned_user_id"], mia.as_str());
    let changed = inbox
        .client
        .patch(
            &path(&conversation),
            json!({ "assigned_user_id": null, "unread_count": 7, "handler": "assistant" }),
        )
        .expect(200);
    let now = changed.data();
    assert_eq!(
        (&now["status"], &now["unread_count"], &now["handler"]),
        (&json!("pending"), &json!(1), &json!("human"))
    );
}

fn a_patch_without_changes_writes_no_event(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let told = inbox.told();
    inbox.advance(1);
    for body in [
        json!({}),
        json!({ "status": "open" }),
        json!({ "assigned_user_id": null }),
        json!({ "colour": "red" }),
    ] {
        assert_eq!(*inbox.client.patch(&path(&conversation), body).expect(200).data(), conversation);
    }
    let same =
        inbox.client.post(&format!("{}/handover", path(&conversation)), json!({ "to": "human" })).expect(200);
    assert_eq!(*same.data(), conversation);
    assert_eq!(inbox.told(), told);
}

fn all_problems_of_a_change_are_reported_at_once(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let cases: [(Value, &[&str]); 4] = [
        (json!({ "status": "lost", "assigned_user_id": "me" }), &["status", "assigned_user_id"]),
        (json!({ "status": null }), &["status"]),
        (json!({ "status": 7, "assigned_user_id": 7 }), &["status", "assigned_user_id"]),
        (json!([]), &[""]),
    ];
    for (body, paths) in cases {
        let response = inbox.client.patch(&path(&conversation), body).expect(400);
        response.error("validation_error");
        response.details_at(paths);
    }
    inbox.client.patch(&format!("/conversations/{NOTHING}"), json!({ "status": "closed" })).expect(404);
    assert_eq!(inbox.conversation(id(&conversation)), conversation);
}

fn a_customer_opens_a_closed_conversation_again(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.client.patch(&path(&conversation), json!({ "status": "closed" })).expect(200);
    let again = inbox.hears(ANN, "One more thing.");
    assert_eq!((&again["id"], &again["status"]), (&conversation["id"], &json!("open")));
    let told = inbox.events("conversation.updated");
    assert_eq!((told.len(), &told[1]["conversation"]["status"]), (2, &json!("open")));
    assert_eq!(inbox.events("conversation.created").len(), 1);
    // One that waits goes on waiting.
    inbox.client.patch(&path(&conversation), json!({ "status": "pending" })).expect(200);
    assert_eq!(inbox.hears(ANN, "And another.")["status"], "pending");
    assert_eq!(inbox.events("conversation.updated").len(), 3);
}

fn sending_a_message_leaves_the_status_unchanged(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.client.patch(&path(&conversation), json!({ "status": "closed" })).expect(200);
    inbox.sends(reply(id(&conversation), "Goodbye."));
    assert_eq!(inbox.conversation(id(&conversation))["status"], "closed");
}

fn a_person_takes_over(inbox: Inbox) {
    let mia = inbox.member("mia@example.com");
    let (ann, bob) = (inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"));
    let given = inbox
        .client
        .post(&format!("{}/handover", path(&ann)), json!({ "to": "human", "user_id": mia }))
        .expect(200);
    has_fields(given.data(), CONVERSATION);
    let now = given.data();
    assert_eq!(
        (&now["handler"], &now["assigned_user_id"], &now["assistant_id"]),
        (&json!("human"), &json!(mia), &Value::Null)
    );
    assert_eq!(inbox.events("conversation.handed_over"), [json!({ "conversation": now })]);
    assert_eq!(inbox.events("conversation.updated"), [Value::Null; 0]);
    // To nobody in particular: whose it is stays as it was.
    let kept = inbox.client.post(&format!("{}/handover", path(&ann)), json!({ "to": "human" })).expect(200);
    assert_eq!(kept.data()["assigned_user_id"], mia.as_str());
    let nobody = inbox
        .client
        .post(&format!("{}/handover", path(&bob)), json!({ "to": "human", "user_id": null }))
        .expect(200);
    assert_eq!(
        (&nobody.data()["handler"], &nobody.data()["assigned_user_id"]),
        (&json!("human"), &Value::Null)
    );
}

fn there_is_no_assistant_to_hand_over_to(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let handover = json!({ "to": "assistant", "assistant_id": NOTHING });
    inbox.client.post(&format!("{}/handover", path(&conversation)), handover).expect(404).error("not_found");
    assert_eq!(inbox.conversation(id(&conversation)), conversation);
    assert_eq!(inbox.events("conversation.handed_over"), [Value::Null; 0]);
}

fn all_problems_of_a_handover_are_reported(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    for (body, paths) in [
        (json!({}), ["to"]),
        (json!({ "to": "robot" }), ["to"]),
        (json!({ "to": "assistant" }), ["assistant_id"]),
        (json!({ "to": "assistant", "assistant_id": "x" }), ["assistant_id"]),
        (json!({ "to": "human", "user_id": "x" }), ["user_id"]),
    ] {
        let response = inbox.client.post(&format!("{}/handover", path(&conversation)), body).expect(400);
        response.error("validation_error");
        response.details_at(&paths);
    }
    inbox.client.post(&format!("/conversations/{NOTHING}/handover"), json!({ "to": "human" })).expect(404);
    inbox.client.send("POST", &format!("/conversations/{NOTHING}/read"), None).expect(404);
}

fn reading_does_not_allow_changing(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let reader = inbox.app.client(&inbox.app.key(&inbox.tenant.account, "conversations:read,messages:send"));
    reader.get(&path(&conversation)).expect(200);
    reader.patch(&path(&conversation), json!({ "status": "closed" })).expect(403).error("forbidden");
    reader.send("POST", &format!("{}/read", path(&conversation)), None).expect(403).error("forbidden");
    reader
        .post(&format!("{}/handover", path(&conversation)), json!({ "to": "human" }))
        .expect(403)
        .error("forbidden");
    let writer = inbox.app.client(&inbox.app.key(&inbox.tenant.account, "conversations:write"));
    writer.patch(&path(&conversation), json!({ "status": "closed" })).expect(200);
    writer.get("/conversations").expect(200);
    writer.get("/members").expect(200);
}
