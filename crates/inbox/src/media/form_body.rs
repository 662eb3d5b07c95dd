//! The body of an upload's form, with a limit on what comes before the data of a part.
//!
//! The reader of forms holds everything before the data of a part in memory, and searches it again with every piece
//! that arrives. So the body fails when a preamble or the headers of a part are longer than [`HEADER_BYTES_MAX`]. It
//! gives out one piece at a time: the reader takes as many as there are before it looks at any of them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use frontdesk_platform::uploads::UploadBody;
use futures_util::{Stream, StreamExt};

/// The longest headers of a part, with what comes before them. The last piece that is read may exceed it.
pub(super) const HEADER_BYTES_MAX: usize = 16 << 10;

/// The bytes that may be read until the data of a part begins.
#[derive(Clone)]
pub(super) struct HeaderLimit(Arc<AtomicUsize>);

/// No limit, while the data of a part is read.
const NO_LIMIT: usize = usize::MAX;

impl HeaderLimit {
    /// The headers of a part come next.
    pub(super) fn begin_headers(&self) {
        self.0.store(HEADER_BYTES_MAX, Ordering::Relaxed);
    }

    /// The data of a part comes next.
    pub(super) fn begin_data(&self) {
        self.0.store(NO_LIMIT, Ordering::Relaxed);
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn count(&self, bytes: usize) {
        let left = self.0.load(Ordering::Relaxed);
        if left != NO_LIMIT {
            self.0.store(left.saturating_sub(bytes), Ordering::Relaxed);
        }
    }
}

pub(super) struct FormBody<'a> {
    body: UploadBody<'a>,
    limit: HeaderLimit,
    has_given: bool,
}

impl<'a> FormBody<'a> {
    pub(super) fn new(body: UploadBody<'a>) -> (Self, HeaderLimit) {
        let limit = HeaderLimit(Arc::new(AtomicUsize::new(HEADER_BYTES_MAX)));
        (Self { body, limit: limit.clone(), has_given: false }, limit)
    }
}

impl Stream for FormBody<'_> {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.has_given) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.limit.is_used_up() {
            return Poll::Ready(Some(Err(io::Error::other("the headers of a part are too long"))));
        }
        let piece = ready!(self.body.poll_next_unpin(cx));
        if let Some(Ok(bytes)) = &piece {
            self.has_given = true;
            self.limit.count(bytes.len());
        }
        Poll::Ready(piece)
    }
}
