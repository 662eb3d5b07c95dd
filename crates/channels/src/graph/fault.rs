//! The Graph API's errors, parsed the same way for every channel; each channel classifies their codes.

use serde_json::Value;

use crate::call::{Refusal, VendorResponse};
use crate::reading;
use crate::verdict::{BAD_REQUEST, Classification, RATE_LIMITED, TEMPORARY, TOKEN_INVALID};

/// A channel's classification of an error; none for an unknown code.
pub(crate) type Classify = fn(&Fault) -> Option<Classification>;

/// An error of the Graph API, in a response or in a webhook.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: i64,
    pub(crate) subcode: Option<i64>,
    transient: bool,
    message: String,
}

impl Fault {
    /// Parses an error object; none if it has no code.
    pub(crate) fn read(error: &Value) -> Option<Self> {
        let message = reading::text(&error["error_data"], "details")
            .or_else(|| reading::text(error, "message"))
            .or_else(|| reading::text(error, "title"));
        Some(Self {
            code: reading::whole(error, "code")?,
            subcode: reading::whole(error, "error_subcode"),
            transient: error["is_transient"].as_bool().unwrap_or(false),
            message: message.unwrap_or_default(),
        })
    }

    /// The refusal for an error alone, as in a webhook, where an unknown code is permanent.
    pub(crate) fn refusal(self, classify: Classify) -> Refusal {
        let verdict = classify(&self).unwrap_or(if self.transient { TEMPORARY } else { BAD_REQUEST });
        verdict.refusal(self.code.to_string(), self.message, None)
    }
}

/// The JSON of a successful response. Null is a success without valid JSON.
pub(super) fn read(response: &VendorResponse<'_>, classify: Classify) -> Result<Value, Refusal> {
    let body = reading::body_json(response.body);
    if response.is_success() && body["error"].is_null() {
        return Ok(body);
    }
    let Some(fault) = Fault::read(&body["error"]) else {
        let message = format!("the Graph API answered {} without saying why", response.status);
        return Err(by_status(response.status).refusal(code_of(response), message, response.retry_after()));
    };
    let verdict = match (response.status, classify(&fault)) {
        (401, _) => TOKEN_INVALID,
        (_, Some(verdict)) => verdict,
        (_, None) if fault.transient => TEMPORARY,
        (status, None) => by_status(status),
    };
    Err(verdict.refusal(fault.code.to_string(), fault.message, response.retry_after()))
}

/// The refusal for a successful response without the expected content.
pub(crate) fn unexpected(response: &VendorResponse<'_>, wanted: &str) -> Refusal {
    TEMPORARY.refusal(code_of(response), format!("the Graph API's answer has no {wanted}"), None)
}

fn by_status(status: u16) -> Classification {
    match status {
        401 => TOKEN_INVALID,
        429 => RATE_LIMITED,
        500.. => TEMPORARY,
        _ => BAD_REQUEST,
    }
}

fn code_of(response: &VendorResponse<'_>) -> String {
    format!("http_{}", response.status)
}
