//! The gate: every request to the API comes through it, and meets the checks in one order.
//!
//! Address over its budget → key → allowlist → suspension → budget → path → method → body size → content type → scope →
//! idempotency → query and body → the operation. Every answer, whatever it is, carries the budget and the request's id.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use frontdesk_db::Store;
use frontdesk_kernel::{Timestamp, key};
use frontdesk_web::{Failure, Reply, Request, RequestId, Result, Route, Table};
use futures_util::FutureExt;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderName, HeaderValue};
use http_body_util::BodyExt;

use crate::error::store_failure;
use crate::events::Recorder;
use crate::idempotency::{self, InFlight};
use crate::keys::KeyRecord;
use crate::limits::{Ask, FAILURES_MAX, Limits};
use crate::{By, Caller, Proxies, Services};

const BODY_BYTES_MAX: usize = 1 << 20;
/// A body must have arrived by then.
const BODY_TIME_MAX: Duration = Duration::from_secs(20);
/// An operation that takes longer is answered as failed; a change it has queued still runs to its end.
const OPERATION_TIME_MAX: Duration = Duration::from_secs(30);

/// Reads the time; the server's is real, and in the sandbox it can be moved.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The way into the API.
pub struct Gate {
    pub table: Table,
    pub store: Store,
    pub limits: Limits,
    pub services: Arc<Services>,
    pub proxies: Proxies,
    pub cursor_key: [u8; 32],
    pub clock: Clock,
    pub ids: Arc<Recorder>,
    pub in_flight: InFlight,
}

/// What the rate-limit headers say.
#[derive(Clone, Copy)]
pub struct Budget {
    limit: i64,
    used: i64,
    now: Timestamp,
}

impl Budget {
    /// The budget of an address, before anything is known of its key.
    pub fn of_address(failed: i64, now: Timestamp) -> Self {
        Self { limit: FAILURES_MAX, used: failed, now }
    }

    fn reset(self) -> i64 {
        Timestamp::of_minute(self.now.minute() + 1).seconds()
    }

    fn seconds_left(self) -> i64 {
        (self.reset() - self.now.seconds()).max(1)
    }

    pub fn headers(self) -> [(HeaderName, HeaderValue); 3] {
        [
            (HeaderName::from_static("x-ratelimit-limit"), self.limit.into()),
            (HeaderName::from_static("x-ratelimit-remaining"), (self.limit - self.used).max(0).into()),
            (HeaderName::from_static("x-ratelimit-reset"), self.reset().into()),
        ]
    }
}

/// A request on its way through the checks.
struct Passage<'g> {
    gate: &'g Gate,
    request_id: RequestId,
    now: Timestamp,
    budget: Budget,
    route: Option<Arc<Route>>,
    /// Who asks, once the key is known to be good.
    key: Option<Arc<KeyRecord>>,
}

