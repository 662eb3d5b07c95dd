//! The current span of a task or a thread.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::PoisonError;

use crate::context::Context;
use crate::notes::{SharedNotes, Value};
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

impl Current {
    pub(crate) fn new(context: Context, notes: Option<SharedNotes>) -> Self {
        Self { context, notes }
    }
}

/// The place of the current span in its trace. None without a tracer, and outside of traces.
pub fn current() -> Option<Context> {
    if is_on() { context() } else { None }
}

/// The current span, to be passed to another thread. None without a tracer, and outside of traces.
pub fn here() -> Option<Current> {
    if is_on() { CURRENT.with_borrow(Clone::clone) } else { None }
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
