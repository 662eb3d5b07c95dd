//! A client's connection with two deadlines.
//!
//! A client that does not read its response is disconnected: part of the waiting bytes must be accepted within
//! `write_time_max`, repeatedly. Without it, such a client could hold its connection and its resources indefinitely.
//!
//! An idle connection for which hyper sets no deadline is closed. hyper limits the time that an HTTP/1 client has to send
//! the head of a request, but neither the time to detect a client's protocol nor the time that an HTTP/2 connection may be
//! idle. This wrapper sits below hyper, recognises HTTP/2 by its preface, and ends the input of a connection on which
//! nothing was read or written for `idle_time_max`. An HTTP/1 connection is left to hyper.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// The preface of every HTTP/2 client.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(super) struct DeadlineSocket<S> {
    stream: S,
    write_time_max: Duration,
    /// Runs while a write waits.
    write_deadline: Option<Pin<Box<Sleep>>>,
    idle_time_max: Duration,
    /// When the connection has been idle for too long; none for HTTP/1.
    idle_deadline: Option<Pin<Box<Sleep>>>,
    protocol: Protocol,
}

/// The client's protocol, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    /// This many bytes of HTTP/2's preface have arrived, and nothing else.
    Unknown(usize),
    Http1,
    Http2,
}

impl Protocol {
    fn after(self, bytes: &[u8]) -> Self {
        let Self::Unknown(matched) = self else { return self };
        let expected = &PREFACE[matched..];
        let common = bytes.len().min(expected.len());
        match (bytes[..common] == expected[..common], common == expected.len()) {
            (false, _) => Self::Http1,
            (true, true) => Self::Http2,
            (true, false) => Self::Unknown(matched + common),
        }
    }
}

impl<S> DeadlineSocket<S> {
    pub(super) fn new(stream: S, write_time_max: Duration, idle_time_max: Duration) -> Self {
        Self {
            stream,
            write_time_max,
            write_deadline: None,
            idle_time_max,
            idle_deadline: Some(Box::pin(sleep(idle_time_max))),
            protocol: Protocol::Unknown(0),
        }
    }

    /// Resets the idle deadline after a read or a write. Until the protocol is known, the deadline stays.
    fn note(&mut self) {
        match (self.protocol, &mut self.idle_deadline) {
            (Protocol::Http1, _) => self.idle_deadline = None,
            (Protocol::Http2, Some(deadline)) => deadline.as_mut().reset(Instant::now() + self.idle_time_max),
            _ => {}
        }
    }

    /// Returns the result of a write, or an error once it has waited for too long.
    fn judge<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write_deadline = None;
            return written;
        }
        let time_max = self.write_time_max;
        let deadline = self.write_deadline.get_or_insert_with(|| Box::pin(sleep(time_max)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for DeadlineSocket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buffer) {
            if self.idle_deadline.is_some() {
                self.protocol = self.protocol.after(&buffer.filled()[before..]);
                self.note();
            }
            return Poll::Ready(read);
        }
        match &mut self.idle_deadline {
            Some(deadline) => {
                ready!(deadline.as_mut().poll(cx));
                // Reading nothing means the end of the input.
                Poll::Ready(Ok(()))
            }
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for DeadlineSocket<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.note();
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judge(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.note();
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.judge(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::Arc;

    use bytes::Bytes;
    use futures_util::stream;
    use http::{Request, Response};
    use http_body_util::StreamBody;
    use hyper::body::{Frame, Incoming};
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::timeout;

    const TIME_MAX: Duration = Duration::from_millis(200);
    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn the_protocol_is_known_by_the_first_bytes() {
        let after = |pieces: &[&[u8]]| {
            pieces.iter().fold(Protocol::Unknown(0), |protocol, piece| protocol.after(piece))
        };
        assert_eq!(after(&[PREFACE]), Protocol::Http2);
        assert_eq!(after(&[&PREFACE[..3], &PREFACE[3..], b"more"]), Protocol::Http2);
        assert_eq!(after(&[b"P"]), Protocol::Unknown(1));
        assert_eq!(after(&[b"P", b"OST / HTTP/1.1\r\n"]), Protocol::Http1);
        assert_eq!(after(&[b"GET / HTTP/1.1\r\n"]), Protocol::Http1);
    }

    async fn read_all(sent: &[u8]) -> io::Result<Vec<u8>> {
        let (mut client, server) = duplex(4096);
        client.write_all(sent).await?;
        let (mut server, mut read) = (DeadlineSocket::new(server, PATIENCE, TIME_MAX), Vec::new());
        let ended = timeout(PATIENCE.min(TIME_MAX * 10), server.read_to_end(&mut read)).await;
        drop(client);
        ended.map_err(io::Error::other)?.map(|_| read)
    }

    #[tokio::test]
    async fn a_client_that_says_nothing_or_stops_in_the_preface_is_closed() {
        assert!(read_all(b"").await.unwrap().is_empty());
        assert_eq!(read_all(b"PRI * HT").await.unwrap(), b"PRI * HT");
    }

    #[tokio::test]
    async fn a_silent_http2_connection_is_closed_and_one_of_http1_is_left_alone() {
        assert_eq!(read_all(PREFACE).await.unwrap(), PREFACE);
        assert!(read_all(b"GET / HTTP/1.1\r\n").await.is_err(), "it was closed");
    }

    #[tokio::test]
    async fn a_connection_to_which_we_write_stays_open() {
        let (mut client, server) = duplex(4096);
        client.write_all(PREFACE).await.unwrap();
        let mut server = DeadlineSocket::new(server, PATIENCE, TIME_MAX);
        let mut seen = [0; PREFACE.len()];
        server.read_exact(&mut seen).await.unwrap();
        for _ in 0..8 {
            assert!(timeout(TIME_MAX / 2, server.read_u8()).await.is_err(), "it was closed");
            server.write_all(b"ping").await.unwrap();
        }
        let ended = timeout(PATIENCE, server.read_u8()).await.expect("silence ends it");
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    /// Serves an endless body on one connection; `held` is dropped with it.
    async fn serve(connection: tokio::io::DuplexStream, held: Arc<()>, time_max: Duration) -> bool {
        let service = service_fn(move |_: Request<Incoming>| {
            let pieces = stream::unfold(held.clone(), |held| async {
                Some((Ok::<_, Infallible>(Frame::data(Bytes::from_static(&[b'x'; 1024]))), held))
            });
            async { Ok::<_, Infallible>(Response::new(StreamBody::new(pieces))) }
        });
        let io = TokioIo::new(DeadlineSocket::new(connection, time_max, PATIENCE));
        timeout(PATIENCE, http1::Builder::new().serve_connection(io, service))
            .await
            .is_ok_and(|ended| ended.is_err())
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_cut_off() {
        let (mut client, server) = duplex(4096);
        let held = Arc::new(());
        client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        let time_max = Duration::from_millis(200);
        assert!(serve(server, held.clone(), time_max).await, "the connection was kept");
        assert_eq!(Arc::strong_count(&held), 1, "its body was kept");
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_is_served() {
        let (mut client, server) = duplex(4096);
        client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        let time_max = Duration::from_secs(2);
        let serving = tokio::spawn(serve(server, Arc::default(), time_max));
        // In total this takes longer than one write may wait.
        let mut piece = [0; 4096];
        for _ in 0..20 {
            sleep(time_max / 16).await;
            assert!(client.read(&mut piece).await.unwrap() > 0);
        }
        assert!(!serving.is_finished());
        serving.abort();
    }
}
