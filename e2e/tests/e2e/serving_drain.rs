//! Servers that are asked to stop: they say so, serve on for a while, and break nothing.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_e2e::{App, Engine, Stopwatch, Wire, came_true, on_every_engine, on_sqlite};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::net::TcpStream;

on_every_engine! {
    alone a_draining_server_says_so_and_serves_on,
    alone a_second_signal_stops_at_once,
}

on_sqlite! {
    alone a_request_in_flight_is_finished,
    alone an_event_stream_ends_when_the_drain_is_over,
    alone an_http2_connection_is_sent_goaway_and_finishes_what_it_has_begun,
    alone a_drain_that_is_too_long_is_refused,
    alone the_default_is_to_stop_without_a_drain,
}

const DRAIN: &str = "FRONTDESK_DRAIN_SECONDS";
/// A drain that no test waits for.
const LONG: &str = "300";
/// On a busy machine, the test is slower than the server.
const SOON: Duration = Duration::from_secs(15);

fn draining(engine: Engine, seconds: &str) -> App {
    App::start(engine).env(DRAIN, seconds).alone().ready()
}

fn is_draining(app: &App) -> bool {
    let response = app.anonymous().vendors().get("/readyz");
    response.status == 503 && response.json["status"] == "draining"
}

#[track_caller]
fn ask(wire: &mut Wire, path: &str, key: &str) {
    let head = format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n");
    wire.send(head).expect("the server reads");
}

fn a_draining_server_says_so_and_serves_on(engine: Engine) {
    let app = draining(engine, LONG);
    let tenant = app.tenant();
    let key = &tenant.key.secret;
    let mut reused = app.wire();
    ask(&mut reused, "/api/v1/me", key);
    let before = reused.response().expect(200);
    assert_eq!(before.header("connection"), None, "the connection stays open");
    // One that has sent nothing yet.
    let mut early = app.wire();
    app.terminate();
    assert!(came_true(|| is_draining(&app)), "{}", app.logs());
    let said = app.anonymous().vendors().get("/readyz").expect(503);
    assert!(said.text.contains("another"), "{}", said.text);
    let address = app.base().trim_start_matches("http://").to_owned();
    let said = app.run(&["health", "--listen", &address]).expect_failure();
    assert!(said.contains("stopping"), "{said}");
    app.anonymous().vendors().get("/healthz").expect(200);
    // Each gets its response, and learns that it is the last one.
    let mut late = app.wire();
    for wire in [&mut reused, &mut early, &mut late] {
        ask(wire, "/api/v1/me", key);
        let response = wire.response().expect(200);
        assert_eq!(response.header("connection"), Some("close"));
        assert!(wire.rest().expect("an orderly end").is_empty());
    }
    tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    // It does not wait for its drain when it is asked again.
    let asked = Stopwatch::start();
    app.terminate();
    assert!(app.ended().success(), "{}", app.logs());
    assert!(asked.elapsed() < SOON, "it took {:?}", asked.elapsed());
}

fn a_second_signal_stops_at_once(engine: Engine) {
    let app = draining(engine, "0");
    let tenant = app.tenant();
    // A request whose body never comes would hold up the end of the server.
    let mut slow = app.wire();
    let head = format!(
        "POST /api/v1/contacts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{{",
        tenant.key.secret
    );
    slow.send(head).expect("the server reads");
    tenant.client.get("/me").expect(200);
    app.terminate();
    assert!(came_true(|| app.logs().contains("waiting for open requests")), "{}", app.logs());
    assert!(app.is_running());
    let asked = Stopwatch::start();
    app.terminate();
    assert!(app.ended().success(), "{}", app.logs());
    assert!(asked.elapsed() < SOON, "it took {:?}", asked.elapsed());
    assert!(app.logs().contains("asked to stop again"), "{}", app.logs());
    // Nothing is broken: the next start serves.
    app.restart();
    tenant.client.get("/me").expect(200);
}

fn a_request_in_flight_is_finished(engine: Engine) {
    let app = draining(engine, "0");
    let key = app.tenant().key.secret;
    let body = json!({ "name": "Ann" }).to_string();
    let (first, second) = body.split_at(4);
    let mut wire = app.wire();
    let head = format!(
        "POST /api/v1/contacts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{first}",
        body.len()
    );
    wire.send(head).expect("the server reads");
    // An idle connection is closed when the drain is over, and then the server accepts no more.
    let mut idle = app.wire();
    ask(&mut idle, "/healthz", &key);
    idle.response().expect(200);
    app.terminate();
    assert!(idle.rest().expect("an orderly end").is_empty());
    assert!(app.is_running(), "it did not wait for the request");
    wire.send(second).expect("the server reads");
    let response = wire.response().expect(201);
    assert_eq!(response.header("connection"), Some("close"));
    assert!(app.ended().success(), "{}", app.logs());
}

