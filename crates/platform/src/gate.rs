//! The gate: every HTTP request to the API passes its checks, in one order.
//!
//! Address over its budget → key → allowlist → suspension → budget ([`admission`]) → path → method → body size →
//! content type → scope → idempotency → query and body → the operation ([`dispatch`](crate::dispatch)). Every response,
//! whatever it is, carries the budget and the request's id.

mod admission;
mod body;
mod budget;

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_kernel::{Scope, key};
use frontdesk_trace as trace;
use frontdesk_web::{Failure, RequestId, Result};
use futures_util::FutureExt;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method};
use http_body_util::BodyExt;
use metrics::{Counter, Histogram};

pub use body::read as read_body;
pub use budget::Budget;

use crate::address::Proxies;
use crate::caller::Route;
use crate::dispatch::{Call, Dispatcher, REQUEST_LOG, in_time};
use crate::events::live::{Listener, Live, Standing, StillGood};
use crate::keys::KeyUses;
use crate::limits::Limits;
use crate::principal::{Actor, Principal};
use crate::services::Clock;
use crate::uploads::{self, Uploads};
use crate::{idempotency, keys, public_endpoint};
use admission::Admission;

/// Serves API requests that carry a key.
pub struct Gate {
    pub dispatcher: Arc<Dispatcher>,
    pub limits: Limits,
    pub proxies: Proxies,
    pub clock: Clock,
    pub live: Live,
    pub uploads: Arc<dyn Uploads>,
    pub key_uses: Arc<KeyUses>,
}

/// Where events are streamed. It is no route: its response has no end.
const STREAM_PATH: &str = "/events/stream";
/// Names the checks of a key in the log.
const ADMISSION: &str = "admission";

impl Gate {
    /// Responds to a request whose path, relative to the API's prefix, is `path`.
    pub async fn respond<B>(
        &self,
        parts: Parts,
        path: &str,
        body: B,
        peer: IpAddr,
    ) -> public_endpoint::PublicResponse
    where
        B: BodyExt<Data = Bytes> + Unpin + Send,
    {
        let mut pending = self.begin();
        let outcome = AssertUnwindSafe(pending.pass(&parts, path, body, peer)).catch_unwind().await;
        let route = pending.route.as_ref().map_or("none", |route| route.path);
        Self::end(&parts.method, route, pending, outcome)
    }

    /// Responds to a request of another protocol, whose requests all have one address and a JSON body. It passes the
    /// same admission. `units` says from the body what it costs.
    pub async fn respond_protocol<B, F>(
        &self,
        protocol: &'static str,
        parts: Parts,
        body: B,
        peer: IpAddr,
        units: fn(&[u8]) -> i64,
        answer: impl FnOnce(Principal, Parts, Bytes) -> F + Send,
    ) -> public_endpoint::PublicResponse
    where
        B: BodyExt<Data = Bytes> + Unpin + Send,
        F: Future<Output = Result<public_endpoint::PublicResponse>> + Send,
    {
        let (mut pending, method) = (self.begin(), parts.method.clone());
        let work = async {
            let PendingRequest { admission, request_id, .. } = &mut pending;
            let mut principal = in_time(request_id, ADMISSION, admission.admit(&parts, peer, 1)).await?;
            if parts.method != Method::POST {
                return Err(Failure::method_not_allowed("POST"));
            }
            let body = body::read(&parts, body, true, None).await?;
            let more = units(&body) - 1;
            if more > 0 {
                principal = in_time(request_id, ADMISSION, admission.admit(&parts, peer, more)).await?;
            }
            answer(principal, parts, body).await
        };
        let outcome = AssertUnwindSafe(work).catch_unwind().await;
        Self::end(&method, protocol, pending, outcome)
    }

