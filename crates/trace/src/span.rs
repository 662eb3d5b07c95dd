//! Spans, while they are recorded.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::PoisonError;
use std::task::{self, Poll};

use crate::context::Context;
use crate::current::{self, Current, enter};
use crate::finished::{FinishedSpan, SpanKind};
use crate::notes::{Notes, SharedNotes, Value};
use crate::tracer::{Tracer, tracer};

/// Counts spans that were dropped because the queue was full.
const DROPPED: &str = "frontdesk_trace_spans_dropped_total";

/// A span. It ends when it is dropped.
#[derive(Debug)]
pub struct Span {
    context: Context,
    /// None if its trace is not recorded; then it only passes its trace on.
    record: Option<Record>,
}

#[derive(Debug)]
struct Record {
    tracer: &'static Tracer,
    parent: Option<u64>,
    name: Cow<'static, str>,
    kind: SpanKind,
    begun: u64,
    notes: SharedNotes,
}

impl Span {
    /// A span that begins a trace, or continues one that began elsewhere. None if this process records no traces.
    pub fn root(parent: Option<Context>, kind: SpanKind, name: impl Into<Cow<'static, str>>) -> Option<Self> {
        let tracer = tracer()?;
        let trace = parent.map_or_else(|| new_trace(tracer), |parent| parent.trace);
        let is_sampled = tracer.sampler.samples(trace, parent);
        Some(Self::new(tracer, trace, is_sampled, parent.map(|parent| parent.span), kind, name.into()))
    }

    /// A child of the current span. None if there is none, or if its trace is not recorded.
    pub fn child(kind: SpanKind, name: impl Into<Cow<'static, str>>) -> Option<Self> {
        let tracer = tracer()?;
        let parent = current::context().filter(|context| context.is_sampled)?;
        Some(Self::new(tracer, parent.trace, true, Some(parent.span), kind, name.into()))
    }

    fn new(
        tracer: &'static Tracer,
        trace: u128,
        is_sampled: bool,
        parent: Option<u64>,
        kind: SpanKind,
        name: Cow<'static, str>,
    ) -> Self {
        let context = Context { trace, span: (tracer.chance)() | 1, is_sampled };
        let record = is_sampled.then(|| Record {
            tracer,
            parent,
            name,
            kind,
            begun: (tracer.now)(),
            notes: SharedNotes::default(),
        });
        Self { context, record }
    }

    pub fn context(&self) -> Context {
        self.context
    }

    pub fn set(&self, key: &'static str, value: impl Into<Value>) {
        self.noting(|notes| notes.set(key, value.into()));
    }

    /// Marks the span as failed. The reason is the program's own text.
    pub fn fail(&self, error: &'static str) {
        self.noting(|notes| notes.error = Some(error));
    }

    fn noting(&self, note: impl FnOnce(&mut Notes)) {
        if let Some(record) = &self.record {
            note(&mut record.notes.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn notes(&self) -> Option<SharedNotes> {
        self.record.as_ref().map(|record| record.notes.clone())
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(Record { tracer, parent, name, kind, begun, notes }) = self.record.take() else { return };
        let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
        let span = FinishedSpan {
            context: self.context,
            parent,
            name: notes.name.unwrap_or(name),
            kind,
            begun,
            ended: (tracer.now)().max(begun),
            attributes: notes.attributes,
            error: notes.error,
        };
        if tracer.queue.try_send(span).is_err() {
            metrics::counter!(DROPPED, "reason" => "queue_full").increment(1);
        }
    }
}

fn new_trace(tracer: &Tracer) -> u128 {
    (u128::from((tracer.chance)()) << 64 | u128::from((tracer.chance)())) | 1 << 64
}

impl From<&Span> for Current {
    fn from(span: &Span) -> Self {
        Self::new(span.context(), span.notes())
    }
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
