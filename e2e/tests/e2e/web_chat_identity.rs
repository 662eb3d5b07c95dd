//! Visitors whom the website knows: it signs their ids with the identity secret of the connection.

use frontdesk_e2e::{Response, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::Browser;
use crate::bookings::signature;
use crate::people::walk;
use crate::shapes::{has_fields, text};
use crate::web_chat_scene::{Chat, Visitor, texts};

on_every_engine! {
    a_signed_user_has_one_conversation_in_every_browser,
    a_forged_signature_is_refused,
    a_new_secret_ends_the_tokens_of_the_previous_one,
    what_was_written_before_the_website_knew_the_visitor_stays_with_them,
    a_user_who_has_a_conversation_keeps_it,
}

#[track_caller]
fn new_secret(admin: &Browser, connection: &str) -> String {
    let made = admin.post(&format!("/admin/connections/{connection}/identity-secret"), json!({})).expect(201);
    has_fields(made.data(), "identity_secret");
    text(&made.data()["identity_secret"]).to_owned()
}

fn signed(secret: &str, user: &str) -> Value {
    json!({ "user_id": user, "user_hash": signature(secret, user) })
}

/// A visitor who was known by another token before.
#[track_caller]
fn visitor_after(chat: &Chat, before: &Visitor, introduction: Value) -> Response {
    chat.anybody().with_key(&before.token).post(&chat.path("visitors"), introduction)
}

fn a_signed_user_has_one_conversation_in_every_browser(chat: Chat) {
    let secret = new_secret(&chat.admin(), &chat.connection);
    let at_work = chat.visitor_as(signed(&secret, "ann <1>"));
    let mut introduced = signed(&secret, "ann <1>");
    introduced["name"] = json!("Ann");
    let at_home = chat.visitor_as(introduced);
    let other = chat.visitor_as(signed(&secret, "bob"));
    let said = at_work.tells(json!({ "text": "From work", "client_id": "1" }));
    at_home.tells(json!({ "text": "From home", "client_id": "1" }));
    other.says("Not yours");
    assert_eq!(texts(&at_work.sees()), ["From work", "From home"]);
    assert_eq!(texts(&at_home.sees()), ["From work", "From home"]);
    assert_eq!(texts(&other.sees()), ["Not yours"]);
    // A page knows the messages that it sent itself.
    assert_eq!(at_work.sees()[0]["client_id"], "1");
    assert_eq!(at_home.sees()[0]["client_id"], Value::Null);
    let mut stream = chat.stream(&at_home, None);
    assert_eq!(stream.hears().1["id"], said["id"]);
    assert_eq!(walk(&chat.client, "/contacts").len(), 2);
    // The user's id is sealed in the token.
    assert!(!at_work.token.contains("ann"));
}

fn a_forged_signature_is_refused(chat: Chat) {
    let visitors = chat.path("visitors");
    let admin = chat.admin();
    let refused = chat.anybody().post(&visitors, signed("guess", "ann")).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "identity");
    assert!(text(&refused.error("forbidden")["message"]).contains("no identity secret"));
    let secret = new_secret(&admin, &chat.connection);
    let other = chat.connect("web_chat");
    let others = new_secret(&admin, &other);
    let right = signature(&secret, "ann");
    for (user, hash) in [
        ("ann", signature(&others, "ann")),
        ("ann", signature("", "ann")),
        ("bob", right.clone()),
        ("ann ", signature(&secret, "bob")),
        ("ann", right[..62].to_owned()),
        ("ann", "0".repeat(64)),
        ("ann", "zz".repeat(32)),
        ("ann", right.replace(['a', 'b', 'c', 'd', 'e', 'f'], "0")),
    ] {
        let body = json!({ "user_id": user, "user_hash": hash });
        let refused = chat.anybody().post(&visitors, body).expect(403);
        assert_eq!(refused.error("forbidden")["reason"], "identity", "{user} {hash}");
    }
    let unsigned = chat.anybody().post(&visitors, json!({ "user_id": "ann" })).expect(400);
    unsigned.details_at(&["user_hash"]);
    let nameless = chat.anybody().post(&visitors, json!({ "user_hash": right })).expect(400);
    nameless.details_at(&["user_id"]);
    let long = json!({ "user_id": "u".repeat(201), "user_hash": "0".repeat(65) });
    chat.anybody().post(&visitors, long).expect(400).details_at(&["user_id", "user_hash"]);
    chat.anybody().post(&visitors, signed(&secret, "ann")).expect(201);
    // The token of a user is good for this chat alone.
    let ann = chat.visitor_as(signed(&secret, "ann"));
    let elsewhere = format!("/channels/web_chat/{other}/messages");
    chat.anybody().with_key(&ann.token).get(&elsewhere).expect(403);
}

