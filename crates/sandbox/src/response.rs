//! What is answered: a response, or a connection that is cut without one.

use std::fmt;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};

/// A response of the sandbox. Its body is whole, so it passes through any server as other answers do.
pub type SandboxResponse = Response<Full<Bytes>>;

/// There is no answer: the connection is to be dropped. A hyper service that returns this as its error does just that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disconnect;

impl fmt::Display for Disconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sandbox was told to cut this connection")
    }
}

impl std::error::Error for Disconnect {}

/// An answer of bytes.
pub(crate) fn bytes(status: StatusCode, kind: &str, body: impl Into<Bytes>) -> SandboxResponse {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_str(kind).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An answer of JSON, as a vendor gives it.
pub(crate) fn json(status: StatusCode, body: &Value) -> SandboxResponse {
    bytes(status, "application/json", body.to_string())
}

/// An answer of the control API.
pub(crate) fn data(data: impl Into<Value>) -> SandboxResponse {
    json(StatusCode::OK, &json!({ "data": data.into() }))
}

/// Why the control API did not do what was asked, and what to do about it.
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

/// What a handler of the control API comes to.
pub(crate) type Outcome = Result<SandboxResponse, ControlError>;
