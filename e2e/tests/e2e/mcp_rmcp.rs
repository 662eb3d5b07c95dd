//! The official Rust client of the Model Context Protocol (`rmcp`), over both transports and in two versions of the
//! protocol. `make mcp` does the same with the official Python client.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_e2e::{on_every_engine, server_binary};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientConfig, ClientRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, GetPromptRequestParams, Implementation, JsonObject, ProtocolVersion,
    ReadResourceRequestParams,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, PeerRequestOptions, RequestContext,
    RunningService,
};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, UnixSocketHttpClient};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::net::unix::pipe;
use tokio::runtime::Runtime;

use crate::mcp_scene::{Mcp, READS, content};
use crate::shapes::text;

on_every_engine! {
    the_official_client_uses_every_tool,
    its_user_approves_or_declines,
    the_scopes_of_its_key_decide_what_it_may,
    what_it_cancels_may_be_made_again_and_is_held_once,
    a_fooled_model_behind_it_changes_nothing,
}

#[derive(Clone, Copy, Debug)]
enum Over {
    Http,
    Pipes,
}

/// Every way to connect: both transports, each in the version without sessions and in an older one.
const WAYS: [(Over, ProtocolVersion); 4] = [
    (Over::Http, ProtocolVersion::V_2026_07_28),
    (Over::Http, ProtocolVersion::V_2025_06_18),
    (Over::Pipes, ProtocolVersion::V_2026_07_28),
    (Over::Pipes, ProtocolVersion::V_2025_06_18),
];

/// The user in front of the program.
#[derive(Clone, Default)]
struct User {
    /// What they answer. Without it, the program does not declare that it can ask.
    answer: Option<bool>,
    /// What they were asked.
    asked: Arc<Mutex<Vec<String>>>,
    version: ProtocolVersion,
}

impl User {
    fn who(answer: bool) -> Self {
        Self { answer: Some(answer), ..Self::default() }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let can = if self.answer.is_some() { json!({ "elicitation": { "form": {} } }) } else { json!({}) };
        let capabilities = serde_json::from_value(can).expect("capabilities of the protocol");
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
            .with_protocol_version(self.version.clone())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            panic!("a form is asked for: {request:?}");
        };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        Ok(match self.answer {
            Some(true) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "approve": true }))
            }
            _ => ElicitResult::new(ElicitationAction::Decline),
        })
    }
}

/// The official client, connected.
struct Connected {
    service: RunningService<RoleClient, User>,
    runtime: Runtime,
    _program: Option<Program>,
}

/// `frontdesk mcp`, which ends with its client.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Connects with this key. What `rmcp` says of a failure is long, so it is boxed.
fn connect(
    mcp: &Mcp,
    secret: &str,
    (over, version): (Over, ProtocolVersion),
    user: &User,
) -> Result<Connected, Box<ClientInitializeError>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime starts");
    let base = mcp.desk.inbox.app.base();
    let user = User { version: version.clone(), ..user.clone() };
    let lifecycle = if version.has_initialize() {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover { preferred_versions: vec![version] }
    };
    let mut program = None;
    let service = runtime.block_on(async {
        match over {
            Over::Http => {
                let uri = format!("{base}/mcp");
                let client = UnixSocketHttpClient::new(&socket_to(&base), &uri);
                let config = StreamableHttpClientTransportConfig::with_uri(uri).auth_header(secret);
                let transport = StreamableHttpClientTransport::with_client(client, config);
                user.serve_with_lifecycle(transport, lifecycle).await
            }
            Over::Pipes => {
                let mut child = Command::new(server_binary())
                    .args(["mcp", "--url", &base])
                    .env("FRONTDESK_MCP_KEY", secret)
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .spawn()
                    .expect("the program runs");
                let (input, output) =
                    (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
                program = Some(Program(child));
                let from = pipe::Receiver::from_owned_fd(output.into()).expect("a pipe");
                let to = pipe::Sender::from_owned_fd(input.into()).expect("a pipe");
                user.serve_with_lifecycle((from, to), lifecycle).await
            }
        }
    });
    Ok(Connected { service: service.map_err(Box::new)?, runtime, _program: program })
}

