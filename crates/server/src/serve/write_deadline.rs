//! A deadline for writes: a client that does not read its response is disconnected.
//!
//! Without it, such a client could hold its connection and its resources indefinitely.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A connection on which part of the waiting bytes must be accepted within `time_max`, repeatedly.
pub(super) struct WriteDeadline<S> {
    stream: S,
    time_max: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteDeadline<S> {
    pub(super) fn new(stream: S, time_max: Duration) -> Self {
        Self { stream, time_max, waiting: None }
    }

    /// Returns the result of a write, or an error once it has waited for too long.
    fn judge<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let time_max = self.time_max;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(time_max)));
        ready!(waiting.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteDeadline<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judge(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
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

    const PATIENCE: Duration = Duration::from_secs(20);

    /// Serves an endless body on one connection; `held` is dropped with it.
    async fn serve(connection: tokio::io::DuplexStream, held: Arc<()>, time_max: Duration) -> bool {
        let service = service_fn(move |_: Request<Incoming>| {
            let pieces = stream::unfold(held.clone(), |held| async {
                Some((Ok::<_, Infallible>(Frame::data(Bytes::from_static(&[b'x'; 1024]))), held))
            });
            async { Ok::<_, Infallible>(Response::new(StreamBody::new(pieces))) }
        });
        let io = TokioIo::new(WriteDeadline::new(connection, time_max));
        tokio::time::timeout(PATIENCE, http1::Builder::new().serve_connection(io, service))
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
