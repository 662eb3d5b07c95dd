//! Pages for browsers. They load nothing and run no script.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frontdesk_web::{Failure, Reply, RequestId};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::form::{Form, NO_FRAME};

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const STYLE: &str = include_str!("page.css");
/// The policy of a page whose own cannot be written.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// The hash of the style for the Content-Security-Policy.
static STYLE_HASH: LazyLock<String> = LazyLock::new(|| STANDARD.encode(Sha256::digest(STYLE)));

/// Where a page may be shown and where its form may go, as the Content-Security-Policy names it.
pub(super) struct Policy {
    pub(super) form_action: String,
    pub(super) frame_ancestors: String,
}

impl Policy {
    /// Of a page without a form. It is shown where the form is shown, if it belongs to one.
    fn without_form(form: Option<&Form>) -> Self {
        let frame_ancestors = form.map_or_else(|| NO_FRAME.to_owned(), Form::frame_ancestors);
        Self { form_action: "'none'".to_owned(), frame_ancestors }
    }
}

/// The form arrived.
pub(super) fn thanks(form: &Form) -> Reply {
    page(StatusCode::OK, "Thank you", "<p>Your message was sent.</p>", &Policy::without_form(Some(form)))
}

/// There is no form at this address.
pub(super) fn missing() -> Reply {
    let told = "<p>Check that the address was copied whole. The form may also have been removed; then ask whoever gave you \
        the address for another way to reach them.</p>";
    page(StatusCode::NOT_FOUND, "There is no form here", told, &Policy::without_form(None))
}

/// The form was not accepted, with what to do about it.
pub(super) fn refused(form: &Form, failure: &Failure) -> Reply {
    let told = format!("<p>{}</p>", escaped(failure.message()));
    let policy = Policy::without_form(Some(form));
    with_headers_of(failure, page(failure.status(), "This did not work", &told, &policy))
}

/// Adds the failure's own headers, such as `Retry-After`.
pub(super) fn with_headers_of(failure: &Failure, mut reply: Reply) -> Reply {
    reply.headers.extend(failure.render(&RequestId::from_uuid(uuid::Uuid::nil())).headers);
    reply
}

/// A page with this title and content.
pub(super) fn page(status: StatusCode, title: &str, content: &str, policy: &Policy) -> Reply {
    let title = escaped(title);
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<main>\n{}{content}\n</main>\n</html>\n",
        if content.contains("<h1>") { String::new() } else { format!("<h1>{title}</h1>\n") },
    );
    let Policy { form_action, frame_ancestors } = policy;
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; form-action {form_action}; base-uri 'none'; \
         frame-ancestors {frame_ancestors}",
        *STYLE_HASH
    );
    let policy = HeaderValue::from_str(&policy).unwrap_or(NOTHING);
    Reply::new(status, html)
        .header(CONTENT_TYPE, HTML)
        .header(CONTENT_SECURITY_POLICY, policy)
        .header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
        .header(CACHE_CONTROL, HeaderValue::from_static("no-store"))
}

/// Text escaped for HTML, also for attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_get_retry_after_too() {
        let reply = refused(&Form::example(), &Failure::rate_limited("Too <often>.", 7));
        assert!(reply.headers.iter().any(|(name, value)| name == "retry-after" && value == "7"));
        let html = String::from_utf8(reply.body.to_vec()).unwrap();
        assert!(html.contains("<p>Too &lt;often&gt;.</p>"), "{html}");
    }

    #[test]
    fn the_policy_admits_the_style_and_nothing_else() {
        let reply = thanks(&Form::example());
        let policy = reply.headers.iter().find(|(name, _)| name == CONTENT_SECURITY_POLICY).unwrap();
        let policy = policy.1.to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        // A browser normalises line breaks to one character.
        assert!(!STYLE.contains('\r') && !STYLE.contains("</"));
    }
}
