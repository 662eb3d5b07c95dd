//! API reads that tools make.
//!
//! Runs of one assistant share identical concurrent reads, as they share the reads of their assistant: a trigger
//! starts hundreds of runs, and all of them list the templates first. If the store is busy, a read is retried a few
//! times.

use std::time::Duration;

use frontdesk_db as db;
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::dispatch::Invocation;
use frontdesk_web::Reply;
use http::StatusCode;
use serde_json::Value;
use tokio::time::sleep;

use super::Agent;
use super::scene::Scene;
use super::shared_reads::SharedReads;
use crate::tools::Planned;

/// How long a read waits before it retries a busy store. After the last attempt the run pauses.
const BUSY_PAUSES: [Duration; 3] =
    [Duration::from_millis(50), Duration::from_millis(150), Duration::from_millis(450)];

/// A read and its caller. Everything that changes the response is part of it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct ToolRead {
    account: AccountId,
    assistant: AssistantId,
    author: UserId,
    answers_customers: bool,
    operation: &'static str,
    params: Vec<String>,
    query: Vec<(String, String)>,
    body: Option<Value>,
}

impl ToolRead {
    pub(super) fn new(scene: &Scene, planned: Planned) -> Self {
        Self {
            account: scene.job.account,
            assistant: scene.assistant.id,
            author: scene.principal.author,
            answers_customers: scene.row.is_answer(),
            operation: planned.operation,
            params: planned.params,
            query: planned.query,
            body: planned.body,
        }
    }

    fn invocation(&self) -> Invocation {
        let (params, query, body) = (self.params.clone(), self.query.clone(), self.body.clone());
        Invocation { params, query, body, idempotency_key: None, companion: None }
    }
}

pub(super) type ToolReads = SharedReads<ToolRead, Reply>;

impl Agent {
    /// Returns the response to a read that starts after this call.
    pub(super) async fn read_for_tool(&self, scene: &Scene, read: ToolRead) -> db::Result<Reply> {
        let key = read.clone();
        let (server, dispatcher, gates) =
            (self.server.clone(), self.dispatcher.clone(), self.read_gates.clone());
        let principal = scene.principal.clone();
        let make = move || {
            let (server, dispatcher, gates) = (server.clone(), dispatcher.clone(), gates.clone());
            let (read, principal) = (read.clone(), principal.clone());
            async move {
                let mut pauses = BUSY_PAUSES.into_iter();
                loop {
                    let room = gates.enter(read.account, read.answers_customers).await;
                    let now = (server.clock)();
                    let reply = dispatcher.invoke(&principal, read.operation, read.invocation(), now).await;
                    drop(room);
                    match pauses.next() {
                        Some(pause) if reply.status == StatusCode::SERVICE_UNAVAILABLE => sleep(pause).await,
                        _ => return Ok(reply),
                    }
                }
            }
        };
        self.tool_reads.get(key, make).await
    }
}
