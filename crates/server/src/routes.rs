//! Everything under the API's prefix, and all its statements.

use std::sync::Arc;

use frontdesk_broadcasts::Recipients;
use frontdesk_crm::contacts::Dependents;
use frontdesk_db::Dialect;
use frontdesk_kernel::Ids;
use frontdesk_platform::events::{self, Catalogue, EventListener, Recorder};
use frontdesk_platform::sealing::SealedColumn;
use frontdesk_platform::webhooks::Webhooks;
use frontdesk_platform::{PublicEndpoint, Table};
use frontdesk_web::Components;
use frontdesk_web::openapi::{self, DocumentExtras};
use serde_json::{Value, json};

use crate::examples;

/// Every crate with rows about contacts, for erasing and merging them.
const DEPENDENTS: Dependents = &[
    &frontdesk_agent::ContactRows,
    &frontdesk_inbox::ContactRows,
    &frontdesk_broadcasts::ContactRows,
    &frontdesk_triggers::ContactRows,
];

/// The endpoints for visitors without a key.
pub(crate) fn public_endpoints(inbox: frontdesk_inbox::InboxState) -> Vec<PublicEndpoint> {
    [
        frontdesk_crm::public_endpoints(),
        frontdesk_inbox::public_endpoints(inbox),
        frontdesk_triggers::public_endpoints(),
    ]
    .concat()
}

/// The routes of every crate.
pub(crate) fn table() -> Table {
    let routes = [
        frontdesk_platform::routes(&catalogue()),
        frontdesk_crm::routes(DEPENDENTS),
        frontdesk_inbox::routes(),
        frontdesk_broadcasts::routes(),
        frontdesk_agent::routes(),
        frontdesk_triggers::routes(),
    ];
    Table::new(routes.into_iter().flatten().collect())
}

/// The event types of every crate.
pub(crate) fn catalogue() -> Catalogue {
    let declared = [
        frontdesk_crm::event_types(),
        frontdesk_inbox::event_types(),
        frontdesk_broadcasts::event_types(),
        frontdesk_agent::event_types(),
        frontdesk_platform::event_types(),
    ];
    Catalogue::new(declared.concat())
}

/// Generates the ids of this process, and passes every event to all listeners, in the order of this list.
pub(crate) fn recorder() -> Arc<Recorder> {
    let listeners: Vec<Arc<dyn EventListener>> = vec![
        Arc::new(Webhooks),
        Arc::new(Recipients),
        Arc::new(frontdesk_agent::Assistants),
        Arc::new(frontdesk_triggers::Triggers),
    ];
    Arc::new(Recorder::new(Ids::new(), listeners))
}

/// Every column that holds sealed values.
pub(crate) fn sealed_columns() -> Vec<SealedColumn> {
    [frontdesk_platform::sealed_columns(), frontdesk_crm::sealed_columns(), frontdesk_inbox::sealed_columns()]
        .concat()
}

/// Every statement for this engine, by name.
pub(crate) fn statements(dialect: Dialect) -> Vec<(&'static str, &'static str)> {
    let mut statements = [
        frontdesk_db::lease::STATEMENTS.to_vec(),
        frontdesk_platform::statements(),
        frontdesk_crm::statements(),
        frontdesk_inbox::statements(),
        frontdesk_broadcasts::statements(),
        frontdesk_agent::statements(),
        frontdesk_triggers::statements(),
        frontdesk_app::statements(),
    ]
    .concat();
    statements.extend(sealed_columns().iter().flat_map(SealedColumn::statements));
    match dialect {
        Dialect::Sqlite => {
            statements.extend(frontdesk_platform::sqlite_statements());
            statements.extend(frontdesk_crm::sqlite_statements());
            statements.extend(frontdesk_inbox::sqlite_statements());
        }
        Dialect::Postgres => {
            statements.extend(frontdesk_db::POSTGRES_STATEMENTS);
            statements.extend(frontdesk_platform::postgres_statements());
            statements.extend(frontdesk_crm::postgres_statements());
            statements.extend(frontdesk_inbox::postgres_statements());
            statements.extend(frontdesk_broadcasts::postgres_statements());
            statements.extend(frontdesk_agent::postgres_statements());
            statements.extend(frontdesk_triggers::postgres_statements());
        }
    }
    statements
}

