//! Events: written once, with what they tell of, when it became true.

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::{Value, json};

use crate::bookings::{Calendar, booking};
use crate::inbox_scene::{ANN, Inbox, id, reply};
use crate::people::{add, field, tag, walk};
use crate::sales::{deal, first_pipeline, told_of};
use crate::shapes::{NOTHING, has_fields, is_moment, text};

on_every_engine! {
    every_change_sends_one_event_with_the_contact_as_get_returns_it,
    an_event_has_exactly_the_fields_of_its_envelope,
    a_patch_without_changes_writes_no_event,
    a_refused_change_writes_no_event,
    a_retry_sends_no_second_event,
    events_are_listed_by_type,
    an_event_never_changes,
    the_catalogue_shows_what_each_type_carries,
    the_catalogue_shows_what_deals_inquiries_and_bookings_carry,
    the_catalogue_lists_the_inboxs_events,
}

/// The types of the contract.
const TYPES: &str = "contact.created contact.updated contact.deleted contact.merged contact.opted_out contact.opted_in \
    channel.connected channel.disconnected ai.budget_warning note.created \
    conversation.created conversation.updated conversation.handed_over message.received message.sent \
    message.status_changed broadcast.started broadcast.completed broadcast.failed broadcast.cancelled \
    deal.created deal.updated deal.stage_changed deal.closed deal.reopened deal.deleted inquiry.created \
    inquiry.status_changed booking.created booking.completed booking.cancelled run.started run.finished \
    ask.created ask.answered webhook.test";

/// The events so far, oldest first, as type and data.
fn told(client: &Client) -> Vec<(String, Value)> {
    let rows = walk(client, "/events");
    rows.iter().rev().map(|event| (text(&event["event_type"]).to_owned(), event["data"].clone())).collect()
}

fn every_change_sends_one_event_with_the_contact_as_get_returns_it(app: App) {
    let client = app.tenant().client;
    let (vip, plan) = (tag(&client, "vip"), field(&client, "Plan", "text"));
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "phone": "+14155550123" })));
    let mut expected = Vec::new();
    let mut now_told = |client: &Client, event: &str| {
        let contact = client.get(&path).expect(200).data().clone();
        expected.push((event.to_owned(), json!({ "contact": contact })));
        assert_eq!(told(client), expected);
    };
    now_told(&client, "contact.created");
    client.patch(&path, json!({ "name": "Ann Lee", "email": "ann@example.com" })).expect(200);
    now_told(&client, "contact.updated");
    client.patch(&path, json!({ "custom_fields": { plan.as_str(): "gold" } })).expect(200);
    now_told(&client, "contact.updated");
    client.post(&format!("{path}/tags"), json!({ "tag_ids": [vip] })).expect(200);
    now_told(&client, "contact.updated");
    client.delete(&format!("{path}/tags/{vip}")).expect(200);
    now_told(&client, "contact.updated");
    client.put(&format!("{path}/opt-out"), json!({})).expect(200);
    now_told(&client, "contact.opted_out");
    client.delete(&format!("{path}/opt-out")).expect(200);
    now_told(&client, "contact.opted_in");
    let note = client.post(&format!("{path}/notes"), json!({ "body": "Hm." })).expect(201);
    expected.push(("note.created".to_owned(), json!({ "note": note.data() })));
    assert_eq!(told(&client), expected);
    assert_eq!(client.get(&format!("{path}/notes")).expect(200).data()[0], *note.data());
}

fn an_event_has_exactly_the_fields_of_its_envelope(app: App) {
    let tenant = app.tenant();
    let body = json!({ "name": "Ann \u{1F642}", "custom_fields": {}, "company": "\"quoted\" \\ </script>" });
    let made = tenant.client.post("/contacts", body).expect(201);
    let events = tenant.client.get("/events").expect(200);
    let event = &events.data()[0];
    has_fields(event, "event_id event_type created_at account_id api_version data");
    let id = text(&event["event_id"]).strip_prefix("evt_").expect("evt_…");
    assert!(id.len() >= 16 && id.bytes().all(|c| c.is_ascii_alphanumeric()), "{id}");
    assert_eq!(event["event_type"], "contact.created");
    is_moment(&event["created_at"]);
    assert!(text(&event["created_at"]) >= text(&made.data()["created_at"]));
    assert_eq!(event["account_id"], tenant.account.id.as_str());
    assert_eq!(event["api_version"], "v1");
    assert_eq!(event["data"], json!({ "contact": made.data() }));
    // The same event has the same id each time it is read.
    assert_eq!(tenant.client.get("/events").expect(200).data(), events.data());
}

