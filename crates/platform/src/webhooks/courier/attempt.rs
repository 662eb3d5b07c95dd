//! One attempt: a signed call, and its outcome.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_kernel::{Timestamp, storable};
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
    pub(super) started_at: Timestamp,
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
            (
                verdict,
                Some(i64::from(code.as_u16())),
                error,
                storable::beginning(&response.body, SNIPPET_BYTES_MAX),
            )
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
    let millis = elapsed.as_millis() as i64;
    Outcome { started_at, ended_at, millis, verdict, status_code, error, snippet }
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
    server.services.outbound.telling_trace().send(Method::POST, uri, headers, body, limits).await
}

fn asked_pause(response: &Response, now: Timestamp) -> Option<Duration> {
    schedule::retry_after(response.headers.get(RETRY_AFTER)?.to_str().ok()?, now.seconds())
}
