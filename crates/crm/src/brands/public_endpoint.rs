//! The endpoint of logos: `GET /brands/{hash}`. It serves a picture and nothing else.

use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{Error as PlatformError, PublicEndpoint, PublicRequest, ServerContext};
use frontdesk_web::{Failure, Reply, Result};
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, StatusCode};

use super::ops;

/// No body is read.
const BODY_BYTES_MAX: usize = 0;
/// SHA-256 in hexadecimal.
const HASH_CHARS: usize = 64;
/// A logo that changes has another address.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// The endpoint of logos.
pub fn public_endpoint() -> PublicEndpoint {
    PublicEndpoint::new("brands", BODY_BYTES_MAX, |server, request| {
        Box::pin(async move { respond(server, &request.head).await })
    })
}

async fn respond(server: &ServerContext, request: &PublicRequest) -> Result<PublicResponse> {
    let hash = request.path.clone();
    if hash.len() != HASH_CHARS || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(nothing_here());
    }
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return Err(Failure::method_not_allowed("GET, HEAD"));
    }
    let found = server.store.read(move |tx| ops::logo(tx, &hash).map_err(PlatformError::from)).await?;
    let (kind, bytes) = found.ok_or_else(nothing_here)?;
    Ok(Reply::new(StatusCode::OK, bytes)
        .header(CONTENT_TYPE, HeaderValue::from_static(kind.as_str()))
        .header(X_CONTENT_TYPE_OPTIONS, NOSNIFF)
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header(CACHE_CONTROL, KEPT)
        // Websites show it in the chat.
        .header(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"))
        .header(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        )
        .into())
}