fn a_new_secret_ends_the_tokens_of_the_previous_one(chat: Chat) {
    let admin = chat.admin();
    let secret = new_secret(&admin, &chat.connection);
    let (ann, visitor) = (chat.visitor_as(signed(&secret, "ann")), chat.visitor());
    ann.says("Hello!");
    let renewed = new_secret(&admin, &chat.connection);
    assert_ne!(secret, renewed);
    assert_eq!(ann.get("messages").expect(403).error("forbidden")["reason"], "visitor_token");
    chat.anybody().post(&chat.path("visitors"), signed(&secret, "ann")).expect(403);
    // The others go on, and so does the conversation.
    visitor.says("Hi!");
    assert_eq!(texts(&chat.visitor_as(signed(&renewed, "ann")).sees()), ["Hello!"]);
    let shown = admin.get(&format!("/admin/connections/{}/widget", chat.connection)).expect(200);
    assert_eq!(shown.data()["has_identity_secret"], true);
    assert!(!shown.text.contains(&renewed), "it is shown once");
}

fn what_was_written_before_the_website_knew_the_visitor_stays_with_them(chat: Chat) {
    let secret = new_secret(&chat.admin(), &chat.connection);
    let visitor = chat.visitor();
    visitor.says("Before signing in");
    // Only somebody with the visitor's token takes the conversation along.
    assert_eq!(chat.visitor_as(signed(&secret, "bob")).sees(), Vec::<Value>::new());
    let made = visitor_after(&chat, &visitor, signed(&secret, "ann")).expect(201);
    let ann = chat.visitor_as(signed(&secret, "ann"));
    assert_eq!(texts(&ann.sees()), ["Before signing in"]);
    let ann = ann.with_token(text(&made.data()["token"]));
    ann.says("After");
    assert_eq!(texts(&ann.sees()), ["Before signing in", "After"]);
    assert_eq!(walk(&chat.client, "/contacts").len(), 1);
    // A forged signature takes nothing along, nor does an altered token.
    visitor_after(&chat, &visitor, signed("guess", "eve")).expect(403);
    let altered = visitor.with_token(&format!("A{}", &visitor.token[1..]));
    visitor_after(&chat, &altered, signed(&secret, "eve")).expect(201);
    assert_eq!(chat.visitor_as(signed(&secret, "eve")).sees(), Vec::<Value>::new());
}

fn a_user_who_has_a_conversation_keeps_it(chat: Chat) {
    let secret = new_secret(&chat.admin(), &chat.connection);
    chat.visitor_as(signed(&secret, "ann")).says("Mine");
    let visitor = chat.visitor();
    visitor.says("Written on a shared computer");
    visitor_after(&chat, &visitor, signed(&secret, "ann")).expect(201);
    assert_eq!(texts(&chat.visitor_as(signed(&secret, "ann")).sees()), ["Mine"]);
    // One user's token leads to no other user.
    let bob = chat.visitor_as(signed(&secret, "bob"));
    bob.says("Of Bob");
    visitor_after(&chat, &bob, signed(&secret, "cy")).expect(201);
    assert_eq!(chat.visitor_as(signed(&secret, "cy")).sees(), Vec::<Value>::new());
}
