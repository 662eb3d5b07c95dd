//! Spans, while they are recorded and once they have ended.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use crate::context::Context;
use crate::current;
use crate::tracer::{Tracer, tracer};

/// Attributes of one span. Further ones are ignored.
const ATTRIBUTES_MAX: usize = 32;
/// Bytes of an attribute's text that are kept.
const TEXT_BYTES_MAX: usize = 256;
/// Counts spans that were dropped because the queue was full.
const DROPPED: &str = "frontdesk_trace_spans_dropped_total";

/// OpenTelemetry's kinds of spans, with the numbers that OTLP has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    Internal = 1,
    Server = 2,
    Client = 3,
    Consumer = 5,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(Cow<'static, str>),
    Int(i64),
    Bool(bool),
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value {
    fn from(mut text: String) -> Self {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Value {
    fn from(is_so: bool) -> Self {
        Self::Bool(is_so)
    }
}

/// What is known of a span besides its times.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) attributes: Vec<(&'static str, Value)>,
    /// A name that is known only later, such as the route of a request.
    pub(crate) name: Option<Cow<'static, str>>,
    pub(crate) error: Option<&'static str>,
}

impl Notes {
    pub(crate) fn set(&mut self, key: &'static str, value: Value) {
        if let Some((_, known)) = self.attributes.iter_mut().find(|(known, _)| *known == key) {
            *known = value;
        } else if self.attributes.len() < ATTRIBUTES_MAX {
            self.attributes.push((key, value));
        }
    }
}

pub(crate) type SharedNotes = Arc<Mutex<Notes>>;

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

/// A span that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedSpan {
    pub context: Context,
    pub parent: Option<u64>,
    pub name: Cow<'static, str>,
    pub kind: SpanKind,
    /// Unix times in nanoseconds.
    pub begun: u64,
    pub ended: u64,
    pub attributes: Vec<(&'static str, Value)>,
    pub error: Option<&'static str>,
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

    pub(crate) fn notes(&self) -> Option<SharedNotes> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_attributes_are_bounded() {
        let mut notes = Notes::default();
        let keys: Vec<&'static str> = (0..100).map(|n| &*format!("key {n}").leak()).collect();
        for key in keys {
            notes.set(key, Value::from("é".repeat(1_000)));
            notes.set("key 0", Value::Int(1));
        }
        assert_eq!(notes.attributes.len(), ATTRIBUTES_MAX);
        assert_eq!(notes.attributes[0], ("key 0", Value::Int(1)));
        let Value::Text(text) = &notes.attributes[1].1 else { panic!("a text") };
        assert_eq!(text.len(), TEXT_BYTES_MAX);
    }
}
