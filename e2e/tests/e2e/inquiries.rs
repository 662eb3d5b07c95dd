//! Inquiries: submitted, listed, followed up, and whom they are from.

use frontdesk_e2e::{App, Client, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, encoded, walk};
use crate::sales::{inquiry, told_of};
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};

on_every_engine! {
    an_inquiry_is_stored_with_its_fields,
    an_inquiry_needs_a_field,
    a_contact_is_found_by_phone_then_by_email_or_created,
    known_fields_of_a_contact_stay_and_missing_ones_are_filled_in,
    past_the_contact_limit_an_inquiry_is_kept_without_a_contact,
    two_concurrent_first_messages_create_one_contact,
    a_status_changes_to_any_other_and_sends_an_event,
    notes_about_an_inquiry_are_its_own,
    inquiries_are_listed_by_status_text_and_moment,
    a_retried_inquiry_is_kept_once,
}

const FIELDS: &str =
    "id form name email phone message fields source_url contact_id status created_at updated_at";

fn an_inquiry_is_stored_with_its_fields(app: App) {
    let client = app.tenant().client;
    let body = json!({
        "form": "Contact us", "name": " Ann Lee ", "email": "Ann@Example.com", "phone": "+1 (415) 555-0123",
        "message": "Two\nlines 🙂", "fields": { "company": "Acme", "size": " M ", "blank": " ", "none": null },
        "source_url": "https://example.com/contact#form", "status": "spam", "contact_id": NOTHING,
    });
    let made = client.post("/inquiries", body).expect(201);
    has_fields(made.data(), FIELDS);
    is_id(&made.data()["id"]);
    is_moment(&made.data()["created_at"]);
    let contact = text(&made.data()["contact_id"]).to_owned();
    let wanted = json!({
        "id": made.id(), "form": "Contact us", "name": "Ann Lee", "email": "Ann@Example.com", "phone": "+14155550123",
        "message": "Two\nlines 🙂", "fields": { "company": "Acme", "size": "M" },
        "source_url": "https://example.com/contact#form", "contact_id": contact, "status": "new",
        "created_at": made.data()["created_at"], "updated_at": made.data()["created_at"],
    });
    assert_eq!(made.data(), &wanted);
    assert_eq!(client.get(&format!("/inquiries/{}", made.id())).expect(200).data(), &wanted);
    assert_eq!(client.get("/inquiries").expect(200).data(), &json!([wanted]));
    let person = client.get(&format!("/contacts/{contact}")).expect(200);
    assert_eq!(
        (&person.data()["name"], &person.data()["email"], &person.data()["phone"]),
        (&json!("Ann Lee"), &json!("Ann@Example.com"), &json!("+14155550123"))
    );
    let events: Vec<Value> =
        walk(&client, "/events").iter().rev().map(|row| row["event_type"].clone()).collect();
    assert_eq!(events, ["contact.created", "inquiry.created"]);
    assert_eq!(told_of(&client, "inquiry"), [("inquiry.created".to_owned(), json!({ "inquiry": wanted }))]);
}

fn an_inquiry_needs_a_field(app: App) {
    let client = app.tenant().client;
    for nothing in [json!({}), json!({ "name": " ", "form": "x", "fields": { "a": "b" } })] {
        let response = client.post("/inquiries", nothing).expect(400);
        response.error("validation_error");
        response.details_at(&[""]);
    }
    let wrong = json!({
        "name": 7, "email": "nowhere", "phone": "12", "message": "x".repeat(10_001), "form": [],
        "fields": { "a": 1, "b": "x".repeat(2_001) }, "source_url": "javascript:alert(1)",
    });
    let paths = ["name", "email", "phone", "message", "form", "fields.a", "fields.b", "source_url"];
    client.post("/inquiries", wrong).expect(400).details_at(&paths);
    let many: Value = (0..51).map(|number| (format!("f{number}"), json!("x"))).collect();
    client.post("/inquiries", json!({ "message": "x", "fields": many })).expect(400).details_at(&["fields"]);
    let long = json!({ "message": "x", "fields": { "x".repeat(101): "y" } });
    client.post("/inquiries", long).expect(400).details_at(&["fields"]);
    client.get(&format!("/inquiries/{NOTHING}")).expect(404).error("not_found");
    assert_eq!(walk(&client, "/events").len(), 0);
}

