//! Closes idle connections for which hyper sets no deadline.
//!
//! hyper limits the time that an HTTP/1 client has to send the head of a request, but neither the time to
//! detect a client's protocol nor the time that an HTTP/2 connection may be idle. This wrapper sits below
//! hyper, recognises HTTP/2 by its preface, and ends the input of a connection on which nothing was read or
//! written for the given time. An HTTP/1 connection is left to hyper.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// The preface of every HTTP/2 client.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(super) struct IdleDeadline<S> {
    stream: S,
    time_max: Duration,
    protocol: Protocol,
    /// When the connection has been idle for too long; none for HTTP/1.
    deadline: Option<Pin<Box<Sleep>>>,
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

impl<S> IdleDeadline<S> {
    pub(super) fn new(stream: S, time_max: Duration) -> Self {
        let deadline = Some(Box::pin(sleep(time_max)));
        Self { stream, time_max, protocol: Protocol::Unknown(0), deadline }
    }

    /// Resets the deadline after a read or a write. Until the protocol is known, the deadline stays.
    fn note(&mut self) {
        match (self.protocol, &mut self.deadline) {
            (Protocol::Http1, _) => self.deadline = None,
            (Protocol::Http2, Some(deadline)) => deadline.as_mut().reset(Instant::now() + self.time_max),
            _ => {}
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleDeadline<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buffer) {
            if self.deadline.is_some() {
                self.protocol = self.protocol.after(&buffer.filled()[before..]);
                self.note();
            }
            return Poll::Ready(read);
        }
        match &mut self.deadline {
            Some(deadline) => {
                ready!(deadline.as_mut().poll(cx));
                // Reading nothing means the end of the input.
                Poll::Ready(Ok(()))
            }
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleDeadline<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.note();
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.note();
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
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
        let (mut server, mut read) = (IdleDeadline::new(server, TIME_MAX), Vec::new());
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
        let mut server = IdleDeadline::new(server, TIME_MAX);
        let mut seen = [0; PREFACE.len()];
        server.read_exact(&mut seen).await.unwrap();
        for _ in 0..8 {
            assert!(timeout(TIME_MAX / 2, server.read_u8()).await.is_err(), "it was closed");
            server.write_all(b"ping").await.unwrap();
        }
        let ended = timeout(PATIENCE, server.read_u8()).await.expect("silence ends it");
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
