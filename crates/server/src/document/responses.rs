//! Responses in the OpenAPI document.

use serde_json::{Value, json};

/// The schema of an answer of one object.
pub(super) fn data(properties: Value) -> Value {
    let names: Vec<String> =
        properties.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect();
    let fields = json!({ "type": "object", "required": names, "properties": properties });
    json!({ "type": "object", "required": ["data"], "properties": { "data": fields } })
}

/// The same responses, in which each failure has the common error body and an example.
pub(super) fn with_error_bodies(mut responses: Value) -> Value {
    for (status, response) in responses.as_object_mut().into_iter().flatten() {
        if response["content"].is_object() {
            continue;
        }
        let code = match status.as_str() {
            "401" => "unauthorized",
            "402" => "plan_limit_reached",
            "403" => "forbidden",
            "404" => "not_found",
            "409" => "conflict",
            "422" => "unprocessable",
            "429" => "rate_limited",
            status if status.starts_with('4') => "bad_request",
            status if status.starts_with('5') => "internal",
            _ => continue,
        };
        let next_step = match code {
            "internal" | "rate_limited" => "Send it again later",
            _ => "Correct it and send it again",
        };
        let message = format!("{}. {next_step}.", response["description"].as_str().unwrap_or_default());
        response["content"] = json!({ "application/json": {
            "schema": { "$ref": "#/components/schemas/Error" },
            "example": { "error": {
                "code": code, "message": message, "request_id": "req_0190f3c2a1b27c3d8e4f5a6b7c8d9e0f",
            } },
        } });
    }
    responses
}
