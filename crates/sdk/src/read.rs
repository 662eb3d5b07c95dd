//! Reads the model from the OpenAPI document.
//!
//! The document is made of the declared routes, so it is known exactly, and what it says in another way than expected
//! is a mistake in the program: it panics and names the place.

mod operations;
mod types;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::model::{EventType, Model};

/// The schema of all events, which each language writes by itself.
const EVENT: &str = "Event";
/// Schemas that no package has a type for: the parts of every list, and the body of every error.
const PARTS: [&str; 3] = ["ListMeta", "Error", EVENT];

/// Reads the model. Panics if the document has something that the model cannot say.
pub fn model(document: &Value) -> Model {
    let schemas = object(&document["components"]["schemas"], "components/schemas");
    let events = events(document);
    let mut resources = operations::resources(document);
    let (sent, received) = (operations::sent(document), operations::received(document));
    let reached = |roots: BTreeSet<String>| types::reached(schemas, roots);
    let (sent, received) = (reached(sent), reached(received));
    let envelopes: BTreeSet<&str> = events.iter().map(|event| event.type_name.as_str()).collect();
    let lists: BTreeSet<String> = operations::lists(document);
    let types = schemas
        .iter()
        .filter(|(name, _)| !PARTS.contains(&name.as_str()))
        .filter(|(name, _)| !envelopes.contains(name.as_str()) && !lists.contains(*name))
        .map(|(name, schema)| types::named(name, schema, sent.contains(name), received.contains(name)))
        .chain(operations::unnamed(document))
        .collect();
    resources.sort_by(|a, b| a.name.cmp(&b.name));
    let codes = &schemas["Error"]["properties"]["error"]["properties"]["code"]["enum"];
    let mut model = Model { resources, types, events, error_codes: texts(codes) };
    model.types.sort_by(|a, b| a.name.cmp(&b.name));
    model
}

fn events(document: &Value) -> Vec<EventType> {
    let schemas = &document["components"]["schemas"];
    let webhooks = object(&document["webhooks"], "webhooks");
    let events = webhooks.iter().map(|(name, webhook)| {
        let content = &webhook["post"]["requestBody"]["content"]["application/json"];
        let type_name = referred(&content["schema"], name).to_owned();
        let envelope = &schemas[&type_name];
        EventType {
            name: name.clone(),
            docs: text(&envelope["description"]),
            data: types::shape(&envelope["properties"]["data"], &type_name),
            example: content["example"].clone(),
            type_name,
        }
    });
    events.collect()
}

/// The name of the schema that is referred to.
fn referred<'v>(schema: &'v Value, at: &str) -> &'v str {
    reference(schema).unwrap_or_else(|| panic!("{at} is {schema}, which refers to no named schema"))
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn object<'v>(value: &'v Value, at: &str) -> &'v Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("{at} is {value}, not an object"))
}

/// The text, or none.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

#[cfg(test)]
mod tests;
