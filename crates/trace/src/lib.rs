//! Traces: spans of requests, transactions, jobs and calls, in the model of OpenTelemetry.
//!
//! A process without a [`Tracer`] records nothing: every function here then returns after one comparison. With one, a
//! finished span is put into a bounded queue, from which the server exports it. Nothing here waits: when the queue is
//! full, the span is dropped and counted.
//!
//! A span has no text of a customer or a caller: names, keys and most values are the program's own. The exceptions are
//! the host of a call, the name of a model and the id of a request.
//!
//! The current span belongs to a task, through [`within!`], or to the thread of a transaction, through [`enter`]. A span
//! that is started there is its child.

mod context;
mod current;
mod finished;
mod notes;
mod span;
mod tracer;

pub use context::Context;
pub use current::{Current, Entered, current, enter, fail, here, note, rename};
pub use finished::{FinishedSpan, SpanKind};
pub use notes::Value;
pub use span::{InSpan, Span};
pub use tracer::{Sampler, Tracer, install, is_on, now};

/// Runs a future as the span's task. Without a span, it only runs the future.
#[macro_export]
macro_rules! within {
    ($span:expr, $future:expr) => {
        match $span {
            None => $future.await,
            Some(span) => $crate::InSpan::new(span, ::std::boxed::Box::pin($future)).await,
        }
    };
}