    fn begin(&self) -> PendingRequest<'_> {
        let now = (self.clock)();
        PendingRequest {
            admission: Admission { gate: self, now, budget: Budget::of_address(0, now), principal: None },
            request_id: RequestId::from_uuid(self.dispatcher.recorder.next::<RequestId>(now).uuid()),
            started: Stopwatch::start(),
            route: None,
        }
    }

    /// Completes a response with the headers that all have, and logs and counts it.
    fn end(
        method: &Method,
        route: &'static str,
        pending: PendingRequest<'_>,
        outcome: std::thread::Result<Result<public_endpoint::PublicResponse>>,
    ) -> public_endpoint::PublicResponse {
        let PendingRequest { admission, request_id, started, .. } = pending;
        let outcome = outcome.unwrap_or_else(|_| {
            tracing::error!(%request_id, "an operation panicked");
            Err(Failure::internal())
        });
        let mut response = outcome.unwrap_or_else(|failure| failure.render(&request_id).into());
        let reply = &mut response.reply;
        reply.headers.extend(admission.budget.headers());
        if let Ok(id) = HeaderValue::from_str(request_id.as_str()) {
            reply.headers.push((HeaderName::from_static("x-request-id"), id));
        }
        let elapsed = started.elapsed();
        observe(method, route, reply.status.as_u16(), elapsed, Some(&request_id));
        let key = admission.principal.as_ref().and_then(|principal| match principal.actor {
            Actor::Key(id) => Some(id),
            Actor::Member(_) | Actor::Assistant(_) | Actor::System => None,
        });
        tracing::info!(
            target: REQUEST_LOG,
            %request_id,
            %method,
            route,
            status = reply.status.as_u16(),
            account = admission.principal.as_ref().map(|principal| display(principal.account)),
            key = key.map(display),
            micros = elapsed.as_micros() as u64,
            "answered"
        );
        response
    }

    /// Streams the events of a key's account.
    async fn stream(&self, parts: &Parts, principal: &Principal) -> Result<public_endpoint::PublicResponse> {
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            return Err(Failure::method_not_allowed("GET"));
        }
        principal.need(Scope::WebhooksManage)?;
        let hash =
            parts.headers.get(AUTHORIZATION).and_then(|header| key::from_authorization(header.as_bytes()));
        let (store, clock) = (self.dispatcher.store.clone(), self.clock.clone());
        let still_good: StillGood = Box::new(move || {
            let (store, now) = (store.clone(), clock());
            Box::pin(async move {
                let Some(hash) = hash else { return Standing::Ended };
                let Ok(found) = store.read(move |tx| keys::find(tx, &hash)).await else {
                    return Standing::Unknown;
                };
                let is_good = found.is_some_and(|key| {
                    key.is_good(now) && !key.suspended && key.effective.contains(Scope::WebhooksManage)
                });
                if is_good { Standing::Listens(Listener::Key) } else { Standing::Ended }
            })
        });
        let Actor::Key(id) = principal.actor else { return Err(Failure::unauthorized()) };
        self.live.open(principal.account, id.uuid(), Listener::Key, &parts.headers, still_good).await
    }
}

/// The method, the route and the status of a response.
type Labels = (&'static str, &'static str, u16);

thread_local! {
    /// The metrics of responses. Looking one up by its labels takes longer than counting.
    static RESPONSES: RefCell<HashMap<Labels, (Counter, Histogram)>> = RefCell::default();
}

/// Counts a response and how long it took, and describes the span of its request.
pub fn observe(
    method: &Method,
    route: &'static str,
    status: u16,
    elapsed: Duration,
    request_id: Option<&RequestId>,
) {
    const METHODS: [&str; 7] = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"];
    let method = METHODS.into_iter().find(|known| method == known).unwrap_or("OTHER");
    if trace::current().is_some() {
        describe_span(method, route, status, request_id);
    }
    RESPONSES.with_borrow_mut(|known| {
        let (count, seconds) = known.entry((method, route, status)).or_insert_with(|| {
            (
                metrics::counter!("frontdesk_http_requests_total", "method" => method, "route" => route, "status" => status.to_string()),
                metrics::histogram!("frontdesk_http_request_seconds", "route" => route),
            )
        });
        count.increment(1);
        seconds.record(elapsed.as_secs_f64());
    });
}

fn describe_span(method: &'static str, route: &'static str, status: u16, request_id: Option<&RequestId>) {
    trace::rename(|| format!("{method} {route}").into());
    trace::note("http.request.method", method);
    trace::note("http.route", route);
    trace::note("http.response.status_code", i64::from(status));
    if let Some(id) = request_id {
        trace::note("frontdesk.request_id", id.as_str().to_owned());
    }
    if status >= 500 {
        trace::fail("the response is an error");
    }
}

/// A request during its checks.
struct PendingRequest<'g> {
    admission: Admission<'g>,
    request_id: RequestId,
    started: Stopwatch,
    route: Option<Arc<Route>>,
}

/// Measures how long a request takes.
struct Stopwatch(std::time::Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "measures how long it takes")]
    fn start() -> Self {
        Self(std::time::Instant::now())
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

impl PendingRequest<'_> {
    async fn pass<B>(
        &mut self,
        parts: &Parts,
        path: &str,
        body: B,
        peer: IpAddr,
    ) -> Result<public_endpoint::PublicResponse>
    where
        B: BodyExt<Data = Bytes> + Unpin + Send,
    {
        let gate = self.admission.gate;
        let dispatcher = &gate.dispatcher;
        let found = dispatcher.table.find(path);
        let route = found.as_ref().map(|found| found.route(&parts.method));
        self.route = route.as_ref().and_then(|route| route.as_ref().ok()).map(|route| Arc::clone(route));
        let units = self.route.as_ref().map_or(1, |route| i64::from(route.units));

        let admitted = self.admission.admit(parts, peer, units);
        let principal = in_time(&self.request_id, ADMISSION, admitted).await?;

        if path == STREAM_PATH {
            return gate.stream(parts, &principal).await;
        }
        if path == uploads::PATH {
            let now = self.admission.now;
            let stored = uploads::respond(&*gate.uploads, &principal, parts, body, now).await;
            return stored.map(public_endpoint::PublicResponse::from);
        }
        let not_found = || Failure::not_found("There is no such path. See /docs for those there are.");
        let route = route.ok_or_else(not_found)?.map_err(|allow| Failure::method_not_allowed(&allow))?;
        let body = body::read(parts, body, route.takes_body, None).await?;
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
        dispatcher.dispatch(&principal, route, call).await.map(public_endpoint::PublicResponse::from)
    }
}
