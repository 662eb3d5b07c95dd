//! `frontdesk mcp`: programs that start a process speak the protocol over its standard input and output. `make mcp` does the
//! same with the official client.

use std::io::Write;
use std::process::{Command, Stdio};

use frontdesk_e2e::{on_every_engine, server_binary};
use serde_json::{Value, json};

use crate::mcp_scene::{Mcp, content};
use crate::shapes::text;

on_every_engine! {
    a_program_uses_tools_over_pipes,
    a_cancelled_call_leaves_nothing_half_done,
    a_wrong_key_or_address_is_told,
}

/// What `frontdesk mcp` writes in response to these lines.
fn answers(url: &str, key: &str, lines: &[String]) -> Vec<Value> {
    let mut child = Command::new(server_binary())
        .args(["mcp", "--url", url])
        .env("FRONTDESK_MCP_KEY", key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
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

fn a_program_uses_tools_over_pipes(mcp: Mcp) {
    let start = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } },
    });
    let started = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let lines = [
        start.to_string(),
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

fn a_cancelled_call_leaves_nothing_half_done(mcp: Mcp) {
    let mut lines = Vec::new();
    for n in 0..20 {
        let text = format!("Message {n}.");
        lines.push(call(n, "send", json!({ "conversation_id": mcp.ann(), "text": text })));
        let params = json!({ "requestId": n });
        lines.push(
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string(),
        );
    }
    lines.push("nothing".to_owned());
    lines.push(json!({ "jsonrpc": "2.0", "id": "last", "method": "ping" }).to_string());
    let found = answers(&mcp.desk.inbox.app.base(), &mcp.desk.inbox.tenant.key.secret, &lines);
    assert!(
        found.iter().any(|message| message["id"] == "last" && message["result"].is_object()),
        "{found:?}"
    );
    assert!(found.iter().any(|message| message["error"]["code"] == -32_700), "{found:?}");
    // What was cancelled in time was not held, and the rest waits as a whole.
    for ask in mcp.desk.pending() {
        assert!(text(&ask["arguments"]["text"]).starts_with("Message "), "{ask}");
        let opened = mcp.program.uses("open", json!({ "kind": "ask", "id": ask["id"] }));
        assert_eq!(opened["outcome"]["status"], "waiting_for_approval");
    }
    assert_eq!(mcp.sent(), Vec::<String>::new());
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
