//! Access to the sandbox: for people and scripts on this machine, for callers with the sandbox token, and for
//! this installation's own processes.
//!
//! A server whose base URL is not loopback is behind a proxy, which may be on this machine and add no header. There only
//! the token and the own processes count.
//!
//! A page of another website runs in a browser on this machine, so a loopback peer is not enough. Such a page
//! cannot choose the `Host` of its requests (a name that resolves to 127.0.0.1 stays in it), and the browser
//! adds an `Origin` or `Sec-Fetch-Site` that names it.

use std::net::IpAddr;

use frontdesk_kernel::{Secret, mac};
use frontdesk_platform::sandbox_pass;
use frontdesk_platform::sealing::Keyring;
use frontdesk_web::{Failure, Result};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, Method};

use super::undeclared_proxy::FORWARDING;

const PREFIX: &str = "/sandbox";

/// Whether a path belongs to the sandbox.
pub(super) fn is_under(path: &str) -> bool {
    path.strip_prefix(PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a path is the sandbox's page.
fn is_page(path: &str) -> bool {
    matches!(path.strip_prefix(PREFIX), Some("" | "/"))
}

/// An admitted caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SandboxCaller {
    /// One of this installation's own processes.
    Own,
    /// A person or a script.
    Other,
}

/// The credentials for the sandbox.
pub(super) struct SandboxAccess {
    token: Option<Secret>,
    pass: Secret,
    /// Whether the server's base URL is loopback. If it is not, a proxy on this machine may hide the client.
    is_local: bool,
}

impl SandboxAccess {
    pub(super) fn new(token: Option<Secret>, secrets: &Keyring, is_local: bool) -> Self {
        Self { token, pass: Secret::new(sandbox_pass::of(secrets)), is_local }
    }

    /// Admits a request, or returns the reason why not. `client` is the client's address, behind trusted
    /// proxies; none if it is unknown.
    pub(super) fn admit(&self, parts: &Parts, peer: IpAddr, client: Option<IpAddr>) -> Result<SandboxCaller> {
        let headers = &parts.headers;
        let sent = |name| headers.get(name).map(http::HeaderValue::as_bytes);
        if sent(sandbox_pass::HEADER).is_some_and(|pass| mac::is_agreed(self.pass.reveal(), pass)) {
            return Ok(SandboxCaller::Own);
        }
        let bearer = sent(AUTHORIZATION).and_then(|value| value.strip_prefix(b"Bearer "));
        if let (Some(token), Some(bearer)) = (&self.token, bearer)
            && mac::is_agreed(token.reveal(), bearer)
        {
            return Ok(SandboxCaller::Other);
        }
        if !self.is_local {
            return Err(refusal(
                "This server has a public base URL, so its sandbox needs a token. Set FRONTDESK_SANDBOX_TOKEN on the server and \
                 send it as `Authorization: Bearer TOKEN`.",
            ));
        }
        if !is_near(headers, peer, client) {
            return Err(refusal(
                "The sandbox answers only callers on the server's own machine. Call it from there (an SSH tunnel will do), or \
                 set FRONTDESK_SANDBOX_TOKEN on the server and send it as `Authorization: Bearer TOKEN`.",
            ));
        }
        if !names_this_machine(parts) {
            return Err(refusal(
                "The sandbox answers only at a loopback address. Call it at http://127.0.0.1:PORT/sandbox or \
                 http://localhost:PORT/sandbox, or send the server's FRONTDESK_SANDBOX_TOKEN as `Authorization: Bearer TOKEN`.",
            ));
        }
        if is_cross_site(parts) {
            return Err(refusal(
                "The sandbox accepts no requests from pages of other origins. Use the page at /sandbox, or a script that sends \
                 no Origin header.",
            ));
        }
        Ok(SandboxCaller::Other)
    }
}

fn refusal(message: &str) -> Failure {
    Failure::forbidden("sandbox", message)
}

/// Whether the caller is on this machine. If a proxy forwards the request, the client's address counts, and
/// only a trusted proxy is believed.
fn is_near(headers: &HeaderMap, peer: IpAddr, client: Option<IpAddr>) -> bool {
    let peer = peer.to_canonical();
    if !FORWARDING.iter().any(|header| headers.contains_key(*header)) {
        return peer.is_loopback();
    }
    client.map(|client| client.to_canonical()).is_some_and(|client| client != peer && client.is_loopback())
}

/// Whether the request's host is a loopback name.
fn names_this_machine(parts: &Parts) -> bool {
    let host = host_of(parts);
    host.is_some_and(|host| is_loopback(&host)) && parts.uri.authority().is_none_or(is_loopback)
}

fn host_of(parts: &Parts) -> Option<Authority> {
    let mut hosts = parts.headers.get_all(HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none())?;
    host.to_str().ok()?.parse().ok()
}

fn is_loopback(authority: &Authority) -> bool {
    let host = authority.host().trim_matches(['[', ']']);
    let is_plain = !authority.as_str().contains('@');
    let is_address = || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
    is_plain && (host.eq_ignore_ascii_case("localhost") || is_address())
}

/// Whether a page of another origin made the request. Following a link to the sandbox's page is allowed.
fn is_cross_site(parts: &Parts) -> bool {
    let sent = |name: &str| parts.headers.get(name).map(http::HeaderValue::as_bytes);
    let is_foreign = parts.headers.get_all(ORIGIN).iter().any(|origin| !is_own(parts, origin.as_bytes()));
    let is_elsewhere = sent("sec-fetch-site").is_some_and(|site| !matches!(site, b"same-origin" | b"none"));
    let follows_a_link = parts.method == Method::GET
        && is_page(parts.uri.path())
        && sent("sec-fetch-mode") == Some(b"navigate")
        && sent("sec-fetch-dest") == Some(b"document");
    is_foreign || (is_elsewhere && !follows_a_link)
}

/// Whether an `Origin` is the request's own host.
fn is_own(parts: &Parts, origin: &[u8]) -> bool {
    let origin = std::str::from_utf8(origin).unwrap_or_default();
    let origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    origin.zip(host_of(parts)).is_some_and(|(origin, host)| origin.eq_ignore_ascii_case(host.as_str()))
}

/// A body must be labelled as JSON, which a page of another origin cannot do without a preflight. Our own
/// processes also send forms, such as a recording to be transcribed; no page has their pass.
pub(super) fn check_body(caller: SandboxCaller, headers: &HeaderMap, body: &[u8]) -> Result<()> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if caller == SandboxCaller::Own || body.is_empty() || essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Failure::unsupported_media_type())
}

#[cfg(test)]
mod tests;
