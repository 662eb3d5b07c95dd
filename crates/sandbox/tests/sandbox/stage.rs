//! A sandbox, a server that receives its webhooks, and a client.

#![expect(clippy::disallowed_methods, reason = "tests measure time and need names of their own")]

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use frontdesk_sandbox::{Connection, Directory, Sandbox};
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use sha2::{Sha256, Sha512};
use tokio::net::TcpListener;

/// How long a test waits for something to happen.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a test waits to see that nothing more happens.
const QUIET: Duration = Duration::from_millis(300);

pub(crate) const CUSTOMER: &str = "16505551234";

/// A received webhook.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) raw: Bytes,
    pub(crate) body: Value,
}

impl Hook {
    /// The first status, message or change of a WhatsApp webhook.
    pub(crate) fn value(&self) -> &Value {
        &self.body["entry"][0]["changes"][0]["value"]
    }

    pub(crate) fn status(&self) -> Option<&str> {
        self.value()["statuses"][0]["status"].as_str()
    }

    /// The first event of a page.
    pub(crate) fn event(&self) -> &Value {
        &self.body["entry"][0]["messaging"][0]
    }

    pub(crate) fn is_signed_by_meta(&self, secret: &str) -> bool {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(&self.raw);
        self.header("x-hub-signature-256") == format!("sha256={}", hex(&mac.finalize().into_bytes()))
    }

    pub(crate) fn is_signed_by_bridge(&self, key: &str) -> bool {
        let mut mac = Hmac::<Sha512>::new_from_slice(key.as_bytes()).unwrap();
        mac.update(&self.raw);
        self.header("x-webhook-hmac") == hex(&mac.finalize().into_bytes())
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

#[derive(Default)]
struct Taken {
    hooks: Mutex<Vec<Hook>>,
    response: AtomicU16,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct SandboxResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) raw: Bytes,
    pub(crate) body: Value,
}

impl SandboxResponse {
    /// The data of a control response, which must be a success.
    pub(crate) fn data(&self) -> &Value {
        assert_eq!(self.status, 200, "{}", self.body);
        &self.body["data"]
    }
}

pub(crate) struct Stage {
    pub(crate) url: String,
    pub(crate) clock: Arc<AtomicI64>,
    client: Client<HttpConnector, Full<Bytes>>,
    taken: Arc<Taken>,
}

struct List(Vec<Connection>);

impl Directory for List {
    fn connections(&self) -> Pin<Box<dyn Future<Output = Vec<Connection>> + Send + '_>> {
        Box::pin(async { self.0.clone() })
    }
}

