//! The page on which a person can be a customer.
//!
//! It loads nothing from elsewhere, and what customers and the business wrote is only ever put into it as text.

use http::header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};

use crate::answer::{Answer, bytes};

const HTML: &str = include_str!("page/page.html");
const SCRIPT: &str = include_str!("page/page.js");
const STYLE: &str = include_str!("page/page.css");
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

pub(crate) fn html() -> Answer {
    let mut answer = asset("text/html; charset=utf-8", HTML);
    answer.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    answer
}

pub(crate) fn script() -> Answer {
    asset("text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) fn style() -> Answer {
    asset("text/css; charset=utf-8", STYLE)
}

fn asset(kind: &str, text: &'static str) -> Answer {
    let mut answer = bytes(StatusCode::OK, kind, text);
    answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
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
