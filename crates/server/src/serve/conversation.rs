//! One connection: its requests, until it is closed.
//!
//! While the server drains, every response over HTTP/1 says that the connection closes, so a connection that is reused
//! gets its response and is then closed in order. A connection over HTTP/2 is sent GOAWAY at once, which lets requests
//! that are under way finish. When the drain is over, connections without a request are closed.
//!
//! A request with a chunked body is the last of its connection, so that nothing can hide behind the body.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use frontdesk_sandbox::Disconnect;
use http::header::{CONNECTION, EXPECT, HOST, TRANSFER_ENCODING};
use http::{HeaderValue, Request, Response, Version};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::net::TcpStream;

use super::client_close::{ClientClose, EventStreamFlag, WatchedBody};
use super::deadline_socket::DeadlineSocket;
use super::phase::Phase;
use super::refusals::{Refusals, UNREAD_BYTES_MAX, UNREAD_TIME_MAX};
use super::response::HttpBody;
use super::site::Site;

/// The deadline for the head of a request, and the limit for an idle connection. It is longer than that of
/// load balancers, so that none sends a request into a closing connection.
pub(super) const HEAD_TIME_MAX: Duration = Duration::from_secs(75);
/// A client must read part of a waiting response within this time.
const WRITE_TIME_MAX: Duration = Duration::from_secs(30);

/// What is known about a connection.
#[derive(Clone, Default)]
struct ConnectionState {
    event_stream: EventStreamFlag,
    is_http2: Arc<AtomicBool>,
}

/// Serves a connection in a task of its own. `place` is dropped when it is closed.
pub(super) fn converse(
    http: &auto::Builder<TokioExecutor>,
    site: Arc<Site>,
    stream: TcpStream,
    peer: SocketAddr,
    place: impl Send + 'static,
) {
    let connections = metrics::gauge!("frontdesk_http_connections");
    connections.increment(1.0);
    // A response is one small write, which should not wait to fill a packet. Only an optimisation.
    let _ = stream.set_nodelay(true);
    set_unacknowledged_time_max(&stream);
    let (refusing, mut phase) = (site.clone(), site.load.phases.for_connection());
    let state = ConnectionState::default();
    let stream = ClientClose::new(stream, state.event_stream.clone());
    let is_http2 = state.is_http2.clone();
    let service = service_fn(move |request| {
        let (site, state) = (site.clone(), state.clone());
        async move { respond(&site, request, peer.ip(), &state).await }
    });
    let stream = DeadlineSocket::new(stream, WRITE_TIME_MAX, HEAD_TIME_MAX);
    let stream = TokioIo::new(Refusals::new(stream, move |status| refusing.refusal(status)));
    let conversation = http.serve_connection(stream, service).into_owned();
    tokio::spawn(async move {
        let mut conversation = std::pin::pin!(conversation);
        let ended = loop {
            tokio::select! {
                // A request that has arrived is read before the connection is told to close.
                biased;
                ended = conversation.as_mut() => break ended,
                Ok(()) = phase.changed() => {
                    let ends = match *phase.borrow_and_update() {
                        Phase::Serving => false,
                        Phase::Draining => is_http2.load(Ordering::Relaxed),
                        Phase::Ending => true,
                    };
                    if ends {
                        conversation.as_mut().graceful_shutdown();
                    }
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
        connections.decrement(1.0);
        drop((place, phase));
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
    state: &ConnectionState,
) -> Result<Response<WatchedBody<HttpBody>>, Disconnect> {
    let (mut parts, mut body) = request.into_parts();
    let is_http2 = parts.version == Version::HTTP_2;
    // HTTP/2 has the host in the URI.
    if let Some(authority) = parts.uri.authority().filter(|_| is_http2)
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        parts.headers.insert(HOST, host);
    }
    state.is_http2.store(is_http2, Ordering::Relaxed);
    site.load.requests.count(parts.uri.path());
    let waits_for_word = parts.headers.contains_key(EXPECT);
    // Where a chunked body ends, a proxy before this server may disagree. What follows it is not taken for a request.
    let is_last = !is_http2 && parts.headers.contains_key(TRANSFER_ENCODING);
    let response = site.respond(parts, &mut body, peer).await;
    if !body.is_end_stream() && !waits_for_word {
        tokio::spawn(tokio::time::timeout(UNREAD_TIME_MAX, take_in(body)));
    }
    let (mut head, body) = response?.into_parts();
    if is_http2 {
        return Ok(Response::from_parts(head, WatchedBody::unwatched(body)));
    }
    if is_last || site.load.phases.current() != Phase::Serving {
        head.headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let body = state.event_stream.watch(&head.headers, body);
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
