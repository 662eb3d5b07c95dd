//! Connections: taken one by one, each served on a task of its own, all let go of in order.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use frontdesk_sandbox::Cut;
use http::Request;
use http::header::EXPECT;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};

use super::response::Answer;
use super::signals::Signals;
use super::site::Site;

/// The head of a request must have arrived by then. A connection on which nothing is asked for so long is closed,
/// later than load balancers close theirs, so that none sends a request into a closing one.
const HEAD_TIME_MAX: Duration = Duration::from_secs(75);
/// The longest head of a request. How many headers it may have is hyper's own limit, 100.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// Requests that are under way when the server is asked to end get this long.
const FINISH_TIME_MAX: Duration = Duration::from_secs(15);
/// A body that nobody read is taken in up to here after the answer: a client that is still sending when its
/// connection is closed may never see the answer.
const UNREAD_BYTES_MAX: usize = 8 << 20;
const UNREAD_TIME_MAX: Duration = Duration::from_secs(5);
/// How long to wait when the system hands out no connections, which is when it has run out of something.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until a signal comes, then until what is under way is done. A second signal ends the waiting. `ending` lets
/// go of answers that would go on for ever.
pub(super) async fn serve(
    listener: TcpListener,
    site: Arc<Site>,
    signals: &mut Signals,
    ending: impl FnOnce(),
) {
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    // A client may say that it sends no more and still wait for its answer, so half a connection is enough.
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_header_size(HEAD_BYTES_MAX)
        .half_close(true);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => converse(&http, &graceful, site.clone(), stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "a connection was not taken");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            () = signals.next() => break,
        }
    }
    drop(listener);
    ending();
    tracing::info!(connections = graceful.count(), "asked to end; finishing what is under way");
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(FINISH_TIME_MAX) => tracing::warn!("some requests did not finish in time"),
        () = signals.next() => tracing::warn!("asked again to end; some requests did not finish"),
    }
}

fn converse(
    http: &http1::Builder,
    graceful: &GracefulShutdown,
    site: Arc<Site>,
    stream: TcpStream,
    peer: SocketAddr,
) {
    // An answer is one small write; waiting to fill a packet would only delay it. Where it cannot be set, it is slower.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let site = site.clone();
        async move { answer(&site, request, peer.ip()).await }
    });
    let conversation = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        if let Err(error) = conversation.await {
            tracing::debug!(%error, "a connection ended early");
        }
    });
}

async fn answer(site: &Site, request: Request<Incoming>, peer: IpAddr) -> Result<Answer, Cut> {
    let (parts, mut body) = request.into_parts();
    let waits_for_word = parts.headers.contains_key(EXPECT);
    let answer = site.answer(parts, &mut body, peer).await;
    if !body.is_end_stream() && !waits_for_word {
        tokio::spawn(tokio::time::timeout(UNREAD_TIME_MAX, take_in(body)));
    }
    answer
}

async fn take_in(mut body: Incoming) {
    let mut taken = 0;
    while taken < UNREAD_BYTES_MAX
        && let Some(Ok(frame)) = body.frame().await
    {
        taken += frame.data_ref().map_or(0, bytes::Bytes::len);
    }
}
