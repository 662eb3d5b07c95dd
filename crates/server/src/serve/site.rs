//! All endpoints: the API under its prefix, and a few pages next to it.
//!
//! Every response has the rate-limit headers and the request's id.

use std::collections::HashMap;
use std::fmt::Write;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use frontdesk_app::App;
use frontdesk_kernel::{Secret, mac};
use frontdesk_mcp::McpServer;
use frontdesk_platform::{
    BodyBudget, Budget, Gate, PublicEndpoint, PublicRequest, ServerContext, UnreadRequest, is_local_url,
    observe, public_endpoint,
};
use frontdesk_sandbox::Disconnect;
use frontdesk_trace::{self as trace, Context, InSpan, Span, SpanKind};
use frontdesk_web::{Failure, Reply, RequestId, openapi};
use futures_util::FutureExt;
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, LOCATION, VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use hyper::body::Incoming;

use super::documents::Documents;
use super::load::ServerLoad;
use super::readiness::Readiness;
use super::response::{self, HttpResponse};
use super::sandbox::SandboxService;
use super::sandbox_access;
use super::telemetry::Telemetry;
use super::undeclared_proxy::{FORWARDING, ProxyWatch};
use super::{dashboard, reference};
use crate::config::Role;
use crate::cors::{self, Cors};

/// The pages next to the API.
pub(crate) const PAGES: &[&str] = &["/", "/docs", "/openapi.json", "/healthz", "/readyz", "/metrics"];

/// The query by which the interactive reference gets the document with samples of code.
const WITH_SAMPLES: &str = "samples";

/// What other programs ask all the time, which would fill traces.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
/// The documentation runs no script and loads nothing.
const DOCS_POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");
const REQUEST_ID: &str = "x-request-id";

const COMPRESSED: &str =
    "Send the body as it is, without Content-Encoding: compressed bodies are not accepted.";

pub(super) struct Site {
    pub(super) gate: Gate,
    pub(super) app: App,
    pub(super) mcp: McpServer,
    pub(super) role: Role,
    pub(super) telemetry: Arc<Telemetry>,
    pub(super) metrics_token: Option<Secret>,
    pub(super) proxy_watch: ProxyWatch,
    pub(super) cors: Option<Cors>,
    pub(super) sandbox: SandboxService,
    pub(super) documents: Documents,
    pub(super) server: ServerContext,
    pub(super) readiness: Readiness,
    pub(super) public_endpoints: HashMap<&'static str, PublicEndpoint>,
    pub(super) bodies: BodyBudget,
    pub(super) load: ServerLoad,
}

impl Site {
    /// Responds to a request. Never fails and never panics; only the sandbox may cut the connection.
    pub(super) async fn respond(
        &self,
        parts: Parts,
        body: &mut Incoming,
        peer: IpAddr,
    ) -> Result<HttpResponse, Disconnect> {
        match begin_span(&parts) {
            None => self.respond_inside(parts, body, peer).await,
            Some(span) => InSpan::new(span, Box::pin(self.respond_inside(parts, body, peer))).await,
        }
    }

    async fn respond_inside(
        &self,
        parts: Parts,
        body: &mut Incoming,
        peer: IpAddr,
    ) -> Result<HttpResponse, Disconnect> {
        if let Some(failure) = unfit(&parts) {
            let refusal = self.with_common_headers(|id| failure.render(id).into());
            return Ok(response::render(refusal, false));
        }
        self.proxy_watch.look(peer, &parts.headers);
        if sandbox_access::is_under(parts.uri.path()) {
            let client = self.gate.proxies.client(peer, &parts.headers);
            return self.sandbox.respond(parts, body, peer, client).await.unwrap_or_else(|failure| {
                Ok(response::render(self.with_common_headers(|id| failure.render(id).into()), false))
            });
        }
        Ok(self.serve(parts, body, peer).await)
    }

    async fn serve(&self, parts: Parts, body: &mut Incoming, peer: IpAddr) -> HttpResponse {
        let gzip = frontdesk_web::takes_gzip(&parts.headers);
        // Cookies count under the dashboard, so no other origin may read anything there.
        let Some(cors) = self.cors.as_ref().filter(|_| !dashboard::serves(parts.uri.path())) else {
            return response::render(self.reply(parts, body, peer).await, gzip);
        };
        let origin = cors.admit(&parts.headers);
        let reply = if origin.is_some() && cors::is_preflight(&parts) {
            self.with_common_headers(|_| cors::leave().into())
        } else {
            self.reply(parts, body, peer).await
        };
        let mut response = response::render(reply, gzip);
        Cors::mark(origin.as_ref(), response.headers_mut());
        response
    }

