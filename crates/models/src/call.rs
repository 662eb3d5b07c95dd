//! One call over HTTP. It ends within a deadline, and is retried after a temporary refusal that was not billed.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_outbound::{self as outbound, Client, Limits};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use tokio::time::{Instant, sleep};

use crate::endpoint::Endpoint;
use crate::error::ModelError;
use crate::response::Response;
use crate::{fault, retry};

/// A call with all its attempts ends within this time.
pub const CALL_TIME_MAX: Duration = Duration::from_mins(3);
/// Maximum time for one attempt.
const ATTEMPT_TIME_MAX: Duration = Duration::from_mins(2);
/// The largest request. Anthropic accepts 32 MB.
pub const REQUEST_BYTES_MAX: usize = 30 << 20;

const ANTHROPIC_VERSION: (HeaderName, HeaderValue) =
    (HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));

/// How long a call may take, and the random number that adds jitter to its retries.
#[derive(Clone, Copy, Debug)]
pub struct CallOptions {
    /// For all attempts and waits; at most [`CALL_TIME_MAX`].
    pub time_max: Duration,
    /// Any random number.
    pub chance: u64,
}

impl CallOptions {
    /// A call with the usual time.
    pub fn new(chance: u64) -> Self {
        Self { time_max: CALL_TIME_MAX, chance }
    }
}

/// A request that is ready to be sent, as often as needed.
pub(crate) struct Call<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) method: Method,
    pub(crate) path: &'a str,
    pub(crate) content_type: Option<HeaderValue>,
    pub(crate) body: Bytes,
    /// The largest response that is read.
    pub(crate) reply_bytes_max: usize,
}

impl Call<'_> {
    /// Makes the call. Returns only successful responses.
    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    pub(crate) async fn make(&self, client: &Client, options: CallOptions) -> Result<Response, ModelError> {
        if self.body.len() > REQUEST_BYTES_MAX {
            return Err(ModelError::RequestTooLarge { bytes: self.body.len(), bytes_max: REQUEST_BYTES_MAX });
        }
        let end = Instant::now() + options.time_max.min(CALL_TIME_MAX);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let error = match self.attempt(client, end).await {
                Ok(response) => return Ok(response),
                Err(error) if !error.is_retried() => return Err(error),
                Err(error) => error,
            };
            let left = end.saturating_duration_since(Instant::now());
            match retry::wait(attempts, error.retry_after(), left, options.chance) {
                Some(wait) => sleep(wait).await,
                None => return Err(error),
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    async fn attempt(&self, client: &Client, end: Instant) -> Result<Response, ModelError> {
        let provider = self.endpoint.provider();
        let left = end.saturating_duration_since(Instant::now());
        let time_max = left.min(ATTEMPT_TIME_MAX);
        let uri: Uri = self.endpoint.url(self.path).parse().map_err(|_| ModelError::Unreached {
            provider,
            reason: "its address cannot be read".to_owned(),
        })?;
        // One byte more than is accepted distinguishes a response that is too large from one that just fits.
        let limits = Limits { time_max, body_bytes_max: self.reply_bytes_max + 1 };
        let sent = client.send(self.method.clone(), uri, self.headers(), self.body.clone(), limits).await;
        let received = sent.map_err(|error| match error {
            outbound::Error::Timeout(_) => ModelError::TimedOut { provider, time_max },
            outbound::Error::Connection(reason) => ModelError::Interrupted { provider, reason },
            outbound::Error::Unreached(reason) => ModelError::Unreached { provider, reason },
            outbound::Error::Refused(refusal) => {
                ModelError::AddressRefused { provider, reason: refusal.to_string() }
            }
        })?;
        let response =
            Response { status: received.status.as_u16(), headers: received.headers, body: received.body };
        if !received.status.is_success() {
            return Err(fault::classify(self.endpoint, &response));
        }
        if response.body.len() > self.reply_bytes_max {
            let reason = format!("it is larger than {} bytes", self.reply_bytes_max);
            return Err(ModelError::Unreadable { provider, reason });
        }
        if is_cut(&response) {
            let reason = "only a part of it arrived".to_owned();
            return Err(ModelError::Interrupted { provider, reason });
        }
        Ok(response)
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = self.endpoint.headers().clone();
        headers
            .insert(USER_AGENT, HeaderValue::from_static(concat!("Frontdesk/", env!("CARGO_PKG_VERSION"))));
        headers.extend(self.content_type.clone().map(|kind| (CONTENT_TYPE, kind)));
        if self.endpoint.provider() == crate::endpoint::Provider::Anthropic {
            headers.extend([ANTHROPIC_VERSION]);
        }
        headers
    }
}

/// Whether the body is shorter than its `Content-Length`. The client returns the part that arrived before the
/// connection broke.
fn is_cut(response: &Response) -> bool {
    let announced = response.headers.get(http::header::CONTENT_LENGTH);
    let announced: Option<usize> = announced.and_then(|length| length.to_str().ok()?.parse().ok());
    announced.is_some_and(|length| response.body.len() < length)
}
