//! A request of an operation: matched to its route, authenticated, and read completely.

use bytes::Bytes;
use http::Method;
use uuid::Uuid;

use crate::RequestId;

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
}