fn an_event_stream_ends_when_the_drain_is_over(engine: Engine) {
    let app = draining(engine, "2");
    let tenant = app.tenant();
    let mut stream = app.wire();
    ask(&mut stream, "/api/v1/events/stream", &tenant.key.secret);
    assert_eq!(stream.begun().status, 200);
    app.terminate();
    assert!(came_true(|| is_draining(&app)), "{}", app.logs());
    // Events still come during the drain.
    tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    let mut seen = String::new();
    loop {
        let chunk = stream.chunk().expect("a whole chunk: the stream ends in order");
        if chunk.is_empty() {
            break;
        }
        seen.push_str(&String::from_utf8_lossy(&chunk));
    }
    assert!(seen.contains("contact.created"), "{seen}");
    assert!(app.ended().success(), "{}", app.logs());
}

fn an_http2_connection_is_sent_goaway_and_finishes_what_it_has_begun(engine: Engine) {
    let app = draining(engine, LONG);
    let key = app.tenant().key.secret;
    let base = app.base();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime starts");
    runtime.block_on(async {
        let stream =
            TcpStream::connect(base.strip_prefix("http://").expect("http")).await.expect("connected");
        let (mut send, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2 is spoken");
        let ended = tokio::spawn(connection);
        let request = |body: http_body_util::combinators::BoxBody<Bytes, std::convert::Infallible>| {
            http::Request::post(format!("{base}/api/v1/contacts"))
                .header("authorization", format!("Bearer {key}"))
                .header("content-type", "application/json")
                .body(body)
                .expect("a request")
        };
        let whole = || Full::new(Bytes::from(json!({ "name": "Ann" }).to_string())).boxed();
        let first = send.send_request(request(whole())).await.expect("a response");
        assert_eq!(first.status(), 201);
        // The body of this one comes after the server was asked to stop.
        let (rest, body) = tokio::sync::mpsc::channel::<Bytes>(1);
        let body = SlowBody(body).boxed();
        let under_way = send.send_request(request(body));
        rest.send(Bytes::from("{\"name\":")).await.expect("a body");
        app.terminate();
        // GOAWAY: the client may not begin another request on this connection, and every one that it began succeeds.
        let refused = async {
            while let Ok(response) = send.send_request(request(whole())).await {
                assert_eq!(response.status(), 201);
            }
        };
        tokio::time::timeout(SOON, refused).await.expect("GOAWAY never came");
        rest.send(Bytes::from("\"Eve\"}")).await.expect("a body");
        drop(rest);
        let response = tokio::time::timeout(SOON, under_way).await.expect("in time").expect("a response");
        assert_eq!(response.status(), 201);
        drop((send, response));
        assert!(matches!(tokio::time::timeout(SOON, ended).await, Ok(Ok(Ok(())))), "an orderly end");
    });
}

/// A body that comes piece by piece.
struct SlowBody(tokio::sync::mpsc::Receiver<Bytes>);

impl hyper::body::Body for SlowBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(cx).map(|piece| piece.map(|piece| Ok(hyper::body::Frame::data(piece))))
    }
}

fn a_drain_that_is_too_long_is_refused(engine: Engine) {
    let app = App::start(engine).unstarted();
    for wrong in ["601", "-1", "soon"] {
        let said = app.run(&["serve", &format!("--drain-seconds={wrong}")]).expect_failure();
        assert!(said.contains("--drain-seconds"), "{said}");
    }
    app.restart();
    app.anonymous().vendors().get("/readyz").expect(200);
}

fn the_default_is_to_stop_without_a_drain(engine: Engine) {
    let app = App::start(engine).alone().ready();
    app.tenant().client.get("/me").expect(200);
    let asked = Stopwatch::start();
    assert!(app.stop().success(), "{}", app.logs());
    assert!(asked.elapsed() < SOON, "it took {:?}", asked.elapsed());
    assert!(!app.logs().contains("still served for a while"), "{}", app.logs());
}