/// The OpenAPI document of all endpoints.
pub(crate) fn document(table: &Table) -> Value {
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
    pages.into_iter().chain(visited()).chain([streamed(), uploaded()]).collect()
}

/// The endpoints for websites, calendars and other systems.
fn visited() -> [(String, Value); 3] {
    [
        ("/forms/{token}".to_owned(), form()),
        ("/bookings/{token}".to_owned(), booking()),
        ("/api/ai/triggers/hook/{token}".to_owned(), hook()),
    ]
}

/// A request without a key, to an address with a token.
fn open(id: &str, summary: &str, notes: &str, bodies: &[&str], responses: Value) -> Value {
    let content: serde_json::Map<String, Value> =
        bodies.iter().map(|kind| ((*kind).to_owned(), json!({ "schema": { "type": "object" } }))).collect();
    json!({
        "post": {
            "operationId": id,
            "summary": summary,
            "description": notes,
            "tags": ["From outside"],
            "security": [],
            "parameters": [{ "name": "token", "in": "path", "required": true, "schema": { "type": "string" } }],
            "requestBody": { "required": true, "content": content },
            "responses": with_error_bodies(responses),
        },
    })
}

fn form() -> Value {
    let mut form = open(
        "submitForm",
        "Submit a website's form",
        "The address is printed by `frontdesk form create`. `name`, `email`, `phone` and `message` are known fields, \
         anything else is kept in the inquiry's `fields`. A filled `_gotcha` is accepted and dropped; `_redirect` may \
         name another page of the site that the form redirects to.",
        &["application/json", "application/x-www-form-urlencoded"],
        json!({
            "201": {
                "description": "Stored, for scripts",
                "content": { "application/json": {
                    "schema": data(json!({ "id": { "type": "string", "format": "uuid" } })),
                    "example": { "data": { "id": "01890a5d-ac96-774b-bcce-b302099a8057" } },
                } },
            },
            "303": { "description": "To the thank-you page, for browsers" },
            "400": { "description": "Something is missing or wrong; browsers get the form again with its values" },
            "404": { "description": "There is no such form" },
            "415": { "description": "Neither JSON nor form-encoded" },
            "429": { "description": "Too many submissions from one address" },
        }),
    );
    let html = json!({ "schema": { "type": "string" }, "example": "<!doctype html>" });
    let page = |text: &str| json!({ "description": text, "content": { "text/html": html } });
    form["get"] = json!({
        "operationId": "getForm",
        "summary": "Show a website's form",
        "description": "The form as a page, ready to use in a browser.",
        "tags": ["From outside"],
        "security": [],
        "parameters": form["post"]["parameters"],
        "responses": { "200": page("The form"), "404": page("A page that reports that there is no such form") },
    });
    form
}

fn booking() -> Value {
    open(
        "receiveBooking",
        "Report a booking",
        "For Cal.com's webhooks, or calls in their form: `BOOKING_CREATED`, `BOOKING_RESCHEDULED`, `BOOKING_CANCELLED` \
         and `MEETING_ENDED`, signed in `X-Cal-Signature-256`. The address and the secret are printed by `frontdesk \
         booking-source create`. Other triggers are answered 200 and ignored.",
        &["application/json"],
        json!({
            "200": {
                "description": "Accepted; `handled` is false if nothing changed",
                "content": { "application/json": {
                    "schema": data(json!({ "handled": { "type": "boolean" } })),
                    "example": { "data": { "handled": true } },
                } },
            },
            "400": { "description": "The booking cannot be parsed" },
            "401": { "description": "The signature does not match" },
            "404": { "description": "There is no such source" },
        }),
    )
}

