//! Files that visitors send, and those that they get.

use frontdesk_e2e::{at_once, on_every_engine, on_sqlite};
use serde_json::{Value, json};

use crate::inbox_scene::start;
use crate::shapes::text;
use crate::uploads::{open, upload};
use crate::web_chat_scene::Chat;

on_every_engine! {
    a_visitors_file_is_a_message_and_is_served_as_it_came,
    a_repeated_file_is_stored_once,
    concurrent_requests_with_one_file_store_one_message,
    a_file_of_the_wrong_type_or_size_is_refused,
    a_file_needs_a_token_a_name_and_a_chat_that_takes_files,
    a_visitor_sees_the_name_of_a_file_from_the_team,
    alone a_visitor_who_sends_too_many_files_gets_retry_after,
}

on_sqlite! {
    alone a_chat_has_room_for_a_limited_number_of_bytes,
}

const FILE_BYTES_MAX: usize = 10 << 20;
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0not really a picture";

fn a_visitors_file_is_a_message_and_is_served_as_it_came(chat: Chat) {
    let ann = chat.visitor_as(json!({ "name": "Ann", "email": "ann@example.com" }));
    let said = ann.sends_file("A%20%3Cb%3Etable.PNG", "f1", PICTURE).expect(201).data().clone();
    assert_eq!(
        (&said["type"], &said["direction"], &said["client_id"], &said["filename"], &said["text"]),
        (&json!("image"), &json!("inbound"), &json!("f1"), &json!("A <b>table.PNG"), &Value::Null)
    );
    assert_eq!(ann.sees(), std::slice::from_ref(&said));
    let message = chat.message(&said["id"]);
    assert_eq!((&message["type"], &message["sender_type"]), (&json!("image"), &json!("customer")));
    let served = open(&chat, &message["media_url"]).expect(200);
    assert_eq!(served.body, PICTURE);
    assert_eq!(served.header("content-type"), Some("image/png"));
    assert_eq!(served.header("content-security-policy"), Some("sandbox; default-src 'none'"));
    assert_eq!(chat.contact_of(&said)["email"], "ann@example.com");
    // The largest file, of several pieces, and one that a browser must not show.
    let large: Vec<u8> = (0..FILE_BYTES_MAX).map(|at| (at % 251) as u8).collect();
    let said = ann.sends_file("plan.pdf", "f2", &large).expect(201).data().clone();
    assert_eq!(said["type"], "document");
    let served = open(&chat, &said["media_url"]).expect(200);
    assert!(served.body == large, "{} bytes", served.body.len());
    assert!(served.header("content-disposition").unwrap_or_default().starts_with("attachment"));
    assert_eq!(chat.conversation_of(&said)["unread_count"], 2);
}

fn a_repeated_file_is_stored_once(chat: Chat) {
    let ann = chat.visitor();
    let first = ann.sends_file("a.png", "same", PICTURE).expect(201).data().clone();
    let again = ann.sends_file("a.png", "same", b"other bytes").expect(201).data().clone();
    assert_eq!(first["id"], again["id"]);
    assert_eq!(ann.sees().len(), 1);
    // Another visitor's id of the page is another message.
    let bob = chat.visitor();
    assert_ne!(bob.sends_file("a.png", "same", PICTURE).expect(201).data()["id"], first["id"]);
}

fn concurrent_requests_with_one_file_store_one_message(chat: Chat) {
    let ann = chat.visitor();
    let ids = at_once(3, |_| ann.sends_file("a.png", "same", PICTURE).expect(201).data()["id"].clone());
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(ann.sees().len(), 1);
    open(&chat, &ann.sees()[0]["media_url"]).expect(200);
}

