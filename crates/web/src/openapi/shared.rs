//! What all operations have in common: how one authenticates, the headers, the errors.

use http::StatusCode;
use serde_json::{Map, Value, json};

/// How long an idempotency key may be.
const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

struct Shared {
    status: StatusCode,
    name: &'static str,
    code: &'static str,
    description: &'static str,
}

const fn shared(
    status: StatusCode,
    name: &'static str,
    code: &'static str,
    description: &'static str,
) -> Shared {
    Shared { status, name, code, description }
}

const FAILURES: &[Shared] = &[
    shared(
        StatusCode::BAD_REQUEST,
        "BadRequest",
        "validation_error",
        "`bad_request`: malformed JSON, an invalid cursor, or a query parameter of the wrong shape. \
         `validation_error`: the body or the query breaks rules; `details` lists every one with its path.",
    ),
    shared(
        StatusCode::UNAUTHORIZED,
        "Unauthorized",
        "unauthorized",
        "The key is missing, malformed, unknown, revoked or expired.",
    ),
    shared(
        StatusCode::PAYMENT_REQUIRED,
        "PlanLimitReached",
        "plan_limit_reached",
        "The account reached a limit of its plan; `details[0].limit` is the cap.",
    ),
    shared(
        StatusCode::FORBIDDEN,
        "Forbidden",
        "forbidden",
        "`forbidden`: the key lacks the scope (reason `scope`) or is used from another address than it allows \
         (reason `ip_not_allowed`). `account_suspended`: the account is suspended.",
    ),
    shared(StatusCode::NOT_FOUND, "NotFound", "not_found", "There is no such resource in this account."),
    shared(
        StatusCode::CONFLICT,
        "Conflict",
        "conflict",
        "The state of things does not allow it: a duplicate, a state that cannot be left this way, or a request \
         with the same Idempotency-Key that is still in flight.",
    ),
    shared(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", "bad_request", "The body is too large."),
    shared(StatusCode::UNSUPPORTED_MEDIA_TYPE, "NotJson", "bad_request", "The body is not sent as JSON."),
    shared(
        StatusCode::UNPROCESSABLE_ENTITY,
        "Unprocessable",
        "unprocessable",
        "`unprocessable`: well-formed, but it cannot be carried out; `reason` says why. \
         `channel_not_connected`: the channel it needs is not connected.",
    ),
    shared(
        StatusCode::TOO_MANY_REQUESTS,
        "RateLimited",
        "rate_limited",
        "The budget of the key, or of the address for failed authentication, is used up. `Retry-After` says \
         how many seconds to wait.",
    ),
    shared(
        StatusCode::INTERNAL_SERVER_ERROR,
        "Internal",
        "internal",
        "The server failed. The request is safe to send again with the same Idempotency-Key.",
    ),
    shared(
        StatusCode::SERVICE_UNAVAILABLE,
        "Unavailable",
        "internal",
        "The server cannot carry out the request at present: it is too busy, or its database cannot be reached or \
         cannot be written to. `Retry-After` says how many seconds to wait. The request is safe to send again with the \
         same Idempotency-Key.",
    ),
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
        json!({ "description": "Names this request; quote it to support.", "schema": { "type": "string" } }),
    );
    headers.insert(
        "RetryAfter".into(),
        json!({ "description": "Seconds to wait before retrying.", "schema": { "type": "integer" } }),
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
                "description": "Makes a retry safe: for 24 hours the same key with the same request answers what it \
                    answered first.",
                "schema": { "type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARS_MAX },
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
    let example = json!({
        "error": {
            "code": failure.code,
            "message": "What went wrong, and what to do about it.",
            "request_id": "req_0190f3c2a1b27c3d8e4f5a6b7c8d9e0f",
        },
    });
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
        "description": "What every failure answers.",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message", "request_id"],
                "properties": {
                    "code": { "type": "string", "enum": codes, "description": "For programs; stable." },
                    "message": { "type": "string", "description": "For people; says what to do." },
                    "request_id": { "type": "string", "description": "The value of X-Request-Id." },
                    "reason": { "type": "string", "description": "Why, where one code has several causes; stable." },
                    "details": {
                        "type": "array",
                        "description": "Particulars; for a validation_error one item per problem.",
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
