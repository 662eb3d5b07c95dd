//! A parsed request.

use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::response::ControlError;

/// The largest body: a customer's media in base64, with a little overhead.
pub const BODY_BYTES_MAX: usize = 24 << 20;
/// The largest body of any other call, because calls are recorded.
pub(crate) const CALL_BYTES_MAX: usize = 2 << 20;

/// A request with its complete body.
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The segments of the path after `/sandbox`, decoded.
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Request {
    pub(crate) fn new(parts: Parts, body: Bytes) -> Self {
        let path = parts.uri.path();
        let path = path.strip_prefix("/sandbox").unwrap_or(path);
        let path = path.split('/').filter(|segment| !segment.is_empty()).map(decode).collect();
        let query = parts.uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let query = query.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let query = query.map(|(name, value)| (decode(name), decode(&value.replace('+', " ")))).collect();
        Self { method: parts.method, path, query, headers: parts.headers, body }
    }

    /// A query parameter, unless it is missing or blank.
    pub(crate) fn param(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The caller's token, from the header or, as Meta also accepts, from the query.
    pub(crate) fn bearer(&self) -> Option<&str> {
        let header = self.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let header = header.and_then(|value| value.strip_prefix("Bearer "));
        header.or_else(|| self.param("access_token"))
    }

    /// The sandbox's address as the caller reached it, for links back to it.
    pub(crate) fn origin(&self) -> String {
        let host = self.headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or("127.0.0.1:8080");
        format!("http://{host}")
    }

    /// The body of a vendor's call: JSON of any shape, or none.
    pub(crate) fn value(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The body of a control call. A missing body is an empty object, so a call without required fields needs
    /// no body.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ControlError> {
        let body: &[u8] = if self.body.is_empty() { b"{}" } else { &self.body };
        serde_json::from_slice(body).map_err(|why| {
            ControlError::request(format!("The body is not what this path takes: {why}. See /sandbox."))
        })
    }

    /// Rejects a body that is too large to record.
    pub(crate) fn check_size(&self) -> Result<(), ControlError> {
        if self.body.len() <= CALL_BYTES_MAX {
            return Ok(());
        }
        let message = format!("The body is larger than {CALL_BYTES_MAX} bytes. Send a smaller one.");
        Err(ControlError { status: StatusCode::PAYLOAD_TOO_LARGE, message })
    }
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_its_query_are_decoded() {
        let (parts, ()) = http::Request::get("/sandbox/customers/%2B1650/messages?q=a+b%26c&x&limit=")
            .body(())
            .unwrap()
            .into_parts();
        let request = Request::new(parts, Bytes::new());
        assert_eq!(request.path, ["customers", "+1650", "messages"]);
        assert_eq!((request.param("q"), request.param("limit")), (Some("a b&c"), None));
    }
}
