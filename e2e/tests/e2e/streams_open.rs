//! Event streams: each is freed as soon as its client is gone, and nobody opens more than their share.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_e2e::{App, Stopwatch, Wire, at_once, came_true_within, on_sqlite};
use http::Request;
use http_body_util::Empty;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};

use crate::app_scene::{Browser, OWNER, PASSWORD, account, cookie, member};
use crate::web_chat_scene::Chat;

on_sqlite! {
    alone a_stream_that_its_client_closed_is_freed_at_once,
    alone a_stream_over_http2_that_its_client_closed_is_freed_at_once,
    alone a_stream_behind_a_proxy_that_holds_the_connection_is_freed_within_seconds,
    alone an_agent_who_opens_many_streams_at_once_gets_twenty,
}

/// A closed stream is freed at once. On a busy machine, the test is slower than the server.
const SOON: Duration = Duration::from_secs(10);
const KEY_STREAM: &str = "/api/v1/events/stream";
const MEMBER_STREAM: &str = "/app/api/stream";
const STREAMS_PER_CALLER: usize = 20;

/// The streams that the server has open.
#[track_caller]
fn open_streams(app: &App, gauge: &str) -> usize {
    let metrics = app.anonymous().vendors().get("/metrics").expect(200).text;
    let open = metrics.lines().find_map(|line| line.strip_prefix(gauge)?.strip_prefix(' '));
    open.map_or(0, |open| open.parse().expect("a number"))
}

#[track_caller]
fn settles_at(app: &App, gauge: &str, count: usize) {
    let so = came_true_within(SOON, || open_streams(app, gauge) == count);
    assert!(so, "{} streams are open, not {count}", open_streams(app, gauge));
}

/// Asks for a stream: the connection and the status.
#[track_caller]
fn ask(mut wire: Wire, path: &str, header: &str) -> (Wire, u16) {
    wire.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n{header}\r\n\r\n")).expect("the server reads");
    let status = wire.begun().status;
    (wire, status)
}

fn owner_cookie(app: &App) -> String {
    format!("Cookie: {}", cookie(&Browser::new(app).try_sign_in(OWNER, PASSWORD).expect(200)))
}

fn a_stream_that_its_client_closed_is_freed_at_once(chat: Chat) {
    let app = &chat.app;
    account(app);
    let bearer = format!("Authorization: Bearer {}", chat.tenant.key.secret);
    let events = "frontdesk_event_streams";
    for (path, header) in [(KEY_STREAM, bearer), (MEMBER_STREAM, owner_cookie(app))] {
        // Nothing happens, so no write to the connection tells the server that its client is gone.
        let streams: Vec<Wire> = (0..STREAMS_PER_CALLER)
            .map(|_| {
                let (wire, status) = ask(app.wire(), path, &header);
                assert_eq!(status, 200, "{path}");
                wire
            })
            .collect();
        settles_at(app, events, STREAMS_PER_CALLER);
        assert_eq!(ask(app.wire(), path, &header).1, 429, "{path}");
        drop(streams);
        settles_at(app, events, 0);
        assert_eq!(ask(app.wire(), path, &header).1, 200, "{path}");
        settles_at(app, events, 0);
    }
    let (ann, _) = chat.met();
    let streams: Vec<_> = (0..4).map(|_| chat.stream(&ann, None)).collect();
    settles_at(app, "frontdesk_web_chat_streams", 4);
    drop(streams);
    settles_at(app, "frontdesk_web_chat_streams", 0);
}

