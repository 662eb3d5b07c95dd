//! The widget: a small script that websites embed.
//!
//! ```html
//! <script src="https://HOST/widget.js" data-connection="ID" data-title="Ask us" data-color="#0a5" async></script>
//! ```

use std::io::Write;
use std::sync::LazyLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{PublicEndpoint, PublicRequest};
use frontdesk_web::{Failure, Reply, Result, takes_gzip};
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, StatusCode};

use super::cors::ANY;
use super::etag;

/// No body is read.
const BODY_BYTES_MAX: usize = 0;
const SCRIPT: &str = include_str!("widget.js");
/// Browsers cache the script for an hour.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=3600");

/// The script as almost every browser gets it. It is compressed once, so as small as possible.
static COMPRESSED: LazyLock<Bytes> = LazyLock::new(|| {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(SCRIPT.as_bytes()).expect("memory takes all bytes");
    encoder.finish().expect("memory takes all bytes").into()
});
static TAG: LazyLock<HeaderValue> = LazyLock::new(|| etag::of(SCRIPT.as_bytes()));

/// The endpoint of the widget's script.
pub fn public_endpoint() -> PublicEndpoint {
    PublicEndpoint::new("widget.js", BODY_BYTES_MAX, |_, request| {
        Box::pin(async move { respond(&request.head) })
    })
}

fn respond(request: &PublicRequest) -> Result<PublicResponse> {
    if !request.path.is_empty() {
        return Err(nothing_here());
    }
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return Err(Failure::method_not_allowed("GET, HEAD"));
    }
    let known = request.headers.get(IF_NONE_MATCH).is_some_and(|tags| etag::names(tags, &TAG));
    let reply = if known {
        Reply::new(StatusCode::NOT_MODIFIED, "")
    } else {
        script(takes_gzip(&request.headers))
            .header(CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8"))
            .header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
    };
    Ok(reply
        .header(ETAG, TAG.clone())
        .header(CACHE_CONTROL, CACHED)
        .header(ACCESS_CONTROL_ALLOW_ORIGIN, ANY)
        .header(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        )
        .into())
}

fn script(gzip: bool) -> Reply {
    if gzip {
        Reply::new(StatusCode::OK, COMPRESSED.clone())
            .header(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
    } else {
        Reply::new(StatusCode::OK, Bytes::from_static(SCRIPT.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::Timestamp;
    use http::HeaderMap;

    fn request(method: Method, headers: HeaderMap) -> PublicRequest {
        PublicRequest {
            method,
            path: String::new(),
            query: String::new(),
            headers,
            body: Bytes::new(),
            address: None,
            now: Timestamp::from_millis(0),
        }
    }

    /// Every page of a website loads the script, so it must be small.
    const COMPRESSED_BYTES_MAX: usize = 15_000;

    #[test]
    fn the_script_is_small_and_writes_no_markup() {
        assert!(COMPRESSED.len() < COMPRESSED_BYTES_MAX, "{}", COMPRESSED.len());
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!SCRIPT.contains(way), "{way}");
        }
    }

    #[test]
    fn a_browser_that_has_the_script_is_not_sent_it_again() {
        let first = respond(&request(Method::GET, HeaderMap::new())).unwrap().reply;
        assert_eq!((first.status, first.body.len()), (StatusCode::OK, SCRIPT.len()));
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, TAG.clone());
        let again = respond(&request(Method::GET, headers)).unwrap().reply;
        assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0));
        assert_eq!(respond(&request(Method::POST, HeaderMap::new())).err().unwrap().status(), 405);
    }
}
