//! The OpenAPI 3.1 document, generated from the table of routes.

mod example;
mod shared;

use std::mem;

use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::endpoint::Operation;
use crate::route::{Route, Table, placeholders};
use crate::schema::Components;

/// The prefix of the API's routes.
pub const PREFIX: &str = "/api/v1";

const TITLE: &str = "Frontdesk API";
const VERSION: &str = "v1";
const DESCRIPTION: &str = "Customer messaging and CRM: contacts, conversations, broadcasts, deals, inquiries \
    and AI assistants. Every key belongs to one account and gives access only to its data.";

/// Sets the server's address in a document, which is otherwise relative to the document's own address.
pub fn serve_at(document: &mut Value, base_url: &str) {
    document["servers"] = json!([{ "url": base_url }]);
}

/// Returns a path item for the name of each webhook.
pub type DescribeWebhooks<'d> = dyn Fn(&mut Components) -> Vec<(String, Value)> + 'd;

/// The parts of a document that are not routes.
#[derive(Default)]
pub struct DocumentExtras<'d> {
    /// Paths that need no key and are not routes, each with its path item.
    pub paths: Vec<(String, Value)>,
    /// Writes the schemas that no single type has, and returns the webhooks: a path item for each name.
    pub webhooks: Option<&'d DescribeWebhooks<'d>>,
    /// Values of named schemas. A schema without one gets an example that is generated from its fields.
    pub examples: &'d [(&'static str, Value)],
}

/// Writes the document.
///
/// Panics if two types share a name, which a test of the whole table finds.
pub fn document<C>(table: &Table<C>, beside: DocumentExtras<'_>) -> Value {
    let mut components = Components::new();
    let mut tags: Vec<&str> = Vec::new();
    for route in table.routes() {
        if !route.tag.is_empty() && !tags.contains(&route.tag) {
            tags.push(route.tag);
        }
    }
    let mut paths = paths(table, PREFIX, &mut components);
    paths.extend(beside.paths);
    let webhooks: Map<String, Value> =
        beside.webhooks.map(|write| write(&mut components)).into_iter().flatten().collect();
    let mut parts = shared::components();
    let mut schemas = components.into_value();
    schemas["Error"] = shared::error_schema();
    parts["schemas"] = schemas;
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": TITLE, "version": VERSION, "description": DESCRIPTION },
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }],
        "tags": tags.iter().map(|tag| json!({ "name": tag })).collect::<Vec<_>>(),
        "paths": paths,
        "components": parts,
    });
    if !webhooks.is_empty() {
        document["webhooks"] = Value::Object(webhooks);
    }
    example::add_to_responses(&mut document, beside.examples);
    document
}

/// The paths of a table's routes under a prefix, with the schemas that they use.
pub fn paths<C>(table: &Table<C>, prefix: &str, components: &mut Components) -> Map<String, Value> {
    let mut paths: Map<String, Value> = Map::new();
    for route in table.routes() {
        let (operation, known) = describe(route, mem::take(components));
        *components = known;
        let item = paths.entry(format!("{prefix}{}", route.path)).or_insert_with(|| json!({}));
        item[route.method.as_str().to_ascii_lowercase()] = operation;
    }
    paths
}

/// A document of paths and schemas alone, for tools that generate code.
pub fn bare(title: &str, paths: Map<String, Value>, components: Components) -> Value {
    let mut parts = shared::components();
    let mut schemas = components.into_value();
    schemas["Error"] = shared::error_schema();
    parts["schemas"] = schemas;
    json!({
        "openapi": "3.1.0",
        "info": { "title": title, "version": VERSION },
        "paths": paths,
        "components": parts,
    })
}

fn describe<C>(route: &Route<C>, components: Components) -> (Value, Components) {
    let mut operation = Operation::new(components);
    route.handler.describe(&mut operation);
    let mut written = json!({
        "operationId": route.name,
        "summary": route.summary,
        "parameters": parameters(route, &operation),
        "responses": responses(route, &operation),
        "x-units": route.units,
    });
    if !route.notes.is_empty() {
        written["description"] = route.notes.into();
    }
    if !route.tag.is_empty() {
        written["tags"] = json!([route.tag]);
    }
    if let Some(scope) = route.scope {
        written["x-scope"] = scope.name().into();
    }
    if operation.paginated {
        written["x-paginated"] = true.into();
    }
    if let Some(payload) = operation.payload {
        written["requestBody"] = json!({
            "required": !payload.optional,
            "content": { "application/json": { "schema": payload.schema } },
        });
    }
    (written, operation.components)
}

fn parameters<C>(route: &Route<C>, operation: &Operation) -> Vec<Value> {
    let mut parameters: Vec<Value> = placeholders(route.path)
        .zip(&operation.path)
        .map(|(name, schema)| json!({ "name": name, "in": "path", "required": true, "schema": schema }))
        .collect();
    parameters.extend(operation.query.iter().cloned());
    if route.idempotent {
        parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
    }
    parameters
}

fn responses<C>(route: &Route<C>, operation: &Operation) -> Value {
    let mut success = json!({
        "description": route.status.canonical_reason().unwrap_or("Success"),
        "headers": shared::headers_of_every_response(),
    });
    if operation.payload.is_some() {
        let (header, reference) = shared::ignored_fields();
        success["headers"][header] = reference;
    }
    if let Some(schema) = &operation.response {
        success["content"] = json!({ "application/json": { "schema": schema } });
    }
    let mut responses = Map::new();
    responses.insert(route.status.as_str().to_owned(), success);
    for status in failures(route, operation) {
        let name = shared::name_of(status);
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        responses.insert(status.as_str().to_owned(), reference);
    }
    Value::Object(responses)
}

/// The failures of operations of this kind, and its own.
fn failures<C>(route: &Route<C>, operation: &Operation) -> Vec<StatusCode> {
    let mut failures = vec![
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    let takes_body = operation.payload.is_some();
    if takes_body || !operation.query.is_empty() || route.idempotent {
        failures.push(StatusCode::BAD_REQUEST);
    }
    if takes_body || !operation.path.is_empty() {
        failures.push(StatusCode::NOT_FOUND);
    }
    if takes_body {
        failures.extend([StatusCode::PAYLOAD_TOO_LARGE, StatusCode::UNSUPPORTED_MEDIA_TYPE]);
    }
    if route.idempotent {
        // A key in flight, and a key that was used for another request.
        failures.extend([StatusCode::CONFLICT, StatusCode::UNPROCESSABLE_ENTITY]);
    }
    failures.extend(route.fails);
    failures
}

#[cfg(test)]
mod tests;
