//! Canned replies: found by a shortcut, with placeholders that the client fills in, and with files.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, Inbox};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};
use crate::uploads::{open, sending, upload};
use crate::webhooks_scene::DAY;

on_every_engine! {
    a_canned_reply_is_made_changed_and_deleted,
    a_shortcut_is_unique_whatever_its_case,
    everything_wrong_with_a_canned_reply_is_told_at_once,
    a_repeated_create_is_answered_once,
    reading_canned_replies_does_not_allow_changing_them,
    a_canned_reply_keeps_its_files_and_they_can_be_sent,
    files_of_a_canned_reply_are_replaced_and_expire_when_nothing_has_them,
    everything_wrong_with_files_is_told_at_once,
}

const FIELDS: &str = "id shortcut body media created_at updated_at";
const FILE_FIELDS: &str = "id url content_type filename size";

fn a_canned_reply_is_made_changed_and_deleted(app: App) {
    let client = app.tenant().client;
    let body = "Hello {{contact.name}},\nwe are open from 9:00.";
    let made = client.post("/canned-replies", json!({ "shortcut": " hours ", "body": body })).expect(201);
    has_fields(made.data(), FIELDS);
    is_id(&made.data()["id"]);
    is_moment(&made.data()["created_at"]);
    assert_eq!((&made.data()["shortcut"], &made.data()["body"]), (&json!("hours"), &json!(body)));
    let other = client.post("/canned-replies", json!({ "shortcut": "bye", "body": "Bye." })).expect(201);
    assert_eq!(client.get("/canned-replies").expect(200).data(), &json!([other.data(), made.data()]));

    let path = format!("/canned-replies/{}", made.id());
    let changed = client.patch(&path, json!({ "body": "Open." })).expect(200);
    assert_eq!((&changed.data()["shortcut"], &changed.data()["body"]), (&json!("hours"), &json!("Open.")));
    assert_eq!(client.patch(&path, json!({})).expect(200).data(), changed.data());
    assert_eq!(client.delete(&path).expect(200).data(), &json!({ "id": made.id(), "deleted": true }));
    client.delete(&path).expect(404).error("not_found");
    client.patch(&path, json!({ "body": "x" })).expect(404).error("not_found");
    assert_eq!(client.get("/canned-replies").expect(200).data(), &json!([other.data()]));
}

fn a_shortcut_is_unique_whatever_its_case(app: App) {
    let (client, theirs) = (app.tenant().client, app.tenant().client);
    let new = |shortcut: &str| json!({ "shortcut": shortcut, "body": "Hi." });
    client.post("/canned-replies", new("Grüße")).expect(201);
    client.post("/canned-replies", new("GRÜSSE")).expect(201);
    client.post("/canned-replies", new("grüße")).expect(409).error("conflict");
    theirs.post("/canned-replies", new("Grüße")).expect(201);
    let other = client.post("/canned-replies", new("other")).expect(201).id();
    let path = format!("/canned-replies/{other}");
    client.patch(&path, json!({ "shortcut": "gRÜße" })).expect(409).error("conflict");
    assert_eq!(client.patch(&path, json!({ "shortcut": "OTHER" })).expect(200).data()["shortcut"], "OTHER");
}

fn everything_wrong_with_a_canned_reply_is_told_at_once(app: App) {
    let client = app.tenant().client;
    let cases: [(Value, &[&str]); 4] = [
        (json!({}), &["shortcut", "body"]),
        (json!({ "shortcut": " ", "body": "" }), &["shortcut", "body"]),
        (json!({ "shortcut": "x".repeat(51), "body": "x".repeat(4_097) }), &["shortcut", "body"]),
        (json!({ "shortcut": 7, "body": null }), &["shortcut", "body"]),
    ];
    for (body, paths) in cases {
        let response = client.post("/canned-replies", body).expect(400);
        response.error("validation_error");
        response.details_at(paths);
    }
    let path = format!("/canned-replies/{NOTHING}");
    client.patch(&path, json!({ "shortcut": null })).expect(400).details_at(&["shortcut"]);
    assert_eq!(client.get("/canned-replies").expect(200).data(), &json!([]));
}

fn a_repeated_create_is_answered_once(app: App) {
    let client = app.tenant().client;
    let again = client.with("idempotency-key", "canned-1");
    let body = json!({ "shortcut": "hi", "body": "Hi." });
    let first = again.post("/canned-replies", body.clone()).expect(201);
    let second = again.post("/canned-replies", body).expect(201);
    assert_eq!(first.body, second.body);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(client.get("/canned-replies").expect(200).data().as_array().unwrap().len(), 1);
}

fn reading_canned_replies_does_not_allow_changing_them(app: App) {
    let account = app.account();
    let reader = app.client(&app.key(&account, "conversations:read"));
    reader.get("/canned-replies").expect(200);
    reader.post("/canned-replies", json!({ "shortcut": "hi", "body": "Hi." })).expect(403).error("forbidden");
    let writer = app.client(&app.key(&account, "conversations:write"));
    writer.post("/canned-replies", json!({ "shortcut": "hi", "body": "Hi." })).expect(201);
}

/// A canned reply with these uploads.
fn with_files(shortcut: &str, uploads: &[&Value]) -> Value {
    let ids: Vec<&Value> = uploads.iter().map(|upload| &upload["id"]).collect();
    json!({ "shortcut": shortcut, "body": "See the files.", "media_ids": ids })
}

