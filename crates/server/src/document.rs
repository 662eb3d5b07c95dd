//! The OpenAPI document: the routes of the table, and the endpoints beside it.

mod outside;
mod responses;
mod streams;

use frontdesk_platform::Table;
use frontdesk_platform::events::{self, Catalogue};
use frontdesk_web::Components;
use frontdesk_web::openapi::{self, DocumentExtras};
use serde_json::{Value, json};

use crate::{examples, routes};
use responses::with_error_bodies;

/// The OpenAPI document of all endpoints.
pub(crate) fn build(table: &Table) -> Value {
    of(table, routes::catalogue())
}

/// The document of these routes and event types.
pub(crate) fn of(table: &Table, catalogue: Catalogue) -> Value {
    let examples = examples::all();
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
            "In Prometheus's text format. For those who send the metrics token as a bearer token and, if the base URL \
             is loopback, for callers on the same machine; for others there is no such path.",
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
    pages.into_iter().chain(outside::paths()).chain(streams::paths()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_document_describes_every_route_and_every_page() {
        let table = routes::table();
        let document = build(&table);
        for route in table.routes() {
            let item = &document["paths"][format!("{}{}", openapi::PREFIX, route.path)];
            assert!(
                item[route.method.as_str().to_lowercase()].is_object(),
                "{} {}",
                route.method,
                route.path
            );
        }
        for path in crate::serve::PAGES {
            assert!(*path == "/" || document["paths"][path]["get"].is_object(), "{path}");
        }
    }

    #[test]
    fn every_operation_has_a_name_of_its_own_in_camel_case() {
        let table = routes::table();
        let document = build(&table);
        let mut names = HashSet::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let name = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path}"));
                let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
                assert!(begins && name.chars().all(|each| each.is_ascii_alphanumeric()), "{name}");
                assert!(names.insert(name.to_owned()), "two operations are named {name}");
                let route = table.named(name).map(|route| format!("{}{}", openapi::PREFIX, route.path));
                assert!(route.is_none_or(|route| route == *path), "{name} is another route than {path}");
            }
        }
        assert_eq!(table.routes().filter(|route| names.contains(route.name)).count(), table.routes().count());
    }
}