fn hook() -> Value {
    let mut hook = open(
        "fireTrigger",
        "Fire a webhook trigger",
        "The address is shown when a trigger of the kind `webhook` is created, and when its token is rotated. \
         The body, any JSON of at most 64 KiB, is the run's input; it may be left out. Calls that repeat an \
         `Idempotency-Key` or `webhook-id` within 24 hours fire once and get the first response again.",
        &["application/json"],
        json!({
            "202": {
                "description": "Fired; `error` gives the reason if no run was started",
                "content": { "application/json": {
                    "schema": data(json!({
                        "run_id": { "type": ["string", "null"], "format": "uuid" },
                        "error": { "type": ["string", "null"] },
                    })),
                    "example": { "data": { "run_id": "01890a5d-ac96-774b-bcce-b302099a8057", "error": null } },
                } },
            },
            "400": { "description": "The body is not JSON" },
            "404": { "description": "There is no such token, or it was rotated" },
            "409": { "description": "The trigger is disabled, or a call with the same `Idempotency-Key` or `webhook-id` is still in flight" },
            "413": { "description": "The body is larger than 64 KiB" },
            "422": { "description": "The same `Idempotency-Key` or `webhook-id` was used with another body" },
            "429": { "description": "Too many calls in this minute" },
        }),
    );
    hook["post"]["requestBody"] =
        json!({ "required": false, "content": { "application/json": { "schema": {} } } });
    let header = |name: &str| json!({ "name": name, "in": "header", "schema": { "type": "string" } });
    let token = hook["post"]["parameters"][0].take();
    hook["post"]["parameters"] = json!([token, header("Idempotency-Key"), header("webhook-id")]);
    hook
}

/// The stream of events, which is no route of the table: its response has no end.
fn streamed() -> (String, Value) {
    let told =
        "id: evt_01890a5dac96774bbcceb302099a8057\nevent: contact.created\ndata: {\"event_id\": …}\n\n";
    let stream = json!({
        "get": {
            "operationId": "streamEvents",
            "summary": "Stream events",
            "description": "Server-sent events of the account, as they happen: `id` is the event's id, `event` its type, \
                and `data` the envelope that GET /events lists. Send the last `id` as `Last-Event-ID` to continue after it, \
                without gaps or repetitions. For an unknown id the stream begins with the event `reset`: read \
                everything again, and continue from its id. Needs the scope webhooks:manage.",
            "tags": ["Events"],
            "x-scope": "webhooks:manage",
            "x-stream": true,
            "parameters": [{
                "name": "Last-Event-ID", "in": "header", "required": false,
                "description": "The last event that was received.", "schema": { "type": "string" },
            }],
            "responses": with_error_bodies(json!({
                "200": {
                    "description": "Events, until either side ends the connection",
                    "content": { "text/event-stream": { "schema": { "type": "string" }, "example": told } },
                },
                "400": { "description": "Last-Event-ID is not an event's id" },
                "401": { "description": "No usable API key" },
                "429": { "description": "The key's rate limit was exceeded" },
            })),
        },
    });
    (format!("{}/events/stream", openapi::PREFIX), stream)
}

