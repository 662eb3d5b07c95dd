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
        read_retry_after(self.text(RETRY_AFTER.as_str())?.trim(), Timestamp::now())
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A number of seconds or a date. What is neither says nothing.
fn read_retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit is a very long time.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let left = read_http_date(text)?.unix_seconds() - now.unix_seconds();
    Some(Duration::from_secs(left.try_into().unwrap_or_default()))
}

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn read_http_date(text: &str) -> Option<Timestamp> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let [_weekday, day, month, year, time, "GMT"] = text.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    format!("{year}-{month:02}-{day}T{time}Z").parse().ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_a_number_of_seconds_or_a_date() {
        let now = "1994-11-06T08:49:07.900Z".parse().unwrap();
        for (text, seconds) in [
            ("0", Some(0)),
            ("7", Some(7)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
            ("Sat, 05 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 36 Nov 1994 08:49:37 GMT", None),
            ("Sunday, 06-Nov-94 08:49:37 GMT", None),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
        ] {
            assert_eq!(read_retry_after(text, now), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
