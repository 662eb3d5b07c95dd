//! An HTTP client for calls to addresses that users choose.
//!
//! Every address is checked after its name is resolved and before it is connected to, and the connection goes
//! to exactly the checked address, so DNS rebinding gains nothing. Redirects are not followed, no proxy is
//! used, responses are limited in size, and everything has a deadline.

mod address;
mod body;
mod connector;
mod error;
mod rate;
mod spans;

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};

pub use address::{Reach, is_public};
pub use body::Gate;
use body::RequestBody;
use connector::Connector;
pub use connector::Refusal;
pub use error::Error;
use rate::Rate;

/// Idle connections kept to one host, and for how long: as many as the sender's calls to one channel need, so that those
/// of a busy channel are not opened anew for every batch.
const IDLE_PER_HOST_MAX: usize = 512;
const IDLE_TIME_MAX: Duration = Duration::from_mins(1);
/// A response that is longer than wanted is read up to here, so that its connection can be reused.
const DRAIN_BYTES_MAX: usize = 64 * 1024;

/// A response, read up to the limit.
#[derive(Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A client; clones share its connections.
#[derive(Clone)]
pub struct Client {
    inner: legacy::Client<Connector, RequestBody>,
    reach: Reach,
    /// Whether calls carry the trace to which they belong.
    tells_trace: bool,
}

impl Client {
    #[expect(clippy::disallowed_methods, reason = "this is the client that checks every address")]
    pub fn new(reach: Reach) -> Self {
        let inner = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(IDLE_PER_HOST_MAX)
            .pool_idle_timeout(IDLE_TIME_MAX)
            .build(Connector::new(reach));
        Self { inner, reach, tells_trace: false }
    }

    /// The same client for calls that carry a `traceparent` header if they belong to a trace.
    pub fn telling_trace(&self) -> Self {
        Self { tells_trace: true, ..self.clone() }
    }

    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Sends a request and reads up to `body_bytes_max` of the response, all within `time_max`.
    pub async fn send(
        &self,
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: Bytes,
        limits: Limits,
    ) -> Result<Response, Error> {
        self.send_body(method, uri, headers, RequestBody::new(body), limits).await
    }

    /// Does the same, but sends the body only after the gate has opened, for which it waits once the connection is made.
    /// If the gate stays closed, or nothing is connected, the request was not made.
    pub async fn send_behind(
        &self,
        gate: Gate,
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: Bytes,
        limits: Limits,
    ) -> Result<Response, Error> {
        let body = if body.is_empty() {
            // An empty body is not asked for.
            if !gate.await {
                return Err(Error::Unreached("the request was called off".to_owned()));
            }
            RequestBody::new(body)
        } else {
            RequestBody::behind(gate, body)
        };
        self.send_body(method, uri, headers, body, limits).await
    }

    async fn send_body(
        &self,
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: RequestBody,
        limits: Limits,
    ) -> Result<Response, Error> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        let span = spans::begin(&mut request, self.tells_trace);
        let sent = self.send_request(request, limits).await;
        spans::end(span, sent.as_ref().map(|response| response.status));
        sent
    }

    #[expect(clippy::disallowed_methods, reason = "a deadline, which is not stored")]
    async fn send_request(&self, request: Request<RequestBody>, limits: Limits) -> Result<Response, Error> {
        let end = tokio::time::Instant::now() + limits.time_max;
        let response = tokio::time::timeout_at(end, self.inner.request(request)).await;
        let response =
            response.map_err(|_| Error::Timeout(limits.time_max))?.map_err(|error| Error::of(&error))?;
        let (parts, mut body) = response.into_parts();
        let mut kept = BytesMut::new();
        // The status is enough: a body that breaks off or is too slow is kept as far as it was read.
        let _ = tokio::time::timeout_at(end, read(&mut body, &mut kept, limits.body_bytes_max)).await;
        Ok(Response { status: parts.status, headers: parts.headers, body: kept.freeze() })
    }

    /// Sends a request and returns its response for reading in pieces. The response must begin within
    /// `time_max`, and must then keep the minimum rate.
    pub async fn open(
        &self,
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        time_max: Duration,
    ) -> Result<StreamingResponse, Error> {
        let mut request = Request::new(RequestBody::new(Bytes::new()));
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        let span = spans::begin(&mut request, self.tells_trace);
        let response = tokio::time::timeout(time_max, self.inner.request(request)).await;
        let response = response
            .map_err(|_| Error::Timeout(time_max))
            .and_then(|response| response.map_err(|error| Error::of(&error)));
        spans::end(span, response.as_ref().map(http::Response::status));
        let (parts, body) = response?.into_parts();
        Ok(StreamingResponse {
            status: parts.status,
            headers: parts.headers,
            body,
            time_max,
            rate: Rate::default(),
        })
    }

    /// Checks an address before anything is sent to it: a literal one, or those that a name resolves to now.
    /// A name that does not resolve passes; each attempt checks again.
    pub async fn inspect(&self, uri: &Uri, time_max: Duration) -> Result<(), Refusal> {
        let looked = tokio::time::timeout(time_max, connector::resolve(uri, self.reach)).await;
        match looked {
            Ok(Err(refusal @ (Refusal::Address { .. } | Refusal::Scheme))) => Err(refusal),
            _ => Ok(()),
        }
    }
}

/// Reads a body to its end or its limit, and keeps its beginning.
async fn read(body: &mut Incoming, kept: &mut BytesMut, bytes_max: usize) {
    let mut seen = 0;
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            seen += data.len();
            kept.extend_from_slice(&data[..data.len().min(bytes_max - kept.len())]);
        }
        if seen > bytes_max.max(DRAIN_BYTES_MAX) {
            break;
        }
    }
}

/// A response whose body is read in pieces.
#[derive(Debug)]
pub struct StreamingResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: Incoming,
    time_max: Duration,
    rate: Rate,
}

impl StreamingResponse {
    /// The next piece; none at the end. Each has the same deadline as the beginning of the response. A transfer below
    /// the minimum rate fails, however small and regular its pieces are.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            let left = self.rate.time_left();
            let (frame, waited) =
                timed(tokio::time::timeout(left.min(self.time_max), self.body.frame())).await;
            let late = |_| if left < self.time_max { Rate::failure() } else { Error::Timeout(self.time_max) };
            match frame.map_err(late)? {
                None => return Ok(None),
                Some(Err(error)) => return Err(Error::Connection(error.to_string())),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        if !self.rate.take(data.len() as u64, waited) {
                            return Err(Rate::failure());
                        }
                        return Ok(Some(data));
                    }
                }
            }
        }
    }
}

/// The time limit of a request, and the size limit of its response.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time_max: Duration,
    pub body_bytes_max: usize,
}

/// Runs a request and measures its duration.
#[expect(clippy::disallowed_methods, reason = "measures how long it takes")]
pub async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let started = Instant::now();
    let result = work.await;
    (result, started.elapsed())
}

#[cfg(test)]
mod tests;
