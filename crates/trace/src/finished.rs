//! Spans that have ended, as they are exported.

use std::borrow::Cow;

use crate::context::Context;
use crate::notes::Value;

/// OpenTelemetry's kinds of spans, with the numbers that OTLP has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    Internal = 1,
    Server = 2,
    Client = 3,
    Consumer = 5,
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
