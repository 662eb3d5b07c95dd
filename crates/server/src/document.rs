//! The OpenAPI document: the routes of the table, and the endpoints next to them.

mod public;
#[cfg(test)]
mod tests;

use frontdesk_platform::{Table, events};
use frontdesk_web::Components;
use frontdesk_web::openapi::{self, DocumentExtras};
use serde_json::{Value, json};

use crate::examples;
use crate::routes::catalogue;

/// The OpenAPI document of all endpoints.
pub(crate) fn of(table: &Table) -> Value {
    let (catalogue, examples) = (catalogue(), examples::all());
    let webhooks = move |components: &mut Components| events::describe(&catalogue, components);
    openapi::document(
        table,
        DocumentExtras { paths: keyless(), webhooks: Some(&webhooks), examples: &examples },
    )
}

/// The endpoints without a key.
fn keyless() -> Vec<(String, Value)> {
    let pages: [(&str, &str, &str, &str, &str); 5] = [
        (
            "/healthz",
            "getHealth",
            "Is the process alive?",
            "application/json",
            "Returns 200 while the process runs.",
        ),
        (
            "/readyz",
            "getReadiness",
            "Is the server ready?",
            "application/json",
            "Returns 200 while the database accepts writes, else 503.",
        ),
        (
            "/metrics",
            "getMetrics",
            "Metrics",
            "text/plain",
            "In Prometheus's text format. For callers on the same machine, and for those who send the metrics token \
             as a bearer token; for others there is no such path.",
        ),
        (
            "/openapi.json",
            "getOpenApiDocument",
            "This document",
            "application/json",
            "The OpenAPI document of this server.",
        ),
        ("/docs", "getReferencePage", "Documentation", "text/html", "The same, for people."),
    ];
    let pages = pages
        .map(|(path, name, summary, kind, notes)| (path.to_owned(), item(path, name, summary, kind, notes)));
    pages.into_iter().chain(public::endpoints()).collect()
}

fn item(path: &str, name: &str, summary: &str, kind: &str, notes: &str) -> Value {
    let schema = json!({ "type": if kind == "application/json" { "object" } else { "string" } });
    let content = |example: Value| {
        let mut content = json!({});
        content[kind] = json!({ "schema": schema, "example": example });
        content
    };
    let example = match path {
        "/healthz" => json!({ "status": "ok" }),
        "/readyz" => json!({ "status": "ready" }),
        "/openapi.json" => json!({ "openapi": "3.1.0" }),
        "/metrics" => json!("frontdesk_requests_total 1"),
        _ => json!("<!doctype html>"),
    };
    let mut responses = json!({ "200": { "description": "OK", "content": content(example) } });
    if path == "/metrics" {
        responses["404"] = json!({ "description": "Not for this caller" });
    }
    if path == "/readyz" {
        responses["503"] = json!({ "description": "Not ready", "content": content(json!({ "status": "not ready", "reason": "the database does not answer" })) });
    }
    json!({
        "get": {
            "operationId": name,
            "summary": summary,
            "description": notes,
            "tags": ["Operations"],
            "security": [],
            "responses": with_error_bodies(responses),
        },
    })
}

/// The schema of a response with one object.
fn data(properties: Value) -> Value {
    let names: Vec<String> =
        properties.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect();
    let fields = json!({ "type": "object", "required": names, "properties": properties });
    json!({ "type": "object", "required": ["data"], "properties": { "data": fields } })
}

/// The same responses, in which each failure has the common error body and an example.
fn with_error_bodies(mut responses: Value) -> Value {
    for (status, response) in responses.as_object_mut().into_iter().flatten() {
        let code = match status.as_str() {
            "401" => "unauthorized",
            "404" => "not_found",
            "409" => "conflict",
            "422" => "unprocessable",
            "429" => "rate_limited",
            status if status.starts_with('4') => "bad_request",
            _ => continue,
        };
        let message = format!(
            "{}. Correct it and send it again.",
            response["description"].as_str().unwrap_or_default()
        );
        response["content"] = json!({ "application/json": {
            "schema": { "$ref": "#/components/schemas/Error" },
            "example": { "error": {
                "code": code, "message": message, "request_id": "req_0190f3c2a1b27c3d8e4f5a6b7c8d9e0f",
            } },
        } });
    }
    responses
}
