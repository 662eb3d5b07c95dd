//! The page on which a person can act as a customer.
//!
//! It loads nothing from other sites, and shows messages only as text.

use http::header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};

use crate::response::{SandboxResponse, bytes};

const HTML: &str = include_str!("page/page.html");
const SCRIPT: &str = include_str!("page/page.js");
const STYLE: &str = include_str!("page/page.css");
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

pub(crate) fn html() -> SandboxResponse {
    let mut response = asset("text/html; charset=utf-8", HTML);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

pub(crate) fn script() -> SandboxResponse {
    asset("text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) fn style() -> SandboxResponse {
    asset("text/css; charset=utf-8", STYLE)
}

fn asset(kind: &str, text: &'static str) -> SandboxResponse {
    let mut response = bytes(StatusCode::OK, kind, text);
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_nothing_from_elsewhere_and_writes_no_markup() {
        for elsewhere in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!HTML.contains(elsewhere) && !STYLE.contains(elsewhere), "{elsewhere}");
        }
        for markup in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!SCRIPT.contains(markup), "{markup}");
        }
        assert!(!HTML.contains(" style=\"") && !HTML.contains(" onclick="));
    }
}
