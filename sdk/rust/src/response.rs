//! Responses as they came, and what their headers say.

use std::time::Duration;

use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};

use crate::time::Timestamp;

/// A response as it came: status, headers and body.
#[derive(Clone, Debug)]
pub struct RawResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl RawResponse {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, headers, body }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The id of the request, to be quoted to support.
    pub fn request_id(&self) -> Option<&str> {
        self.text("x-request-id")
    }

    /// The key's budget, as of this response.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        let number = |name| self.text(name)?.parse().ok();
        Some(RateLimit {
            limit: number("x-ratelimit-limit")?,
            remaining: number("x-ratelimit-remaining")?,
            resets_at: Timestamp::from_unix_seconds(self.text("x-ratelimit-reset")?.parse().ok()?),
        })
    }

    /// Whether this is the stored response to an earlier request with the same idempotency key.
    pub fn is_replayed(&self) -> bool {
        self.text("idempotent-replayed") == Some("true")
    }

    /// The fields of the request's body that the server does not know and has ignored.
    pub fn ignored_fields(&self) -> Vec<&str> {
        self.text("frontdesk-ignored-fields")
            .map_or_else(Vec::new, |list| list.split(',').map(str::trim).collect())
    }

    /// The wait that the server asks for.
    pub fn retry_after(&self) -> Option<Duration> {
        self.text(RETRY_AFTER.as_str())?.trim().parse().ok().map(Duration::from_secs)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A result together with the response that it came in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response<T> {
    /// The result.
    pub data: T,
    /// The response.
    pub raw: RawResponse,
}

/// What is left of a key's budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimit {
    /// The units of a window.
    pub limit: u64,
    /// The units that are left in this window.
    pub remaining: u64,
    /// When the window ends.
    pub resets_at: Timestamp,
}