/// Submits an inquiry and returns the contact it is from.
#[track_caller]
fn contact_of(client: &Client, body: Value) -> String {
    text(&client.post("/inquiries", body).expect(201).data()["contact_id"]).to_owned()
}

fn a_contact_is_found_by_phone_then_by_email_or_created(app: App) {
    let client = app.tenant().client;
    let by_phone = add(&client, json!({ "name": "P", "phone": "+5511987654321" }));
    let by_email = add(&client, json!({ "name": "E", "email": "team@example.com" }));
    let younger = add(&client, json!({ "name": "Y", "email": "team@example.com" }));
    for (body, wanted) in [
        // However the number is written.
        (json!({ "phone": "55 11 8765-4321", "message": "Hi" }), &by_phone),
        // The number counts for more than the address.
        (json!({ "phone": "+5511987654321", "email": "team@example.com" }), &by_phone),
        // Of several with one address, the oldest.
        (json!({ "email": "TEAM@example.com" }), &by_email),
        (json!({ "phone": "+14155550100", "email": "team@example.com" }), &by_email),
    ] {
        assert_eq!(contact_of(&client, body.clone()), *wanted, "{body}");
    }
    assert_eq!(walk(&client, "/contacts").len(), 3);
    let made = contact_of(&client, json!({ "phone": "+14155550199", "name": "New" }));
    assert!(![&by_phone, &by_email, &younger].contains(&&made));
    let named = contact_of(&client, json!({ "name": "Only a name" }));
    assert_ne!(named, contact_of(&client, json!({ "name": "Only a name" })));
    assert_eq!(walk(&client, "/contacts").len(), 6);
    let anonymous = client.post("/inquiries", json!({ "message": "No name" })).expect(201);
    assert_eq!(anonymous.data()["contact_id"], Value::Null);
    assert_eq!(walk(&client, "/contacts").len(), 6);
    // Another account's contact is nobody here.
    let theirs = app.tenant().client;
    assert_ne!(contact_of(&theirs, json!({ "phone": "+5511987654321" })), by_phone);
}

fn known_fields_of_a_contact_stay_and_missing_ones_are_filled_in(app: App) {
    let client = app.tenant().client;
    let ann = add(&client, json!({ "name": "Ann", "email": "ann@example.com" }));
    let body = json!({ "name": "Somebody else", "email": "ann@example.com", "phone": "+14155550123" });
    assert_eq!(contact_of(&client, body), ann);
    let known = client.get(&format!("/contacts/{ann}")).expect(200).data().clone();
    assert_eq!((&known["name"], &known["phone"]), (&json!("Ann"), &json!("+14155550123")));
    let body = json!({ "name": "Eve", "email": "other@example.com", "phone": "+14155550123" });
    assert_eq!(contact_of(&client, body), ann);
    assert_eq!(client.get(&format!("/contacts/{ann}")).expect(200).data(), &known);
    let told: Vec<String> = told_of(&client, "contact").into_iter().map(|(event, _)| event).collect();
    assert_eq!(told, ["contact.created", "contact.updated"]);
    assert_eq!(walk(&client, "/contacts?q=4155550123").len(), 1);
    // What belongs to another contact is not filled in.
    let bob = add(&client, json!({ "name": "Bob", "phone": "+14155550124" }));
    assert_eq!(contact_of(&client, json!({ "phone": "+14155550124", "email": "ann@example.com" })), bob);
    assert_eq!(client.get(&format!("/contacts/{bob}")).expect(200).data()["email"], Value::Null);
}

