//! Webhooks: checks who sent them, and reads the event.
//!
//! [`unwrap`] follows Standard Webhooks. Give it the body as it came, byte by byte: parsed and written again it has another
//! signature.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use sha2::Sha256;

use crate::time::Timestamp;
use crate::types::Event;

/// How far the sender's clock may be from this one.
const TOLERANCE: Duration = Duration::from_mins(5);
const SECRET_PREFIX: &str = "whsec_";
const VERSION: &str = "v1";

/// Checks a webhook's signature, and returns its event. Respond with 2xx to it, and with 400 to an error.
///
/// An event may be delivered more than once: remember its `event_id` to skip repeats.
///
/// ```
/// use frontdesk::{types::EventData, webhooks};
///
/// fn receive(headers: &http::HeaderMap, body: &[u8], secret: &str) -> Result<(), webhooks::WebhookError> {
///     let event = webhooks::unwrap(body, headers, secret)?;
///     if let EventData::MessageReceived(data) = event.data {
///         println!("{:?}", data.message.text);
///     }
///     Ok(())
/// }
/// ```
pub fn unwrap(body: &[u8], headers: &(impl Headers + ?Sized), secret: &str) -> Result<Event, WebhookError> {
    unwrap_at(body, headers, secret, Timestamp::now())
}

/// [`unwrap`] at another time than now: for tests, and for webhooks that were kept.
pub fn unwrap_at(
    body: &[u8],
    headers: &(impl Headers + ?Sized),
    secret: &str,
    now: Timestamp,
) -> Result<Event, WebhookError> {
    verify(body, headers, secret, now)?;
    serde_json::from_slice(body).map_err(WebhookError::NotAnEvent)
}

fn verify(
    body: &[u8],
    headers: &(impl Headers + ?Sized),
    secret: &str,
    now: Timestamp,
) -> Result<(), WebhookError> {
    let key = secret.trim();
    let key = STANDARD.decode(key.strip_prefix(SECRET_PREFIX).unwrap_or(key));
    let key = key.ok().filter(|key| !key.is_empty()).ok_or(WebhookError::Secret)?;
    let header = |name| headers.text(name).ok_or(WebhookError::MissingHeader(name));
    let (id, timestamp) = (header("webhook-id")?, header("webhook-timestamp")?);
    let signatures = header("webhook-signature")?;

    let seconds: i64 = timestamp.parse().map_err(|_| WebhookError::Timestamp)?;
    if seconds.abs_diff(now.unix_seconds()) > TOLERANCE.as_secs() {
        return Err(WebhookError::Timestamp);
    }

    let mut signer = Hmac::<Sha256>::new_from_slice(&key).map_err(|_| WebhookError::Secret)?;
    for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
        signer.update(part);
    }
    let is_signed =
        signatures.split(' ').filter_map(|signature| signature.split_once(',')).any(|(version, text)| {
            // Compares in constant time.
            version == VERSION
                && STANDARD.decode(text).is_ok_and(|bytes| signer.clone().verify_slice(&bytes).is_ok())
        });
    is_signed.then_some(()).ok_or(WebhookError::Signature)
}

/// Why a webhook is not accepted.
#[derive(Debug)]
#[non_exhaustive]
pub enum WebhookError {
    /// The secret is none: it begins with `whsec_`.
    Secret,
    /// This header is missing.
    MissingHeader(&'static str),
    /// It was sent more than five minutes ago, or its time cannot be read.
    Timestamp,
    /// Nobody who has the secret signed this body.
    Signature,
    /// The signature is right, but the body is no event.
    NotAnEvent(serde_json::Error),
}

impl fmt::Display for WebhookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret => f.write_str("the secret cannot be used; it begins with whsec_"),
            Self::MissingHeader(name) => write!(f, "the header {name} is missing"),
            Self::Timestamp => f.write_str("the webhook was not sent in the last five minutes"),
            Self::Signature => f.write_str("the signature is not of this body and this secret"),
            Self::NotAnEvent(_) => f.write_str("the body is signed but is no event"),
        }
    }
}

impl std::error::Error for WebhookError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotAnEvent(error) => Some(error),
            _ => None,
        }
    }
}

/// Headers of a request, as web frameworks have them.
pub trait Headers {
    /// The value of a header. Its name is in lower case, and is compared without regard to case.
    fn text(&self, name: &str) -> Option<&str>;
}

impl Headers for HeaderMap {
    fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str().ok()
    }
}

impl<S: BuildHasher> Headers for HashMap<String, String, S> {
    fn text(&self, name: &str) -> Option<&str> {
        find(self, name)
    }
}

impl Headers for BTreeMap<String, String> {
    fn text(&self, name: &str) -> Option<&str> {
        find(self, name)
    }
}

impl<K: AsRef<str>, V: AsRef<str>> Headers for [(K, V)] {
    fn text(&self, name: &str) -> Option<&str> {
        find(self.iter().map(|(key, value)| (key, value)), name)
    }
}

impl<K: AsRef<str>, V: AsRef<str>, const N: usize> Headers for [(K, V); N] {
    fn text(&self, name: &str) -> Option<&str> {
        self.as_slice().text(name)
    }
}

fn find<'h, K, V>(headers: impl IntoIterator<Item = (&'h K, &'h V)>, name: &str) -> Option<&'h str>
where
    K: AsRef<str> + 'h,
    V: AsRef<str> + 'h,
{
    let mut found = headers.into_iter().filter(|(key, _)| key.as_ref().eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.as_ref())
}

#[cfg(test)]
mod tests;
