//! One call of the API as data: what is sent, how often and for how long.

use std::borrow::Cow;
use std::fmt::{Display, Write};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Method};
use serde::Serialize;
use uuid::Uuid;

/// The header of an idempotency key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    path: Cow<'static, str>,
    query: Vec<(Cow<'static, str>, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Whether the operation takes an idempotency key.
    keyed: bool,
    /// Why it cannot be sent.
    pub(crate) invalid: Option<String>,
    pub(crate) timeout: Option<Duration>,
    /// Whether its body is a file, which may take longer.
    pub(crate) is_file: bool,
    pub(crate) retries: Option<u32>,
}

impl Call {
    pub(crate) fn new(method: Method, path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            method,
            path: path.into(),
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            keyed: false,
            invalid: None,
            timeout: None,
            is_file: false,
            retries: None,
        }
    }

    pub(crate) fn get(path: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn post(path: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Method::POST, path)
    }

    pub(crate) fn put(path: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Method::PUT, path)
    }

    pub(crate) fn patch(path: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Method::PATCH, path)
    }

    pub(crate) fn delete(path: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Method::DELETE, path)
    }

    pub(crate) fn json(mut self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(json) => self.body(Bytes::from(json), &HeaderValue::from_static("application/json")),
            Err(error) => {
                self.invalid = Some(format!("the body cannot be written as JSON: {error}"));
                self
            }
        }
    }

    pub(crate) fn body(mut self, body: Bytes, content_type: &HeaderValue) -> Self {
        self.body = body;
        self.headers.insert(CONTENT_TYPE, content_type.clone());
        self
    }

    /// Gives it an idempotency key of its own, which all its attempts share.
    pub(crate) fn keyed(self) -> Self {
        self.idempotency_key(&Uuid::new_v4().to_string())
    }

    pub(crate) fn idempotency_key(mut self, key: &str) -> Self {
        self.keyed = true;
        self.header(IDEMPOTENCY_KEY.as_str(), key);
        self
    }

    pub(crate) fn header(&mut self, name: &str, value: &str) {
        match (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            _ => self.invalid = Some(format!("the header {name} cannot be sent")),
        }
    }

    /// Adds a parameter of the query.
    pub(crate) fn query(&mut self, name: impl Into<Cow<'static, str>>, value: impl Display) {
        self.query.push((name.into(), value.to_string()));
    }

    /// Gives a parameter of the query another value.
    pub(crate) fn replace_query(&mut self, name: &'static str, value: impl Display) {
        self.query.retain(|(known, _)| known != name);
        self.query(name, value);
    }

    /// Path and query.
    pub(crate) fn target(&self) -> String {
        let mut target = self.path.clone().into_owned();
        for (name, value) in &self.query {
            target.push(if target.contains('?') { '&' } else { '?' });
            push_encoded(&mut target, name);
            target.push('=');
            push_encoded(&mut target, value);
        }
        target
    }

    /// Whether sending it twice has the effect of sending it once.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.keyed || self.method.is_idempotent()
    }
}

fn push_encoded(target: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            target.push(byte.into());
        } else {
            // Writing into a string does not fail.
            let _ = write!(target, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_encoded() {
        let mut call = Call::get("/contacts");
        call.query("q", "Zoë & co");
        call.query("phone", "+49");
        call.replace_query("q", "Zoë & co");
        call.replace_query("phone", "+49");
        assert_eq!(call.target(), "/contacts?q=Zo%C3%AB%20%26%20co&phone=%2B49");
    }

    #[test]
    fn every_write_has_a_key_of_its_own_unless_it_is_given_one() {
        let key = |call: Call| call.headers.get(IDEMPOTENCY_KEY).unwrap().clone();
        assert_ne!(key(Call::post("/a").keyed()), key(Call::post("/a").keyed()));
        let given = Call::post("/a").keyed().idempotency_key("order-4711");
        assert_eq!(key(given.clone()), "order-4711");
        assert!(given.is_repeatable());
        assert!(!Call::post("/a").is_repeatable());
        assert!(Call::post("/a").idempotency_key("two\nlines").invalid.is_some());
    }
}
