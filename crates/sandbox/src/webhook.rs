//! Outgoing webhooks: signed as the vendor signs them, and retried until they are accepted.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::Value;
use sha2::{Sha256, Sha512};
use tokio::sync::Semaphore;

use crate::mark::hex;

/// The deadline for the response to a webhook.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum concurrent webhooks; others wait.
const AT_ONCE_MAX: usize = 64;
/// An idle connection is kept this long, which is less than servers keep theirs.
const IDLE_TIME_MAX: Duration = Duration::from_secs(5);
/// Maximum bytes of a response that are read.
const ANSWER_BYTES_MAX: usize = 4 << 10;
/// The pauses between retries. Two minutes in all: long enough for a server to restart.
const PAUSES: [Duration; 9] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(15),
    Duration::from_secs(30),
    Duration::from_mins(1),
];

/// A signed webhook.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) url: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Hook {
    /// Meta's signature: HMAC-SHA256 of the body under the app's secret.
    pub(crate) fn from_meta(url: &str, app_secret: &str, body: &Value) -> Self {
        let body = Bytes::from(body.to_string());
        let signature = format!("sha256={}", sign::<Hmac<Sha256>>(app_secret, &body));
        let headers = [("x-hub-signature-256", signature), ("user-agent", "facebookexternalua".into())];
        Self::new(url, body, headers)
    }

    /// The bridge's signature: HMAC-SHA512 of the body under the hook's key; none without a key.
    pub(crate) fn from_bridge(url: &str, key: Option<&str>, body: &Value, now: i64) -> Self {
        let id = body["id"].as_str().unwrap_or_default().to_owned();
        let body = Bytes::from(body.to_string());
        let mut headers = vec![("x-webhook-request-id", id), ("x-webhook-timestamp", now.to_string())];
        if let Some(key) = key {
            headers.push(("x-webhook-hmac", sign::<Hmac<Sha512>>(key, &body)));
            headers.push(("x-webhook-hmac-algorithm", "sha512".into()));
        }
        Self::new(url, body, headers)
    }

    fn new(url: &str, body: Bytes, pairs: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(USER_AGENT, HeaderValue::from_static("frontdesk-sandbox"));
        for (name, value) in pairs {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        Self { url: url.to_owned(), headers, body }
    }
}

/// Whether a caller that has this token also has the app's secret.
pub(crate) fn is_proof(app_secret: &str, access_token: &str, proof: &str) -> bool {
    sign::<Hmac<Sha256>>(app_secret, access_token.as_bytes()).eq_ignore_ascii_case(proof)
}

fn sign<M: Mac + KeyInit>(key: &str, body: &[u8]) -> String {
    // HMAC accepts a key of any length.
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(key.as_bytes()) else { return String::new() };
    mac.update(body);
    hex(&mac.finalize().into_bytes())
}

/// Sends webhooks.
#[derive(Clone)]
pub(crate) struct Courier {
    client: Client<HttpConnector, Full<Bytes>>,
    at_once: Arc<Semaphore>,
}

impl Default for Courier {
    #[expect(clippy::disallowed_methods, reason = "the sandbox calls only the server that it is a part of")]
    fn default() -> Self {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIME_MAX)
            .build(HttpConnector::new());
        Self { client, at_once: Arc::new(Semaphore::new(AT_ONCE_MAX)) }
    }
}

impl Courier {
    /// Sends once. Returns the status if it was accepted, or the reason if not.
    pub(crate) async fn send(&self, hook: &Hook) -> Result<u16, String> {
        // The semaphore is never closed.
        let _turn = self.at_once.acquire().await;
        match tokio::time::timeout(ANSWER_TIME_MAX, self.ask(hook)).await {
            Ok(response) => response,
            Err(_) => Err(format!("{} did not answer within {} s", hook.url, ANSWER_TIME_MAX.as_secs())),
        }
    }

    /// Sends until it is accepted or the retries are used up.
    pub(crate) async fn send_surely(&self, hook: &Hook) -> Result<u16, String> {
        for pause in PAUSES {
            match self.send(hook).await {
                Err(why) => tracing::debug!(url = hook.url, why, "a webhook of the sandbox was refused"),
                taken => return taken,
            }
            tokio::time::sleep(pause).await;
        }
        let last = self.send(hook).await;
        if let Err(why) = &last {
            tracing::warn!(url = hook.url, why, "sandbox webhook failed; giving up");
        }
        last
    }

    async fn ask(&self, hook: &Hook) -> Result<u16, String> {
        let mut request = Request::new(Full::new(hook.body.clone()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = hook.url.parse().map_err(|why| format!("{} is no address: {why}", hook.url))?;
        *request.headers_mut() = hook.headers.clone();
        let response = self.client.request(request).await;
        let response = response.map_err(|why| format!("{} cannot be reached: {}", hook.url, root(&why)))?;
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
        if status.is_success() {
            return Ok(status.as_u16());
        }
        let body =
            body.map(|body| String::from_utf8_lossy(&body.to_bytes()).into_owned()).unwrap_or_default();
        Err(format!("{} answered {}: {body}", hook.url, status.as_u16()))
    }
}

/// The root cause of an error, which is the most readable part.
fn root(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_what_others_compute() {
        // From RFC 4231, test case 2.
        let (key, body) = ("Jefe", b"what do ya want for nothing?");
        assert_eq!(
            sign::<Hmac<Sha256>>(key, body),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert!(sign::<Hmac<Sha512>>(key, body).starts_with("164b7a7bfcf819e2e395fbe73b56e0a3"));
    }
}