fn a_stream_over_http2_that_its_client_closed_is_freed_at_once(app: App) {
    let key = app.tenant().key.secret;
    let base = app.base();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime starts");
    let events = "frontdesk_event_streams";
    let open = || async {
        let address = base.strip_prefix("http://").expect("an http:// address");
        let stream = tokio::net::TcpStream::connect(address).await.expect("the server takes connections");
        let (mut send, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2 is spoken");
        let connection = tokio::spawn(connection);
        let mut responses = Vec::new();
        for _ in 0..2 {
            let request = Request::get(format!("{base}{KEY_STREAM}"))
                .header("authorization", format!("Bearer {key}"))
                .body(Empty::<Bytes>::new());
            let response = send.send_request(request.expect("a request")).await.expect("a response");
            assert_eq!(response.status(), 200);
            responses.push(response);
        }
        (send, connection, responses)
    };
    let (send, connection, mut responses) = runtime.block_on(open());
    settles_at(&app, events, 2);
    // One stream of the connection is reset, the other goes on.
    responses.pop();
    settles_at(&app, events, 1);
    // The whole connection is closed.
    connection.abort();
    drop((send, responses));
    settles_at(&app, events, 0);
}

/// A proxy that never looks whether its client is still there: it notices only when it cannot write.
fn holding_proxy(app: &App) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let here = format!("127.0.0.1:{}", listener.local_addr().expect("an address").port());
    let upstream = app.base().strip_prefix("http://").expect("an http:// address").to_owned();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a client");
        let mut server = TcpStream::connect(upstream).expect("the server takes connections");
        let mut bytes = [0; 4096];
        let asked = client.read(&mut bytes).expect("a request");
        server.write_all(&bytes[..asked]).expect("the server reads");
        while let Ok(read @ 1..) = server.read(&mut bytes) {
            if client.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
    });
    here
}

fn a_stream_behind_a_proxy_that_holds_the_connection_is_freed_within_seconds(app: App) {
    let key = app.tenant().key.secret;
    let mut client = TcpStream::connect(holding_proxy(&app)).expect("the proxy takes connections");
    let asked = format!("GET {KEY_STREAM} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n");
    client.write_all(asked.as_bytes()).expect("the proxy reads");
    let _head = client.read(&mut [0; 4096]).expect("a response");
    let events = "frontdesk_event_streams";
    settles_at(&app, events, 1);
    let closed = Stopwatch::start();
    drop(client);
    let so = came_true_within(4 * SOON, || open_streams(&app, events) == 0);
    assert!(so && closed.elapsed() < 2 * SOON, "it was noticed after {:?}", closed.elapsed());
}

/// An attack: one agent of one account opens many streams at once.
fn an_agent_who_opens_many_streams_at_once_gets_twenty(app: App) {
    const ATTEMPTS: usize = 200;
    let ours = account(&app);
    member(&app, &ours, "mia@example.com", "agent");
    let response = Browser::new(&app).try_sign_in("mia@example.com", PASSWORD).expect(200);
    let agent = format!("Cookie: {}", cookie(&response));
    let begun = Stopwatch::start();
    let asked = at_once(ATTEMPTS, |_| {
        let mut wire = app.wire();
        wire.send(format!("GET {MEMBER_STREAM} HTTP/1.1\r\nHost: a\r\n{agent}\r\n\r\n")).expect("it reads");
        let head = wire.begun();
        (wire, head)
    });
    let served = asked.iter().filter(|(_, head)| head.status == 200).count();
    assert_eq!(served, STREAMS_PER_CALLER);
    for (_, head) in asked.iter().filter(|(_, head)| head.status != 200) {
        assert_eq!(head.status, 429);
        let wait: u64 = head.header("retry-after").expect("when to come back").parse().expect("seconds");
        assert!((1..=30).contains(&wait), "{wait}");
    }
    // Everybody else has theirs: other members of the account, and other accounts.
    assert_eq!(ask(app.wire(), MEMBER_STREAM, &owner_cookie(&app)).1, 200);
    let other = app.tenant();
    let bearer = format!("Authorization: Bearer {}", other.key.secret);
    assert_eq!(ask(app.wire(), KEY_STREAM, &bearer).1, 200);
    other.client.get("/contacts").expect(200);
    assert!(begun.elapsed() < 6 * SOON, "it took {:?}", begun.elapsed());
}
