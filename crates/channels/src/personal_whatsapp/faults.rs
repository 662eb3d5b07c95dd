//! The classification of the bridge's errors. It has no error codes, so the status decides.

use serde_json::Value;

use crate::call::{Refusal, VendorResponse};
use crate::reading;
use crate::verdict::{BAD_REQUEST, CHANNEL_STOPPED, Classification, RATE_LIMITED, TEMPORARY, TOKEN_INVALID};

/// WhatsApp's response, through the bridge, to a number that wrote to too many new people: it is locked for a
/// while, or has used up its quota. A retry would make it worse.
const BANS: [&str; 2] = ["error 463", "error 475"];

/// The JSON of a successful response. Null is a success without valid JSON.
pub(super) fn read(response: &VendorResponse<'_>) -> Result<Value, Refusal> {
    let body = reading::body_json(response.body);
    if response.is_success() {
        return Ok(body);
    }
    let message = message(&body);
    let verdict = match response.status {
        _ if BANS.iter().any(|ban| message.as_deref().is_some_and(|text| text.contains(ban))) => {
            CHANNEL_STOPPED
        }
        status => by_status(status),
    };
    let message =
        message.unwrap_or_else(|| format!("the bridge answered {} without saying why", response.status));
    Err(verdict.refusal(code_of(response), message, response.retry_after()))
}

/// The refusal for a successful response without the expected content.
pub(super) fn unexpected(response: &VendorResponse<'_>, wanted: &str) -> Refusal {
    TEMPORARY.refusal(code_of(response), format!("the bridge's answer has no {wanted}"), None)
}

fn by_status(status: u16) -> Classification {
    match status {
        401 | 403 => TOKEN_INVALID,
        // There is no such session, or it is not in the state that the call needs.
        404 | 422 => CHANNEL_STOPPED,
        429 => RATE_LIMITED,
        500.. => TEMPORARY,
        _ => BAD_REQUEST,
    }
}

/// The bridge's message: a text, a list of texts, or those of an exception.
fn message(body: &Value) -> Option<String> {
    let listed = || {
        let texts: Vec<&str> = reading::items(body, "message").iter().filter_map(Value::as_str).collect();
        if texts.is_empty() { None } else { Some(texts.join(", ")) }
    };
    reading::text(&body["exception"], "message")
        .or_else(|| reading::text(body, "message"))
        .or_else(listed)
        .or_else(|| reading::text(body, "error"))
}

fn code_of(response: &VendorResponse<'_>) -> String {
    format!("http_{}", response.status)
}
