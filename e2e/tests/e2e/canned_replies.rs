//! Canned replies: found by a shortcut, with placeholders that the client fills in.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::shapes::{NOTHING, has_fields, is_id, is_moment};

on_every_engine! {
    a_canned_reply_is_made_changed_and_deleted,
    a_shortcut_is_unique_whatever_its_case,
    everything_wrong_with_a_canned_reply_is_told_at_once,
    a_repeated_create_is_answered_once,
    reading_canned_replies_does_not_allow_changing_them,
}

const FIELDS: &str = "id shortcut body created_at updated_at";

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
