//! Errors in Meta's format.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::mark;
use crate::response::{self, SandboxResponse};

/// An error response of Graph.
#[derive(Debug)]
pub(crate) struct GraphError {
    pub(super) code: i64,
    subcode: Option<i64>,
    message: String,
    pub(super) details: Option<String>,
    status: Option<StatusCode>,
}

impl GraphError {
    /// An error with its own message.
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, subcode: None, message: message.into(), details: None, status: None }
    }

    /// A known error, with details about this call.
    pub(super) fn detailed(code: i64, details: impl Into<String>) -> Self {
        let message = format!("(#{code}) {}", title(code));
        Self { details: Some(details.into()), ..Self::new(code, message) }
    }

    /// A missing required parameter.
    pub(super) fn required(param: &str) -> Self {
        Self::new(100, format!("(#100) The parameter {param} is required."))
    }

    pub(super) fn token() -> Self {
        Self::new(190, "Invalid OAuth access token - Cannot parse access token")
    }

    pub(super) fn unknown_object(method: &Method, id: &str) -> Self {
        let message = format!(
            "Unsupported {} request. Object with ID '{id}' does not exist, cannot be loaded due to missing permissions, \
             or does not support this operation.",
            method.as_str().to_lowercase()
        );
        Self { subcode: Some(33), ..Self::new(100, message) }
    }

    pub(super) fn outside_window() -> Self {
        let message = "(#10) This message is sent outside of allowed window.";
        Self { subcode: Some(2_018_278), ..Self::new(10, message) }
    }

    /// The error of a fault.
    pub(super) fn of(fault: &Fault) -> Self {
        let code = fault.code.unwrap_or(131_000);
        Self {
            status: Some(fault.status_or(status(code))),
            ..Self::detailed(code, "The sandbox was told to answer this.")
        }
    }

    pub(super) fn response(&self) -> SandboxResponse {
        let mut error = json!({
            "message": self.message,
            "type": if self.subcode == Some(33) { "GraphMethodException" } else { "OAuthException" },
            "code": self.code,
            "fbtrace_id": mark::prefixed("A"),
        });
        if let Some(subcode) = self.subcode {
            error["error_subcode"] = json!(subcode);
        }
        if let Some(details) = &self.details {
            error["error_data"] = json!({ "messaging_product": "whatsapp", "details": details });
        }
        if is_transient(self.code) {
            error["is_transient"] = json!(true);
        }
        response::json(self.status.unwrap_or(status(self.code)), &json!({ "error": error }))
    }
}

/// An error in a status webhook.
pub(crate) fn reported(code: i64) -> Value {
    let title = title(code);
    json!({
        "code": code,
        "title": title,
        "message": title,
        "error_data": { "details": details(code) },
        "href": "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
    })
}

fn details(code: i64) -> &'static str {
    match code {
        131_047 => {
            "Message failed to send because more than 24 hours have passed since the customer last replied to this number."
        }
        131_026 => "Message undeliverable.",
        131_049 => "This message was not delivered to maintain healthy ecosystem engagement.",
        131_050 => "The recipient has chosen to stop receiving marketing messages from your business.",
        131_053 => "The media could not be downloaded from its link.",
        _ => "The sandbox was told to report this.",
    }
}

/// Meta's title of an error.
fn title(code: i64) -> &'static str {
    match code {
        0 => "AuthException",
        2 => "API Service",
        3 => "API Method",
        4 => "Application request limit reached",
        10 => "Permission denied",
        17 => "User request limit reached",
        100 => "Invalid parameter",
        190 => "Access token has expired",
        200..=299 => "API permission",
        368 => "Temporarily blocked for policies violations",
        80_007 => "Rate limit issues",
        130_429 => "Rate limit hit",
        130_472 => "User's number is part of an experiment",
        130_497 => "Business account is restricted from messaging users in this country",
        131_005 => "Access denied",
        131_008 => "Required parameter is missing",
        131_009 => "Parameter value is not valid",
        131_016 => "Service unavailable",
        131_021 => "Recipient cannot be sender",
        131_026 => "Message undeliverable",
        131_030 => "Recipient phone number not in allowed list",
        131_031 => "Account has been locked",
        131_037 => "Business phone number needs display name approval",
        131_042 => "Business eligibility payment issue",
        131_045 => "Incorrect certificate",
        131_047 => "Re-engagement message",
        131_048 => "Spam rate limit hit",
        131_049 => "This message was not delivered to maintain healthy ecosystem engagement",
        131_050 => "User has stopped marketing messages",
        131_051 => "Unsupported message type",
        131_052 => "Media download error",
        131_053 => "Media upload error",
        131_056 => "(Business Account, Consumer Account) pair rate limit hit",
        131_057 => "Account in maintenance mode",
        132_000 => "Number of parameters does not match the expected number of params",
        132_001 => "Template name does not exist in the translation",
        132_005 => "Translated text too long",
        132_007 => "Template format character policy violated",
        132_012 => "Parameter format does not match format in the created template",
        132_015 => "Template is paused",
        132_016 => "Template is disabled",
        132_018 => "There's an issue with the parameters in your template",
        135_000 => "Generic user error",
        _ => "Something went wrong",
    }
}

/// The HTTP status of an error code.
fn status(code: i64) -> StatusCode {
    match code {
        0 | 190 => StatusCode::UNAUTHORIZED,
        3 | 131_000 => StatusCode::INTERNAL_SERVER_ERROR,
        2 | 131_016 | 131_057 => StatusCode::SERVICE_UNAVAILABLE,
        4 | 17 | 80_007 | 130_429 | 131_048 | 131_056 => StatusCode::TOO_MANY_REQUESTS,
        10 | 200..=299 | 368 | 130_497 | 131_005 | 131_031 => StatusCode::FORBIDDEN,
        132_001 => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    }
}

fn is_transient(code: i64) -> bool {
    matches!(code, 2 | 4 | 17 | 80_007 | 130_429 | 131_000 | 131_016 | 131_057)
}
