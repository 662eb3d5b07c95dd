//! The same key twice: one effect, one answer.

use frontdesk_e2e::{App, Client, Clocked, Response, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, walk};
use crate::shapes::NOTHING;

on_every_engine! {
    a_retry_gets_the_first_answer_to_the_byte,
    refusals_of_an_operation_that_was_carried_out_are_kept,
    a_kept_plan_limit_outlives_the_limit,
    a_request_that_was_not_carried_out_leaves_its_key_free,
    a_rate_limited_request_leaves_its_key_free,
    a_key_used_for_another_request_is_refused,
    a_key_is_visible_ascii_of_a_bounded_length,
    keys_belong_to_the_account_and_not_to_the_api_key,
    a_result_outlives_a_restart_and_a_kill,
    without_a_key_every_request_is_a_new_one,
}

fn keyed(client: &Client, key: &str) -> Client {
    client.with("idempotency-key", key)
}

/// Demands that an answer was carried out now.
#[track_caller]
fn fresh(response: &Response) {
    assert_eq!(response.header("idempotent-replayed"), None, "{}", response.text);
}

/// Demands that an answer is an earlier one again.
#[track_caller]
fn replayed(response: &Response, first: &Response) {
    assert_eq!(response.header("idempotent-replayed"), Some("true"), "{}", response.text);
    assert_eq!((response.status, &response.body), (first.status, &first.body), "{}", response.text);
    assert_eq!(response.header("content-type"), first.header("content-type"));
    assert_ne!(response.request_id(), first.request_id());
    if first.status >= 400 {
        assert_eq!(response.json["error"]["request_id"], first.request_id());
    }
}

fn a_retry_gets_the_first_answer_to_the_byte(app: Clocked) {
    let client = app.tenant().client;
    let contact = keyed(&client, "contact");
    let body = json!({ "name": "Ann \u{1F642} \"Lee\"", "phone": "+14155550123" });
    let first = contact.post("/contacts", body.clone()).expect(201);
    fresh(&first);
    app.begin_minute();
    let again = contact.post("/contacts", body.clone());
    replayed(&again, &first);
    // A replay costs what the call costs.
    let later = contact.post("/contacts", body.clone());
    replayed(&later, &first);
    assert_eq!(later.budget().remaining + 1, again.budget().remaining);
    client.patch(&format!("/contacts/{}", first.id()), json!({ "name": "Eve" })).expect(200);
    replayed(&contact.post("/contacts", body), &first);
    assert_eq!(walk(&client, "/contacts").len(), 1);
    assert_eq!(walk(&client, "/events?event_type=contact.created").len(), 1);

    let note = keyed(&client, "note");
    let notes = format!("/contacts/{}/notes", first.id());
    let first = note.post(&notes, json!({ "body": "Once." })).expect(201);
    fresh(&first);
    replayed(&note.post(&notes, json!({ "body": "Once." })), &first);
    assert_eq!(walk(&client, &notes).len(), 1);
}

fn refusals_of_an_operation_that_was_carried_out_are_kept(app: App) {
    let client = app.tenant().client;
    let taken = json!({ "phone": "+14155550123" });
    let owner = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "phone": "+14155550123" })));
    let conflict = keyed(&client, "conflict");
    let first = conflict.post("/contacts", taken.clone()).expect(409);
    fresh(&first);
    client.patch(&owner, json!({ "phone": null })).expect(200);
    replayed(&conflict.post("/contacts", taken.clone()), &first);
    fresh(&keyed(&client, "other").post("/contacts", taken).expect(201));

    let missing = keyed(&client, "missing");
    let notes = format!("/contacts/{NOTHING}/notes");
    let first = missing.post(&notes, json!({ "body": "To nobody." })).expect(404);
    fresh(&first);
    replayed(&missing.post(&notes, json!({ "body": "To nobody." })), &first);
}

fn a_kept_plan_limit_outlives_the_limit(app: App) {
    let account = app.account_with(&["--rate-limit", "1000000", "--contact-limit", "0"]);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let ann = json!({ "name": "Ann" });
    let first = keyed(&client, "a").post("/contacts", ann.clone()).expect(402);
    fresh(&first);
    app.cli(&["account", "set", &account.id, "--contact-limit", "none"]);
    replayed(&keyed(&client, "a").post("/contacts", ann.clone()), &first);
    fresh(&keyed(&client, "b").post("/contacts", ann).expect(201));
    assert_eq!(walk(&client, "/contacts").len(), 1);
}