fn a_file_of_the_wrong_type_or_size_is_refused(chat: Chat) {
    let ann = chat.visitor();
    for name in ["run.exe", "page.html", "picture.svg", "macro.docm", "nothing", "script.js"] {
        let refused = ann.sends_file(name, "f", b"x").expect(422);
        assert_eq!(refused.error("unprocessable")["reason"], "file_type", "{name}");
    }
    ann.sends_file("empty.png", "f", b"").expect(400);
    ann.sends_file("large.png", "f", &vec![0; FILE_BYTES_MAX + 1]).expect(413);
    assert_eq!(ann.sees(), Vec::<Value>::new());
    ann.sends_file("a.png", "f", PICTURE).expect(201);
}

fn a_file_needs_a_token_a_name_and_a_chat_that_takes_files(chat: Chat) {
    let ann = chat.visitor();
    let send = |path: &str| chat.anybody().with_key(&ann.token).send("POST", path, Some(PICTURE));
    let files = chat.path("files");
    chat.anybody().send("POST", &format!("{files}?name=a.png&client_id=1"), Some(PICTURE)).expect(403);
    send(&files).expect(400).details_at(&["name", "client_id"]);
    send(&format!("{files}?name=a.png")).expect(400).details_at(&["client_id"]);
    send(&format!("{files}?client_id=1&name={}.png", "n".repeat(200))).expect(400).details_at(&["name"]);
    send(&format!("{files}?name=a.png&client_id={}", "c".repeat(65))).expect(400).details_at(&["client_id"]);
    let refused = chat.anybody().get(&files).expect(405);
    assert_eq!(refused.header("allow"), Some("POST, OPTIONS"));
    let widget = format!("/app/api/admin/connections/{}/widget", chat.connection);
    chat.admin().client.put(&widget, json!({ "accepts_files": false })).expect(200);
    let refused = ann.sends_file("a.png", "1", PICTURE).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "files_off");
}

fn a_visitor_sees_the_name_of_a_file_from_the_team(chat: Chat) {
    let (ann, conversation) = chat.met();
    let stored = upload(&chat.client, "offer.pdf", "application/pdf", b"%PDF");
    let media = json!({ "kind": "document", "url": stored["url"] });
    chat.sends(json!({ "type": "media", "to": { "conversation_id": conversation }, "media": media }));
    let seen = ann.sees();
    let last = seen.last().expect("a message");
    assert_eq!((&last["type"], &last["filename"]), (&json!("document"), &json!("offer.pdf")));
    assert_eq!(open(&chat, &last["media_url"]).expect(200).body, b"%PDF");
}

fn a_visitor_who_sends_too_many_files_gets_retry_after(chat: Chat) {
    chat.app.begin_minute();
    let (ann, bob) = (chat.visitor(), chat.visitor());
    let statuses: Vec<u16> = (0..40).map(|n| ann.sends_file("a.txt", &n.to_string(), b"x").status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 15, "{statuses:?}");
    let refused = ann.sends_file("a.txt", "more", b"x").expect(429);
    assert!(refused.header("retry-after").is_some());
    bob.sends_file("a.txt", "1", b"x").expect(201);
    // What one may still do: write.
    ann.says("That was a lot.");
    chat.advance(60);
    ann.sends_file("a.txt", "more", b"x").expect(201);
}

fn a_chat_has_room_for_a_limited_number_of_bytes(engine: frontdesk_e2e::Engine) {
    let chat = Chat::of(start(engine).env("FRONTDESK_UPLOADS_MIB_MAX", "1"));
    let ann = chat.visitor();
    ann.sends_file("a.txt", "1", &vec![b'x'; 1 << 20]).expect(201);
    let refused = ann.sends_file("a.txt", "2", b"x").expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "upload_storage_full");
    assert!(text(&refused.error("unprocessable")["message"]).contains("no room"));
    // The same file again is no other file.
    ann.sends_file("a.txt", "1", b"x").expect(201);
    // Another chat has room of its own.
    let other = chat.connect("web_chat");
    chat.visitor_of(&other, json!({})).sends_file("a.txt", "1", b"x").expect(201);
}