fn a_patch_without_changes_writes_no_event(app: App) {
    let client = app.tenant().client;
    let (vip, plan) = (tag(&client, "vip"), field(&client, "Plan", "text"));
    let body = json!({ "name": "Ann", "tag_ids": [vip], "custom_fields": { plan.as_str(): "gold" } });
    let path = format!("/contacts/{}", add(&client, body));
    for body in [
        json!({}),
        json!({ "name": "Ann", "email": null }),
        json!({ "tag_ids": [vip] }),
        json!({ "custom_fields": { plan.as_str(): "gold" } }),
    ] {
        client.patch(&path, body).expect(200);
    }
    client.post(&format!("{path}/tags"), json!({ "tag_ids": [vip] })).expect(200);
    client.post(&format!("{path}/tags"), json!({ "tag_ids": [] })).expect(200);
    client.delete(&format!("{path}/opt-out")).expect(200);
    assert_eq!(told(&client).len(), 1);
    client.put(&format!("{path}/opt-out"), json!({})).expect(200);
    client.put(&format!("{path}/opt-out"), json!({})).expect(200);
    assert_eq!(told(&client).len(), 2);
}

fn a_refused_change_writes_no_event(app: App) {
    let client = app.tenant().client;
    let path = format!("/contacts/{}", add(&client, json!({ "phone": "+14155550123" })));
    client.post("/contacts", json!({ "phone": "+14155550123" })).expect(409);
    client.post("/contacts", json!({ "name": "Eve", "tag_ids": [NOTHING] })).expect(400);
    client.patch(&path, json!({ "name": "Eve", "custom_fields": { NOTHING: "x" } })).expect(400);
    client.post(&format!("{path}/notes"), json!({ "body": "" })).expect(400);
    client.delete(&format!("{path}/tags/{NOTHING}")).expect(404);
    client.put(&format!("/contacts/{NOTHING}/opt-out"), json!({})).expect(404);
    assert_eq!(told(&client).len(), 1);
}

fn a_retry_sends_no_second_event(app: App) {
    let client = app.tenant().client.with("idempotency-key", "k");
    for _ in 0..3 {
        client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    }
    assert_eq!(told(&client).len(), 1);
}

fn events_are_listed_by_type(app: App) {
    let client = app.tenant().client;
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann" })));
    client.patch(&path, json!({ "name": "Eve" })).expect(200);
    client.patch(&path, json!({ "name": "Zoë" })).expect(200);
    client.post(&format!("{path}/notes"), json!({ "body": "Hm." })).expect(201);
    for (event, wanted) in [
        ("contact.created", 1),
        ("contact.updated", 2),
        ("note.created", 1),
        ("contact.opted_out", 0),
        ("deal.created", 0),
    ] {
        let rows = walk(&client, &format!("/events?event_type={event}"));
        assert_eq!(rows.len(), wanted, "{event}");
        assert!(rows.iter().all(|row| row["event_type"] == event), "{rows:?}");
    }
}

fn an_event_never_changes(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    let made = client.post("/contacts", json!({ "name": "Ann", "tag_ids": [vip] })).expect(201);
    client.patch(&format!("/contacts/{}", made.id()), json!({ "name": "Eve" })).expect(200);
    client.delete(&format!("/tags/{vip}")).expect(200);
    field(&client, "Plan", "text");
    assert_eq!(told(&client)[0].1, json!({ "contact": made.data() }));
    app.restart();
    assert_eq!(told(&client)[0].1, json!({ "contact": made.data() }));
}

