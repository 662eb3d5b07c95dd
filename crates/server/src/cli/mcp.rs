//! `frontdesk mcp`: the Model Context Protocol over standard input and output, for programs that start a process.
//!
//! It passes every request on to a running server, at `/mcp`, so there is one way of doing things: scopes, limits and
//! approvals are those of the server. It opens no database. Standard output has messages of the protocol and nothing else.

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use frontdesk_outbound::{Client, Limits, Reach};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::{Error, Result};
use crate::installation::runtime;

/// The deadline of a request. The server's own deadline of an operation is shorter.
const CALL_TIME_MAX: Duration = Duration::from_mins(1);
/// The largest message in either direction.
const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// Messages that are read ahead.
const AHEAD_MAX: usize = 16;
/// Error codes of JSON-RPC: nothing that can be read, and a failure of the server.
const UNREADABLE: i64 = -32_700;
const FAILED: i64 = -32_000;
const VERSION_IN_META: &str = "io.modelcontextprotocol/protocolVersion";

#[derive(Args)]
pub(super) struct Command {
    /// The server's address, as in a browser
    #[arg(long, env = "FRONTDESK_MCP_URL", default_value = "http://127.0.0.1:8080", value_name = "URL")]
    url: String,
    /// The API key; the variable keeps it out of the list of processes
    #[arg(long, env = "FRONTDESK_MCP_KEY", hide_env_values = true, value_name = "KEY")]
    key: String,
}

impl Command {
    pub(super) fn run(self) -> Result<()> {
        let uri: Uri = format!("{}/mcp", self.url.trim().trim_end_matches('/')).parse().map_err(|_| {
            Error::Invalid(format!("{:?} is no URL: use one such as https://desk.example", self.url))
        })?;
        let mut key = HeaderValue::from_str(&format!("Bearer {}", self.key.trim()))
            .map_err(|_| Error::Invalid("the key cannot be sent: copy it whole".to_owned()))?;
        key.set_sensitive(true);
        let proxy =
            Arc::new(Proxy { client: Client::new(Reach::Anywhere), uri, key, version: Mutex::default() });
        let (sender, messages) = mpsc::channel(AHEAD_MAX);
        // Reading standard input blocks, and ends with the process at the latest.
        std::thread::spawn(move || read_lines(&mut std::io::stdin().lock(), &sender));
        runtime()?.block_on(pass_on(proxy, messages));
        Ok(())
    }
}

/// Sends each line. A line that is too long is sent as far as it may be, which no one can read as a message.
fn read_lines(input: &mut impl BufRead, sender: &mpsc::Sender<Vec<u8>>) {
    loop {
        let mut line = Vec::new();
        let limit = MESSAGE_BYTES_MAX as u64 + 1;
        match input.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.len() > MESSAGE_BYTES_MAX {
            // The rest of the line belongs to it.
            while line.last() != Some(&b'\n') {
                line.clear();
                if !matches!(input.by_ref().take(limit).read_until(b'\n', &mut line), Ok(1..)) {
                    break;
                }
            }
            line = b"{".to_vec();
        }
        if !line.trim_ascii().is_empty() && sender.blocking_send(line).is_err() {
            return;
        }
    }
}

/// Passes messages on until input ends, and then waits for the responses that are due.
async fn pass_on(proxy: Arc<Proxy>, mut messages: mpsc::Receiver<Vec<u8>>) {
    let mut running: HashMap<String, JoinHandle<()>> = HashMap::new();
    while let Some(line) = messages.recv().await {
        running.retain(|_, task| !task.is_finished());
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            say(&failure(
                &Value::Null,
                UNREADABLE,
                "This is no JSON-RPC message of one line, or it is too long.",
            ));
            continue;
        };
        match (message.get("method").and_then(Value::as_str), message.get("id")) {
            (Some("notifications/cancelled"), _) => {
                // The connection is closed, which tells the server.
                if let Some(task) = running.remove(&message["params"]["requestId"].to_string()) {
                    task.abort();
                }
            }
            (Some(_), Some(id)) => {
                let (id, proxy) = (id.to_string(), proxy.clone());
                running.insert(id, tokio::spawn(async move { say(&proxy.ask(&message).await) }));
            }
            // The server has no state that other notifications could change, and asks nothing that could be answered.
            _ => {}
        }
    }
    for (_, task) in running {
        let _cancelled_is_fine = task.await;
    }
}

/// A server, and the key for it.
struct Proxy {
    client: Client,
    uri: Uri,
    key: HeaderValue,
    /// The version of the protocol that was agreed on, unless requests name it themselves.
    version: Mutex<Option<String>>,
}

impl Proxy {
    /// The response to a request.
    async fn ask(&self, message: &Value) -> Value {
        let id = &message["id"];
        let limits = Limits { time_max: CALL_TIME_MAX, body_bytes_max: MESSAGE_BYTES_MAX };
        let body = Bytes::from(message.to_string());
        let sent =
            self.client.send(Method::POST, self.uri.clone(), self.headers(message), body, limits).await;
        let response = match sent {
            Ok(response) => response,
            Err(error) => {
                let text = format!("No server answers at {}: {error}. Start it, or correct --url.", self.uri);
                return failure(id, FAILED, &text);
            }
        };
        let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        if body["jsonrpc"] == "2.0" {
            if message["method"] == "initialize"
                && let Some(version) = body["result"]["protocolVersion"].as_str()
            {
                *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.to_owned());
            }
            return body;
        }
        let status = response.status.as_u16();
        let text = match body["error"]["message"].as_str() {
            Some(text) => text.to_owned(),
            None => format!("The server at {} refused the request with status {status}.", self.uri),
        };
        failure(id, FAILED, &text)
    }

    fn headers(&self, message: &Value) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, self.key.clone());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let params = &message["params"];
        let named = params["_meta"][VERSION_IN_META].as_str().map(str::to_owned);
        let is_first = message["method"] == "initialize";
        let agreed =
            || self.version.lock().unwrap_or_else(PoisonError::into_inner).clone().filter(|_| !is_first);
        let name = params["name"].as_str().or(params["uri"].as_str());
        let sent = [
            ("mcp-protocol-version", named.or_else(agreed)),
            ("mcp-method", message["method"].as_str().map(str::to_owned)),
            ("mcp-name", name.map(str::to_owned)),
        ];
        for (header, value) in sent {
            // Names of ours are ASCII. Another one names nothing, and the server says so.
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
                headers.insert(HeaderName::from_static(header), value);
            }
        }
        headers
    }
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// Writes a message as one line. If nobody reads it, the input will end.
fn say(message: &Value) {
    let line = format!("{message}\n");
    let mut stdout = std::io::stdout().lock();
    let _nobody_reads = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_passed_on_and_one_that_is_too_long_is_refused() {
        let (sender, mut lines) = mpsc::channel(10);
        let long = vec![b'a'; MESSAGE_BYTES_MAX + 10];
        let input = [&b"{\"id\":1}\n\n"[..], &long, b"\n{\"id\":2}"].concat();
        read_lines(&mut &*input, &sender);
        drop(sender);
        let read: Vec<Vec<u8>> = std::iter::from_fn(|| lines.blocking_recv()).collect();
        assert_eq!(read, [&b"{\"id\":1}\n"[..], b"{", b"{\"id\":2}"]);
    }
}
