//! A finished response, and the id of its request.

use std::fmt;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};
use uuid::Uuid;

/// A response: a status, its specific headers, and a JSON body.
///
/// `Content-Type`, the rate-limit headers and `X-Request-Id` are the same for every response, so the server
/// adds them later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
}

impl Reply {
    pub fn new(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }
    }

    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// `req_` and 32 hexadecimal digits: in the response's header, in every error body and in the logs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(Box<str>);

impl RequestId {
    pub fn from_uuid(uuid: Uuid) -> Self {
        Self(format!("req_{}", uuid.simple()).into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_id_is_req_and_32_digits() {
        assert_eq!(
            RequestId::from_uuid(Uuid::from_u128(0xab)).as_str(),
            "req_000000000000000000000000000000ab"
        );
    }
}
