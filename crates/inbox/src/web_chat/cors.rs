//! CORS for pages of any origin: the widget runs on other websites.
//!
//! The page sends a visitor's token itself, never as a cookie, so a foreign page has no credentials to
//! misuse. The response is the same for every origin and needs no `Vary`.

use frontdesk_kernel::Timestamp;
use frontdesk_platform::ServerContext;
use frontdesk_platform::public_endpoint::PublicResponse;
use frontdesk_web::{Failure, Reply, RequestId};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL,
};
use http::{HeaderName, HeaderValue, StatusCode};

/// How long a browser may cache a preflight.
const PREFLIGHT_SECONDS: i64 = 3_600;
pub(super) const ANY: HeaderValue = HeaderValue::from_static("*");
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST");
const HEADERS: HeaderValue = HeaderValue::from_static("authorization, content-type, last-event-id");
const EXPOSED: HeaderValue = HeaderValue::from_static("retry-after, x-request-id");

/// The response to a preflight.
pub(super) fn leave() -> Reply {
    Reply::new(StatusCode::NO_CONTENT, "")
        .header(ACCESS_CONTROL_ALLOW_ORIGIN, ANY)
        .header(ACCESS_CONTROL_ALLOW_METHODS, METHODS)
        .header(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS)
        .header(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS.into())
}

/// Lets any page read the response, and no cache store it unless it says how long.
pub(super) fn open(mut response: PublicResponse) -> PublicResponse {
    let headers = &mut response.reply.headers;
    headers.extend([(ACCESS_CONTROL_ALLOW_ORIGIN, ANY), (ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED)]);
    if headers.iter().all(|(name, _)| *name != CACHE_CONTROL) {
        headers.push((CACHE_CONTROL, HeaderValue::from_static("no-store")));
    }
    response
}

/// A failure as a response to which CORS headers can be added; without them a page could not read the reason.
pub(super) fn failure_response(failure: &Failure, server: &ServerContext, now: Timestamp) -> PublicResponse {
    let id = RequestId::from_uuid(server.recorder.next::<RequestId>(now).uuid());
    let mut reply = failure.render(&id);
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        reply.headers.push((HeaderName::from_static("x-request-id"), id));
    }
    reply.into()
}
