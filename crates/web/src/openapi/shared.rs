//! Shared parts of all operations: authentication, headers, errors.

use http::StatusCode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::example::EXAMPLE_ID;
use crate::failure::Failure;
use crate::problems::Problems;
use crate::reply::RequestId;

/// The maximum length of an idempotency key.
const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;
/// The largest body, for the example of 413.
const BODY_BYTES_MAX: usize = 1 << 20;
const EXAMPLE_REQUEST: u128 = 0x0190_f3c2_a1b2_7c3d_8e4f_5a6b_7c8d_9e0f;

struct Shared {
    status: StatusCode,
    name: &'static str,
    description: &'static str,
    /// A failure of this kind, for the example.
    example: fn() -> Failure,
}

const fn shared(
    status: StatusCode,
    name: &'static str,
    description: &'static str,
    example: fn() -> Failure,
) -> Shared {
    Shared { status, name, description, example }
}

const FAILURES: &[Shared] = &[
    shared(
        StatusCode::BAD_REQUEST,
        "BadRequest",
        "`bad_request`: malformed JSON, an invalid cursor, or a query parameter of the wrong shape. \
         `validation_error`: the body or the query breaks rules; `details` lists every one with its path.",
        || {
            let mut problems = Problems::new();
            problems.add("phone", "must be a phone number with its country code, such as +14155550123");
            Failure::validation(problems)
        },
    ),
    shared(
        StatusCode::UNAUTHORIZED,
        "Unauthorized",
        "The key is missing, malformed, unknown, revoked or expired.",
        Failure::unauthorized,
    ),
    shared(
        StatusCode::PAYMENT_REQUIRED,
        "PlanLimitReached",
        "The account reached a limit of its plan; `details[0].limit` is the cap.",
        || Failure::plan_limit("contacts", 1000),
    ),
    shared(
        StatusCode::FORBIDDEN,
        "Forbidden",
        "`forbidden`: the key lacks the scope (reason `scope`) or is used from another address than it allows \
         (reason `ip_not_allowed`). `account_suspended`: the account is suspended.",
        || Failure::forbidden("scope", "This key lacks the scope contacts:write. Use a key that has it."),
    ),
    shared(StatusCode::NOT_FOUND, "NotFound", "There is no such resource in this account.", || {
        Failure::not_found("There is no contact with this id in this account. Check the id.")
    }),
    shared(
        StatusCode::CONFLICT,
        "Conflict",
        "The current state does not allow it: a duplicate, a forbidden transition, or a request with the same \
         Idempotency-Key that is still in flight.",
        || {
            Failure::conflict("Another contact has this phone number. Update that contact instead.").detail(
                json!({
                    "path": "phone", "message": "belongs to another contact", "contact_id": EXAMPLE_ID,
                }),
            )
        },
    ),
    shared(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", "The body is too large.", || {
        Failure::too_large(BODY_BYTES_MAX)
    }),
    shared(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "NotJson",
        "The body is not sent as JSON.",
        Failure::unsupported_media_type,
    ),
    shared(
        StatusCode::UNPROCESSABLE_ENTITY,
        "Unprocessable",
        "`unprocessable`: well-formed, but it cannot be processed; `reason` says why. \
         `channel_not_connected`: the required channel is not connected.",
        || {
            Failure::unprocessable(
                "idempotency_key_reused",
                "This Idempotency-Key was used for another request. Use a new key for each request.",
            )
        },
    ),
    shared(
        StatusCode::TOO_MANY_REQUESTS,
        "RateLimited",
        "The budget of the key, or of the address for failed authentication, is used up. `Retry-After` says \
         how many seconds to wait.",
        || {
            Failure::rate_limited(
                "The key has used up its requests for this minute. Wait and send it again.",
                12,
            )
        },
    ),
    shared(
        StatusCode::INTERNAL_SERVER_ERROR,
        "Internal",
        "The server failed. The request is safe to send again with the same Idempotency-Key.",
        Failure::internal,
    ),
    shared(
        StatusCode::SERVICE_UNAVAILABLE,
        "Unavailable",
        "The server cannot process the request now: it is too busy, or its database is unreachable or \
         read-only. `Retry-After` says how many seconds to wait. The request is safe to send again with the \
         same Idempotency-Key.",
        || Failure::busy(1),
    ),
];

/// The failures of operations that have read the body.
const BODY_WAS_READ: [StatusCode; 5] = [
    StatusCode::BAD_REQUEST,
    StatusCode::PAYMENT_REQUIRED,
    StatusCode::NOT_FOUND,
    StatusCode::CONFLICT,
    StatusCode::UNPROCESSABLE_ENTITY,
];

