//! Sends a call until it has a result: attempts, pauses and the deadline.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, HeaderValue, USER_AGENT};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use tokio::time::{Instant, sleep, timeout_at};
use uuid::Uuid;

use crate::call::Call;
use crate::client::Client;
use crate::error::{ApiError, Error, ErrorCode, Result};
use crate::response::RawResponse;
use crate::retry::{self, Failure};

/// The deadline of a call with all its attempts, unless it is given another.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The time of one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// Both for a file, which may have 100 MiB.
const FILE_TIMEOUT: Duration = Duration::from_mins(10);
/// A response is a page of rows at most.
const RESPONSE_BYTES_MAX: usize = 64 << 20;
const AGENT: HeaderValue = HeaderValue::from_static(concat!("frontdesk-rust/", env!("CARGO_PKG_VERSION")));
/// The reason of a 409 while an earlier request with the same idempotency key is carried out.
const IN_FLIGHT: &str = "idempotency_key_in_flight";

/// A future that can be kept anywhere. Dropping it cancels the call.
pub(crate) type Sending<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// Why an attempt has no response.
enum Attempt {
    NotSent(BoxError),
    Broken(BoxError),
    TimedOut,
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Client {
    /// Sends a call until the server has accepted or finally refused it.
    pub(crate) async fn send(&self, call: &Call) -> Result<RawResponse> {
        let (usual, usual_of_attempt) =
            if call.is_file { (FILE_TIMEOUT, FILE_TIMEOUT) } else { (TIMEOUT, ATTEMPT_TIMEOUT) };
        let time = call.timeout.or(self.0.timeout).unwrap_or(usual);
        let patience = self.0.attempt_timeout.unwrap_or(usual_of_attempt);
        let deadline = after(time);
        let retries = call.retries.unwrap_or(self.0.max_retries);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let until = deadline.min(after(patience));
            let outcome = match timeout_at(until, self.attempt(call)).await {
                Ok(outcome) => outcome?,
                Err(_) => Err(Attempt::TimedOut),
            };
            let (failure, error) = match outcome {
                Ok(response) if response.status().is_success() => return Ok(response),
                Ok(response) => refused(response),
                Err(Attempt::NotSent(source)) => (Failure::NotSent, Error::Connection { attempts, source }),
                Err(Attempt::Broken(source)) => (Failure::Broken, Error::Connection { attempts, source }),
                Err(Attempt::TimedOut) => {
                    (Failure::Broken, Error::Timeout { after: time.min(patience), attempts })
                }
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let more = retries.saturating_sub(attempts - 1);
            match retry::pause(failure, call.is_repeatable(), attempts, more, left, chance()) {
                Some(pause) => sleep(pause).await,
                None => return Err(error),
            }
        }
    }

    async fn attempt(&self, call: &Call) -> Result<Result<RawResponse, Attempt>> {
        let response = match self.begin(call, "application/json").await? {
            Ok(response) => response,
            Err(failed) => return Ok(Err(failed)),
        };
        Ok(self.read(response).await)
    }

    /// Sends a call once, and returns the head of its response.
    async fn begin(
        &self,
        call: &Call,
        accept: &'static str,
    ) -> Result<Result<http::Response<Incoming>, Attempt>> {
        if let Some(wrong) = &call.invalid {
            return Err(Error::Invalid(wrong.clone()));
        }
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(format!("{}{}", self.0.url, call.target()))
            .body(Full::new(call.body.clone()))
            .map_err(|error| Error::Invalid(format!("the request cannot be sent: {error}")))?;
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        headers.insert(USER_AGENT, AGENT);
        headers.insert(AUTHORIZATION, self.0.authorization.clone());
        headers.extend(call.headers.clone());
        Ok(self.0.http.request(request).await.map_err(|error| {
            if error.is_connect() { Attempt::NotSent(error.into()) } else { Attempt::Broken(error.into()) }
        }))
    }

    async fn read(&self, response: http::Response<Incoming>) -> Result<RawResponse, Attempt> {
        let (head, body) = response.into_parts();
        let body = match Limited::new(body, RESPONSE_BYTES_MAX).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => Bytes::new(),
            Err(error) => return Err(Attempt::Broken(error)),
        };
        let response = RawResponse::new(head.status, head.headers, body);
        self.note(&response);
        Ok(response)
    }

    /// Opens a stream: the body of a response that does not end. It is tried once.
    pub(crate) async fn open(&self, call: &Call, patience: Duration) -> Result<Incoming, Unopened> {
        let until = after(patience);
        let begun = match timeout_at(until, self.begin(call, "text/event-stream")).await {
            Ok(begun) => begun.map_err(Unopened::Refused)?,
            Err(_) => return Err(Unopened::Again(None)),
        };
        let Ok(response) = begun else { return Err(Unopened::Again(None)) };
        if response.status() == StatusCode::OK {
            return Ok(response.into_body());
        }
        let Ok(Ok(response)) = timeout_at(until, self.read(response)).await else {
            return Err(Unopened::Again(None));
        };
        match response.status().as_u16() {
            429 | 500.. => Err(Unopened::Again(response.retry_after())),
            _ => Err(Unopened::Refused(ApiError::read(response).into())),
        }
    }
}

/// Why a stream was not opened.
pub(crate) enum Unopened {
    /// For a reason that stays.
    Refused(Error),
    /// For one that passes, perhaps after the wait that the server asks for.
    Again(Option<Duration>),
}

fn refused(response: RawResponse) -> (Failure, Error) {
    let (status, retry_after) = (response.status(), response.retry_after());
    let error = ApiError::read(response);
    let in_flight = error.code == ErrorCode::Conflict && error.reason.as_deref() == Some(IN_FLIGHT);
    (Failure::Refused { status, retry_after, in_flight }, error.into())
}

/// This much later, or a year later if there is no such moment.
fn after(time: Duration) -> Instant {
    const YEAR: Duration = Duration::from_hours(365 * 24);
    let now = Instant::now();
    now + time.min(YEAR)
}

/// Between 0 and 1.
pub(crate) fn chance() -> f64 {
    let (high, _) = Uuid::new_v4().as_u64_pair();
    // The upper half of these bits has no version in it.
    f64::from(u32::try_from(high >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}
