//! Connections: each accepted one is served by its own task, and all are closed at shutdown.
//!
//! The number of open connections is limited, in total and per address. A client beyond a limit gets 503 or 429 with
//! `Retry-After` and is closed at once. Every phase of a connection has a deadline: the head and the body of a request, the
//! operation, and each write.
//!
//! A client that begins with the preface of HTTP/2 is served over HTTP/2, without TLS or an upgrade, as
//! proxies expect. All others speak HTTP/1.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use frontdesk_sandbox::Disconnect;
use http::header::{EXPECT, HOST};
use http::{HeaderValue, Request, Response, Version};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::address_slots::{AddressSlot, AddressSlots};
use super::client_close::{ClientClose, EventStreamFlag, WatchedBody};
use super::deadline_socket::DeadlineSocket;
use super::refusals::{Refusals, UNREAD_BYTES_MAX, UNREAD_TIME_MAX};
use super::response::HttpBody;
use super::signals::Signals;
use super::site::Site;
use crate::config::Config;

/// The deadline for the head of a request, and the limit for an idle connection. It is longer than that of
/// load balancers, so that none sends a request into a closing connection.
const HEAD_TIME_MAX: Duration = Duration::from_secs(75);
/// The longest head of a request. hyper limits the number of headers to 100.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// Maximum concurrent requests of one HTTP/2 connection.
const STREAMS_MAX: u32 = 100;
/// How long running requests may take at shutdown.
const FINISH_TIME_MAX: Duration = Duration::from_secs(15);
/// A client must read part of a waiting response within this time.
const WRITE_TIME_MAX: Duration = Duration::from_secs(30);
/// Clients beyond the limit that are refused at a time. Further ones wait to be accepted.
const REFUSALS_MAX: usize = 128;
/// A refused client has this long to send its request and read the response.
const REFUSAL_TIME_MAX: Duration = Duration::from_secs(1);
/// The responses to clients beyond the limits: the status line and the body.
const FULL: [&str; 2] = [
    "503 Service Unavailable",
    r#"{"error":{"code":"internal","message":"The server has as many connections open as it may. Try again in a few seconds."}}"#,
];
const ADDRESS_FULL: [&str; 2] = [
    "429 Too Many Requests",
    r#"{"error":{"code":"rate_limited","message":"Too many connections are open from this address. Close some, or reuse one for several requests."}}"#,
];
const REFUSAL_HEADERS: &str =
    "Content-Type: application/json\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: ";
