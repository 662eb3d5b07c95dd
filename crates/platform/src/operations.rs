//! Calls of operations by name, for callers inside this process.
//!
//! [`Dispatcher`](crate::Dispatcher) implements them. The trait is below it, so that an operation can carry out another
//! one: the answer to an ask carries out what was asked for.

use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::{Scope, Timestamp};
use frontdesk_web::{Reply, RequestId};
use http::StatusCode;
use serde_json::Value;

use crate::principal::Principal;

/// Writes in an operation's transaction, given the status and body of the response. Both commit or neither
/// does. It is not called when the operation fails, because nothing was changed.
pub type Companion = Arc<dyn Fn(&mut Tx<'_>, StatusCode, &[u8]) -> db::Result<()> + Send + Sync>;

/// The input of an operation.
#[derive(Clone, Default)]
pub struct Invocation {
    /// Values of the path's placeholders, in their order.
    pub params: Vec<String>,
    pub query: Vec<(String, String)>,
    pub body: Option<Value>,
    pub idempotency_key: Option<String>,
    pub companion: Option<Companion>,
    /// The id of the request that this call is part of; a call by itself gets one of its own.
    pub request_id: Option<RequestId>,
}

/// The response to come.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// Every operation of the API, by name.
pub trait Operations: Send + Sync {
    /// Runs an operation as a principal. Never panics.
    fn call<'a>(
        &'a self,
        principal: &'a Principal,
        operation: &'a str,
        invocation: Invocation,
        now: Timestamp,
    ) -> ReplyFuture<'a>;

    /// The scope that an operation needs, if it needs one.
    fn scope_of(&self, operation: &str) -> Option<Scope>;
}

/// Where operations find the others, once the server has built them.
#[derive(Default)]
pub struct OperationsSlot(OnceLock<Weak<dyn Operations>>);

impl OperationsSlot {
    /// Fills the slot. It is filled once.
    pub fn fill(&self, operations: Weak<dyn Operations>) {
        let _first_wins = self.0.set(operations);
    }

    /// The operations; none in a program that serves no API.
    pub fn get(&self) -> Option<Arc<dyn Operations>> {
        self.0.get().and_then(Weak::upgrade)
    }
}