/// A socket of this process that leads to the server. The client's HTTP over TCP needs a second HTTP library, and its HTTP
/// over such a socket is the same protocol.
fn socket_to(base: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("frontdesk-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let listener = UnixListener::bind_addr(&address).expect("a free name");
    listener.set_nonblocking(true).expect("a socket");
    let listener = tokio::net::UnixListener::from_std(listener).expect("a socket");
    let server = base.strip_prefix("http://").expect("HTTP").to_owned();
    tokio::spawn(async move {
        while let Ok((mut from, _)) = listener.accept().await {
            let mut to = TcpStream::connect(&server).await.expect("the server takes connections");
            tokio::spawn(async move { copy_bidirectional(&mut from, &mut to).await });
        }
    });
    format!("@{name}")
}

fn object(value: Value) -> JsonObject {
    let Value::Object(fields) = value else { panic!("no object: {value}") };
    fields
}

impl Connected {
    /// The result of a tool, as the protocol has it.
    #[track_caller]
    fn call(&self, tool: &'static str, arguments: Value) -> Value {
        let params = CallToolRequestParams::new(tool).with_arguments(object(arguments));
        let result = self.runtime.block_on(self.service.call_tool(params)).expect("a result");
        serde_json::to_value(result).expect("JSON")
    }

    /// What a tool returns.
    #[track_caller]
    fn uses(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        content(&result)
    }

    #[track_caller]
    fn tools(&self) -> Vec<String> {
        let listed = self.runtime.block_on(self.service.list_all_tools()).expect("a list");
        listed.into_iter().map(|tool| tool.name.into_owned()).collect()
    }
}

fn the_official_client_uses_every_tool(mcp: Mcp) {
    let secret = &mcp.desk.inbox.tenant.key.secret;
    for (n, way) in WAYS.into_iter().enumerate() {
        let client = connect(&mcp, secret, way.clone(), &User::default()).expect("it connects");
        let agreed = client.service.peer_info().expect("the server's").protocol_version.clone();
        assert_eq!(agreed, way.1, "{way:?}");
        let mut left = client.tools();
        assert_eq!(left.len(), 9);
        let company = format!("Acme {n}");
        let words = format!("Hello, {n}.");
        let at = "2099-01-31T09:30:00Z";
        let results = [
            ("search", json!({ "query": "order" })),
            ("open", json!({ "kind": "person", "id": mcp.contact() })),
            ("whats_waiting", json!({})),
            ("draft_reply", json!({ "conversation_id": mcp.ann(), "text": words })),
            ("update", json!({ "what": "contact", "id": mcp.contact(), "fields": { "company": company } })),
            ("schedule", json!({ "what": "snooze", "at": at, "conversation_id": mcp.ann() })),
            ("run_assistant", json!({})),
            ("send", json!({ "conversation_id": mcp.ann(), "text": words })),
        ]
        .map(|(tool, arguments)| {
            left.retain(|name| name != tool);
            client.uses(tool, arguments)
        });
        let held = text(&results[7]["ask_id"]);
        let refused = client.call("answer_ask", json!({ "ask_id": held, "decision": "approve" }));
        assert_eq!(refused["isError"], true, "{way:?}: {refused}");
        assert_eq!(left, ["answer_ask"]);
        let contact = mcp.desk.client.get(&format!("/contacts/{}", mcp.contact())).expect(200).data().clone();
        assert_eq!(contact["company"], company, "{way:?}");
        assert_eq!(mcp.sent().len(), n, "{way:?}");
        mcp.desk.client.post(&format!("/asks/{held}/answer"), json!({ "decision": "approve" })).expect(200);
        assert!(mcp.sent().contains(&words), "{way:?}");
        client.runtime.block_on(async {
            let service = &client.service;
            assert_eq!(service.list_all_prompts().await.expect("a list").len(), 3);
            let arguments = object(json!({ "contact_id": mcp.contact() }));
            let prompt = GetPromptRequestParams::new("summarise_this_customer").with_arguments(arguments);
            assert!(!service.get_prompt(prompt).await.expect("a prompt").messages.is_empty());
            assert_eq!(service.list_all_resource_templates().await.expect("a list").len(), 3);
            for resource in service.list_all_resources().await.expect("a list") {
                let read = service.read_resource(ReadResourceRequestParams::new(resource.uri)).await;
                assert!(!read.expect("a resource").contents.is_empty(), "{way:?}");
            }
        });
    }
}

fn its_user_approves_or_declines(mcp: Mcp) {
    let secret = &mcp.desk.inbox.tenant.key.secret;
    for over in [Over::Http, Over::Pipes] {
        let before = mcp.sent().len();
        for (answer, status) in [(true, "done"), (false, "declined")] {
            let user = User::who(answer);
            let way = (over, ProtocolVersion::V_2026_07_28);
            let client = connect(&mcp, secret, way, &user).expect("it connects");
            assert_eq!(client.uses("send", mcp.hello())["status"], status, "{over:?}");
            let asked = user.asked();
            assert!(asked.len() == 1 && asked[0].contains("Hello Ann."), "{over:?}: {asked:?}");
        }
        assert_eq!(mcp.sent().len(), before + 1, "{over:?}");
        // A program that cannot be asked in its version waits for a person elsewhere, whatever its user would say.
        let user = User::who(true);
        let way = (over, ProtocolVersion::V_2025_06_18);
        let client = connect(&mcp, secret, way, &user).expect("it connects");
        assert_eq!(client.uses("send", mcp.hello())["status"], "waiting_for_approval", "{over:?}");
        assert_eq!((user.asked().len(), mcp.sent().len()), (0, before + 1), "{over:?}");
    }
}

fn the_scopes_of_its_key_decide_what_it_may(mcp: Mcp) {
    let reader = mcp.key_with(&["--scopes", "contacts:read"]);
    for way in WAYS {
        let client = connect(&mcp, &reader.secret, way.clone(), &User::who(true)).expect("it connects");
        assert_eq!(client.tools(), ["search", "open"], "{way:?}");
        assert_eq!(client.uses("search", json!({ "query": "4155550123" }))["found"].get("messages"), None);
        for (tool, arguments) in mcp.fooled(mcp.ann(), mcp.ann()) {
            if !["search", "open"].contains(&tool) {
                let refused = client.call(tool, arguments);
                assert_eq!(refused["isError"], true, "{way:?} {tool}: {refused}");
                assert!(text(&refused["content"][0]["text"]).contains("scopes"), "{way:?} {tool}: {refused}");
            }
        }
        assert!(connect(&mcp, "frontdesk_live_wrong", way.clone(), &User::default()).is_err(), "{way:?}");
    }
    assert_eq!((mcp.sent(), mcp.desk.pending()), (Vec::new(), Vec::new()));
}

fn what_it_cancels_may_be_made_again_and_is_held_once(mcp: Mcp) {
    const CALLS: usize = 20;
    let secret = &mcp.desk.inbox.tenant.key.secret;
    let mut asks = Vec::new();
    for way in WAYS {
        let client = connect(&mcp, secret, way.clone(), &User::default()).expect("it connects");
        let name = |n: usize| format!("{way:?} {n}");
        let arguments =
            |n: usize| json!({ "conversation_id": mcp.ann(), "text": name(n), "idempotency_key": name(n) });
        client.runtime.block_on(async {
            for n in 0..CALLS {
                let params = CallToolRequestParams::new("send").with_arguments(object(arguments(n)));
                let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
                let options = PeerRequestOptions::no_options();
                let sent =
                    client.service.send_cancellable_request(request, options).await.expect("it is sent");
                sent.cancel(Some("not any more".to_owned())).await.expect("it is cancelled");
            }
        });
        // The connection goes on. Whether the server had begun a call or not, the same call again is held, once.
        for n in 0..CALLS {
            let held = client.uses("send", arguments(n));
            assert_eq!(held["status"], "waiting_for_approval", "{way:?} {n}: {held}");
            asks.push((text(&held["ask_id"]).to_owned(), name(n)));
        }
    }
    let held = mcp.desk.pending();
    let mut held: Vec<(String, String)> = held
        .iter()
        .map(|ask| (text(&ask["id"]).to_owned(), text(&ask["arguments"]["text"]).to_owned()))
        .collect();
    held.sort();
    asks.sort();
    assert_eq!(held, asks);
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

fn a_fooled_model_behind_it_changes_nothing(mcp: Mcp) {
    let tempted = mcp.tempted();
    for way in WAYS {
        // Nobody can be asked, and then somebody who declines is.
        for user in [User::default(), User::who(false)] {
            let key = mcp.key_with(&["--all-scopes"]);
            let client = connect(&mcp, &key.secret, way.clone(), &user).expect("it connects");
            let mut stopped = 0;
            for (tool, arguments) in tempted.calls.clone() {
                let result = client.call(tool, arguments.clone());
                if result["isError"] == true || READS.contains(&tool) {
                    continue;
                }
                let status = content(&result)["status"].clone();
                let expected = ["waiting_for_approval", "declined", "not_confirmed"];
                assert!(expected.contains(&text(&status)), "{way:?} {tool} {arguments}: {result}");
                stopped += 1;
            }
            assert!(stopped >= 12, "{way:?}: {stopped}");
            mcp.nothing_changed(&tempted);
        }
    }
}
