//! The current span of a task or a thread.

use std::borrow::Cow;
use std::cell::RefCell;
use std::pin::Pin;
use std::sync::PoisonError;
use std::task::{self, Poll};

use crate::context::Context;
use crate::span::{SharedNotes, Span, Value};
use crate::tracer::is_on;

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// The current span, to be passed to another thread.
#[derive(Clone, Debug)]
pub struct Current {
    context: Context,
    notes: Option<SharedNotes>,
}

impl From<&Span> for Current {
    fn from(span: &Span) -> Self {
        Self { context: span.context(), notes: span.notes() }
    }
}

/// The place of the current span in its trace. None without a tracer, and outside of traces.
pub fn current() -> Option<Context> {
    if is_on() { context() } else { None }
}

pub(crate) fn context() -> Option<Context> {
    CURRENT.with_borrow(|current| current.as_ref().map(|current| current.context))
}

/// Adds an attribute to the current span, if there is one.
pub fn note(key: &'static str, value: impl Into<Value>) {
    noting(|notes| {
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.set(key, value.into());
    });
}

/// Changes the name of the current span, and its attributes, if there is one.
pub(crate) fn noting(note: impl FnOnce(&SharedNotes)) {
    if is_on() {
        CURRENT.with_borrow(|current| {
            if let Some(notes) = current.as_ref().and_then(|current| current.notes.as_ref()) {
                note(notes);
            }
        });
    }
}

/// Names the current span, once its name is known.
pub fn rename(name: impl FnOnce() -> Cow<'static, str>) {
    noting(|notes| notes.lock().unwrap_or_else(PoisonError::into_inner).name = Some(name()));
}

/// Marks the current span as failed. The reason is the program's own text.
pub fn fail(error: &'static str) {
    noting(|notes| notes.lock().unwrap_or_else(PoisonError::into_inner).error = Some(error));
}

/// Makes a span the current one of this thread, until the guard is dropped.
pub fn enter(span: &mut Option<Current>) -> Entered<'_> {
    swap(span);
    Entered(span)
}

/// Restores the span that was current before.
pub struct Entered<'s>(&'s mut Option<Current>);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        swap(self.0);
    }
}

fn swap(span: &mut Option<Current>) {
    CURRENT.with_borrow_mut(|current| std::mem::swap(current, span));
}

/// A future whose span is the current one whenever it runs. The span ends with it.
pub struct InSpan<F> {
    future: Pin<Box<F>>,
    current: Option<Current>,
    _span: Span,
}

impl<F: Future> InSpan<F> {
    pub fn new(span: Span, future: Pin<Box<F>>) -> Self {
        Self { future, current: Some(Current::from(&span)), _span: span }
    }
}

impl<F: Future> Future for InSpan<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        let _entered = enter(&mut this.current);
        this.future.as_mut().poll(cx)
    }
}