    async fn reply(
        &self,
        parts: Parts,
        body: &mut Incoming,
        peer: IpAddr,
    ) -> public_endpoint::PublicResponse {
        let uri = parts.uri.clone();
        match api_path(uri.path()) {
            Some(path) if self.role.serves_api() => self.gate.respond(parts, path, body, peer).await,
            None if self.role.serves_api() && uri.path() == frontdesk_mcp::PATH => {
                self.mcp(parts, body, peer).await
            }
            None if self.role.serves_api() && App::serves(uri.path()) => {
                self.app.respond(parts, body, peer).await
            }
            _ => {
                let started = std::time::Instant::now();
                let page = AssertUnwindSafe(self.page(&parts, body, peer)).catch_unwind().await;
                let page = page.unwrap_or_else(|_| {
                    // The rest of a path may contain a token, so only the name of the page is logged.
                    tracing::error!(page = self.page_name(uri.path()), "a page panicked");
                    Err(Failure::internal())
                });
                let mut shown_id = None;
                let response = self.with_common_headers(|id| {
                    shown_id = Some(id.clone());
                    page.unwrap_or_else(|failure| failure.render(id).into())
                });
                let (name, status) = (self.page_name(uri.path()), response.reply.status.as_u16());
                observe(&parts.method, name, status, started.elapsed(), shown_id.as_ref());
                response
            }
        }
    }

    /// The Model Context Protocol, which passes the same admission as the API. A browser's page may use it only if it is
    /// ours, or if its origin may use the API: a page whose name leads to this server by a trick of DNS may not.
    async fn mcp(&self, parts: Parts, body: &mut Incoming, peer: IpAddr) -> public_endpoint::PublicResponse {
        let is_allowed = self.cors.as_ref().is_some_and(|cors| cors.admit(&parts.headers).is_some());
        let own = frontdesk_app::refuse_foreign_origin(&parts.headers, self.documents.base_url());
        let answer = |principal, parts, body| async move {
            if !is_allowed {
                own?;
            }
            self.mcp.respond(principal, parts, body).await
        };
        self.gate.respond_protocol(frontdesk_mcp::PATH, parts, body, peer, frontdesk_mcp::units, answer).await
    }

    /// The name of a page in the log.
    fn page_name(&self, path: &str) -> &'static str {
        let (name, _) = endpoint_and_rest(path);
        let endpoint = self.public_endpoints.get(name).map(|endpoint| endpoint.name);
        let page = endpoint.or_else(|| PAGES.iter().copied().find(|page| *page == path));
        page.unwrap_or(if dashboard::serves(path) { "/app" } else { "none" })
    }

    /// A page next to the API, which needs no key.
    async fn page(
        &self,
        parts: &Parts,
        body: &mut Incoming,
        peer: IpAddr,
    ) -> frontdesk_web::Result<public_endpoint::PublicResponse> {
        if parts.method == Method::CONNECT {
            // The target of CONNECT is a host and a port, not a path.
            return Err(Failure::method_not_allowed("GET, HEAD"));
        }
        let path = parts.uri.path();
        let (name, rest) = endpoint_and_rest(path);
        if let Some(endpoint) = self.public_endpoints.get(name).filter(|_| self.role.serves_api()) {
            let address = self.gate.proxies.client(peer, &parts.headers);
            let head = PublicRequest {
                method: parts.method.clone(),
                path: rest.to_owned(),
                query: parts.uri.query().unwrap_or_default().to_owned(),
                headers: parts.headers.clone(),
                body: Bytes::new(),
                address,
                now: (self.gate.clock)(),
            };
            let bodies = &self.bodies;
            let request = UnreadRequest::new(head, endpoint.body_bytes_max, move |bytes_max| {
                Box::pin(bodies.read(address, body, bytes_max))
            });
            return endpoint.respond(&self.server, request).await;
        }
        if self.role.serves_api() && dashboard::serves(path) {
            return dashboard::respond(parts).map(public_endpoint::PublicResponse::from);
        }
        if path == reference::PATH {
            return reference::respond(parts, self.documents.base_url())
                .map(public_endpoint::PublicResponse::from);
        }
        if !PAGES.contains(&path) || (path == "/metrics" && !self.shows_metrics(parts, peer)) {
            return Err(Failure::not_found("There is no such path. See /docs for those there are."));
        }
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            return Err(Failure::method_not_allowed("GET, HEAD"));
        }
        Ok(match path {
            "/healthz" => Reply::new(StatusCode::OK, r#"{"status":"ok"}"#),
            "/readyz" => self.readiness.respond(&self.gate.limits, (self.gate.clock)()).await,
            "/metrics" => page("text/plain; version=0.0.4; charset=utf-8", self.telemetry.render().await),
            "/openapi.json" if parts.uri.query() == Some(WITH_SAMPLES) => {
                page("application/json", self.documents.with_samples())
            }
            "/openapi.json" => page("application/json", self.documents.get().json.clone()),
            "/docs" => page("text/html; charset=utf-8", self.documents.get().html.clone())
                .header(CONTENT_SECURITY_POLICY, DOCS_POLICY),
            _ => Reply::new(StatusCode::FOUND, "")
                .header(LOCATION, self.start_page(&parts.headers))
                .header(VARY, HeaderValue::from_static("accept")),
        }
        .into())
    }

    /// Where `/` leads: a browser to the dashboard, and others to the documentation.
    fn start_page(&self, headers: &HeaderMap) -> HeaderValue {
        let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let is_browser = accepted.flat_map(|value| value.split(',')).any(|kind| {
            kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
        });
        HeaderValue::from_static(if is_browser && self.role.serves_api() { "/app" } else { "/docs" })
    }

    /// Metrics are for callers with the token, and for direct callers on this machine if the base URL is loopback. If it
    /// is not, a proxy on this machine may forward requests without a header that says so.
    fn shows_metrics(&self, parts: &Parts, peer: IpAddr) -> bool {
        let is_near = is_local_url(self.documents.base_url())
            && peer.to_canonical().is_loopback()
            && !FORWARDING.iter().any(|header| parts.headers.contains_key(*header));
        let has_token = || {
            let sent =
                parts.headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
            match (&self.metrics_token, sent) {
                (Some(token), Some(sent)) => mac::is_agreed(token.reveal(), sent),
                _ => false,
            }
        };
        is_near || has_token()
    }

    /// The bytes of the response to a request that the HTTP layer refused.
    pub(super) fn refusal(&self, status: StatusCode) -> Bytes {
        let response = self.with_common_headers(|id| Failure::refused(status).render(id).into());
        let reply = response.reply;
        let mut head = format!("HTTP/1.1 {} ", status.as_u16());
        head.push_str(status.canonical_reason().unwrap_or_default());
        let _ = write!(
            head,
            "\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n",
            reply.body.len()
        );
        for (name, value) in &reply.headers {
            let _ = write!(head, "{name}: {}\r\n", value.to_str().unwrap_or_default());
        }
        head.push_str("\r\n");
        [head.as_bytes(), &reply.body].concat().into()
    }

    fn with_common_headers(
        &self,
        respond: impl FnOnce(&RequestId) -> public_endpoint::PublicResponse,
    ) -> public_endpoint::PublicResponse {
        let now = (self.gate.clock)();
        let id = RequestId::from_uuid(self.server.recorder.next::<RequestId>(now).uuid());
        let mut response = respond(&id);
        let headers = &mut response.reply.headers;
        headers.extend(Budget::of_address(0, now).headers());
        let named = headers.iter().any(|(name, _)| name == REQUEST_ID);
        if let Ok(id) = HeaderValue::from_str(id.as_str())
            && !named
        {
            headers.push((HeaderName::from_static(REQUEST_ID), id));
        }
        response
    }
}

