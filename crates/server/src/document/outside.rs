//! The endpoints for websites, calendars and other systems, which have an address with a token and no key.

use serde_json::{Value, json};

use super::responses::{data, with_error_bodies};

pub(super) fn paths() -> [(String, Value); 3] {
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
            "403": { "description": "The form may not be sent from this website" },
            "404": { "description": "There is no such form" },
            "413": { "description": "The body is larger than 64 KiB" },
            "415": { "description": "Neither JSON nor form-encoded" },
            "429": { "description": "Too many submissions from one address" },
            "503": { "description": "The server is too busy" },
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
            "413": { "description": "The body is larger than 256 KiB" },
            "503": { "description": "The server is too busy" },
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
            "503": { "description": "The server is too busy" },
        }),
    );
    hook["post"]["requestBody"] =
        json!({ "required": false, "content": { "application/json": { "schema": {} } } });
    let header = |name: &str| json!({ "name": name, "in": "header", "schema": { "type": "string" } });
    let token = hook["post"]["parameters"][0].take();
    hook["post"]["parameters"] = json!([token, header("Idempotency-Key"), header("webhook-id")]);
    hook
}