impl Gate {
    /// Answers a request whose path, relative to the API's prefix, is `path`.
    pub async fn answer<B>(&self, parts: Parts, path: &str, body: B, peer: IpAddr) -> Reply
    where
        B: BodyExt<Data = Bytes> + Unpin,
    {
        let now = (self.clock)();
        let request_id = RequestId::from_uuid(self.ids.next::<RequestId>(now).uuid());
        let started = std::time::Instant::now();
        let mut passage = Passage {
            gate: self,
            request_id,
            now,
            budget: Budget::of_address(0, now),
            route: None,
            key: None,
        };
        let outcome = AssertUnwindSafe(passage.pass(&parts, path, body, peer)).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|_| {
            tracing::error!(request_id = %passage.request_id, "an operation panicked");
            Err(Failure::internal())
        });
        let mut reply = outcome.unwrap_or_else(|failure| failure.render(&passage.request_id));
        reply.headers.extend(passage.budget.headers());
        if let Ok(id) = HeaderValue::from_str(passage.request_id.as_str()) {
            reply.headers.push((HeaderName::from_static("x-request-id"), id));
        }
        let route = passage.route.as_ref().map_or("none", |route| route.path);
        let elapsed = started.elapsed();
        observe(&parts.method, route, reply.status.as_u16(), elapsed);
        tracing::info!(
            request_id = %passage.request_id,
            method = %parts.method,
            route,
            status = reply.status.as_u16(),
            account = passage.key.as_ref().map(|key| display(key.account)),
            key = passage.key.as_ref().map(|key| display(key.id)),
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

impl Passage<'_> {
    async fn pass<B>(&mut self, parts: &Parts, path: &str, body: B, peer: IpAddr) -> Result<Reply>
    where
        B: BodyExt<Data = Bytes> + Unpin,
    {
        let gate = self.gate;
        let found = gate.table.find(path);
        let route = found.as_ref().map(|found| found.route(&parts.method));
        self.route = route.as_ref().and_then(|route| route.as_ref().ok()).map(|route| Arc::clone(route));
        let units = self.route.as_ref().map_or(1, |route| i64::from(route.units));

        let key = self.authenticate(parts, peer, units).await?;

        let not_found = || Failure::not_found("There is no such path. See /docs for those there are.");
        let route = route.ok_or_else(not_found)?.map_err(|allow| Failure::method_not_allowed(&allow))?;
        let body = read_body(parts, body, route).await?;
        if let Some(scope) = route.scope
            && !key.effective.contains(scope)
        {
            let message = format!("This key lacks the scope {}. Use a key that has it.", scope.name());
            return Err(Failure::forbidden("scope", message));
        }
        let by = By::new(&key, self.now, gate.ids.clone());
        let mut caller = Caller {
            by,
            key: key.clone(),
            store: gate.store.clone(),
            services: gate.services.clone(),
            idempotent: None,
            success: route.status,
        };
        if route.idempotent
            && let Some(idempotency_key) = idempotency::key_of(&parts.headers)?
        {
            let fingerprinted = (&parts.method, path, body.as_ref());
            let seal = route.sealed.then(|| gate.services.secrets.clone());
            let (mark, record) = idempotency::mark(
                &gate.in_flight,
                key.account,
                idempotency_key,
                fingerprinted,
                &self.request_id,
                seal,
            )?;
            let (mark, record) = (Arc::new(mark), Arc::new(record));
            let (asked, now) = (record.clone(), self.now);
            let recalled = gate.store.read(move |tx| idempotency::recall(tx, &asked, now)).await;
            if let Some(answer) = recalled.map_err(|error| store_failure(&error))? {
                return Err(answer);
            }
            caller.idempotent = Some((mark, record));
        }
        let mut extensions = http::Extensions::new();
        extensions.insert(caller);
        let request = Request {
            method: parts.method.clone(),
            path: path.to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            params: found.map(|found| found.params).unwrap_or_default(),
            body,
            request_id: self.request_id.clone(),
            account: key.account.uuid(),
            cursor_key: gate.cursor_key,
            route_path: route.path,
            extensions,
        };
        let Ok(outcome) = tokio::time::timeout(OPERATION_TIME_MAX, route.call(&request)).await else {
            tracing::error!(request_id = %self.request_id, route = route.path, "an operation took too long");
            return Err(Failure::internal());
        };
        outcome
    }

    /// Every check up to the budget. Afterwards the headers describe the key's budget.
    async fn authenticate(&mut self, parts: &Parts, peer: IpAddr, units: i64) -> Result<Arc<KeyRecord>> {
        let gate = self.gate;
        let client = gate.proxies.client(peer, &parts.headers);
        let address = client.unwrap_or(peer.to_canonical());
        let Some(hash) =
            parts.headers.get(AUTHORIZATION).and_then(|header| key::from_authorization(header.as_bytes()))
        else {
            return Err(self.refuse(address).await?);
        };
        let ask = Ask { hash, address, units, now: self.now };
        let admission = gate.limits.admit(ask).await.map_err(|error| store_failure(&error))?;
        self.budget = Budget::of_address(admission.failed, self.now);
        if admission.failed >= FAILURES_MAX {
            return Err(self.shut_out());
        }
        let Some(key) = admission.key.filter(|key| key.is_good(self.now)) else {
            return Err(self.refuse(address).await?);
        };
        self.budget = Budget { limit: key.budget, used: admission.used, now: self.now };
        self.key = Some(key.clone());
        if let Some(allowlist) = &key.allowlist
            && !client.is_some_and(|client| allowlist.iter().any(|network| network.contains(client)))
        {
            let message = "This key may not be used from this address. Use it from one on its allowlist, or have the list changed.";
            return Err(Failure::forbidden("ip_not_allowed", message));
        }
        if key.suspended {
            return Err(Failure::suspended());
        }
        if !admission.taken {
            let wait = self.budget.seconds_left();
            let message = if units > key.budget {
                format!(
                    "This call costs {units} units and the key's whole budget is {} a minute, so it can never pass. Raise the key's rate limit.",
                    key.budget
                )
            } else {
                format!(
                    "The rate limit of {} units a minute was exceeded for this key. Wait {wait} seconds.",
                    key.budget
                )
            };
            return Err(Failure::rate_limited(message, wait));
        }
        Ok(key)
    }

    /// Counts an unusable request against its address. The failure is the answer; an error is the store's.
    async fn refuse(&mut self, address: IpAddr) -> Result<Failure> {
        let failed = self.gate.limits.fail(address, self.now).await.map_err(|error| store_failure(&error))?;
        self.budget = Budget::of_address(failed, self.now);
        Ok(if failed > FAILURES_MAX { self.shut_out() } else { Failure::unauthorized() })
    }

    fn shut_out(&self) -> Failure {
        let wait = self.budget.seconds_left();
        let message = format!(
            "The limit of {FAILURES_MAX} requests a minute without a usable key was exceeded for this address. Wait {wait} seconds, and check the key."
        );
        Failure::rate_limited(message, wait)
    }
}

async fn read_body<B>(parts: &Parts, mut body: B, route: &Route) -> Result<Bytes>
where
    B: BodyExt<Data = Bytes> + Unpin,
{
    let announced =
        parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > BODY_BYTES_MAX as u64) {
        return Err(Failure::too_large(BODY_BYTES_MAX));
    }
    if !route.takes_body {
        return Ok(Bytes::new());
    }
    let read = async {
        let mut whole = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| {
                Failure::bad_request("The body broke off before its end. Send the request again.")
            })?;
            if let Ok(data) = frame.into_data() {
                if whole.len() + data.len() > BODY_BYTES_MAX {
                    return Err(Failure::too_large(BODY_BYTES_MAX));
                }
                if whole.is_empty() && announced == Some(data.len() as u64) {
                    return Ok(data);
                }
                whole.extend_from_slice(&data);
            }
        }
        Ok(whole.freeze())
    };
    let bytes = tokio::time::timeout(BODY_TIME_MAX, read).await.map_err(|_| Failure::request_timeout())??;
    if !bytes.is_empty() && !is_json(parts) {
        return Err(Failure::unsupported_media_type());
    }
    Ok(bytes)
}

fn is_json(parts: &Parts) -> bool {
    let Some(kind) = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
