//! Typing and read marks, both ways.

use frontdesk_e2e::{on_every_engine, on_sqlite};
use serde_json::{Value, json};

use crate::app_scene::{Browser, member};
use crate::app_stream::{cookie_of, listen};
use crate::shapes::text;
use crate::web_chat_scene::{Chat, Stream};

on_every_engine! {
    members_see_that_a_visitor_is_typing,
    a_visitor_sees_that_a_member_is_typing,
    a_visitor_sees_how_far_the_team_has_read,
}

on_sqlite! {
    alone a_visitor_who_types_too_often_gets_retry_after,
}

/// The data of the next event of this name.
#[track_caller]
fn next_of(stream: &mut Stream, name: &str) -> Value {
    loop {
        let frame = stream.frame().expect("it ended");
        if frame.lines().any(|line| line == format!("event: {name}")) {
            let data = frame.lines().find_map(|line| line.strip_prefix("data: ")).expect("data");
            assert!(!frame.contains("id: "), "a mark is not repeated: {frame}");
            return serde_json::from_str(data).expect("JSON");
        }
    }
}

fn members_see_that_a_visitor_is_typing(chat: Chat) {
    member(&chat.app, &chat.tenant.account, "mia@example.com", "agent");
    let mut members = listen(&chat.app, &cookie_of(&chat.app, "mia@example.com"), None);
    let stranger = chat.visitor();
    // Nobody knows of a visitor who has not written.
    stranger.post("typing", json!({ "typing": true })).expect(200);
    let (ann, conversation) = chat.met();
    for typing in [true, false] {
        ann.post("typing", json!({ "typing": typing })).expect(200);
        let told = members.up_to("visitor_typing");
        let (_, event, data) = told.last().expect("a notice");
        assert_eq!(event, "");
        assert_eq!(data, &json!({ "conversation_id": conversation, "typing": typing }));
    }
    ann.post("typing", json!({})).expect(400).details_at(&["typing"]);
    chat.anybody().post(&chat.path("typing"), json!({ "typing": true })).expect(403);
}

fn a_visitor_sees_that_a_member_is_typing(chat: Chat) {
    let (ann, conversation) = chat.met();
    let (bob, _) = chat.met();
    member(&chat.app, &chat.tenant.account, "mia@example.com", "agent");
    let mia = Browser::new(&chat.app).sign_in("mia@example.com");
    let (mut stream, mut others) = (chat.stream(&ann, None), chat.stream(&bob, None));
    assert_eq!(stream.hears().1["text"], "Hello!");
    assert_eq!(others.hears().1["text"], "Hello!");
    let types = |typing: bool| {
        mia.post("/presence", json!({ "conversation_id": conversation, "typing": typing })).expect(200);
    };
    types(true);
    assert_eq!(next_of(&mut stream, "typing"), json!({ "typing": true }));
    types(false);
    assert_eq!(next_of(&mut stream, "typing"), json!({ "typing": false }));
    // A member of another account moves nobody's mark, even with the id of the conversation.
    let other = chat.app.tenant();
    member(&chat.app, &other.account, "eve@example.com", "admin");
    let eve = Browser::new(&chat.app).sign_in("eve@example.com");
    eve.post("/presence", json!({ "conversation_id": conversation, "typing": true })).expect(200);
    chat.replies(&conversation, "Here I am");
    loop {
        let frame = stream.frame().expect("it ended");
        assert!(!frame.contains("event: typing"), "{frame}");
        if frame.contains("Here I am") {
            break;
        }
    }
    // Another visitor of the same chat hears nothing of it.
    chat.replies(text(&chat.conversation_of(&bob.sees()[0])["id"]), "For Bob");
    loop {
        let frame = others.frame().expect("it ended");
        assert!(!frame.contains("event: typing"), "{frame}");
        if frame.contains("For Bob") {
            break;
        }
    }
}

fn a_visitor_sees_how_far_the_team_has_read(chat: Chat) {
    let (ann, conversation) = chat.met();
    let mut stream = chat.stream(&ann, None);
    let second = ann.says("Anybody?");
    chat.client.post(&format!("/conversations/{conversation}/read"), json!({})).expect(200);
    assert_eq!(next_of(&mut stream, "read"), json!({ "message_id": second["id"] }));
    // A conversation that is marked as unread again takes nothing back, and a stream begins with the mark.
    chat.client.post(&format!("/conversations/{conversation}/unread"), json!({})).expect(200);
    let third = ann.says("Hello?");
    chat.client.post(&format!("/conversations/{conversation}/read"), json!({})).expect(200);
    assert_eq!(next_of(&mut stream, "read"), json!({ "message_id": third["id"] }));
    let mut again = chat.stream(&ann, Some(text(&third["id"])));
    assert_eq!(next_of(&mut again, "read"), json!({ "message_id": third["id"] }));
}

fn a_visitor_who_types_too_often_gets_retry_after(chat: Chat) {
    chat.app.begin_minute();
    let (ann, _) = chat.met();
    let statuses: Vec<u16> =
        (0..1_000).map(|_| ann.post("typing", json!({ "typing": true })).status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 40);
    assert!(statuses.iter().all(|status| matches!(status, 200 | 429)));
    // It is no reason not to be heard.
    ann.says("Sorry!");
}
