//! The endpoints that need a key but are no routes of the table: a response or a body that is not read whole.

use frontdesk_web::openapi;
use serde_json::{Value, json};

use super::responses::{data, with_error_bodies};

pub(super) fn paths() -> [(String, Value); 2] {
    [streamed(), uploaded()]
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
                "403": { "description": "The key lacks the scope webhooks:manage, its address is not allowed, or the account is suspended" },
                "429": { "description": "The key's rate limit was exceeded, or the key has 20 streams open, or the account 500" },
                "500": { "description": "The server failed" },
                "503": { "description": "The server has too many streams open" },
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
                unless it was sent; its `url` works until it is deleted. Needs the scope messages:send.",
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
                "403": { "description": "The key lacks the scope messages:send, its address is not allowed, or the account is suspended" },
                "408": { "description": "The file arrived too slowly" },
                "413": { "description": "The file is larger than 100 MiB" },
                "415": { "description": "The body is not multipart/form-data" },
                "422": { "description": "The uploads of the account take as much space as they may" },
                "429": { "description": "The key's rate limit was exceeded, or 10 files of the account are being uploaded" },
                "500": { "description": "The server failed" },
                "503": { "description": "The server receives too many files" },
            })),
        },
    });
    (format!("{}/media", openapi::PREFIX), upload)
}