fn a_canned_reply_keeps_its_files_and_they_can_be_sent(inbox: Inbox) {
    let client = &inbox.client;
    let map = upload(client, "map.png", "image/png", b"a map");
    let menu = upload(client, "menu.pdf", "application/pdf", b"a menu, longer");
    let made = client.post("/canned-replies", with_files("visit", &[&menu, &map])).expect(201);
    has_fields(made.data(), FIELDS);
    let files = made.data()["media"].as_array().expect("files").clone();
    for file in &files {
        has_fields(file, FILE_FIELDS);
    }
    assert_eq!((&files[0]["id"], &files[1]["id"]), (&menu["id"], &map["id"]), "the order is kept");
    assert_eq!(
        (&files[0]["filename"], &files[0]["content_type"], &files[0]["size"]),
        (&json!("menu.pdf"), &json!("application/pdf"), &json!(14))
    );
    // Long after an unused upload would have been deleted.
    inbox.advance(20 * DAY);
    let listed = client.get("/canned-replies").expect(200);
    let url = &listed.data()[0]["media"][1]["url"];
    assert_eq!(open(&inbox, url).expect(200).text, "a map");
    let conversation = inbox.hears(ANN, "Where are you?");
    let message = inbox.sends(sending(&conversation, "image", &listed.data()[0]["media"][1]));
    inbox.becomes(&message, "delivered");
    // The message still has the file after the canned reply is gone.
    client.delete(&format!("/canned-replies/{}", made.id())).expect(200);
    inbox.advance(20 * DAY);
    let kept = inbox.message(&message["id"]);
    assert_eq!(open(&inbox, &kept["media_url"]).expect(200).text, "a map");
    // And the canned reply's other file has expired with it.
    let late = client.post("/canned-replies", with_files("again", &[&menu])).expect(400);
    late.details_at(&["media_ids.0"]);
}

fn files_of_a_canned_reply_are_replaced_and_expire_when_nothing_has_them(inbox: Inbox) {
    let client = &inbox.client;
    let (old, new) =
        (upload(client, "old.txt", "text/plain", b"old"), upload(client, "new.txt", "text/plain", b"new"));
    let made = client.post("/canned-replies", with_files("a", &[&old])).expect(201);
    let shared = client.post("/canned-replies", with_files("b", &[&old])).expect(201);
    let path = format!("/canned-replies/{}", made.id());
    assert_eq!(
        client.patch(&path, json!({ "body": "Other." })).expect(200).data()["media"][0]["id"],
        old["id"]
    );
    let changed = client.patch(&path, json!({ "media_ids": [new["id"], old["id"]] })).expect(200);
    let names: Vec<&str> = changed.data()["media"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| text(&file["filename"]))
        .collect();
    assert_eq!(names, ["new.txt", "old.txt"]);
    assert_eq!(
        client.patch(&path, json!({ "media_ids": [new["id"], old["id"]] })).expect(200).data(),
        changed.data()
    );
    assert_eq!(client.patch(&path, json!({ "media_ids": [] })).expect(200).data()["media"], json!([]));
    // For a week it can be taken up again.
    inbox.advance(6 * DAY);
    client.patch(&path, json!({ "media_ids": [new["id"]] })).expect(200);
    client.patch(&path, json!({ "media_ids": [] })).expect(200);
    inbox.advance(8 * DAY);
    client.patch(&path, json!({ "media_ids": [new["id"]] })).expect(400).details_at(&["media_ids.0"]);
    let listed = client.get("/canned-replies").expect(200);
    let kept = &listed.data()[0];
    assert_eq!((text(&kept["id"]), &kept["media"][0]["id"]), (shared.id().as_str(), &old["id"]));
    assert_eq!(open(&inbox, &kept["media"][0]["url"]).expect(200).text, "old");
}

fn everything_wrong_with_files_is_told_at_once(inbox: Inbox) {
    let client = &inbox.client;
    let mine = upload(client, "a.txt", "text/plain", b"mine");
    let theirs = upload(&inbox.app.tenant().client, "a.txt", "text/plain", b"theirs");
    inbox.says(&inbox.whatsapp, ANN, json!({ "media": { "kind": "image" } }));
    inbox.settle();
    let ids = json!([mine["id"], theirs["id"], NOTHING, mine["id"]]);
    let refused =
        client.post("/canned-replies", json!({ "shortcut": "x", "body": "x", "media_ids": ids })).expect(400);
    refused.details_at(&["media_ids.1", "media_ids.2", "media_ids.3"]);
    // Together with problems of other fields.
    let refused =
        client.post("/canned-replies", json!({ "body": "x", "media_ids": ["x", NOTHING] })).expect(400);
    refused.details_at(&["media_ids.0", "media_ids.1", "shortcut"]);
    let many = vec![NOTHING; 11];
    client.post("/canned-replies", json!({ "shortcut": "x", "body": "x", "media_ids": many })).expect(400);
    assert_eq!(client.get("/canned-replies").expect(200).data(), &json!([]));
    // A refused create has not taken the upload.
    inbox.advance(8 * DAY);
    client.post("/canned-replies", with_files("x", &[&mine])).expect(400).details_at(&["media_ids.0"]);
}