fn the_catalogue_shows_what_each_type_carries(app: App) {
    let client = app.tenant().client;
    let vip = tag(&client, "vip");
    field(&client, "Plan", "text");
    let path = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "tag_ids": [vip] })));
    client.patch(&path, json!({ "name": "Eve" })).expect(200);
    client.put(&format!("{path}/opt-out"), json!({})).expect(200);
    client.delete(&format!("{path}/opt-out")).expect(200);
    client.post(&format!("{path}/notes"), json!({ "body": "Hm." })).expect(201);
    let other = add(&client, json!({ "name": "Other", "tag_ids": [vip] }));
    client.post(&format!("{path}/merge"), json!({ "contact_id": other })).expect(200);
    client.delete(&path).expect(200);
    // Needs no scope.
    let catalogue = app.client(&app.key(&app.account(), "ai:usage")).get("/event-types").expect(200);
    let types = catalogue.data().as_array().unwrap();
    for known in types {
        has_fields(known, "event_type description example");
        assert!(TYPES.split_whitespace().any(|name| known["event_type"] == name), "{known}");
        assert!(text(&known["description"]).len() > 5, "{known}");
        assert!(known["example"].as_object().is_some_and(|example| !example.is_empty()), "{known}");
    }
    let told = told(&client);
    assert_eq!(told.len(), 8);
    for (event, data) in told {
        let known = types.iter().find(|known| known["event_type"] == event.as_str());
        let example = &known.unwrap_or_else(|| panic!("{event} is not in the catalogue"))["example"];
        assert_eq!(shape(example), shape(&data), "{event}");
    }
}

fn the_catalogue_shows_what_deals_inquiries_and_bookings_carry(app: App) {
    let tenant = app.tenant();
    let client = &tenant.client;
    let stages = first_pipeline(client).stages;
    let path = deal(client, json!({ "value": 19.99 }));
    client.patch(&path, json!({ "value": 5 })).expect(200);
    client.post(&format!("{path}/move"), json!({ "stage_id": stages[1] })).expect(200);
    client.post(&format!("{path}/close"), json!({ "outcome": "won" })).expect(200);
    client.post(&format!("{path}/reopen"), json!({})).expect(200);
    client.delete(&path).expect(200);
    let inquiry =
        client.post("/inquiries", json!({ "message": "Hi", "fields": { "company": "Acme" } })).expect(201);
    client.patch(&format!("/inquiries/{}", inquiry.id()), json!({ "status": "in_progress" })).expect(200);
    let calendar = Calendar::connect(&app, &tenant);
    calendar.tell("BOOKING_CREATED", booking("a"));
    calendar.tell("BOOKING_CANCELLED", booking("a"));
    calendar.tell("MEETING_ENDED", booking("b"));
    let catalogue = client.get("/event-types").expect(200);
    let mut seen = 0;
    for noun in ["deal", "inquiry", "booking"] {
        let of_noun = catalogue
            .data()
            .as_array()
            .unwrap()
            .iter()
            .filter(|known| text(&known["event_type"]).starts_with(&format!("{noun}.")));
        let told = told_of(client, noun);
        for known in of_noun {
            let name = text(&known["event_type"]);
            let data = told.iter().find(|(event, _)| event == name);
            let data = &data.unwrap_or_else(|| panic!("{name} was not told")).1;
            assert_eq!(shape(&known["example"]), shape(data), "{name}");
            seen += 1;
        }
    }
    assert_eq!(seen, 11);
}

fn the_catalogue_lists_the_inboxs_events(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let path = format!("/conversations/{}", id(&conversation));
    inbox.client.patch(&path, json!({ "status": "pending" })).expect(200);
    inbox
        .client
        .post(&format!("{path}/handover"), json!({ "to": "human", "user_id": inbox.tenant.account.owner }))
        .expect(200);
    let response = inbox.sends(reply(id(&conversation), "Hello."));
    inbox.becomes(&response, "delivered");
    let catalogue = inbox.client.get("/event-types").expect(200);
    let types = catalogue.data().as_array().unwrap();
    for event in [
        "conversation.created",
        "conversation.updated",
        "conversation.handed_over",
        "message.received",
        "message.sent",
        "message.status_changed",
    ] {
        let known = types.iter().find(|known| known["event_type"] == event);
        let example = &known.unwrap_or_else(|| panic!("{event} is not in the catalogue"))["example"];
        let told = inbox.events(event);
        assert!(!told.is_empty(), "{event} was not told");
        for data in told {
            assert_eq!(shape(example), shape(&data), "{event}");
        }
    }
}

/// A value's fields all the way down, with a list standing for its first element.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect(),
        Value::Array(items) => json!([items.first().map(shape)]),
        _ => Value::Null,
    }
}