/// The pause after a failed accept, when the system is out of a resource.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until a signal, then until running requests are finished. A second signal ends the waiting.
/// `ending` closes responses that would never end.
pub(super) async fn serve(
    listener: TcpListener,
    site: Arc<Site>,
    slots: ConnectionSlots,
    signals: &mut Signals,
    ending: impl FnOnce(),
) {
    let graceful = GracefulShutdown::new();
    let mut http = auto::Builder::new(TokioExecutor::new());
    // A client may close its sending side and still wait for its response, so half-closed connections are
    // allowed, except during an event stream. A head must fit into the buffer.
    http.http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .half_close(true);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(HEAD_BYTES_MAX as u32);
    let open = Open::new(slots);
    loop {
        tokio::select! {
            accepted = accept(&listener, &open) => match accepted {
                Ok((stream, peer, Admission::Served(place))) => {
                    converse(&http, &graceful, site.clone(), stream, peer, place);
                }
                Ok((stream, _, Admission::Refused(response, place))) => {
                    drop(tokio::spawn(refuse(stream, response, place)));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            () = signals.next() => break,
        }
    }
    drop(listener);
    ending();
    tracing::info!(connections = graceful.count(), "shutting down; waiting for open requests");
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(FINISH_TIME_MAX) => tracing::warn!("some requests did not finish in time"),
        () = signals.next() => tracing::warn!("asked to stop again; some requests did not finish"),
    }
}

/// The limits of open connections.
pub(super) struct ConnectionSlots {
    total_max: usize,
    by_address: AddressSlots,
}

impl ConnectionSlots {
    pub(super) fn of(config: &Config) -> Self {
        let by_address = AddressSlots::new(config.connections_per_address, config.proxies.clone());
        Self { total_max: config.connections_max, by_address }
    }
}

/// The slots for connections.
struct Open {
    served: Arc<Semaphore>,
    by_address: AddressSlots,
    refused: Arc<Semaphore>,
}

/// The slot of a connection that is served.
struct Place {
    _total: OwnedSemaphorePermit,
    _address: AddressSlot,
}

/// How an accepted connection is handled; its slot is released when this is dropped.
enum Admission {
    Served(Place),
    Refused([&'static str; 2], OwnedSemaphorePermit),
}

impl Open {
    fn new(slots: ConnectionSlots) -> Self {
        Self {
            served: Arc::new(Semaphore::new(slots.total_max)),
            by_address: slots.by_address,
            refused: Arc::new(Semaphore::new(REFUSALS_MAX)),
        }
    }
}

/// Accepts a connection, to serve or refuse it. Waits while there is no slot even for a refusal.
async fn accept(listener: &TcpListener, open: &Open) -> io::Result<(TcpStream, SocketAddr, Admission)> {
    let refusal = open.refused.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    let admission = match (open.by_address.take(peer.ip()), open.served.clone().try_acquire_owned()) {
        (Some(address), Ok(total)) => Admission::Served(Place { _total: total, _address: address }),
        (None, _) => Admission::Refused(ADDRESS_FULL, refusal),
        (_, Err(_)) => Admission::Refused(FULL, refusal),
    };
    Ok((stream, peer, admission))
}

/// Responds that there is no slot, and closes the connection.
async fn refuse(mut stream: TcpStream, [status, body]: [&'static str; 2], _place: OwnedSemaphorePermit) {
    metrics::counter!("frontdesk_http_connections_refused_total").increment(1);
    let told = async {
        let response = format!("HTTP/1.1 {status}\r\n{REFUSAL_HEADERS}{}\r\n\r\n{body}", body.len());
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await?;
        // Closing with unread bytes would reset the connection, and the response might be lost.
        let mut unread = [0; 4096];
        while stream.read(&mut unread).await? > 0 {}
        io::Result::Ok(())
    };
    // A client that is gone or too slow is closed all the same.
    let _ = tokio::time::timeout(REFUSAL_TIME_MAX, told).await;
}

fn converse(
    http: &auto::Builder<TokioExecutor>,
    graceful: &GracefulShutdown,
    site: Arc<Site>,
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
) {
    let connections = metrics::gauge!("frontdesk_http_connections");
    connections.increment(1.0);
    // A response is one small write, which should not wait to fill a packet. Only an optimisation.
    let _ = stream.set_nodelay(true);
    set_unacknowledged_time_max(&stream);
    let refusing = site.clone();
    let event_stream = EventStreamFlag::default();
    let stream = ClientClose::new(stream, event_stream.clone());
    let service = service_fn(move |request| {
        let (site, event_stream) = (site.clone(), event_stream.clone());
        async move { respond(&site, request, peer.ip(), &event_stream).await }
    });
    let stream = DeadlineSocket::new(stream, WRITE_TIME_MAX, HEAD_TIME_MAX);
    let stream = TokioIo::new(Refusals::new(stream, move |status| refusing.refusal(status)));
    let conversation = graceful.watch(http.serve_connection(stream, service).into_owned());
    tokio::spawn(async move {
        if let Err(error) = conversation.await {
            tracing::debug!(%error, "a connection ended early");
        }
        connections.decrement(1.0);
        drop(place);
    });
}

/// A client that vanished does not acknowledge the pings of its stream. The system closes its connection after
/// the time that a write may wait. Elsewhere than on Linux it takes the system's own time.
fn set_unacknowledged_time_max(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    if let Err(error) = SockRef::from(stream).set_tcp_user_timeout(Some(WRITE_TIME_MAX)) {
        tracing::debug!(%error, "the timeout of a connection could not be set");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

async fn respond(
    site: &Site,
    request: Request<Incoming>,
    peer: IpAddr,
    event_stream: &EventStreamFlag,
) -> Result<Response<WatchedBody<HttpBody>>, Disconnect> {
    let (mut parts, mut body) = request.into_parts();
    let is_http2 = parts.version == Version::HTTP_2;
    // HTTP/2 has the host in the URI.
    if let Some(authority) = parts.uri.authority().filter(|_| is_http2)
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        parts.headers.insert(HOST, host);
    }
    let waits_for_word = parts.headers.contains_key(EXPECT);
    let response = site.respond(parts, &mut body, peer).await;
    if !body.is_end_stream() && !waits_for_word {
        tokio::spawn(tokio::time::timeout(UNREAD_TIME_MAX, take_in(body)));
    }
    let (head, body) = response?.into_parts();
    let body = if is_http2 { WatchedBody::unwatched(body) } else { event_stream.watch(&head.headers, body) };
    Ok(Response::from_parts(head, body))
}

async fn take_in(mut body: Incoming) {
    let mut taken = 0;
    while taken < UNREAD_BYTES_MAX
        && let Some(Ok(frame)) = body.frame().await
    {
        taken += frame.data_ref().map_or(0, bytes::Bytes::len);
    }
}
