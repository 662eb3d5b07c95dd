//! One attempt: a signed call, and its outcome.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_kernel::Timestamp;
use frontdesk_outbound::{Error, Limits, Response, timed};
use http::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use super::claim::{self, Job};
use super::target::Target;
use crate::events;
use crate::public_endpoint::ServerContext;
use crate::webhooks::{schedule, signing};

/// The deadline for an endpoint's response.
pub(super) const CALL_TIME_MAX: Duration = Duration::from_secs(15);
/// The stored part of a response.
const SNIPPET_BYTES_MAX: usize = 1024;

/// The outcome of an attempt.
pub(super) struct Outcome {
    pub(super) ended_at: Timestamp,
    pub(super) millis: i64,
    pub(super) verdict: Verdict,
    pub(super) status_code: Option<i64>,
    pub(super) error: Option<String>,
    pub(super) snippet: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Delivered,
    /// Retry at that time; none after the last attempt.
    Again(Option<Timestamp>),
    /// The endpoint responded that it is permanently gone.
    Gone,
    /// Webhooks may not call this address.
    Refused,
}

impl Outcome {
    pub(super) fn is_success(&self) -> bool {
        self.verdict == Verdict::Delivered
    }
}

#[expect(clippy::disallowed_methods, reason = "spreads retries; the pause is a function of it")]
pub(super) async fn make(server: &ServerContext, job: &Job, target: &Target) -> Outcome {
    let started_at = (server.clock)();
    let (response, elapsed) = timed(call(server, job, target, started_at)).await;
    let ended_at = (server.clock)();
    let again = |retry_after: Option<Duration>| {
        Verdict::Again(
            schedule::pause(job.step + 1, rand::random(), retry_after).map(|pause| ended_at + pause),
        )
    };
    let (verdict, status_code, error, snippet) = match response {
        Ok(response) => {
            let code = response.status;
            let verdict = match code {
                code if code.is_success() => Verdict::Delivered,
                StatusCode::GONE => Verdict::Gone,
                _ => again(asked_pause(&response, ended_at)),
            };
            let error = (!code.is_success()).then(|| format!("the endpoint answered {}", code.as_u16()));
            (verdict, Some(i64::from(code.as_u16())), error, snippet(&response.body))
        }
        Err(error @ Error::Refused(_)) => (Verdict::Refused, None, Some(error.to_string()), None),
        Err(error) => (again(None), None, Some(error.to_string()), None),
    };
    let told = match verdict {
        Verdict::Delivered => "delivered",
        Verdict::Again(Some(_)) => "retried",
        Verdict::Again(None) => "exhausted",
        Verdict::Gone | Verdict::Refused => "failed",
    };
    metrics::counter!("frontdesk_webhook_attempts_total", "outcome" => told).increment(1);
    metrics::histogram!("frontdesk_webhook_attempt_seconds").record(elapsed.as_secs_f64());
    Outcome { ended_at, millis: elapsed.as_millis() as i64, verdict, status_code, error, snippet }
}

async fn call(server: &ServerContext, job: &Job, target: &Target, now: Timestamp) -> Result<Response, Error> {
    let Some(uri) = target.uri.clone() else {
        return Err(Error::Connection("the address cannot be read".to_owned()));
    };
    // Never send unsigned, even if the secrets cannot be decrypted.
    if target.secrets.is_empty() {
        return Err(Error::Connection("the signing secret cannot be read; rotate it".to_owned()));
    }
    let body = Bytes::from(claim::envelope(job));
    let id = events::public_id(job.event);
    let signature = signing::signature(&target.secrets, &id, now.seconds(), &body);
    let mut headers = HeaderMap::with_capacity(5);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("Frontdesk/", env!("CARGO_PKG_VERSION"))));
    for (name, value) in [
        ("webhook-id", id),
        ("webhook-timestamp", now.seconds().to_string()),
        ("webhook-signature", signature),
    ] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    let limits = Limits { time_max: CALL_TIME_MAX, body_bytes_max: SNIPPET_BYTES_MAX };
    server.services.outbound.send(Method::POST, uri, headers, body, limits).await
}

fn asked_pause(response: &Response, now: Timestamp) -> Option<Duration> {
    schedule::retry_after(response.headers.get(RETRY_AFTER)?.to_str().ok()?, now.seconds())
}

/// The beginning of a response as text that both engines can store.
fn snippet(body: &[u8]) -> Option<String> {
    let kept = &body[..body.len().min(SNIPPET_BYTES_MAX)];
    // A character that the limit cuts is left out. Other invalid bytes are replaced, which may take more
    // space.
    let kept = match std::str::from_utf8(kept) {
        Err(error) if error.error_len().is_none() => &kept[..error.valid_up_to()],
        _ => kept,
    };
    let mut text = String::from_utf8_lossy(kept).replace('\0', "\u{FFFD}");
    text.truncate(text.floor_char_boundary(SNIPPET_BYTES_MAX));
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_valid_text_of_at_most_a_kilobyte() {
        assert_eq!(snippet(b""), None);
        assert_eq!(snippet(b"ok").as_deref(), Some("ok"));
        assert_eq!(snippet(&[b'x'; 4000]).unwrap().len(), 1024);
        let cut = [vec![b'x'; 1023], "é".into()].concat();
        assert_eq!(snippet(&cut).unwrap().len(), 1023);
        assert_eq!(snippet(b"a\xffb\0").as_deref(), Some("a\u{FFFD}b\u{FFFD}"));
        assert!(snippet(&[0xff; 4000]).unwrap().len() <= 1024);
        assert!(snippet(&[0; 4000]).unwrap().len() <= 1024);
    }
}
