//! The web origins that may call the API from a browser. None by default.
//!
//! A page must set the key's header itself, so no cookies are involved and none are allowed.

use frontdesk_web::Reply;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

/// How long a browser may cache a preflight.
const PREFLIGHT_SECONDS: i64 = 600;
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
const HEADERS: HeaderValue =
    HeaderValue::from_static("authorization, content-type, idempotency-key, last-event-id");
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id, retry-after, idempotent-replayed, \
     frontdesk-ignored-fields",
);

/// The allowed origins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cors {
    Any,
    Listed(Vec<HeaderValue>),
}

impl Cors {
    /// Reads a comma-separated list of origins, or `*`.
    pub(crate) fn parse(list: &str) -> Result<Self, String> {
        let origins: Vec<&str> = list.split(',').map(str::trim).filter(|origin| !origin.is_empty()).collect();
        if origins == ["*"] {
            return Ok(Self::Any);
        }
        origins.into_iter().map(read_origin).collect::<Result<_, _>>().map(Self::Listed)
    }

    /// The request's origin, if it is allowed.
    pub(crate) fn admit(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(ORIGIN)?;
        let admitted = match self {
            Self::Any => true,
            Self::Listed(origins) => origins.contains(origin),
        };
        admitted.then(|| origin.clone())
    }

    /// Lets a page of that origin read the response. Always adds `Vary`, because responses differ by origin.
    pub(crate) fn mark(origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        headers.append(VARY, HeaderValue::from_static("origin"));
        if let Some(origin) = origin {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
    }
}

/// Whether a request is a preflight.
pub(crate) fn is_preflight(parts: &Parts) -> bool {
    parts.method == Method::OPTIONS && parts.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The response to a preflight.
pub(crate) fn leave() -> Reply {
    Reply::new(StatusCode::NO_CONTENT, "")
        .header(ACCESS_CONTROL_ALLOW_METHODS, METHODS)
        .header(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS)
        .header(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS.into())
}

/// An origin as browsers send it: a scheme, a host, perhaps a port, and nothing after.
fn read_origin(text: &str) -> Result<HeaderValue, String> {
    let wrong = || format!("{text:?} is no origin: use https://HOST, or * for all");
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or_else(wrong)?;
    if rest.is_empty() || rest.contains(['/', '?', '#', '*', '@', ' ']) {
        return Err(wrong());
    }
    HeaderValue::from_str(&text.to_ascii_lowercase()).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(origin: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ORIGIN, HeaderValue::from_static(origin))])
    }

    #[test]
    fn only_listed_origins_are_allowed() {
        let cors = Cors::parse("https://app.example.com, http://localhost:3000").unwrap();
        assert!(cors.admit(&from("https://app.example.com")).is_some());
        assert!(cors.admit(&from("http://localhost:3000")).is_some());
        for stranger in ["https://example.com", "https://app.example.com.evil.test", "null"] {
            assert_eq!(cors.admit(&from(stranger)), None, "{stranger}");
        }
        assert_eq!(cors.admit(&HeaderMap::new()), None);
        assert!(Cors::parse("*").unwrap().admit(&from("https://anyone.test")).is_some());
    }

    #[test]
    fn an_origin_is_a_scheme_and_a_host() {
        for wrong in
            ["example.com", "https://", "https://example.com/", "https://*.example.com", "*, https://a.test"]
        {
            assert!(Cors::parse(wrong).is_err(), "{wrong}");
        }
    }
}
