//! The body of a request.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// Decides, once the connection is made, whether the body is sent.
pub type Gate = Pin<Box<dyn Future<Output = bool> + Send>>;

/// The bytes of a request, perhaps behind a gate. Behind a gate that stays closed the request is never complete, so nobody
/// acts on it.
pub(crate) struct RequestBody {
    gate: Option<Gate>,
    bytes: Bytes,
}

impl RequestBody {
    pub(crate) fn new(bytes: Bytes) -> Self {
        Self { gate: None, bytes }
    }

    pub(crate) fn behind(gate: Gate, bytes: Bytes) -> Self {
        Self { gate: Some(gate), bytes }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(gate) = &mut self.gate {
            let is_open = ready!(gate.as_mut().poll(context));
            self.gate = None;
            if !is_open {
                self.bytes.clear();
                return Poll::Ready(Some(Err(io::Error::other("the request was called off"))));
            }
        }
        let bytes = std::mem::take(&mut self.bytes);
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
