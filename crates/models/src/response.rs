//! A provider's response, before it is read.

use bytes::Bytes;
use http::HeaderMap;

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}
