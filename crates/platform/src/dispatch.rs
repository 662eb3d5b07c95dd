//! Dispatch: a principal, a route and a call become a response.
//!
//! All calls of the API end here: HTTP requests with a key come from the [gate](crate::Gate), calls from this
//! process from [`Dispatcher::invoke`]. Dispatch makes the checks that do not depend on the source of the
//! call, in this order: scope → idempotency → query and body → the operation.

mod invoke;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use frontdesk_db::Store;
use frontdesk_kernel::Timestamp;
use frontdesk_web::{Reply, Request, RequestId, Result};
use http::Method;

use crate::by::By;
use crate::by::Recorder;
use crate::caller::{Caller, Change, Route, Table};
use crate::error::{overdue, store_failure};
use crate::idempotency::{self, InFlight, Mark, Record};
pub use crate::operations::{Companion, Invocation};
use crate::principal::{Actor, Principal};
use crate::services::{Clock, Services};

/// The log's target of the line for each request, which is switched off at a terminal.
pub const REQUEST_LOG: &str = "request";
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// The deadline of an operation, and that of the checks of who calls. A change that is already queued still runs to its end.
const OPERATION_TIME_MAX: Duration = Duration::from_secs(30);

/// The routes and the services of their operations.
pub struct Dispatcher {
    pub table: Table,
    pub store: Store,
    pub services: Arc<Services>,
    pub clock: Clock,
    pub cursor_key: [u8; 32],
    pub recorder: Arc<Recorder>,
    pub in_flight: InFlight,
}

/// A call of one route.
pub struct Call<'a> {
    pub request_id: &'a RequestId,
    pub now: Timestamp,
    pub method: &'a Method,
    /// Relative to the API's prefix.
    pub path: &'a str,
    /// Raw, without the question mark; may be empty.
    pub query: &'a str,
    /// Values of the path's placeholders, decoded, in their order.
    pub params: Vec<String>,
    pub body: Bytes,
    /// As it was sent; dispatch validates it.
    pub idempotency_key: Option<&'a [u8]>,
    pub companion: Option<Companion>,
}

/// Gives work of a request the time of an operation. A database that hangs makes it wait for longer, and so does a lock.
/// `what` names the work in the log.
pub async fn in_time<T>(
    request_id: &RequestId,
    what: &str,
    work: impl Future<Output = Result<T>> + Send,
) -> Result<T> {
    tokio::time::timeout(OPERATION_TIME_MAX, work).await.unwrap_or_else(|_| {
        tracing::error!(%request_id, route = what, "an operation took too long");
        Err(overdue())
    })
}

impl Dispatcher {
    /// Makes the remaining checks and runs the operation.
    pub async fn dispatch(&self, principal: &Principal, route: &Route, call: Call<'_>) -> Result<Reply> {
        check_scope(principal, route)?;
        in_time(call.request_id, route.path, self.carry_out(principal, route, call)).await
    }

    async fn carry_out(&self, principal: &Principal, route: &Route, call: Call<'_>) -> Result<Reply> {
        let (idempotent, stored) = match call.idempotency_key {
            Some(key) if route.idempotent => match self.recall(principal, route, key, &call).await {
                Ok(marked) => (Some(marked), None),
                Err(failure) if failure.is_stored() => (None, Some(failure)),
                Err(failure) => return Err(failure),
            },
            _ => (None, None),
        };
        let caller = Caller {
            by: By::new(principal, call.now, &self.recorder),
            request_id: call.request_id.clone(),
            principal: principal.clone(),
            store: self.store.clone(),
            services: self.services.clone(),
            clock: self.clock.clone(),
            idempotent,
            companion: call.companion,
            change: Change::of(route, &call.params, &self.table),
            success: route.status,
            // What an assistant reads, it acts on.
            is_replicated: route.is_replicated() && !matches!(principal.actor, Actor::Assistant(_)),
        };
        let request = Request {
            method: call.method.clone(),
            path: call.path.to_owned(),
            query: call.query.to_owned(),
            params: call.params,
            body: call.body,
            request_id: call.request_id.clone(),
            account: principal.account.uuid(),
            cursor_key: self.cursor_key,
            route_path: route.path,
            caller,
            ignored: OnceLock::new(),
        };
        if let Some(stored) = stored {
            return Err(route.replay(&request, stored));
        }
        route.call(&request).await
    }

    /// Marks the idempotency key as in flight. The failure is the stored response, if there is one, or the reason why
    /// the key cannot be used.
    async fn recall(
        &self,
        principal: &Principal,
        route: &Route,
        key: &[u8],
        call: &Call<'_>,
    ) -> Result<(Arc<Mark>, Arc<Record>)> {
        let key = principal.actor.idempotency_key(idempotency::read_key(key)?);
        let fingerprinted = (call.method, call.path, call.body.as_ref());
        let seal = route.sealed.then(|| self.services.secrets.clone());
        let (mark, record) =
            idempotency::mark(&self.in_flight, principal.account, key, fingerprinted, call.request_id, seal)?;
        let (mark, record) = (Arc::new(mark), Arc::new(record));
        let (asked, now) = (record.clone(), call.now);
        let recalled = self.store.read_single(move |tx| idempotency::recall(tx, &asked, now)).await;
        match recalled.map_err(|error| store_failure(&error))? {
            Some(stored) => Err(stored),
            None => Ok((mark, record)),
        }
    }
}

fn check_scope(principal: &Principal, route: &Route) -> Result<()> {
    route.scope.map_or(Ok(()), |scope| principal.need(scope))
}
