//! Messages that quote another of their conversation.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, ANN_PHONE, BOB, Inbox, id, reply};
use crate::people::walk;
use crate::shapes::{NOTHING, text};

on_every_engine! {
    a_customers_message_is_quoted_on_every_channel,
    our_own_message_is_quoted,
    a_number_is_answered_with_a_quote,
    only_a_message_of_the_same_conversation_is_quoted,
    what_the_channel_has_not_taken_is_not_quoted,
    only_the_first_part_of_a_message_quotes,
}

fn quoting(mut message: Value, quoted: &Value) -> Value {
    message["reply_to_message_id"] = quoted.clone();
    message
}

/// The newest message of a conversation.
fn last(inbox: &Inbox, conversation: &Value) -> Value {
    walk(&inbox.client, &format!("/conversations/{}/messages", id(conversation))).remove(0)
}

fn a_customers_message_is_quoted_on_every_channel(inbox: Inbox) {
    for (channel, customer) in
        [("whatsapp", ANN), ("messenger", "6543219876543210"), ("personal_whatsapp", BOB)]
    {
        let connection = inbox.connect(channel);
        let conversation = inbox.hears_on(&connection, customer, "The blue one?");
        let asked = last(&inbox, &conversation);
        let message = inbox.sends(quoting(reply(id(&conversation), "Yes."), &asked["id"]));
        assert_eq!(message["reply_to_message_id"], asked["id"], "{channel}");
        assert_eq!(inbox.message(&message["id"])["reply_to_message_id"], asked["id"], "{channel}");
        let sent = &inbox.sent_soon(&connection, 1)[0]["raw"];
        let named = match channel {
            "whatsapp" => &sent["context"]["message_id"],
            "messenger" => &sent["reply_to"]["mid"],
            _ => &sent["reply_to"],
        };
        assert_eq!(*named, asked["channel_message_id"], "{channel}: {sent}");
    }
}

fn our_own_message_is_quoted(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let first = inbox.sends(reply(id(&conversation), "One moment."));
    let first = inbox.becomes(&first, "delivered");
    inbox.sends(quoting(reply(id(&conversation), "It took longer."), &first["id"]));
    let sent = inbox.sent_soon(&inbox.whatsapp, 2);
    assert_eq!(sent[1]["raw"]["context"]["message_id"], first["channel_message_id"]);
    assert_eq!(sent[0]["raw"]["context"], Value::Null);
}

fn a_number_is_answered_with_a_quote(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let asked = last(&inbox, &conversation);
    let hello =
        json!({ "type": "template", "to": { "phone": ANN_PHONE }, "template": { "name": "hello_world" } });
    let message = inbox.sends(quoting(hello, &asked["id"]));
    assert_eq!(message["conversation_id"], conversation["id"]);
    let sent = &inbox.sent_soon(&inbox.whatsapp, 1)[0]["raw"];
    assert_eq!(sent["context"]["message_id"], asked["channel_message_id"]);
}

fn only_a_message_of_the_same_conversation_is_quoted(inbox: Inbox) {
    let (ann, bob) = (inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"));
    let (theirs, before) = (last(&inbox, &bob), inbox.told());
    for quoted in [&theirs["id"], &json!(NOTHING)] {
        let message = quoting(reply(id(&ann), "Yes."), quoted);
        inbox.send(message).expect(404).error("not_found");
        // Nobody is made for a message that is refused.
        let stranger = json!({ "type": "template", "to": { "phone": "+14155550777" }, "template": { "name": "hello_world" } });
        inbox.send(quoting(stranger, quoted)).expect(404).error("not_found");
    }
    let other = inbox.app.tenant();
    other.client.post("/messages", quoting(reply(id(&ann), "Yes."), &theirs["id"])).expect(404);
    let wrong = inbox.send(quoting(reply(id(&ann), "Yes."), &json!("x"))).expect(400);
    wrong.error("validation_error");
    wrong.details_at(&["reply_to_message_id"]);
    assert_eq!(inbox.told(), before);
    assert_eq!(inbox.client.get("/contacts?phone=%2B14155550777").expect(200).data(), &json!([]));
    let nothing = inbox.sends(quoting(reply(id(&ann), "Yes."), &Value::Null));
    assert_eq!(nothing["reply_to_message_id"], Value::Null);
}

fn what_the_channel_has_not_taken_is_not_quoted(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.faults(json!([{ "on": "send", "kind": "error", "code": 131_026 }]));
    let failed = inbox.sends(reply(id(&conversation), "Lost."));
    inbox.becomes(&failed, "failed");
    inbox.heal();
    let response = inbox.send(quoting(reply(id(&conversation), "As I said."), &failed["id"])).expect(409);
    let error = response.error("conflict");
    assert!(text(&error["message"]).contains("reply_to_message_id"), "{error}");
}

fn only_the_first_part_of_a_message_quotes(inbox: Inbox) {
    let page = inbox.connect("messenger");
    let conversation = inbox.hears_on(&page, "6543219876543210", "Show me.");
    let asked = last(&inbox, &conversation);
    let media = json!({ "kind": "image", "url": "https://files.example/a.png", "caption": "Look" });
    let message = json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": media });
    inbox.sends(quoting(message, &asked["id"]));
    let sent = inbox.sent_soon(&page, 2);
    assert_eq!(sent[0]["raw"]["reply_to"]["mid"], asked["channel_message_id"]);
    assert_eq!(sent[1]["raw"]["reply_to"], Value::Null);
}