fn past_the_contact_limit_an_inquiry_is_kept_without_a_contact(app: App) {
    let account = app.account_with(&["--rate-limit", "1000000", "--contact-limit", "2"]);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    let ann = add(&client, json!({ "name": "Ann", "email": "ann@example.com" }));
    let bob = contact_of(&client, json!({ "phone": "+14155550123" }));
    let late = client.post("/inquiries", json!({ "name": "Eve", "phone": "+14155550124" })).expect(201);
    assert_eq!((&late.data()["contact_id"], &late.data()["name"]), (&Value::Null, &json!("Eve")));
    // Those who are known still are.
    assert_eq!(contact_of(&client, json!({ "email": "ann@example.com" })), ann);
    assert_eq!(contact_of(&client, json!({ "phone": "+14155550123" })), bob);
    assert_eq!(walk(&client, "/contacts").len(), 2);
    assert_eq!(walk(&client, "/contacts?q=eve").len(), 0);
    assert_eq!(told_of(&client, "inquiry").len(), 4);
    client.post("/contacts", json!({ "name": "Eve" })).expect(402);
    // The count was not run past the limit: with one more place there is exactly one.
    app.cli(&["account", "set", &account.id, "--contact-limit", "3"]);
    contact_of(&client, json!({ "name": "Eve" }));
    client.post("/contacts", json!({ "name": "Zoë" })).expect(402);
}

fn two_concurrent_first_messages_create_one_contact(app: App) {
    let client = app.tenant().client;
    for round in 0..8 {
        let bodies = [
            json!({ "email": format!("ann{round}@example.com"), "message": "Hi" }),
            json!({ "phone": format!("+1415555{round:04}"), "message": "Hi" }),
        ];
        for body in bodies {
            let mut contacts = at_once(4, |_| contact_of(&client, body.clone()));
            contacts.dedup();
            assert_eq!(contacts.len(), 1, "{body}");
        }
    }
    assert_eq!(walk(&client, "/contacts").len(), 16);
    assert_eq!(told_of(&client, "inquiry").len(), 64);
}

fn a_status_changes_to_any_other_and_sends_an_event(app: App) {
    let client = app.tenant().client;
    let path = inquiry(&client);
    let mut before = client.get(&path).expect(200).data().clone();
    let mut wanted = vec![("inquiry.created".to_owned(), json!({ "inquiry": before }))];
    for status in
        ["resolved", "spam", "in_progress", "new", "in_progress", "resolved", "new", "spam", "resolved"]
    {
        let changed = client.patch(&path, json!({ "status": status, "message": "ignored" })).expect(200);
        let previous = json!({ "status": before["status"] });
        assert!(text(&changed.data()["updated_at"]) > text(&before["updated_at"]));
        before["status"] = json!(status);
        before["updated_at"] = changed.data()["updated_at"].clone();
        assert_eq!(changed.data(), &before);
        let event = json!({ "inquiry": before, "previous": previous });
        wanted.push(("inquiry.status_changed".to_owned(), event));
        // Once more changes nothing.
        assert_eq!(client.patch(&path, json!({ "status": status })).expect(200).data(), &before);
    }
    assert_eq!(client.patch(&path, json!({})).expect(200).data(), &before);
    for wrong in [json!(null), json!("open"), json!(7)] {
        let response = client.patch(&path, json!({ "status": wrong })).expect(400);
        response.error("validation_error");
        response.details_at(&["status"]);
    }
    client.patch(&format!("/inquiries/{NOTHING}"), json!({ "status": "new" })).expect(404).error("not_found");
    assert_eq!(told_of(&client, "inquiry"), wanted);
}

