//! A request of an operation: matched to its route, authenticated, and read completely.

use std::sync::OnceLock;

use bytes::Bytes;
use http::{HeaderValue, Method};
use uuid::Uuid;

use crate::ignored::IgnoredFields;
use crate::reply::RequestId;

/// The source of all arguments. `C` is the caller.
#[derive(Debug)]
pub struct Request<C> {
    pub method: Method,
    pub path: String,
    /// Raw, without the question mark; may be empty.
    pub query: String,
    /// Values of the path's placeholders, decoded, in order.
    pub params: Vec<String>,
    pub body: Bytes,
    pub request_id: RequestId,
    pub account: Uuid,
    /// The key that seals page cursors.
    pub cursor_key: [u8; 32],
    pub route_path: &'static str,
    pub caller: C,
    /// Set when the body is read.
    pub ignored: OnceLock<IgnoredFields>,
}

impl<C> Request<C> {
    /// The value of the response header that names the ignored fields of the body, if it has been read and has some.
    pub(crate) fn ignored_header(&self) -> Option<HeaderValue> {
        self.ignored.get().and_then(IgnoredFields::header_value)
    }
}