impl Stage {
    pub(crate) async fn open() -> Self {
        let taken = Arc::new(Taken { response: AtomicU16::new(200), ..Taken::default() });
        let hooks = take_hooks(taken.clone()).await;
        let clock = Arc::new(AtomicI64::new(1_700_000_000_000));
        let time = clock.clone();
        let sandbox = Sandbox::new(
            Arc::new(List(connections(&hooks))),
            Arc::new(move || time.fetch_add(1, Ordering::Relaxed)),
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(frontdesk_sandbox::serve(sandbox, listener));
        Self { url, clock, client: Client::builder(TokioExecutor::new()).build_http(), taken }
    }

    /// Calls the sandbox; none when the connection was cut.
    pub(crate) async fn call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Option<SandboxResponse> {
        let url = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.url) };
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let response = self.client.request(request.body(Full::new(body)).unwrap()).await.ok()?;
        let (parts, body) = response.into_parts();
        let raw = body.collect().await.ok()?.to_bytes();
        let body = serde_json::from_slice(&raw).unwrap_or_default();
        Some(SandboxResponse { status: parts.status.as_u16(), headers: parts.headers, raw, body })
    }

    pub(crate) async fn get(&self, path: &str) -> SandboxResponse {
        self.call("GET", path, &[], &Value::Null).await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> SandboxResponse {
        self.call("POST", path, &[], &body).await.unwrap()
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> SandboxResponse {
        self.call("PUT", path, &[], &body).await.unwrap()
    }

    /// Sends over Graph as a connection; none when the connection was cut.
    pub(crate) async fn graph(&self, token: &str, id: &str, body: &Value) -> Option<SandboxResponse> {
        let authorization = format!("Bearer {token}");
        let path = format!("/sandbox/graph/v23.0/{id}/messages");
        self.call("POST", &path, &[("authorization", &authorization)], body).await
    }

    /// Sends a WhatsApp message, which must be accepted, and returns its id.
    pub(crate) async fn send(&self, part: Value) -> String {
        let response = self.graph("wa-token", "1001", &whatsapp(part)).await.unwrap();
        assert_eq!(response.status, 200, "{}", response.body);
        response.body["messages"][0]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn graph_get(&self, token: &str, path: &str) -> SandboxResponse {
        let authorization = format!("Bearer {token}");
        self.call("GET", path, &[("authorization", &authorization)], &Value::Null).await.unwrap()
    }

    pub(crate) async fn bridge(&self, method: &str, path: &str, body: Value) -> SandboxResponse {
        let path = format!("/sandbox/bridge/api/{path}");
        self.call(method, &path, &[("x-api-key", "bridge-key")], &body).await.unwrap()
    }

    pub(crate) async fn say(&self, body: Value) -> SandboxResponse {
        self.post(&format!("/sandbox/customers/{CUSTOMER}/messages"), body).await
    }

    pub(crate) async fn sent(&self) -> Vec<Value> {
        self.get("/sandbox/messages").await.data().as_array().unwrap().clone()
    }

    /// Sets the server's response to webhooks.
    pub(crate) fn answer_hooks_with(&self, status: u16) {
        self.taken.response.store(status, Ordering::Relaxed);
    }

    pub(crate) fn hooks(&self) -> Vec<Hook> {
        self.taken.hooks.lock().unwrap().clone()
    }

    /// Waits until this many matching webhooks have arrived.
    pub(crate) async fn wait_for(&self, count: usize, fits: impl Fn(&Hook) -> bool) -> Vec<Hook> {
        let end = tokio::time::Instant::now() + PATIENCE;
        loop {
            let found: Vec<_> = self.hooks().into_iter().filter(&fits).collect();
            if found.len() >= count {
                return found;
            }
            assert!(tokio::time::Instant::now() < end, "{count} were expected of {:#?}", self.hooks());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until no more webhooks arrive.
    pub(crate) async fn settle(&self) {
        tokio::time::sleep(QUIET).await;
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1000, Ordering::Relaxed);
    }
}

/// A WhatsApp message to the customer, with these parts.
pub(crate) fn whatsapp(part: Value) -> Value {
    let mut body = json!({ "messaging_product": "whatsapp", "recipient_type": "individual", "to": CUSTOMER });
    body.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
    body
}

pub(crate) fn text(body: &str) -> Value {
    json!({ "type": "text", "text": { "body": body }, "biz_opaque_callback_data": format!("our-{body}") })
}

fn connections(hooks: &str) -> Vec<Connection> {
    let connection = |id: &str, channel: &str| Connection {
        id: id.into(),
        channel: channel.into(),
        name: format!("Desk {id}"),
        account_name: "Demo".into(),
        webhook_url: format!("{hooks}/channels/{channel}/{id}"),
        access_token: format!("{id}-token"),
        app_secret: format!("{id}-secret"),
        ..Connection::default()
    };
    let some = |text: &str| Some(text.to_owned());
    vec![
        Connection { page_id: some("3001"), ..connection("ms", "messenger") },
        Connection {
            number: some("15550001111"),
            phone_number_id: some("1001"),
            waba_id: some("2001"),
            ..connection("wa", "whatsapp")
        },
        Connection { page_id: some("3002"), ..connection("ig", "instagram") },
        Connection {
            number: some("15550002222"),
            session: some("desk"),
            bridge_key: some("bridge-key"),
            ..connection("pw", "personal_whatsapp")
        },
    ]
}

async fn take_hooks(taken: Arc<Taken>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let taken = taken.clone();
            let service = service_fn(move |request| take(taken.clone(), request));
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    url
}

async fn take(taken: Arc<Taken>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let raw = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let status = taken.response.load(Ordering::Relaxed);
    let body = serde_json::from_slice(&raw).unwrap_or_default();
    let hook = Hook { path: parts.uri.path().to_owned(), headers: parts.headers, raw, body };
    taken.hooks.lock().unwrap().push(hook);
    let mut response = Response::new(Full::new(Bytes::from_static(b"as told")));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    Ok(response)
}
