//! What the samples of the documentation name, made in an account.
//!
//! The calls that the walk over all routes prepares have the same shape as the samples, so a placeholder's value is what
//! stands in its place there.

use frontdesk_e2e::Client;
use frontdesk_sdk_generator::model::{Operation, placeholder};
use serde_json::{Map, Value, json};

use crate::routes::ROUTES;
use crate::shapes::text;

/// A value for each placeholder of an operation's sample.
#[track_caller]
pub(super) fn of(operation: &Operation, client: &Client) -> Value {
    match operation.id.as_str() {
        "streamEvents" => json!({ "event_id": an_old_event(client) }),
        "uploadMedia" => json!({}),
        _ => prepared(operation, client),
    }
}

/// An event that others have followed.
fn an_old_event(client: &Client) -> String {
    for name in ["Ann", "Bob"] {
        client.post("/contacts", json!({ "name": name })).expect(201);
    }
    let events = client.get("/events?event_type=contact.created").expect(200);
    text(&events.data()[1]["event_id"]).to_owned()
}

#[track_caller]
fn prepared(operation: &Operation, client: &Client) -> Value {
    let template = operation.path.strip_prefix("/api/v1").expect("a path of the API");
    let name = format!("{} {template}", operation.method);
    let route = ROUTES.iter().find(|route| route.name == name);
    let route = route.unwrap_or_else(|| panic!("tests/e2e/routes.rs has no {name}"));
    let (path, body) = (route.prepare)(client);
    let mut values = Map::new();
    let segments = template.split('/').zip(path.split(['/', '?']));
    let ids = segments.filter(|(part, _)| part.starts_with('{')).map(|(_, id)| id);
    for (sample, id) in operation.sample.path.iter().zip(ids) {
        let name = placeholder(sample).expect("paths have placeholders");
        values.insert(name.to_owned(), json!(id));
    }
    if let Some(sample) = &operation.sample.body {
        collect(&operation.id, sample, &body.unwrap_or_default(), &mut values);
    }
    Value::Object(values)
}

/// Adds what stands in the place of each placeholder.
#[track_caller]
fn collect(id: &str, sample: &Value, given: &Value, values: &mut Map<String, Value>) {
    if let Some(name) = placeholder(sample) {
        assert!(given.is_string(), "the prepared call of {id} has no value for {name}");
        values.insert(name.to_owned(), given.clone());
    }
    match sample {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| collect(id, field, &given[name], values));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| collect(id, item, &given[at], values));
        }
        _ => {}
    }
}
