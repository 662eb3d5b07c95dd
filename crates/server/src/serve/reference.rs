//! The interactive reference of the API: search, requests from the page, samples in many languages.
//!
//! Its page and scripts are part of the dashboard's build. Without that build, `/docs` has no link to it, and its path
//! responds with 404.
//!
//! The scripts are third-party code on the origin of the dashboard. The policy keeps them away from a member's
//! session: they may call only the public API, which takes no cookies, and they cannot open the dashboard in a frame or
//! a window.

use frontdesk_web::{Failure, Reply, Result};
use http::header::HOST;
use http::request::Parts;
use http::{HeaderValue, Method, Uri};

use super::dashboard::{self, REFERENCE_FILE};

pub(super) const PATH: &str = "/docs/interactive";

/// What the page may do whatever its host is. Scripts of the page set styles, hence `unsafe-inline` for styles. The
/// sandbox has no `allow-popups`, because a script can control a window that it opened on its own origin.
const POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-same-origin allow-downloads";
/// Scripts that are part of the build. A file that a customer uploaded is not among them.
const SCRIPTS: &[&str] = &["/app/assets/"];
/// What scripts may request.
const CALLED: &[&str] = &["/api/v1/", "/openapi.json"];

/// Whether this server was built with it.
pub(super) fn is_built() -> bool {
    dashboard::has(REFERENCE_FILE)
}

/// Responds with the page.
pub(super) fn respond(parts: &Parts, base_url: &str) -> Result<Reply> {
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return Err(Failure::method_not_allowed("GET, HEAD"));
    }
    let page = dashboard::file(REFERENCE_FILE, &parts.headers).ok_or_else(|| {
        Failure::not_found(
            "This server was built without the interactive reference. Use /docs, or run `make dashboard` and build \
             the server again.",
        )
    })?;
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
    let policy = HeaderValue::from_str(&policy(host, base_url)).map_err(|_| Failure::internal())?;
    Ok(dashboard::with_policy(page, policy))
}

/// The policy for a browser that reached the page under this host. Paths in a policy need a host. A proxy may have
/// replaced the request's host, so the public one is listed too.
fn policy(host: Option<&str>, base_url: &str) -> String {
    let public = base_url.parse::<Uri>().ok().and_then(|url| Some(url.authority()?.to_string()));
    let mut hosts: Vec<&str> =
        host.into_iter().chain(public.as_deref()).filter(|host| is_plain(host)).collect();
    hosts.dedup();
    let sources = |paths: &[&str]| match hosts.as_slice() {
        [] => "'self'".to_owned(),
        hosts => {
            let sources: Vec<String> =
                hosts.iter().flat_map(|host| paths.iter().map(move |path| format!("{host}{path}"))).collect();
            sources.join(" ")
        }
    };
    format!("{POLICY}; script-src {}; connect-src {}", sources(SCRIPTS), sources(CALLED))
}

/// Whether a host can be named in a policy: a name or an IPv4 address, perhaps with a port.
fn is_plain(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "0"));
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    is_name && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_requests_are_confined_to_their_paths() {
        let policy = policy(Some("localhost:8080"), "http://127.0.0.1:8080");
        assert!(policy.starts_with(POLICY));
        let rest = "; script-src localhost:8080/app/assets/ 127.0.0.1:8080/app/assets/; connect-src \
                    localhost:8080/api/v1/ localhost:8080/openapi.json 127.0.0.1:8080/api/v1/ 127.0.0.1:8080/openapi.json";
        assert_eq!(&policy[POLICY.len()..], rest);
    }

    #[test]
    fn a_host_is_listed_once() {
        let policy = policy(Some("desk.example"), "https://desk.example/");
        assert!(policy.ends_with("; connect-src desk.example/api/v1/ desk.example/openapi.json"), "{policy}");
    }

    #[test]
    fn a_host_cannot_add_to_the_policy() {
        for host in [
            "",
            "evil.example *",
            "a;script-src *",
            "a,b",
            "*",
            "*.example",
            "[::1]:80",
            "a:",
            "a:b",
            "a:1:2",
        ] {
            let policy = policy(Some(host), "/");
            assert!(policy.ends_with("; script-src 'self'; connect-src 'self'"), "{host}: {policy}");
        }
    }

    #[test]
    fn no_policy_allows_eval_inline_scripts_or_windows() {
        let policy = policy(Some("desk.example"), "https://desk.example");
        for forbidden in
            ["unsafe-eval", "allow-popups", "allow-top-navigation", "script-src 'self' 'unsafe-inline'"]
        {
            assert!(!policy.contains(forbidden), "{forbidden}");
        }
    }
}
