//! The span of a call. It has the host and the method, and neither the path nor the query, which may hold secrets.

use frontdesk_trace::{self as trace, Span, SpanKind};
use http::{HeaderName, HeaderValue, Request, StatusCode};

use crate::error::Error;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Begins the span of a call, if it belongs to a trace, and tells the trace to the other side if `tells_trace`.
pub(crate) fn begin<B>(request: &mut Request<B>, tells_trace: bool) -> Option<Span> {
    // The trace may not be recorded; then the call has no span, and the other side learns that.
    let around = trace::current()?;
    let span = Span::child(SpanKind::Client, method(request));
    if let Some(span) = &span {
        span.set("http.request.method", method(request));
        if let Some(host) = request.uri().host() {
            span.set("server.address", host.to_owned());
        }
    }
    let context = span.as_ref().map_or(around, Span::context);
    if tells_trace && let Ok(value) = HeaderValue::from_str(&context.to_string()) {
        request.headers_mut().insert(TRACEPARENT, value);
    }
    span
}

fn method<B>(request: &Request<B>) -> &'static str {
    const METHODS: [&str; 5] = ["GET", "POST", "PUT", "DELETE", "PATCH"];
    METHODS.into_iter().find(|known| request.method() == known).unwrap_or("OTHER")
}

/// Ends the span with the status of the response, or with the kind of the failure.
pub(crate) fn end(span: Option<Span>, outcome: Result<StatusCode, &Error>) {
    let Some(span) = span else { return };
    match outcome {
        Ok(status) => {
            span.set("http.response.status_code", i64::from(status.as_u16()));
            if status.is_client_error() || status.is_server_error() {
                span.fail("the response is an error");
            }
        }
        // The text of an error may repeat the address.
        Err(Error::Timeout(_)) => span.fail("timeout"),
        Err(Error::Connection(_)) => span.fail("the connection broke"),
        Err(Error::Unreached(_)) => span.fail("unreached"),
        Err(Error::Refused(_)) => span.fail("the address is refused"),
    }
}
