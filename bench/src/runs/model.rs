//! A stand-in of an OpenAI-compatible model inside this program. It takes as long as it is told, and what it says follows from
//! the run's goal.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::time::sleep;

use crate::Result;

/// A goal with this word makes the model ask a person.
pub(super) const ASKS: &str = "bench-ask";
/// Calls of a tool before the model comes to an end. Each is a tick, and so is the end.
pub(super) const TOOL_TICKS: usize = 4;

/// The stand-in, on a thread of its own, until the program ends.
pub(crate) struct Model {
    pub(crate) address: SocketAddr,
    delay_micros: Arc<AtomicU64>,
}

impl Model {
    pub(crate) fn start() -> Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let delay_micros = Arc::new(AtomicU64::new(0));
        let router =
            Router::new().route("/v1/chat/completions", post(reply)).with_state(delay_micros.clone());
        thread::spawn(move || runtime.block_on(async { axum::serve(listener, router).await }));
        Ok(Self { address, delay_micros })
    }

    /// From now on every reply takes this long.
    pub(crate) fn take(&self, delay: Duration) {
        self.delay_micros.store(delay.as_micros() as u64, Ordering::Relaxed);
    }
}

async fn reply(State(delay): State<Arc<AtomicU64>>, body: Bytes) -> String {
    sleep(Duration::from_micros(delay.load(Ordering::Relaxed))).await;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let returned = messages.iter().filter(|message| message["role"] == "tool").count();
    let asks = messages.iter().any(|message| message.to_string().contains(ASKS));
    let message = match (asks, returned) {
        (true, 0) => calls("ask_human", r#"{"question":"May I?"}"#),
        (false, 0..TOOL_TICKS) => calls("list_templates", "{}"),
        _ => json!({ "role": "assistant", "content": "Done." }),
    };
    let stop = if message["tool_calls"].is_array() { "tool_calls" } else { "stop" };
    json!({
        "choices": [{ "index": 0, "message": message, "finish_reason": stop }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 },
    })
    .to_string()
}

fn calls(tool: &str, arguments: &str) -> Value {
    let call =
        json!({ "id": "call_1", "type": "function", "function": { "name": tool, "arguments": arguments } });
    json!({ "role": "assistant", "content": null, "tool_calls": [call] })
}
