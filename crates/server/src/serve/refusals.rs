//! Adds an error body to requests that hyper itself refuses.
//!
//! A request whose head cannot be parsed never reaches the service: hyper responds with a status and no body.
//! This wrapper sits between hyper and the socket, recognises such a response by its missing request id,
//! which all our responses have, and sends the status with a body instead. The rest of the client's input is
//! read before the connection is closed, because a client that is cut off while it sends may not receive the
//! response.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// The part of an unread body that is read after the response: a client that is still sending when its
/// connection is closed may not receive the response.
pub(super) const UNREAD_BYTES_MAX: usize = 8 << 20;
pub(super) const UNREAD_TIME_MAX: Duration = Duration::from_secs(5);

/// The beginning of a refusal: hyper refuses with 400, 414 and 431.
const REFUSAL: &[u8] = b"HTTP/1.1 4";
const STATUS_AT: usize = b"HTTP/1.1 ".len();
/// All our responses have it, except those of the sandbox's simulators.
const OURS: &[u8] = b"\r\nx-request-id: ";
/// hyper's own refusals have no body. A body may be written separately from its head, so the head must say
/// so.
const NO_BODY: &[u8] = b"\r\ncontent-length: 0";

/// A socket whose bare refusals are replaced by `render` of their status.
pub(super) struct Refusals<S, R> {
    socket: S,
    render: R,
    /// The bytes to send instead of a refusal, and the number of bytes that hyper has written.
    instead: Option<(Bytes, usize)>,
    rest: Rest,
}

/// The state of a connection after a refusal.
enum Rest {
    /// Nothing was refused.
    None,
    Refused,
    /// Nothing more is sent, and input is read until then.
    Draining {
        until: Pin<Box<Sleep>>,
        taken: usize,
    },
}

impl<S, R: Fn(StatusCode) -> Bytes> Refusals<S, R> {
    pub(super) fn new(socket: S, render: R) -> Self {
        Self { socket, render, instead: None, rest: Rest::None }
    }

    fn replace(&mut self, sent: &[u8]) {
        if self.instead.is_none()
            && let Some(status) = refused(sent)
        {
            self.instead = Some(((self.render)(status), sent.len()));
            self.rest = Rest::Refused;
        }
    }
}

impl<S: AsyncWrite + Unpin, R> Refusals<S, R> {
    /// Sends the replacement. None if there is none.
    fn send_instead(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<usize>>> {
        while let Some((bytes, replaced)) = &mut self.instead {
            if bytes.is_empty() {
                let replaced = *replaced;
                self.instead = None;
                return Poll::Ready(Some(Ok(replaced)));
            }
            match ready!(Pin::new(&mut self.socket).poll_write(cx, bytes)) {
                Ok(0) => return Poll::Ready(Some(Err(io::ErrorKind::WriteZero.into()))),
                Ok(written) => bytes.advance(written),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        Poll::Ready(None)
    }
}

impl<S: AsyncRead + Unpin, R> Refusals<S, R> {
    /// Reads input until its end, a maximum size, or the deadline.
    fn drain(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        const CHUNK_BYTES: usize = 4096;
        let Rest::Draining { until, taken } = &mut self.rest else { return Poll::Ready(()) };
        while *taken < UNREAD_BYTES_MAX && until.as_mut().poll(cx).is_pending() {
            let mut chunk = [0; CHUNK_BYTES];
            let mut chunk = ReadBuf::new(&mut chunk);
            let read = ready!(Pin::new(&mut self.socket).poll_read(cx, &mut chunk));
            if read.is_err() || chunk.filled().is_empty() {
                break;
            }
            *taken += chunk.filled().len();
        }
        Poll::Ready(())
    }
}

/// The status of a response that hyper itself generated.
fn refused(sent: &[u8]) -> Option<StatusCode> {
    if !sent.starts_with(REFUSAL) {
        return None;
    }
    let end = sent.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = &sent[..end];
    let has = |wanted: &[u8]| head.windows(wanted.len()).any(|part| part.eq_ignore_ascii_case(wanted));
    if has(OURS) || !has(NO_BODY) {
        return None;
    }
    StatusCode::from_bytes(sent.get(STATUS_AT..STATUS_AT + 3)?).ok()
}

impl<S: AsyncRead + Unpin, R: Unpin> AsyncRead for Refusals<S, R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin, R: Fn(StatusCode) -> Bytes + Unpin> AsyncWrite for Refusals<S, R> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.replace(buf);
        match ready!(self.send_instead(cx)) {
            Some(sent) => Poll::Ready(sent),
            None => Pin::new(&mut self.socket).poll_write(cx, buf),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Some(first) = bufs.iter().find(|buf| !buf.is_empty()) {
            self.replace(first);
        }
        match ready!(self.send_instead(cx)) {
            Some(sent) => Poll::Ready(sent),
            None => Pin::new(&mut self.socket).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !matches!(self.rest, Rest::Draining { .. }) {
            ready!(Pin::new(&mut self.socket).poll_shutdown(cx))?;
        }
        if matches!(self.rest, Rest::Refused) {
            self.rest = Rest::Draining { until: Box::pin(tokio::time::sleep(UNREAD_TIME_MAX)), taken: 0 };
        }
        self.drain(cx).map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    fn sent(writes: &[&[u8]]) -> String {
        let render = |status: StatusCode| Bytes::from(format!("{} with a body", status.as_u16()));
        let mut refusals = Refusals::new(tokio::io::join(tokio::io::empty(), Vec::new()), render);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for write in writes {
            runtime.block_on(refusals.write_all(write)).unwrap();
        }
        String::from_utf8(refusals.socket.into_inner().1).unwrap()
    }

    #[test]
    fn a_bare_refusal_gets_a_body_and_our_own_responses_stay() {
        assert_eq!(
            sent(&[b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n"]),
            "431 with a body"
        );
        let ours: &[u8] = b"HTTP/1.1 404 Not Found\r\nX-Request-Id: req_1\r\ncontent-length: 0\r\n\r\n";
        let fine: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        let with_body: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}";
        for kept in [ours, fine, with_body, b"HTTP/1.1 4", b""] {
            assert_eq!(sent(&[kept]).as_bytes(), kept);
        }
        let (head, body) = with_body.split_at(with_body.len() - 2);
        assert_eq!(sent(&[head, body]).as_bytes(), with_body, "a body that is written after its head");
        let after = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(sent(&[fine, after]).as_bytes(), [fine, b"400 with a body"].concat());
    }
}
