//! HTTP/2 without TLS, for clients that know beforehand that the server speaks it.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_e2e::{App, on_sqlite};
use http::{Request, Response, StatusCode, Version};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::{JoinHandle, JoinSet};

/// More than a connection may have under way at once.
const REQUESTS: usize = 150;
/// Requests under way get 30 seconds when the server is asked to end. A connection without any must not wait for that.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

on_sqlite! {
    a_client_that_begins_with_the_preface_is_served_over_http2,
    requests_beyond_the_limit_of_streams_wait_for_their_turn,
    a_head_that_is_too_large_is_refused_over_http2,
    an_idle_http2_connection_does_not_hold_up_the_end_of_the_server,
}

struct Connection {
    send: SendRequest<Full<Bytes>>,
    base: String,
    ended: JoinHandle<hyper::Result<()>>,
}

impl Connection {
    async fn open(app: &App) -> Self {
        let base = app.base();
        let address = base.strip_prefix("http://").expect("an http:// address");
        let stream = TcpStream::connect(address).await.expect("the server takes connections");
        let (send, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2 is spoken");
        Self { send, base, ended: tokio::spawn(connection) }
    }

    async fn call(&self, method: &str, path: &str, key: &str, body: &str) -> (Response<()>, Value) {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(body.to_owned())));
        let mut send = self.send.clone();
        let response = send.send_request(request.expect("a request")).await.expect("a response");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("the whole body").to_bytes();
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        (Response::from_parts(parts, ()), json)
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts")
}

fn a_client_that_begins_with_the_preface_is_served_over_http2(app: App) {
    let key = app.tenant().key.secret;
    runtime().block_on(async {
        let connection = Connection::open(&app).await;
        let contact = json!({ "name": "Ann" }).to_string();
        let (made, body) = connection.call("POST", "/api/v1/contacts", &key, &contact).await;
        assert_eq!((made.status(), made.version()), (StatusCode::CREATED, Version::HTTP_2));
        assert!(made.headers().contains_key("x-request-id"));
        assert!(made.headers().contains_key("x-ratelimit-remaining"));
        let path = format!("/api/v1/contacts/{}", body["data"]["id"].as_str().expect("an id"));
        let (_, found) = connection.call("GET", &path, &key, "").await;
        assert_eq!(found["data"]["name"], "Ann");
        let (refused, body) = connection.call("GET", &path, "frontdesk_live_nothing", "").await;
        assert_eq!(
            (refused.status(), &body["error"]["code"]),
            (StatusCode::UNAUTHORIZED, &json!("unauthorized"))
        );
        let (page, _) = connection.call("GET", "/healthz", &key, "").await;
        assert_eq!(page.status(), StatusCode::OK);
    });
    app.tenant().client.get("/me").expect(200);
}

fn requests_beyond_the_limit_of_streams_wait_for_their_turn(app: App) {
    let account = app.account_with(&["--rate-limit", "1000"]);
    let key = app.key_with(&account, &["--all-scopes", "--rate-limit", "1000"]).secret;
    runtime().block_on(async {
        let connection = std::sync::Arc::new(Connection::open(&app).await);
        let mut calls = JoinSet::new();
        for _ in 0..REQUESTS {
            let (connection, key) = (connection.clone(), key.clone());
            calls.spawn(async move { connection.call("GET", "/api/v1/me", &key, "").await.0.status() });
        }
        let statuses = calls.join_all().await;
        assert_eq!(statuses, vec![StatusCode::OK; REQUESTS]);
    });
}

fn a_head_that_is_too_large_is_refused_over_http2(app: App) {
    let key = app.tenant().key.secret;
    runtime().block_on(async {
        let connection = Connection::open(&app).await;
        let request = Request::get(format!("{}/healthz", connection.base))
            .header("x-large", "a".repeat(200_000))
            .body(Full::new(Bytes::new()));
        let refused = connection.send.clone().send_request(request.expect("a request")).await;
        let refused = refused.map(|response| response.status());
        assert!(!matches!(refused, Ok(status) if status.is_success()), "{refused:?}");
        let (other, _) = Connection::open(&app).await.call("GET", "/api/v1/me", &key, "").await;
        assert_eq!(other.status(), StatusCode::OK);
    });
}

fn an_idle_http2_connection_does_not_hold_up_the_end_of_the_server(app: App) {
    let key = app.tenant().key.secret;
    let runtime = runtime();
    let connection = runtime.block_on(async {
        let connection = Connection::open(&app).await;
        assert_eq!(connection.call("GET", "/api/v1/me", &key, "").await.0.status(), StatusCode::OK);
        connection
    });
    // The connection answers the server while it ends.
    let client = std::thread::spawn(move || {
        runtime.block_on(async { tokio::time::timeout(ENDS_WITHIN, connection.ended).await.is_ok() })
    });
    assert!(app.stop().success());
    assert!(client.join().expect("the client ends"), "the connection was not closed");
}
