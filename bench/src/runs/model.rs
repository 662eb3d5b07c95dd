//! A stand-in for an OpenAI-compatible model inside this program. A reply takes exactly the configured delay, and its
//! content depends on the run's goal.
//!
//! It shares the machine with the server, so it reads requests as bytes and does as little work as it can.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::time::{Instant, sleep_until};

use crate::error::Result;
use crate::http;

/// A goal with this word makes the model ask a person.
pub(super) const ASKS: &str = "bench-ask";
/// Tool calls before the model ends the run. Each call is a tick, and so is the end.
pub(super) const TOOL_TICKS: usize = 4;

/// Space for a request with all tools.
const BUFFER_BYTES: usize = 32 * 1024;
/// The text before each tool result in a request.
const TOOL_RESULT: &[u8] = br#""role":"tool""#;

const ASK: &str = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ask_human","arguments":"{\"question\":\"May I?\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":10}}"#;
const LOOK: &str = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"list_templates","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":10}}"#;
const DONE: &str = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":10}}"#;

/// The stand-in. It serves on its own thread until the program ends.
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
        let delay = delay_micros.clone();
        thread::spawn(move || runtime.block_on(listen(listener, delay)));
        Ok(Self { address, delay_micros })
    }

    /// Makes every reply take this long from now on.
    pub(crate) fn take(&self, delay: Duration) {
        self.delay_micros.store(delay.as_micros() as u64, Ordering::Relaxed);
    }
}

async fn listen(listener: TcpListener, delay: Arc<AtomicU64>) {
    while let Ok((stream, _)) = listener.accept().await {
        let delay = delay.clone();
        // A broken connection fails its call, and the run reports that.
        tokio::spawn(async move { drop(serve(stream, &delay).await) });
    }
}

async fn serve(mut stream: TcpStream, delay: &AtomicU64) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut unread, mut response) = (Vec::with_capacity(BUFFER_BYTES), Vec::new());
    while stream.read_buf(&mut unread).await? > 0 {
        let Some(body) = http::body_of(&unread)? else { continue };
        let due = Instant::now() + Duration::from_micros(delay.load(Ordering::Relaxed));
        response.clear();
        http::write_answer(reply(body), &mut response);
        unread.clear();
        sleep_until(due).await;
        stream.write_all(&response).await?;
    }
    Ok(())
}

fn reply(body: &[u8]) -> &'static str {
    let returned = memmem::find_iter(body, TOOL_RESULT).count();
    let asks = http::find(body, ASKS.as_bytes()).is_some();
    match (asks, returned) {
        (true, 0) => ASK,
        (false, 0..TOOL_TICKS) => LOOK,
        _ => DONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn said(goal: &str, results: usize) -> Value {
        let mut messages = vec![json!({ "role": "user", "content": goal })];
        messages.extend((0..results).map(|_| json!({ "role": "tool", "content": "{\"role\":\"tool\"}" })));
        let body = json!({ "messages": messages }).to_string();
        serde_json::from_str(reply(body.as_bytes())).unwrap()
    }

    #[test]
    fn a_run_looks_four_times_and_ends() {
        let tool = |reply: &Value| {
            let call = &reply["choices"][0]["message"]["tool_calls"][0]["function"];
            call["name"].as_str().map(ToOwned::to_owned)
        };
        for results in 0..TOOL_TICKS {
            assert_eq!(tool(&said("Look around.", results)).as_deref(), Some("list_templates"));
        }
        let end = said("Look around.", TOOL_TICKS);
        assert_eq!((tool(&end), &end["choices"][0]["message"]["content"]), (None, &json!("Done.")));
    }

    #[test]
    fn a_run_with_the_word_asks_a_person() {
        let call = &said("bench-ask, please.", 0)["choices"][0]["message"]["tool_calls"][0]["function"];
        assert_eq!(call["name"], "ask_human");
        assert!(call["arguments"].as_str().is_some_and(|text| serde_json::from_str::<Value>(text).is_ok()));
        assert_eq!(said("bench-ask, please.", 1)["choices"][0]["finish_reason"], "stop");
    }
}