/// The upload of a file, which is no route of the table: its body is no JSON and is not read whole.
fn uploaded() -> (String, Value) {
    let fields = json!({
        "id": { "type": "string", "format": "uuid" },
        "url": { "type": "string" },
        "content_type": { "type": "string" },
        "size": { "type": "integer" },
    });
    let example = json!({ "data": {
        "id": "01890a5d-ac96-774b-bcce-b302099a8057", "url": "https://desk.example/media/AYkKXaw…",
        "content_type": "image/png", "size": 70_123,
    } });
    let form = json!({
        "type": "object", "required": ["file"], "properties": { "file": { "type": "string", "format": "binary" } },
    });
    let upload = json!({
        "post": {
            "operationId": "uploadMedia",
            "summary": "Upload a file",
            "description": "A file of at most 100 MiB, in the part `file` of a form. `media.url` of POST /messages may then \
                be its `url`: the file reaches the channel through the channel's own upload. It is deleted after 7 days \
                unless it was sent. Needs the scope messages:send.",
            "tags": ["Messages"],
            "x-scope": "messages:send",
            "x-stream": true,
            "requestBody": { "required": true, "content": { "multipart/form-data": { "schema": form } } },
            "responses": with_error_bodies(json!({
                "201": {
                    "description": "Stored",
                    "content": { "application/json": { "schema": data(fields), "example": example } },
                },
                "400": { "description": "There is no part file, or the form broke off" },
                "401": { "description": "No usable API key" },
                "413": { "description": "The file is larger than 100 MiB" },
                "415": { "description": "The body is not multipart/form-data" },
                "429": { "description": "The key's rate limit was exceeded" },
            })),
        },
    });
    (format!("{}/media", openapi::PREFIX), upload)
}

/// The schema of an answer of one object.
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
        let table = table();
        let document = document(&table);
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
        let table = table();
        let document = document(&table);
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

    #[test]
    fn both_engines_are_asked_something() {
        let (sqlite, postgres) = (statements(Dialect::Sqlite), statements(Dialect::Postgres));
        assert!(!sqlite.is_empty() && postgres.len() > sqlite.len());
    }

    /// SQL constants that are not complete statements of a server: the beginnings of lists with filters,
    /// which a walk over all filters tests; statements that run once, while a database is opened; and the
    /// doctor's own.
    const NOT_PREPARED: &[&str] = &[
        "crates/crm/src/deals/sql.rs SELECT",
        "crates/platform/src/webhooks/deliveries.rs SELECT",
        "crates/db/src/postgres/connect.rs STANDBY",
        "crates/db/src/sqlite/search.rs KNOWN_BY",
        "crates/db/src/sqlite/connection.rs UNIQUE_INDEXES",
        "crates/server/src/doctor/checks.rs VERSION",
        "crates/server/src/doctor/checks.rs DATABASE_TIME",
    ];

    #[test]
    fn every_constant_of_sql_is_prepared() {
        let prepared: HashSet<String> = [Dialect::Sqlite, Dialect::Postgres]
            .into_iter()
            .flat_map(statements)
            .map(|(_, sql)| one_line(sql))
            .collect();
        let (mut found, mut missing) = (0, Vec::new());
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for file in sources(&root.join("crates")) {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (name, sql) in constants(code) {
                found += 1;
                let place = format!("{} {name}", file.strip_prefix(&root).unwrap().display());
                let is_asked_once = place.starts_with("crates/db/src/migrate");
                if !prepared.contains(&one_line(&sql))
                    && !is_asked_once
                    && !NOT_PREPARED.contains(&place.as_str())
                {
                    missing.push(place);
                }
            }
        }
        assert!(found > 30, "only {found} constants were found");
        assert_eq!(missing, Vec::<String>::new(), "list them in STATEMENTS of their slice");
    }

    fn one_line(sql: &str) -> String {
        sql.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Every source file below a directory, except tests.
    fn sources(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                found.extend(sources(&path));
            } else if path.extension().is_some_and(|kind| kind == "rs") && name != "tests.rs" {
                found.push(path);
            }
        }
        found
    }

    /// The constants that are SQL literals, by name.
    fn constants(code: &str) -> Vec<(&str, String)> {
        const VERBS: [&str; 5] = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];
        let declared = code.split("const ").skip(1).filter_map(|rest| {
            let (name, value) = rest.split_once(": &str =")?;
            let literal = value.trim_start().strip_prefix('"')?;
            let sql = literal.split_once("\";")?.0.replace("\\\"", "\"");
            let is_sql = VERBS.iter().any(|verb| sql.starts_with(verb));
            (is_sql && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')).then_some((name, sql))
        });
        declared.collect()
    }
}
