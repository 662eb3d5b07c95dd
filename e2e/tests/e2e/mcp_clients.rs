//! The official client of the protocol, over standard input and output: `frontdesk mcp` passes its requests on to the server.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use frontdesk_e2e::{on_every_engine, server_binary};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, RequestContext, RunningService, serve_client_with_lifecycle};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::mcp_scene::Mcp;
use crate::shapes::text;

on_every_engine! {
    the_official_client_uses_every_tool,
    the_official_client_asks_its_user,
    a_cancelled_call_leaves_nothing_half_done,
    a_wrong_key_or_address_is_told,
}

/// A program whose user says yes, and counts how often.
#[derive(Clone, Default)]
struct User {
    asked: Arc<AtomicUsize>,
    can_be_asked: bool,
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let capabilities = if self.can_be_asked {
            ClientCapabilities::builder().enable_elicitation().build()
        } else {
            ClientCapabilities::default()
        };
        ClientConfig::new(capabilities, Implementation::new("test", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "approve": true })))
    }
}

/// `frontdesk mcp` for this server.
fn command(mcp: &Mcp, key: &str) -> Child {
    Command::new(server_binary())
        .args(["mcp", "--url", &mcp.desk.inbox.app.base()])
        .env("FRONTDESK_MCP_KEY", key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .expect("the program runs")
}

fn inside<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(work)
}

async fn uses(
    client: &RunningService<RoleClient, User>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.expect("a result")
}

fn shown(result: &CallToolResult) -> Value {
    let result = serde_json::to_value(result).expect("JSON");
    serde_json::from_str(text(&result["content"][0]["text"])).expect("JSON")
}

fn the_official_client_uses_every_tool(mcp: Mcp) {
    inside(async {
        let mut child = command(&mcp, &mcp.desk.inbox.tenant.key.secret);
        let pipes = (child.stdout.take().expect("a pipe"), child.stdin.take().expect("a pipe"));
        let client = User::default().serve(pipes).await.expect("a connection");
        let tools = client.list_all_tools().await.expect("tools");
        assert_eq!(tools.len(), 9);
        let (ann, contact) = (mcp.ann(), mcp.contact());
        let later = "2099-01-31T09:30:00Z";
        for (tool, arguments, held) in [
            ("search", json!({ "query": "order" }), false),
            ("open", json!({ "kind": "person", "id": contact }), false),
            ("whats_waiting", json!({}), false),
            ("draft_reply", json!({ "conversation_id": ann, "text": "It is." }), false),
            ("send", mcp.hello(), true),
            ("update", json!({ "what": "contact", "id": contact, "fields": { "company": "Acme" } }), false),
            ("schedule", json!({ "what": "snooze", "at": later, "conversation_id": ann }), false),
            ("run_assistant", json!({}), false),
        ] {
            let result = uses(&client, tool, arguments).await;
            assert_eq!(result.is_error, Some(false), "{tool}: {result:?}");
            assert_eq!(shown(&result)["status"] == "waiting_for_approval", held, "{tool}");
        }
        let refused = uses(&client, "answer_ask", json!({ "ask_id": contact, "decision": "approve" })).await;
        assert_eq!(refused.is_error, Some(true));
        assert_eq!(client.list_all_prompts().await.expect("prompts").len(), 3);
        assert!(!client.list_all_resources().await.expect("resources").is_empty());
        assert_eq!(client.list_all_resource_templates().await.expect("templates").len(), 3);
        client.cancel().await.expect("an end");
    });
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

fn the_official_client_asks_its_user(mcp: Mcp) {
    inside(async {
        let mut child = command(&mcp, &mcp.desk.inbox.tenant.key.secret);
        let pipes = (child.stdout.take().expect("a pipe"), child.stdin.take().expect("a pipe"));
        let user = User { can_be_asked: true, ..User::default() };
        let newest =
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
        let client = serve_client_with_lifecycle(user.clone(), pipes, newest).await.expect("a connection");
        let sent = uses(&client, "send", mcp.hello()).await;
        assert_eq!(shown(&sent)["status"], "done", "{sent:?}");
        assert_eq!(user.asked.load(Ordering::Relaxed), 1);
        client.cancel().await.expect("an end");
    });
    assert_eq!(mcp.sent(), ["Hello Ann."]);
}

fn a_cancelled_call_leaves_nothing_half_done(mcp: Mcp) {
    use std::io::Write;
    let key = &mcp.desk.inbox.tenant.key.secret;
    let mut child = std::process::Command::new(server_binary())
        .args(["mcp", "--url", &mcp.desk.inbox.app.base()])
        .env("FRONTDESK_MCP_KEY", key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    for n in 0..20 {
        let arguments = json!({ "conversation_id": mcp.ann(), "text": format!("Message {n}.") });
        let call = json!({ "jsonrpc": "2.0", "id": n, "method": "tools/call", "params": { "name": "send", "arguments": arguments } });
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": n } });
        writeln!(input, "{call}\n{cancel}").expect("it reads");
    }
    writeln!(input, "nothing\n{}", json!({ "jsonrpc": "2.0", "id": "last", "method": "ping" }))
        .expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a message on every line"))
        .collect();
    assert!(lines.iter().any(|line| line["id"] == "last" && line["result"].is_object()), "{lines:?}");
    assert!(lines.iter().any(|line| line["error"]["code"] == -32_700), "{lines:?}");
    // Whatever was cancelled in time was not held, and the rest waits as a whole.
    for ask in mcp.desk.pending() {
        assert!(text(&ask["arguments"]["text"]).starts_with("Message "), "{ask}");
        let outcome = mcp.program.uses("open", json!({ "kind": "ask", "id": ask["id"] }));
        assert_eq!(outcome["outcome"]["status"], "waiting_for_approval");
    }
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

fn a_wrong_key_or_address_is_told(mcp: Mcp) {
    let ask = |url: &str, key: &str| {
        use std::io::Write;
        let mut child = std::process::Command::new(server_binary())
            .args(["mcp", "--url", url])
            .env("FRONTDESK_MCP_KEY", key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut input = child.stdin.take().expect("a pipe");
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }))
            .expect("it reads");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let message: Value = serde_json::from_slice(&output.stdout).expect("one message");
        text(&message["error"]["message"]).to_owned()
    };
    let base = mcp.desk.inbox.app.base();
    assert!(ask(&base, "frontdesk_live_wrong").contains("key"));
    assert!(ask("http://127.0.0.1:9", &mcp.desk.inbox.tenant.key.secret).contains("No server answers"));
}