/// The shared response of a status. A status without one is a mistake in a route.
pub(super) fn name_of(status: StatusCode) -> &'static str {
    match FAILURES.iter().find(|failure| failure.status == status) {
        Some(failure) => failure.name,
        None => panic!("no response is described for {status}; a route's `fails` names one that is"),
    }
}

const HEADERS: &[(&str, &str, &str)] = &[
    ("X-RateLimit-Limit", "RateLimitLimit", "The key's budget per window."),
    ("X-RateLimit-Remaining", "RateLimitRemaining", "Units left in the window; never below zero."),
    ("X-RateLimit-Reset", "RateLimitReset", "When the window ends, in Unix seconds."),
];

/// The header of responses to a body, as a reference.
pub(super) fn ignored_fields() -> (&'static str, Value) {
    ("Frontdesk-Ignored-Fields", json!({ "$ref": "#/components/headers/IgnoredFields" }))
}

pub(super) fn headers_of_every_response() -> Value {
    let mut headers: Map<String, Value> = HEADERS
        .iter()
        .map(|(header, name, _)| {
            ((*header).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }))
        })
        .collect();
    headers.insert("X-Request-Id".into(), json!({ "$ref": "#/components/headers/RequestId" }));
    Value::Object(headers)
}

/// Everything but the schemas.
pub(super) fn components() -> Value {
    let mut headers: Map<String, Value> = HEADERS
        .iter()
        .map(|(_, name, description)| {
            ((*name).to_owned(), json!({ "description": description, "schema": { "type": "integer" } }))
        })
        .collect();
    headers.insert(
        "RequestId".into(),
        json!({ "description": "The request's id; quote it to support.", "schema": { "type": "string" } }),
    );
    headers.insert(
        "RetryAfter".into(),
        json!({ "description": "Seconds to wait before retrying.", "schema": { "type": "integer" } }),
    );
    headers.insert(
        "IgnoredFields".into(),
        json!({
            "description": "The fields of the body that the operation does not know and has ignored, as a \
                comma-separated list of percent-encoded paths, such as `events, address.citty`; at most 20. Absent if \
                there are none.",
            "schema": { "type": "string" },
        }),
    );
    let responses: Map<String, Value> =
        FAILURES.iter().map(|failure| (failure.name.to_owned(), response(failure))).collect();
    json!({
        "securitySchemes": {
            "bearer": { "type": "http", "scheme": "bearer", "description": "An API key of the account." },
        },
        "parameters": {
            "IdempotencyKey": {
                "name": "Idempotency-Key",
                "in": "header",
                "required": false,
                "description": "Makes a retry safe: for 24 hours, the same key with the same request returns \
                    the first response.",
                "schema": {
                    "type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARS_MAX, "pattern": "^[!-~]+$",
                },
            },
        },
        "headers": headers,
        "responses": responses,
    })
}

fn response(failure: &Shared) -> Value {
    let mut headers = headers_of_every_response();
    if matches!(failure.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        headers["Retry-After"] = json!({ "$ref": "#/components/headers/RetryAfter" });
    }
    if BODY_WAS_READ.contains(&failure.status) {
        let (header, reference) = ignored_fields();
        headers[header] = reference;
    }
    let rendered = (failure.example)().render(&RequestId::from_uuid(Uuid::from_u128(EXAMPLE_REQUEST)));
    let example: Value = serde_json::from_slice(&rendered.body).expect("a failure is rendered as JSON");
    json!({
        "description": failure.description,
        "headers": headers,
        "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "example": example },
        },
    })
}

pub(super) fn error_schema() -> Value {
    let codes = [
        "bad_request",
        "validation_error",
        "unauthorized",
        "plan_limit_reached",
        "forbidden",
        "account_suspended",
        "not_found",
        "conflict",
        "unprocessable",
        "channel_not_connected",
        "rate_limited",
        "internal",
    ];
    json!({
        "type": "object",
        "description": "The body of every error.",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message", "request_id"],
                "properties": {
                    "code": { "type": "string", "enum": codes, "description": "For programs; stable." },
                    "message": { "type": "string", "description": "For people; says what to do." },
                    "request_id": { "type": "string", "description": "The value of X-Request-Id." },
                    "reason": { "type": "string", "description": "The cause, if a code has several; stable." },
                    "details": {
                        "type": "array",
                        "description": "Details; for a validation_error one item per problem.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "path": { "type": "string", "description": "Dotted from the body's root: audience.phones.3" },
                                "message": { "type": "string" },
                            },
                            "additionalProperties": true,
                        },
                    },
                },
            },
        },
    })
}
