//! The dashboard's files, which are built into the binary.
//!
//! Every path under `/app` that names no file is the page itself, which decides what to show. Files under
//! `/app/assets` have their content's hash in their names, so browsers cache them for a year. Without a build
//! of the dashboard, `/app` says how to make one.
//!
//! Scripts and styles are in the binary once, as gzip. The few clients that do not accept it get them decompressed.

use std::borrow::Cow;
use std::io::Read;

use bytes::Bytes;
use flate2::read::GzDecoder;
use frontdesk_web::{Failure, Reply, Result, takes_gzip};
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use rust_embed::RustEmbed;

const PREFIX: &str = "/app";
const PAGE: &str = "index.html";
/// Everything comes from this server. The page cannot be framed, submit forms elsewhere or run inline
/// scripts.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
     media-src 'self' blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'",
);
/// A file whose name changes with its content.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Revalidated each time, so that a new version is used.
const FRESH: HeaderValue = HeaderValue::from_static("no-cache");

const NOT_BUILT: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Frontdesk</title>
<h1>The dashboard is not built yet</h1>
<p>This server was built without it. Build the dashboard, then the server, in the source directory:</p>
<pre>make dashboard
cargo build --release</pre>
<p>The API works all the same: see <a href=\"/docs\">its documentation</a>.</p>
</html>
";

/// The build of the dashboard, if there was one.
#[derive(RustEmbed)]
#[folder = "../../dashboard/dist"]
#[allow_missing = true]
struct Files;

/// The page of the interactive reference, which has a path of its own.
pub(super) const REFERENCE_FILE: &str = "reference.html";

/// Whether a path belongs to the dashboard.
pub(super) fn serves(path: &str) -> bool {
    path.strip_prefix(PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Responds to a request for a file or the page.
pub(super) fn respond(parts: &Parts) -> Result<Reply> {
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return Err(Failure::method_not_allowed("GET, HEAD"));
    }
    let path = parts.uri.path().strip_prefix(PREFIX).unwrap_or_default().trim_start_matches('/');
    // The reference's page has a stricter policy, so it is served at its own path only.
    if !path.is_empty() && path != PAGE && path != REFERENCE_FILE {
        if let Some(reply) = file(path, &parts.headers) {
            return Ok(with_policy(reply, POLICY));
        }
        if path.starts_with("assets/") {
            return Err(Failure::not_found(
                "There is no such file. Load the dashboard again: it has a new version.",
            ));
        }
    }
    Ok(page(&parts.headers))
}

fn page(headers: &HeaderMap) -> Reply {
    let page = file(PAGE, headers).unwrap_or_else(|| {
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        Reply::new(StatusCode::OK, NOT_BUILT).header(CONTENT_TYPE, html).header(CACHE_CONTROL, FRESH)
    });
    with_policy(page, POLICY)
}

/// Whether the build has this file.
pub(super) fn has(path: &str) -> bool {
    Files::get(path).is_some()
}

/// A file, compressed if it is stored so and the client accepts it. The caller adds a policy.
pub(super) fn file(path: &str, headers: &HeaderMap) -> Option<Reply> {
    let compressed = Files::get(&format!("{path}.gz")).map(|file| bytes(file.data));
    let is_encoded = compressed.is_some() && takes_gzip(headers);
    let body = match compressed {
        Some(compressed) if is_encoded => compressed,
        Some(compressed) => decompress(&compressed)?,
        None => bytes(Files::get(path)?.data),
    };
    let caching = if path.starts_with("assets/") { KEPT } else { FRESH };
    let mut reply = Reply::new(StatusCode::OK, body)
        .header(CONTENT_TYPE, HeaderValue::from_static(content_type(path)))
        .header(CACHE_CONTROL, caching)
        .header(VARY, HeaderValue::from_static("accept-encoding"));
    if is_encoded {
        reply = reply.header(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Some(reply)
}

/// Only a debug build owns the bytes: it reads them from disk.
fn bytes(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    }
}

fn decompress(bytes: &[u8]) -> Option<Bytes> {
    let mut plain = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut plain).ok()?;
    Some(Bytes::from(plain))
}

/// Adds the headers that confine a page.
pub(super) fn with_policy(reply: Reply, policy: HeaderValue) -> Reply {
    reply
        .header(CONTENT_SECURITY_POLICY, policy)
        .header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
        .header(REFERRER_POLICY, HeaderValue::from_static("same-origin"))
        .header(
            HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin"),
        )
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn parts(method: &str, path: &str) -> Parts {
        Request::builder().method(method).uri(path).body(()).unwrap().into_parts().0
    }

    fn header(reply: &Reply, name: &HeaderName) -> Option<String> {
        reply
            .headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_files_of_the_installed_app_are_revalidated_and_have_their_types() {
        for (file, kind) in [
            ("sw.js", "text/javascript; charset=utf-8"),
            ("manifest.webmanifest", "application/manifest+json"),
            ("icons/icon-192.png", "image/png"),
        ] {
            assert_eq!(content_type(file), kind);
            // Without a build there are no files.
            let Some(reply) = super::file(file, &HeaderMap::new()) else { continue };
            assert_eq!(header(&reply, &CONTENT_TYPE).as_deref(), Some(kind), "{file}");
            assert_eq!(header(&reply, &CACHE_CONTROL).as_deref(), Some("no-cache"), "{file}");
        }
        let policy = POLICY;
        let policy = policy.to_str().unwrap();
        assert!(policy.contains("worker-src 'self'") && policy.contains("manifest-src 'self'"), "{policy}");
    }

    #[test]
    fn every_path_is_the_page_unless_it_names_a_file() {
        for path in
            ["/app", "/app/", "/app/inbox/7", "/app/index.html", "/app/reference.html", "/app/../secret"]
        {
            assert!(serves(path), "{path}");
            let reply = respond(&parts("GET", path)).unwrap();
            assert_eq!(header(&reply, &CONTENT_TYPE).as_deref(), Some("text/html; charset=utf-8"), "{path}");
            assert_eq!(header(&reply, &CACHE_CONTROL).as_deref(), Some("no-cache"), "{path}");
            let policy = header(&reply, &CONTENT_SECURITY_POLICY).unwrap();
            assert_eq!(policy.as_bytes(), POLICY.as_bytes(), "{path}");
            assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe-eval"), "{policy}");
        }
        for elsewhere in ["/apple", "/", "/api/v1", "/ap"] {
            assert!(!serves(elsewhere), "{elsewhere}");
        }
        assert_eq!(
            respond(&parts("GET", "/app/assets/gone.js")).unwrap_err().status(),
            StatusCode::NOT_FOUND
        );
        let refused = respond(&parts("POST", "/app/inbox")).unwrap_err();
        assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED);
    }
}
