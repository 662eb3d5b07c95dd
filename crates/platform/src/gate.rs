//! The gate: every HTTP request to the API passes its checks, in one order.
//!
//! Address over its budget → key → allowlist → suspension → budget ([`admission`]) → path → method → body size →
//! content type → scope → idempotency → query and body → the operation ([`dispatch`](crate::dispatch)). Every response,
//! whatever it is, carries the budget and the request's id.

mod admission;
mod body;
mod budget;

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_kernel::Timestamp;
use frontdesk_web::{Failure, Reply, RequestId, Result};
use futures_util::FutureExt;
use http::request::Parts;
use http::{HeaderName, HeaderValue};
use http_body_util::BodyExt;

pub use budget::Budget;

use crate::dispatch::{Call, Dispatcher};
use crate::limits::Limits;
use crate::principal::Actor;
use crate::{Proxies, Route, idempotency};
use admission::Admission;

/// Reads the time. The sandbox can move it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Serves API requests that carry a key.
pub struct Gate {
    pub dispatcher: Arc<Dispatcher>,
    pub limits: Limits,
    pub proxies: Proxies,
    pub clock: Clock,
}

impl Gate {
    /// Responds to a request whose path, relative to the API's prefix, is `path`.
    #[expect(clippy::disallowed_methods, reason = "measures how long it takes")]
    pub async fn respond<B>(&self, parts: Parts, path: &str, body: B, peer: IpAddr) -> Reply
    where
        B: BodyExt<Data = Bytes> + Unpin,
    {
        let now = (self.clock)();
        let request_id = RequestId::from_uuid(self.dispatcher.recorder.next::<RequestId>(now).uuid());
        let started = std::time::Instant::now();
        let mut pending = PendingRequest {
            admission: Admission { gate: self, now, budget: Budget::of_address(0, now), principal: None },
            request_id,
            route: None,
        };
        let outcome = AssertUnwindSafe(pending.pass(&parts, path, body, peer)).catch_unwind().await;
        let PendingRequest { admission, request_id, route } = pending;
        let outcome = outcome.unwrap_or_else(|_| {
            tracing::error!(%request_id, "an operation panicked");
            Err(Failure::internal())
        });
        let mut reply = outcome.unwrap_or_else(|failure| failure.render(&request_id));
        reply.headers.extend(admission.budget.headers());
        if let Ok(id) = HeaderValue::from_str(request_id.as_str()) {
            reply.headers.push((HeaderName::from_static("x-request-id"), id));
        }
        let route = route.as_ref().map_or("none", |route| route.path);
        let elapsed = started.elapsed();
        observe(&parts.method, route, reply.status.as_u16(), elapsed);
        let key = admission.principal.as_ref().and_then(|principal| match principal.actor {
            Actor::Key(id) => Some(id),
            Actor::Member(_) | Actor::Assistant(_) | Actor::System => None,
        });
        tracing::info!(
            %request_id,
            method = %parts.method,
            route,
            status = reply.status.as_u16(),
            account = admission.principal.as_ref().map(|principal| display(principal.account)),
            key = key.map(display),
            micros = elapsed.as_micros() as u64,
            "answered"
        );
        reply
    }
}

fn observe(method: &http::Method, route: &'static str, status: u16, elapsed: Duration) {
    const METHODS: [&str; 7] = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"];
    let method = METHODS.into_iter().find(|known| method == known).unwrap_or("OTHER");
    match status {
        200 => metrics::counter!("frontdesk_http_requests_total", "method" => method, "route" => route, "status" => "200"),
        201 => metrics::counter!("frontdesk_http_requests_total", "method" => method, "route" => route, "status" => "201"),
        _ => metrics::counter!("frontdesk_http_requests_total", "method" => method, "route" => route, "status" => status.to_string()),
    }
    .increment(1);
    metrics::histogram!("frontdesk_http_request_seconds", "route" => route).record(elapsed.as_secs_f64());
}

/// A request during its checks.
struct PendingRequest<'g> {
    admission: Admission<'g>,
    request_id: RequestId,
    route: Option<Arc<Route>>,
}

impl PendingRequest<'_> {
    async fn pass<B>(&mut self, parts: &Parts, path: &str, body: B, peer: IpAddr) -> Result<Reply>
    where
        B: BodyExt<Data = Bytes> + Unpin,
    {
        let gate = self.admission.gate;
        let dispatcher = &gate.dispatcher;
        let found = dispatcher.table.find(path);
        let route = found.as_ref().map(|found| found.route(&parts.method));
        self.route = route.as_ref().and_then(|route| route.as_ref().ok()).map(|route| Arc::clone(route));
        let units = self.route.as_ref().map_or(1, |route| i64::from(route.units));

        let principal = self.admission.admit(parts, peer, units).await?;

        let not_found = || Failure::not_found("There is no such path. See /docs for those there are.");
        let route = route.ok_or_else(not_found)?.map_err(|allow| Failure::method_not_allowed(&allow))?;
        let body = body::read(parts, body, route).await?;
        let call = Call {
            request_id: &self.request_id,
            now: self.admission.now,
            method: &parts.method,
            path,
            query: parts.uri.query().unwrap_or_default(),
            params: found.map(|found| found.params).unwrap_or_default(),
            body,
            idempotency_key: parts.headers.get(idempotency::HEADER).map(HeaderValue::as_bytes),
            companion: None,
        };
        dispatcher.dispatch(&principal, route, call).await
    }
}
