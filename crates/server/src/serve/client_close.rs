//! Ends an HTTP/1 event stream as soon as its client closes the connection.
//!
//! hyper does not read from a connection while it waits for the next bytes of a response, because a client may close
//! its sending side and still wait for that response. An event stream has no end to wait for: a client that closes
//! its side has left. While one is sent, this wrapper reads ahead whenever hyper flushes, and fails the flush at the
//! end of the input. hyper then drops the stream, which releases its slot. The bytes that were read are returned to
//! hyper later.
//!
//! An HTTP/2 connection needs none of this: hyper reads it at all times.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that are read ahead. A client that sends more behind its stream is noticed at the next ping.
const AHEAD_BYTES_MAX: usize = 16 << 10;
const READ_BYTES: usize = 1 << 10;

/// Whether an event stream is sent on a connection.
#[derive(Clone, Default)]
pub(super) struct EventStreamFlag(Arc<AtomicBool>);

impl EventStreamFlag {
    /// A body that sets the flag, until it is dropped, if the response is an event stream.
    pub(super) fn watch<B>(&self, headers: &HeaderMap, body: B) -> WatchedBody<B> {
        let kind = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let is_events = kind.is_some_and(|kind| kind.starts_with(b"text/event-stream"));
        self.0.store(is_events, Ordering::Relaxed);
        WatchedBody { body, flag: is_events.then(|| self.clone()) }
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The body of a response.
pub(super) struct WatchedBody<B> {
    body: B,
    flag: Option<EventStreamFlag>,
}

impl<B> WatchedBody<B> {
    /// A body that sets no flag.
    pub(super) fn unwatched(body: B) -> Self {
        Self { body, flag: None }
    }
}

impl<B> Drop for WatchedBody<B> {
    fn drop(&mut self) {
        if let Some(flag) = &self.flag {
            flag.0.store(false, Ordering::Relaxed);
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for WatchedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A socket whose flushes fail once the client has closed it during an event stream.
pub(super) struct ClientClose<S> {
    socket: S,
    flag: EventStreamFlag,
    ahead: BytesMut,
    is_ended: bool,
}

impl<S: AsyncRead + Unpin> ClientClose<S> {
    pub(super) fn new(socket: S, flag: EventStreamFlag) -> Self {
        Self { socket, flag, ahead: BytesMut::new(), is_ended: false }
    }

    /// Fails if the client has closed the connection during an event stream.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if !self.flag.is_set() {
            return Ok(());
        }
        while !self.is_ended && self.ahead.len() < AHEAD_BYTES_MAX {
            let mut bytes = [0; READ_BYTES];
            let mut buffer = ReadBuf::new(&mut bytes);
            match Pin::new(&mut self.socket).poll_read(cx, &mut buffer)? {
                Poll::Pending => return Ok(()),
                Poll::Ready(()) if buffer.filled().is_empty() => self.is_ended = true,
                Poll::Ready(()) => {
                    self.ahead.extend_from_slice(buffer.filled());
                    // hyper may wait for these bytes, for the body of the request.
                    cx.waker().wake_by_ref();
                }
            }
        }
        if self.is_ended {
            return Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the client closed its event stream",
            ));
        }
        Ok(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientClose<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.ahead.is_empty() {
            let count = self.ahead.len().min(buffer.remaining());
            buffer.put_slice(&self.ahead[..count]);
            self.ahead.advance(count);
            return Poll::Ready(Ok(()));
        }
        if self.is_ended {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, buffer))?;
        self.is_ended = buffer.remaining() > 0 && buffer.filled().len() == before;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ClientClose<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.socket).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::time::Duration;

    use futures_util::stream;
    use http::{Request, Response};
    use http_body_util::StreamBody;
    use hyper::body::Incoming;
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::task::JoinHandle;
    use tokio::time::timeout;

    const PATIENCE: Duration = Duration::from_secs(20);
    const ASK: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /// Serves a body of one line, which then ends after `rest`.
    fn serve(connection: DuplexStream, kind: &'static str, rest: Duration) -> JoinHandle<hyper::Result<()>> {
        let flag = EventStreamFlag::default();
        let socket = TokioIo::new(ClientClose::new(connection, flag.clone()));
        let service = service_fn(move |_: Request<Incoming>| {
            let pieces = stream::unfold(0, move |n| async move {
                if n == 0 {
                    return Some((Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"one\n"))), 1));
                }
                tokio::time::sleep(rest).await;
                None
            });
            let mut response = Response::new(());
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            let headers = response.headers().clone();
            let body = flag.watch(&headers, StreamBody::new(Box::pin(pieces)));
            async { Ok::<_, Infallible>(response.map(|()| body)) }
        });
        tokio::spawn(
            async move { http1::Builder::new().half_close(true).serve_connection(socket, service).await },
        )
    }

    async fn read_until(client: &mut DuplexStream, end: &str) -> String {
        let mut seen = Vec::new();
        while !seen.ends_with(end.as_bytes()) {
            seen.push(timeout(PATIENCE, client.read_u8()).await.expect("in time").expect("a byte"));
        }
        String::from_utf8(seen).unwrap()
    }

    #[tokio::test]
    async fn an_event_stream_ends_when_its_client_closes() {
        for behind in [&b""[..], b"GET /another HTTP/1.1\r\n"] {
            let (mut client, server) = duplex(4096);
            client.write_all(ASK).await.unwrap();
            let serving = serve(server, "text/event-stream; charset=utf-8", Duration::from_hours(1));
            read_until(&mut client, "one\n\r\n").await;
            client.write_all(behind).await.unwrap();
            client.shutdown().await.unwrap();
            let ended = timeout(PATIENCE, serving).await.expect("it was kept").unwrap();
            assert!(ended.is_err(), "it ended on its own");
        }
    }

    #[tokio::test]
    async fn another_response_is_sent_to_a_client_that_closed_its_side() {
        let (mut client, server) = duplex(4096);
        client.write_all(ASK).await.unwrap();
        let serving = serve(server, "image/png", Duration::from_millis(100));
        client.shutdown().await.unwrap();
        read_until(&mut client, "0\r\n\r\n").await;
        timeout(PATIENCE, serving).await.expect("it ends").unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_request_that_is_sent_during_a_stream_is_answered_after_it() {
        let (mut client, server) = duplex(4096);
        client.write_all(ASK).await.unwrap();
        let _serving = serve(server, "text/event-stream", Duration::from_millis(100));
        read_until(&mut client, "one\n\r\n").await;
        client.write_all(ASK).await.unwrap();
        read_until(&mut client, "0\r\n\r\n").await;
        assert!(read_until(&mut client, "one\n\r\n").await.starts_with("HTTP/1.1 200"));
    }
}