fn notes_about_an_inquiry_are_its_own(app: App) {
    let tenant = app.tenant();
    let client = tenant.client;
    let path = inquiry(&client);
    let found = client.get(&path).expect(200).data().clone();
    let notes = format!("{path}/notes");
    let note = client.post(&notes, json!({ "body": "Call back." })).expect(201);
    has_fields(note.data(), "id inquiry_id body author_user_id created_at updated_at");
    assert_eq!((&note.data()["inquiry_id"], &note.data()["body"]), (&found["id"], &json!("Call back.")));
    assert_eq!(note.data()["author_user_id"], tenant.account.owner.as_str());
    assert_eq!(client.get(&notes).expect(200).data(), &json!([note.data()]));
    assert_eq!(told_of(&client, "note"), [("note.created".to_owned(), json!({ "note": note.data() }))]);
    // The contact's notes are others, in the shape they always had.
    let contact = format!("/contacts/{}/notes", text(&found["contact_id"]));
    assert_eq!(client.get(&contact).expect(200).data(), &json!([]));
    let about = client.post(&contact, json!({ "body": "Nice." })).expect(201);
    has_fields(about.data(), "id contact_id body author_user_id created_at updated_at");
    assert_eq!(client.get(&notes).expect(200).data(), &json!([note.data()]));
    client.post(&notes, json!({})).expect(400).details_at(&["body"]);
    let nowhere = format!("/inquiries/{NOTHING}/notes");
    client.get(&nowhere).expect(404).error("not_found");
    client.post(&nowhere, json!({ "body": "x" })).expect(404).error("not_found");
    let keyed = client.with("idempotency-key", "k");
    let [first, again] = [0, 1].map(|_| keyed.post(&notes, json!({ "body": "Once." })).expect(201));
    assert_eq!(first.body, again.body);
    assert_eq!(client.get(&notes).expect(200).data().as_array().unwrap().len(), 2);
}

fn inquiries_are_listed_by_status_text_and_moment(app: App) {
    let client = app.tenant().client;
    let submit = |body: Value| format!("/inquiries/{}", client.post("/inquiries", body).expect(201).id());
    let ann = submit(json!({ "name": "Ann ÄRGER", "email": "ann@acme.com", "message": "First" }));
    let bob = submit(json!({ "name": "Bob", "phone": "+14155550123", "message": "Second 100%" }));
    submit(json!({ "name": "Cat", "message": "third_one" }));
    client.patch(&bob, json!({ "status": "resolved" })).expect(200);
    let changed = client.patch(&ann, json!({ "status": "resolved" })).expect(200);
    let since = text(&changed.data()["updated_at"]).to_owned();
    let listed = |query: &str| {
        let mut names: Vec<String> = walk(&client, &format!("/inquiries?{query}"))
            .iter()
            .map(|row| text(&row["name"])[..1].to_owned())
            .collect();
        names.sort();
        names.concat()
    };
    for (query, wanted) in [
        (String::new(), "ABC"),
        ("status=new".to_owned(), "C"),
        ("status=resolved".to_owned(), "AB"),
        ("status=spam".to_owned(), ""),
        (format!("q={}", encoded("ärger")), "A"),
        ("q=ACME".to_owned(), "A"),
        ("q=5550123".to_owned(), "B"),
        (format!("q={}", encoded("0%")), "B"),
        (format!("q={}", encoded("D_O")), "C"),
        (format!("q={}", encoded("t_o")), ""),
        ("q=second&status=resolved".to_owned(), "B"),
        ("q=second&status=new".to_owned(), ""),
        (format!("updated_since={since}&status=resolved"), "A"),
    ] {
        assert_eq!(listed(&query), wanted, "{query}");
    }
    for query in ["status=open", "updated_since=now"] {
        client.get(&format!("/inquiries?{query}")).expect(400).error("bad_request");
    }
}

fn a_retried_inquiry_is_kept_once(app: App) {
    let client = app.tenant().client.with("idempotency-key", "k");
    let [first, again] = [0, 1].map(|_| client.post("/inquiries", json!({ "name": "Ann" })).expect(201));
    assert_eq!((again.header("idempotent-replayed"), &again.body), (Some("true"), &first.body));
    assert_eq!(walk(&client, "/inquiries").len(), 1);
    assert_eq!(walk(&client, "/contacts").len(), 1);
}
