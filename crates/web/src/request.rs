//! A request as operations see it: matched to its route, authenticated, and read whole.

use bytes::Bytes;
use http::Method;
use uuid::Uuid;

use crate::RequestId;

/// Everything an argument can be taken from. `C` is what the server knows about the caller.
#[derive(Debug)]
pub struct Request<C> {
    pub method: Method,
    pub path: String,
    /// Raw, without the question mark; may be empty.
    pub query: String,
    /// Values of the path's placeholders, decoded, in their order.
    pub params: Vec<String>,
    pub body: Bytes,
    pub request_id: RequestId,
    pub account: Uuid,
    /// What this service seals its page cursors with.
    pub cursor_key: [u8; 32],
    pub route_path: &'static str,
    pub caller: C,
}
