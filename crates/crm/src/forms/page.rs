//! Pages for browsers. They load nothing but the logo of the account, and run no script.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frontdesk_web::{Failure, Reply, RequestId};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::form::{Form, NO_FRAME};
use super::look::Look;
use super::words::FormLanguage;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const STYLE: &str = include_str!("page.css");
/// The policy of a page whose own cannot be written.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// The hash of the style for the Content-Security-Policy.
static STYLE_HASH: LazyLock<String> = LazyLock::new(|| hash(STYLE));

fn hash(style: &str) -> String {
    STANDARD.encode(Sha256::digest(style))
}

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
pub(super) fn thanks(form: &Form, look: &Look) -> Reply {
    let words = look.language.words();
    let text = form.thanks_text.as_deref().unwrap_or(words.sent);
    let told = format!("<p class=\"thanks\">{}</p>", escaped(text));
    page(StatusCode::OK, words.thank_you, &told, &Policy::without_form(Some(form)), look)
}

/// There is no form at this address.
pub(super) fn missing(language: FormLanguage) -> Reply {
    let words = language.words();
    let told = format!("<p>{}</p>", escaped(words.missing_help));
    let look = Look { language, ..Look::default() };
    page(StatusCode::NOT_FOUND, words.missing, &told, &Policy::without_form(None), &look)
}

/// The form was not accepted, with what to do about it.
pub(super) fn refused(form: &Form, look: &Look, failure: &Failure) -> Reply {
    let told = format!("<p>{}</p>", escaped(&look.language.failure(failure)));
    let policy = Policy::without_form(Some(form));
    with_headers_of(failure, page(failure.status(), look.language.words().refused, &told, &policy, look))
}

/// Adds the failure's own headers, such as `Retry-After`.
pub(super) fn with_headers_of(failure: &Failure, mut reply: Reply) -> Reply {
    reply.headers.extend(failure.render(&RequestId::from_uuid(uuid::Uuid::nil())).headers);
    reply
}

/// A page with this title and content. Above them are the name and the logo of the business.
pub(super) fn page(status: StatusCode, title: &str, content: &str, policy: &Policy, look: &Look) -> Reply {
    let title = escaped(title);
    let own_style =
        if look.style.is_empty() { String::new() } else { format!("<style>{}</style>\n", look.style) };
    let html = format!(
        "<!doctype html>\n<html lang=\"{}\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n{own_style}<main>\n{}{}{content}\n</main>\n</html>\n",
        look.language.as_str(),
        head(look),
        if content.contains("<h1>") { String::new() } else { format!("<h1>{title}</h1>\n") },
    );
    let Policy { form_action, frame_ancestors } = policy;
    let images = if look.logo.is_some() { "img-src 'self'; " } else { "" };
    let policy = format!(
        "default-src 'none'; {images}style-src 'sha256-{}'{}; form-action {form_action}; base-uri 'none'; \
         frame-ancestors {frame_ancestors}",
        *STYLE_HASH,
        if look.style.is_empty() { String::new() } else { format!(" 'sha256-{}'", hash(&look.style)) },
    );
    let policy = HeaderValue::from_str(&policy).unwrap_or(NOTHING);
    Reply::new(status, html)
        .header(CONTENT_TYPE, HTML)
        .header(CONTENT_SECURITY_POLICY, policy)
        .header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
        .header(CACHE_CONTROL, HeaderValue::from_static("no-store"))
}

/// The name and the logo of the business, if it is known.
fn head(look: &Look) -> String {
    if look.business.is_empty() {
        return String::new();
    }
    // The name is beside it, so the picture needs no words.
    let logo =
        look.logo.as_ref().map(|path| format!("<img src=\"{}\" alt=\"\" class=\"logo\">", escaped(path)));
    format!("<p class=\"business\">{}{}</p>\n", logo.unwrap_or_default(), escaped(&look.business))
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
        let reply = refused(&Form::example(), &Look::default(), &Failure::rate_limited("Too <often>.", 7));
        assert!(reply.headers.iter().any(|(name, value)| name == "retry-after" && value == "7"));
        let html = String::from_utf8(reply.body.to_vec()).unwrap();
        assert!(html.contains("<p>Too &lt;often&gt;.</p>"), "{html}");
    }

    #[test]
    fn a_brand_brings_its_style_and_its_logo_and_nothing_else() {
        let look = Look {
            business: "A & B".to_owned(),
            style: ":root { --accent: #0a5; }".to_owned(),
            logo: Some("/brands/abc".to_owned()),
            language: FormLanguage::En,
        };
        let reply = thanks(&Form::example(), &look);
        let policy = reply.headers.iter().find(|(name, _)| name == CONTENT_SECURITY_POLICY).unwrap();
        let policy = policy.1.to_str().unwrap();
        let own = format!(" 'sha256-{}';", hash(&look.style));
        assert!(policy.contains("img-src 'self'; ") && policy.contains(&own), "{policy}");
        let html = String::from_utf8(reply.body.to_vec()).unwrap();
        let head = "<p class=\"business\"><img src=\"/brands/abc\" alt=\"\" class=\"logo\">A &amp; B</p>";
        assert!(html.contains(head) && html.contains("<style>:root { --accent: #0a5; }</style>"), "{html}");
    }

    #[test]
    fn the_policy_admits_the_style_and_nothing_else() {
        let reply = thanks(&Form::example(), &Look::default());
        let policy = reply.headers.iter().find(|(name, _)| name == CONTENT_SECURITY_POLICY).unwrap();
        let policy = policy.1.to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        // A browser normalises line breaks to one character.
        assert!(!STYLE.contains('\r') && !STYLE.contains("</"));
    }
}
