//! Calls of operations from inside this process, by their names: an assistant's tools, or a server for
//! another protocol.
//!
//! The response is the one that the same call over HTTP gets, without the headers that only HTTP needs. The
//! caller is responsible for admission: it checks that the account is not suspended, and counts its calls.

use std::fmt::Write;
use std::panic::AssertUnwindSafe;

use bytes::Bytes;
use frontdesk_kernel::{Scope, Timestamp};
use frontdesk_web::{Failure, Reply, RequestId, Result};
use futures_util::FutureExt;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{BODY_BYTES_MAX, Call, Dispatcher, REQUEST_LOG};
use crate::caller::Route;
use crate::operations::{Invocation, Operations, ReplyFuture};
use crate::principal::Principal;

/// Characters that need no escape in a path.
const PATH_ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Dispatcher {
    /// Runs an operation as a principal. Never panics.
    pub async fn invoke(
        &self,
        principal: &Principal,
        operation: &str,
        invocation: Invocation,
        now: Timestamp,
    ) -> Reply {
        let new_id = || RequestId::from_uuid(self.recorder.next::<RequestId>(now).uuid());
        let request_id = invocation.request_id.clone().unwrap_or_else(new_id);
        let run = self.run(principal, operation, invocation, &request_id, now);
        let outcome = AssertUnwindSafe(run).catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!(%request_id, operation, "an operation panicked");
            Err(Failure::internal())
        });
        let reply = outcome.unwrap_or_else(|failure| failure.render(&request_id));
        let (status, account) = (reply.status.as_u16(), principal.account);
        tracing::info!(target: REQUEST_LOG, %request_id, operation, status, %account, actor = ?principal.actor, "invoked");
        reply
    }

    async fn run(
        &self,
        principal: &Principal,
        operation: &str,
        invocation: Invocation,
        request_id: &RequestId,
        now: Timestamp,
    ) -> Result<Reply> {
        let route = self.table.named(operation).ok_or_else(|| {
            Failure::not_found(format!("There is no operation {operation:?}. See /docs for those there are."))
        })?;
        let body = match invocation.body {
            Some(body) if route.takes_body => Bytes::from(body.to_string()),
            _ => Bytes::new(),
        };
        if body.len() > BODY_BYTES_MAX {
            return Err(Failure::too_large(BODY_BYTES_MAX));
        }
        let (path, query) = (path_of(route, &invocation.params), query_of(&invocation.query));
        let call = Call {
            request_id,
            now,
            method: &route.method,
            path: &path,
            query: &query,
            params: invocation.params,
            body,
            idempotency_key: invocation.idempotency_key.as_ref().map(String::as_bytes),
            companion: invocation.companion,
        };
        self.dispatch(principal, route, call).await
    }
}

impl Operations for Dispatcher {
    fn call<'a>(
        &'a self,
        principal: &'a Principal,
        operation: &'a str,
        invocation: Invocation,
        now: Timestamp,
    ) -> ReplyFuture<'a> {
        Box::pin(self.invoke(principal, operation, invocation, now))
    }

    fn scope_of(&self, operation: &str) -> Option<Scope> {
        self.table.named(operation).and_then(|route| route.scope)
    }
}

/// The route's path with its placeholders filled in. A placeholder without a value stays; its handler refuses it.
fn path_of(route: &Route, params: &[String]) -> String {
    let mut values = params.iter();
    let mut path = String::new();
    for part in route.path.split('/').skip(1) {
        path.push('/');
        let value = if part.starts_with('{') { values.next() } else { None };
        match value {
            Some(value) => path.extend(utf8_percent_encode(value, PATH_ESCAPED)),
            None => path.push_str(part),
        }
    }
    path
}

fn query_of(pairs: &[(String, String)]) -> String {
    let mut query = String::new();
    for (name, value) in pairs {
        let separator = if query.is_empty() { "" } else { "&" };
        let (name, value) =
            (utf8_percent_encode(name, NON_ALPHANUMERIC), utf8_percent_encode(value, NON_ALPHANUMERIC));
        // Writing to a string cannot fail.
        let _ = write!(query, "{separator}{name}={value}");
    }
    query
}
