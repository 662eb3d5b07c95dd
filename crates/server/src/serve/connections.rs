//! Connections: each accepted one is served by its own task (`conversation`), and all are closed at shutdown.
//!
//! A server that is asked to stop first drains: it says on `/readyz` that it stops, and goes on accepting and serving, so
//! that load balancers and clients turn to other servers before it refuses anything. Then it accepts nothing more,
//! ends streams, and finishes running requests.
//!
//! The number of open connections is limited, in total and per address. A client beyond a limit gets 503 or 429 with
//! `Retry-After` and is closed at once. Every phase of a connection has a deadline: the head and the body of a request, the
//! operation, and each write.
//!
//! A client that begins with the preface of HTTP/2 is served over HTTP/2, without TLS or an upgrade, as
//! proxies expect. All others speak HTTP/1.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::address_slots::{AddressSlot, AddressSlots};
use super::conversation::{HEAD_TIME_MAX, converse};
use super::phase::Phase;
use super::signals::Signals;
use super::site::Site;
use crate::config::Config;

/// The longest head of a request. hyper limits the number of headers to 100.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// Maximum concurrent requests of one HTTP/2 connection.
const STREAMS_MAX: u32 = 100;
/// How long running requests may take after the drain. No operation takes longer.
const FINISH_TIME_MAX: Duration = Duration::from_secs(30);
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

/// How the server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    InOrder,
    /// It was asked a second time: nothing is waited for.
    AtOnce,
}

/// What is done while the server stops.
pub(super) struct Stopping<Drain, End> {
    /// How long the server drains.
    pub(super) drain_time: Duration,
    /// Runs when the drain begins.
    pub(super) on_drain: Drain,
    /// Runs when the drain is over: closes responses that would never end.
    pub(super) on_end: End,
}

/// Serves until a signal, drains, and waits until running requests are finished. A second signal ends the waiting.
pub(super) async fn serve(
    listener: TcpListener,
    site: Arc<Site>,
    slots: ConnectionSlots,
    signals: &mut Signals,
    stopping: Stopping<impl FnOnce(), impl FnOnce()>,
) -> Stop {
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
    tokio::select! {
        () = accept_all(&listener, &open, &http, &site) => {}
        () = signals.next() => {}
    }
    let phases = site.load.phases.clone();
    phases.enter(Phase::Draining);
    (stopping.on_drain)();
    let mut stop = Stop::InOrder;
    if !stopping.drain_time.is_zero() {
        let seconds = stopping.drain_time.as_secs();
        tracing::info!(seconds, "stopping: /readyz says so, and requests are still served for a while");
        tokio::select! {
            () = accept_all(&listener, &open, &http, &site) => {}
            () = tokio::time::sleep(stopping.drain_time) => {}
            () = signals.next() => stop = Stop::AtOnce,
        }
    }
    drop(listener);
    phases.enter(Phase::Ending);
    (stopping.on_end)();
    tracing::info!(connections = phases.connections(), "shutting down; waiting for open requests");
    if stop == Stop::InOrder {
        tokio::select! {
            () = phases.all_closed() => {}
            () = tokio::time::sleep(FINISH_TIME_MAX) => tracing::warn!("some requests did not finish in time"),
            () = signals.next() => stop = Stop::AtOnce,
        }
    }
    if stop == Stop::AtOnce {
        tracing::warn!("asked to stop again; some requests did not finish");
    }
    stop
}

/// Accepts connections. Never returns.
async fn accept_all(
    listener: &TcpListener,
    open: &Open,
    http: &auto::Builder<TokioExecutor>,
    site: &Arc<Site>,
) {
    loop {
        match accept(listener, open).await {
            Ok((stream, peer, Admission::Served(place))) => converse(http, site.clone(), stream, peer, place),
            Ok((stream, _, Admission::Refused(response, place))) => {
                drop(tokio::spawn(refuse(stream, response, place)));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
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
