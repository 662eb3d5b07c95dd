//! The span of a transaction.

use frontdesk_trace::{Current, Entered, Span, SpanKind, enter, here, now};

use crate::dialect::Dialect;
use crate::read_tx::ReadTx;

/// What a span is named after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanName {
    Read,
    /// A read that may take long.
    Scan,
    Transaction,
}

impl SpanName {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Scan => "scan",
            Self::Transaction => "transaction",
        }
    }
}

/// A transaction of a trace, from its place in the queue to its commit.
pub(super) struct TransactionSpan {
    /// None in a trace that is not recorded. What is handed over still belongs to it.
    span: Option<Span>,
    current: Option<Current>,
    queued: u64,
    /// When its last run began and ended, in nanoseconds; 0 before.
    began: u64,
    ran: u64,
    runs: i64,
    /// Whether it ends with a commit that its caller waits for.
    commits: bool,
}

impl TransactionSpan {
    /// None if there is no trace to which it belongs.
    pub(super) fn begin(kind: SpanName, dialect: Dialect) -> Option<Box<Self>> {
        let span = Span::child(SpanKind::Client, kind.name());
        let current = Some(span.as_ref().map(Current::from).or_else(here)?);
        let system = match dialect {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgresql",
        };
        if let Some(span) = &span {
            span.set("db.system.name", system);
        }
        Some(Box::new(Self {
            span,
            current,
            queued: now(),
            began: 0,
            ran: 0,
            runs: 0,
            commits: kind == SpanName::Transaction,
        }))
    }

    /// Makes it the current span of this thread for a run of its closure.
    pub(super) fn enter(&mut self) -> Entered<'_> {
        (self.began, self.runs) = (now(), self.runs + 1);
        enter(&mut self.current)
    }

    /// Notes what a run has done.
    pub(super) fn ran(&mut self, tx: &ReadTx<'_>, is_done: bool) {
        self.ran = now();
        let Some(span) = &self.span else { return };
        span.set("frontdesk.statements", tx.statements());
        span.set("frontdesk.queue_wait_us", micros(self.queued, self.began));
        if !is_done {
            span.set("frontdesk.rolled_back", true);
        }
        if self.runs > 1 {
            span.set("frontdesk.runs", self.runs);
        }
    }

    /// Ends it, after its commit or its failure.
    pub(super) fn end(self, is_committed: bool) {
        let Some(span) = &self.span else { return };
        if self.commits && self.ran > 0 && is_committed {
            span.set("frontdesk.commit_wait_us", micros(self.ran, now()));
        }
        if !is_committed {
            span.fail("the store failed");
        }
    }
}

fn micros(from: u64, to: u64) -> i64 {
    (to.saturating_sub(from) / 1_000) as i64
}