/// Why a request is refused whatever it asks for.
fn unfit(parts: &Parts) -> Option<Failure> {
    let headers = &parts.headers;
    let needs_host = matches!(parts.version, Version::HTTP_11 | Version::HTTP_2);
    if needs_host && headers.get_all(HOST).iter().count() != 1 {
        return Some(Failure::no_host());
    }
    // A small body may expand to a huge one.
    let is_plain =
        |coding: &HeaderValue| coding.is_empty() || coding.as_bytes().eq_ignore_ascii_case(b"identity");
    let is_compressed = !headers.get_all(CONTENT_ENCODING).iter().all(is_plain);
    is_compressed.then(|| Failure::unsupported_body(COMPRESSED))
}

/// The span of a request, whose name is its route once that is known. None if traces are off.
fn begin_span(parts: &Parts) -> Option<Span> {
    if !trace::is_on() || PROBES.contains(&parts.uri.path()) {
        return None;
    }
    let parent = parts.headers.get("traceparent").and_then(|header| header.to_str().ok());
    Span::root(parent.and_then(Context::parse), SpanKind::Server, "request")
}

fn page(kind: &'static str, body: impl Into<Bytes>) -> Reply {
    Reply::new(StatusCode::OK, body).header(CONTENT_TYPE, HeaderValue::from_static(kind))
}

/// The first part of a path, which names a public endpoint, and the rest.
fn endpoint_and_rest(path: &str) -> (&str, &str) {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.split_once('/').unwrap_or((path, ""))
}

/// The path within the API, if it is one.
fn api_path(path: &str) -> Option<&str> {
    path.strip_prefix(openapi::PREFIX).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_paths_are_recognised_by_their_prefix() {
        assert_eq!(api_path("/api/v1/me"), Some("/me"));
        assert_eq!(api_path("/api/v1/"), Some("/"));
        assert_eq!(api_path("/api/v1"), Some(""));
        for elsewhere in ["/api/v2/me", "/api/v10/me", "/api", "/", "*", "//api/v1/me"] {
            assert_eq!(api_path(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_door_is_named_by_the_first_part_of_the_path() {
        assert_eq!(endpoint_and_rest("/forms/token"), ("forms", "token"));
        assert_eq!(endpoint_and_rest("/media/a/b"), ("media", "a/b"));
        assert_eq!(endpoint_and_rest("/docs"), ("docs", ""));
        for odd in ["", "/", "*"] {
            assert_eq!(endpoint_and_rest(odd).1, "", "{odd}");
        }
    }
}
