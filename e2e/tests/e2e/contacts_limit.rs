//! The plan's limit on contacts, exact whatever happens at once.

use frontdesk_e2e::{App, Client, Response, at_once, on_every_engine};
use serde_json::json;

use crate::people::{add, walk};
use crate::shapes::has_fields;

on_every_engine! {
    past_the_limit_no_contact_is_made,
    concurrent_creates_stop_exactly_at_the_limit,
    refused_contacts_do_not_count,
    at_the_limit_everything_else_still_works,
}

/// A caller of an account that may have this many contacts.
fn limited(app: &App, limit: &str) -> Client {
    let account = app.account_with(&["--rate-limit", "1000000", "--contact-limit", limit]);
    app.client(&app.key_with(&account, &["--all-scopes"]))
}

#[track_caller]
fn full(response: &Response, limit: u64) {
    assert_eq!(response.status, 402, "{}", response.text);
    let error = response.error("plan_limit_reached");
    assert_eq!(error["details"], json!([{ "limit": limit, "resource": "contacts" }]));
    has_fields(error, "code message request_id details");
}

fn past_the_limit_no_contact_is_made(app: App) {
    let client = limited(&app, "2");
    add(&client, json!({ "name": "Ann" }));
    add(&client, json!({ "phone": "+14155550123" }));
    full(&client.post("/contacts", json!({ "name": "Eve" })), 2);
    full(&client.post("/contacts", json!({ "phone": "+14155550124" })), 2);
    assert_eq!(walk(&client, "/contacts").len(), 2);
    assert_eq!(walk(&client, "/events").len(), 2);
    assert_eq!(walk(&client, "/contacts?q=eve").len(), 0);
    full(&limited(&app, "0").post("/contacts", json!({ "name": "Eve" })), 0);
    add(&app.tenant().client, json!({ "name": "Eve" }));
}

fn concurrent_creates_stop_exactly_at_the_limit(app: App) {
    let client = limited(&app, "20");
    let responses =
        at_once(60, |number| client.post("/contacts", json!({ "name": format!("Ann {number}") })));
    let made = responses.iter().filter(|response| response.status == 201).count();
    assert_eq!(made, 20);
    responses.iter().filter(|response| response.status != 201).for_each(|response| full(response, 20));
    assert_eq!(walk(&client, "/contacts").len(), 20);
    assert_eq!(walk(&client, "/events?event_type=contact.created").len(), 20);
}

fn refused_contacts_do_not_count(app: App) {
    let client = limited(&app, "3");
    let phone = json!({ "phone": "+14155550123" });
    add(&client, phone.clone());
    for _ in 0..4 {
        client.post("/contacts", phone.clone()).expect(409);
        client.post("/contacts", json!({ "email": "nowhere" })).expect(400);
    }
    let again = client.with("idempotency-key", "once");
    let made = again.post("/contacts", json!({ "name": "Ann" })).expect(201);
    assert_eq!(again.post("/contacts", json!({ "name": "Ann" })).expect(201).body, made.body);
    add(&client, json!({ "name": "Bob" }));
    full(&client.post("/contacts", json!({ "name": "Eve" })), 3);
}

fn at_the_limit_everything_else_still_works(app: App) {
    let client = limited(&app, "1");
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "phone": "+14155550123" })));
    full(&client.post("/contacts", json!({ "name": "Eve" })), 1);
    client.patch(&path, json!({ "name": "Ann Lee" })).expect(200);
    client.post(&format!("{path}/notes"), json!({ "body": "Still here." })).expect(201);
    client.post("/tags", json!({ "name": "vip" })).expect(201);
    // What is wrong with a body is told before what is wrong with the plan.
    client.post("/contacts", json!({ "email": "nowhere" })).expect(400).error("validation_error");
}
