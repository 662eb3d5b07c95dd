//! Calls whose answer may never come: for servers that are made to fail.

use serde_json::Value;
use ureq::Agent;

use crate::response::Response;
use crate::setup::Key;
use crate::until::PATIENCE;

/// A caller that takes silence for an answer.
#[derive(Clone, Debug)]
pub struct Unsure {
    agent: Agent,
    base: String,
    authorization: String,
}

impl Unsure {
    /// Calls the server at this address, and no other even if it is started again elsewhere.
    pub fn new(base: &str, key: &Key) -> Self {
        let agent = Agent::config_builder()
            .max_idle_connections(0)
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(PATIENCE))
            .build()
            .into();
        Self { agent, base: base.to_owned(), authorization: format!("Bearer {}", key.secret) }
    }

    /// Posts JSON under an `Idempotency-Key`; none when the connection broke before the answer's end.
    pub fn post(&self, path: &str, body: &Value, idempotency_key: &str) -> Option<Response> {
        let sent = self
            .agent
            .post(format!("{}/api/v1{path}", self.base))
            .header("authorization", &self.authorization)
            .header("content-type", "application/json")
            .header("idempotency-key", idempotency_key)
            .send(body.to_string().as_bytes());
        let (head, mut body) = sent.ok()?.into_parts();
        let body = body.read_to_vec().ok()?;
        Some(Response::new(format!("POST {path}"), head.status.as_u16(), head.headers, body))
    }
}
