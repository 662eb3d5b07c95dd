//! `frontdesk mcp`: programs that start a process speak the protocol over its standard input and output. `make mcp` does the
//! same with the official client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use frontdesk_e2e::{PATIENCE, on_every_engine, server_binary};
use serde_json::{Value, json};

use crate::mcp_scene::{Mcp, content};
use crate::shapes::text;

on_every_engine! {
    a_program_uses_tools_over_pipes,
    a_cancelled_call_may_be_made_again_and_is_held_once,
    a_wrong_key_or_address_is_told,
}

/// Starts `frontdesk mcp`.
fn start(url: &str, key: &str) -> Child {
    Command::new(server_binary())
        .args(["mcp", "--url", url])
        .env("FRONTDESK_MCP_KEY", key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs")
}

/// What `frontdesk mcp` writes in response to these lines.
fn answers(url: &str, key: &str, lines: &[String]) -> Vec<Value> {
    let mut child = start(url, key);
    let mut input = child.stdin.take().expect("a pipe");
    for line in lines {
        writeln!(input, "{line}").expect("it reads");
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let written = String::from_utf8(output.stdout).expect("text");
    written.lines().map(|line| serde_json::from_str(line).expect("a message on every line")).collect()
}

fn call(id: usize, tool: &str, arguments: Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

fn cancel(id: usize) -> String {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
        .to_string()
}

fn a_program_uses_tools_over_pipes(mcp: Mcp) {
    let first = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } },
    });
    let started = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let lines = [
        first.to_string(),
        started.to_string(),
        call(1, "search", json!({ "query": "order" })),
        call(2, "send", mcp.hello()),
        call(3, "open", json!({ "kind": "person", "id": mcp.contact() })),
    ];
    let found = answers(&mcp.desk.inbox.app.base(), &mcp.desk.inbox.tenant.key.secret, &lines);
    let result = |id: usize| {
        let message = found.iter().find(|message| message["id"] == id);
        message.unwrap_or_else(|| panic!("no response to {id}: {found:?}"))["result"].clone()
    };
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(result(0)["protocolVersion"], "2025-06-18");
    assert_eq!(content(&result(1))["found"]["messages"]["rows"][0]["conversation_id"], mcp.ann());
    assert_eq!(content(&result(2))["status"], "waiting_for_approval");
    assert_eq!(content(&result(3))["person"]["id"], mcp.contact());
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

fn a_cancelled_call_may_be_made_again_and_is_held_once(mcp: Mcp) {
    const CALLS: usize = 20;
    let arguments = |n: usize| json!({ "conversation_id": mcp.ann(), "text": format!("Message {n}."), "idempotency_key": format!("call {n}") });
    let mut lines = Vec::new();
    for n in 0..CALLS {
        lines.push(call(n, "send", arguments(n)));
        lines.push(cancel(n));
    }
    lines.push("nothing".to_owned());
    lines.push(json!({ "jsonrpc": "2.0", "id": "last", "method": "ping" }).to_string());
    let found = answers(&mcp.desk.inbox.app.base(), &mcp.desk.inbox.tenant.key.secret, &lines);
    assert!(
        found.iter().any(|message| message["id"] == "last" && message["result"].is_object()),
        "{found:?}"
    );
    assert!(found.iter().any(|message| message["error"]["code"] == -32_700), "{found:?}");
    // Whether the server had begun a call or not, the same call again is held, once, and nothing is in doubt.
    let asks: Vec<String> = (0..CALLS).map(|n| mcp.program.held("send", arguments(n))).collect();
    let pending = mcp.desk.pending();
    assert_eq!(pending.len(), CALLS);
    for (n, ask) in asks.iter().enumerate() {
        let held = pending.iter().find(|row| row["id"] == *ask).unwrap_or_else(|| panic!("no ask {n}"));
        assert_eq!(held["arguments"]["text"], format!("Message {n}."));
    }
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

/// What happens at a server that never answers a tool's call.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Call,
    /// The connection of the call was closed.
    Closed,
}

/// A server that answers everything but a tool's call, which it holds until its connection is closed: its address.
fn holding_server(seen: Sender<Seen>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, seen) = (stream.expect("a connection"), seen.clone());
            thread::spawn(move || serve(stream, &seen));
        }
    });
    format!("http://{address}")
}

/// Serves a connection until it is closed.
fn serve(stream: TcpStream, seen: &Sender<Seen>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    let mut length = 0;
    loop {
        let mut line = String::new();
        if !matches!(reader.read_line(&mut line), Ok(1..)) {
            return;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a number");
        }
        if !line.trim().is_empty() {
            continue;
        }
        let mut body = vec![0; std::mem::take(&mut length)];
        reader.read_exact(&mut body).expect("a body");
        let request: Value = serde_json::from_slice(&body).expect("JSON");
        if request["method"] == "tools/call" {
            seen.send(Seen::Call).expect("the test waits");
            let mut rest = Vec::new();
            // A connection that is reset is closed, too.
            let _ = reader.read_to_end(&mut rest);
            seen.send(Seen::Closed).expect("the test waits");
            return;
        }
        let reply = json!({ "jsonrpc": "2.0", "id": request["id"], "result": {} }).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            reply.len()
        );
        (&stream).write_all(format!("{head}{reply}").as_bytes()).expect("the program reads");
    }
}

#[test]
fn a_call_that_is_cancelled_under_way_is_hung_up_and_gets_no_response() {
    let (sender, seen) = channel();
    let mut child = start(&holding_server(sender), "frontdesk_live_any");
    let mut input = child.stdin.take().expect("a pipe");
    let waits = || seen.recv_timeout(PATIENCE).expect("it comes");
    for n in [1, 2] {
        writeln!(input, "{}", call(n, "send", json!({ "text": "Hello." }))).expect("it reads");
        assert_eq!(waits(), Seen::Call);
    }
    // One of two is cancelled, and its connection alone is closed.
    writeln!(input, "{}", cancel(1)).expect("it reads");
    assert_eq!(waits(), Seen::Closed);
    assert!(seen.try_recv().is_err(), "the other call was hung up, too");
    let ping = json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" });
    writeln!(input, "{ping}\n{}", cancel(2)).expect("it reads");
    assert_eq!(waits(), Seen::Closed);
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let written = String::from_utf8(output.stdout).expect("text");
    let found: Vec<Value> =
        written.lines().map(|line| serde_json::from_str(line).expect("a message")).collect();
    assert_eq!(found, [json!({ "jsonrpc": "2.0", "id": 3, "result": {} })]);
}

fn a_wrong_key_or_address_is_told(mcp: Mcp) {
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let said = |url: &str, key: &str| {
        let found = answers(url, key, std::slice::from_ref(&list));
        text(&found[0]["error"]["message"]).to_owned()
    };
    assert!(said(&mcp.desk.inbox.app.base(), "frontdesk_live_wrong").contains("key"));
    assert!(said("http://127.0.0.1:9", &mcp.desk.inbox.tenant.key.secret).contains("No server answers"));
}
