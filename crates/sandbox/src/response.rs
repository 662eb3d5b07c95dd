//! Responses, and connections that are cut without one.

use std::fmt;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};

/// A response of the sandbox. Its body is complete, so any server can send it.
pub type SandboxResponse = Response<Full<Bytes>>;

/// No response: the connection is to be dropped. A hyper service that returns this as its error drops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disconnect;

impl fmt::Display for Disconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sandbox was told to cut this connection")
    }
}

impl std::error::Error for Disconnect {}

/// A response of bytes.
pub(crate) fn bytes(status: StatusCode, kind: &str, body: impl Into<Bytes>) -> SandboxResponse {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_str(kind).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A JSON response of a vendor.
pub(crate) fn json(status: StatusCode, body: &Value) -> SandboxResponse {
    bytes(status, "application/json", body.to_string())
}

/// A response of the control API.
pub(crate) fn data(data: impl Into<Value>) -> SandboxResponse {
    json(StatusCode::OK, &json!({ "data": data.into() }))
}

/// An error of the control API, with what to do about it.
#[derive(Debug)]
pub(crate) struct ControlError {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl ControlError {
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, message: message.into() }
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self { status: StatusCode::CONFLICT, message: message.into() }
    }

    pub(crate) fn upstream(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_GATEWAY, message: message.into() }
    }

    pub(crate) fn response(&self) -> SandboxResponse {
        let code = match self.status {
            StatusCode::NOT_FOUND => "not_found",
            StatusCode::CONFLICT => "conflict",
            StatusCode::BAD_GATEWAY => "webhook_refused",
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            _ => "bad_request",
        };
        json(self.status, &json!({ "error": { "code": code, "message": self.message } }))
    }
}

/// The result of a handler of the control API.
pub(crate) type Outcome = Result<SandboxResponse, ControlError>;