fn a_request_that_was_not_carried_out_leaves_its_key_free(app: App) {
    let tenant = app.tenant();
    let client = keyed(&tenant.client, "k");
    let ann = || json!({ "name": "Ann" });
    // 400, of every kind.
    fresh(&client.post("/contacts", json!({ "email": "nowhere" })).expect(400));
    fresh(&client.post("/contacts", json!({ "name": "Ann", "tag_ids": [NOTHING] })).expect(400));
    fresh(&client.post_text("/contacts", "{").expect(400));
    // 401, and 403 of both kinds.
    fresh(&keyed(&app.anonymous(), "k").post("/contacts", ann()).expect(401));
    let reader = app.client(&app.key(&tenant.account, "contacts:read"));
    fresh(&keyed(&reader, "k").post("/contacts", ann()).expect(403));
    app.cli(&["account", "suspend", &tenant.account.id]);
    fresh(&client.post("/contacts", ann()).expect(403));
    app.cli(&["account", "resume", &tenant.account.id]);
    // 415 and 413, which are no operation either.
    fresh(&client.with("content-type", "text/plain").send("POST", "/contacts", Some(b"{}")).expect(415));
    let made = client.post("/contacts", ann()).expect(201);
    fresh(&made);
    replayed(&client.post("/contacts", ann()), &made);
    // A caller who may not do it is not shown the result of one who may.
    let refused = keyed(&reader, "k").post("/contacts", ann()).expect(403);
    fresh(&refused);
    assert_eq!(refused.error("forbidden")["reason"], "scope");
    assert_eq!(walk(&tenant.client, "/contacts").len(), 1);
}

fn a_rate_limited_request_leaves_its_key_free(app: Clocked) {
    let tenant = app.tenant();
    let key = app.key_with(&tenant.account, &["--scopes", "contacts:write", "--rate-limit", "1"]);
    let client = keyed(&app.client(&key), "k");
    app.begin_minute();
    client.get("/me").expect(200);
    let refused = client.post("/contacts", json!({ "name": "Ann" })).expect(429);
    refused.error("rate_limited");
    fresh(&refused);
    app.cli(&["key", "edit", &key.id, "--rate-limit", "none"]);
    fresh(&client.post("/contacts", json!({ "name": "Ann" })).expect(201));
    assert_eq!(walk(&tenant.client, "/contacts").len(), 1);
}

fn a_key_used_for_another_request_is_refused(app: App) {
    let client = app.tenant().client;
    let k = keyed(&client, "k");
    let first = k.post("/contacts", json!({ "name": "Ann" })).expect(201);
    let notes = format!("/contacts/{}/notes", first.id());
    let other_path = k.post(&notes, json!({ "name": "Ann" }));
    let other_body = k.post("/contacts", json!({ "name": "Eve" }));
    for response in [other_path, other_body] {
        assert_eq!(response.status, 422, "{}", response.text);
        assert_eq!(response.error("unprocessable")["reason"], "idempotency_key_reused");
        fresh(&response);
    }
    replayed(&k.post("/contacts", json!({ "name": "Ann" })), &first);
    assert_eq!(walk(&client, "/contacts").len(), 1);
    assert_eq!(walk(&client, &notes), Vec::<Value>::new());
}

fn a_key_is_visible_ascii_of_a_bounded_length(app: App) {
    let client = app.tenant().client;
    let long = "a".repeat(256);
    for wrong in [&b""[..], b"two words", b"tab\tbed", "schlüssel".as_bytes(), b"\xff", long.as_bytes()] {
        let response = client.with("idempotency-key", wrong).post("/contacts", json!({ "name": "Ann" }));
        assert_eq!(response.status, 400, "{:?} was taken", String::from_utf8_lossy(wrong));
        response.error("validation_error");
        response.details_at(&["Idempotency-Key"]);
    }
    assert_eq!(walk(&client, "/contacts"), Vec::<Value>::new());
    for right in ["a", &long[1..], "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"] {
        let first = keyed(&client, right).post("/contacts", json!({ "name": "Ann" })).expect(201);
        replayed(&keyed(&client, right).post("/contacts", json!({ "name": "Ann" })), &first);
    }
    assert_eq!(walk(&client, "/contacts").len(), 3);
}

fn keys_belong_to_the_account_and_not_to_the_api_key(app: App) {
    let (ours, theirs) = (app.tenant(), app.tenant());
    let colleague = app.client(&app.key(&ours.account, "contacts:write"));
    let ann = || json!({ "name": "Ann" });
    let first = keyed(&ours.client, "k").post("/contacts", ann()).expect(201);
    replayed(&keyed(&colleague, "k").post("/contacts", ann()), &first);
    let elsewhere = keyed(&theirs.client, "k").post("/contacts", ann()).expect(201);
    fresh(&elsewhere);
    assert_ne!(elsewhere.id(), first.id());
    fresh(&keyed(&theirs.client, "l").post("/contacts", json!({ "name": "Eve" })).expect(201));
    fresh(&keyed(&ours.client, "l").post("/contacts", json!({ "name": "Bob" })).expect(201));
}

fn a_result_outlives_a_restart_and_a_kill(app: App) {
    let client = keyed(&app.tenant().client, "k");
    let body = json!({ "phone": "+14155550123" });
    let first = client.post("/contacts", body.clone()).expect(201);
    app.restart();
    replayed(&client.post("/contacts", body.clone()), &first);
    app.kill();
    app.restart();
    replayed(&client.post("/contacts", body), &first);
}

fn without_a_key_every_request_is_a_new_one(app: App) {
    let client = app.tenant().client;
    let [one, other] = [1, 2].map(|_| client.post("/contacts", json!({ "name": "Ann" })).expect(201));
    fresh(&one);
    fresh(&other);
    assert_ne!(one.id(), other.id());
}
