//! What a browser is shown: plain pages that load nothing and run nothing.

use std::fmt::Write;

use frontdesk_web::{Failure, Reply, RequestId};
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde_json::Value;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");

/// The form arrived.
pub(super) fn thanks() -> Reply {
    page(StatusCode::OK, "Thank you", "<p>Your message has arrived. We will get back to you.</p>")
}

/// The form could not be taken, with what to do about it.
pub(super) fn refused(failure: &Failure) -> Reply {
    let mut told = format!("<p>{}</p>", escaped(failure.message()));
    if !failure.details().is_empty() {
        "<p>Please go back and correct what follows, then send the form again.</p><ul>".clone_into(&mut told);
        for detail in failure.details() {
            let text = |field: &str| escaped(detail.get(field).and_then(Value::as_str).unwrap_or_default());
            let name = text("path");
            let name = if name.is_empty() { "The form" } else { &name };
            let written = write!(told, "<li><b>{name}</b> {}</li>", text("message"));
            debug_assert!(written.is_ok(), "a String takes whatever is written to it");
        }
        told.push_str("</ul>");
    }
    // The headers, such as how long to wait, are the failure's own.
    let headers = failure.render(&RequestId::from_uuid(uuid::Uuid::nil())).headers;
    let mut reply = page(failure.status(), "This did not work", &told);
    reply.headers.extend(headers);
    reply
}

fn page(status: StatusCode, title: &str, told: &str) -> Reply {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;\
         padding:0 1rem}}</style><h1>{title}</h1>{told}</html>\n"
    );
    Reply::new(status, html).header(CONTENT_TYPE, HTML).header(CONTENT_SECURITY_POLICY, POLICY)
}

/// Names of fields are the visitor's, so nothing of theirs is taken for a part of the page.
fn escaped(text: &str) -> String {
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
    use frontdesk_web::Problems;

    #[test]
    fn what_a_visitor_wrote_is_text() {
        let failure = Failure::validation(Problems::one("fields.<script>", "must be \"short\" & 'sweet'"));
        let reply = refused(&failure);
        let html = String::from_utf8(reply.body.to_vec()).unwrap();
        assert_eq!(reply.status, StatusCode::BAD_REQUEST);
        assert!(
            html.contains("<b>fields.&lt;script&gt;</b> must be &quot;short&quot; &amp; &#39;sweet&#39;"),
            "{html}"
        );
    }

    #[test]
    fn how_long_to_wait_is_told_to_browsers_too() {
        let reply = refused(&Failure::rate_limited("Too often.", 7));
        assert!(reply.headers.iter().any(|(name, value)| name == "retry-after" && value == "7"));
    }
}
