//! A finished response, and the id of its request.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::Stream;
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
    /// Sent in place of `body`.
    pub stream: Option<BodyStream>,
}

impl Reply {
    pub fn new(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), stream: None }
    }

    /// A response whose body is sent while it is produced.
    pub fn streamed(status: StatusCode, body: BodyStream) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::new(), stream: Some(body) }
    }

    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// A body that is produced in pieces, each when the client has taken those before it. It ends when the client disconnects.
/// After a failure the connection is closed in the middle of the body, so the client sees that the body is incomplete.
#[derive(Clone)]
pub struct BodyStream(Arc<Mutex<Option<Pieces>>>);

/// The pieces of a body.
pub type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, BodyFailed>> + Send>>;

/// A body could not be produced to its end. The cause is logged and not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyFailed;

impl fmt::Display for BodyFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body could not be produced to its end")
    }
}

impl std::error::Error for BodyFailed {}

impl BodyStream {
    pub fn new(pieces: impl Stream<Item = Result<Bytes, BodyFailed>> + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::pin(pieces)))))
    }

    /// The pieces, for the one that sends them.
    pub fn take(&self) -> Option<Pieces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for BodyStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyStream")
    }
}

/// Two streams are equal if they are the same.
impl PartialEq for BodyStream {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for BodyStream {}

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
