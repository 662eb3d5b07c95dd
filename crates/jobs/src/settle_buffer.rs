//! Gathers outcomes, so that many are settled in one transaction.
//!
//! The first outcome waits a moment for others. A full batch is written at once. While one batch is being written, the
//! next gathers; after a large batch it gathers a little longer. A batch that could not be written is retried first,
//! after a pause.

use std::time::Duration;

use tokio::time::Instant;

use crate::limits::Limits;

/// How long a batch waits after the store failed.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// A batch of so many outcomes shows that more will follow soon.
const LARGE: usize = 16;

/// Outcomes that wait to be written.
pub(crate) struct SettleBuffer<T> {
    waiting: Vec<T>,
    due_at: Option<Instant>,
    is_writing: bool,
    /// The size of the last batch.
    last: usize,
    most: usize,
    patience: Duration,
    pause: Duration,
}

impl<T> SettleBuffer<T> {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            waiting: Vec::new(),
            due_at: None,
            is_writing: false,
            last: 0,
            most: limits.settle_max,
            patience: limits.settle_wait,
            pause: limits.settle_pause,
        }
    }

    /// Adds an outcome. Returns true when a batch is full.
    pub(crate) fn add(&mut self, outcome: T, now: Instant) -> bool {
        self.waiting.push(outcome);
        let is_full = self.waiting.len() >= self.most;
        if !is_full && self.due_at.is_none() && !self.is_writing {
            self.due_at = Some(now + self.patience);
        }
        is_full
    }

    /// The next batch, unless there is none or one is being written.
    pub(crate) fn begin(&mut self) -> Option<Vec<T>> {
        self.due_at = None;
        if self.is_writing || self.waiting.is_empty() {
            return None;
        }
        self.is_writing = true;
        self.last = self.waiting.len().min(self.most);
        let rest = self.waiting.split_off(self.last);
        Some(std::mem::replace(&mut self.waiting, rest))
    }

    /// A batch was written. Returns true if the next one is due.
    pub(crate) fn written(&mut self, now: Instant) -> bool {
        self.is_writing = false;
        let gathers = self.last >= LARGE && self.waiting.len() < self.most && !self.pause.is_zero();
        if gathers && !self.waiting.is_empty() {
            self.due_at = Some(now + self.pause);
        }
        !gathers
    }

    /// The batch could not be written. It is retried first, after a pause.
    pub(crate) fn failed(&mut self, batch: Vec<T>, now: Instant) {
        self.is_writing = false;
        self.waiting.splice(0..0, batch);
        self.due_at = Some(now + RETRY_PAUSE);
    }

    /// Whether everything is written.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_writing && self.waiting.is_empty()
    }

    /// When the next batch is due, even if it is not full.
    pub(crate) fn due_at(&self) -> Option<Instant> {
        self.due_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { settle_max: 2, settle_wait: Duration::from_millis(1), ..Limits::DEFAULT };

    #[test]
    fn a_batch_is_written_when_it_is_full_or_due_and_one_at_a_time() {
        let now = Instant::now();
        let mut settle_buffer = SettleBuffer::new(&LIMITS);
        assert!(settle_buffer.is_idle() && settle_buffer.begin().is_none());
        assert!(!settle_buffer.add(1, now));
        assert_eq!(settle_buffer.due_at(), Some(now + Duration::from_millis(1)));
        assert!(settle_buffer.add(2, now));
        settle_buffer.add(3, now);
        assert_eq!(settle_buffer.begin(), Some(vec![1, 2]));
        assert_eq!(settle_buffer.begin(), None, "one is being written");
        assert!(settle_buffer.written(now));
        assert_eq!(settle_buffer.begin(), Some(vec![3]));
        assert!(settle_buffer.written(now));
        assert!(settle_buffer.is_idle());
    }

    #[test]
    fn after_a_large_batch_the_next_one_gathers_until_it_is_full_or_the_pause_is_over() {
        let pause = Duration::from_millis(8);
        let limits = Limits { settle_max: 2 * LARGE, settle_pause: pause, ..LIMITS };
        let (mut buffer, now) = (SettleBuffer::new(&limits), Instant::now());
        let add = |buffer: &mut SettleBuffer<usize>, outcomes: usize| {
            (0..outcomes).filter(|outcome| buffer.add(*outcome, now)).count()
        };
        add(&mut buffer, LARGE - 1);
        assert_eq!(buffer.begin().map(|batch| batch.len()), Some(LARGE - 1));
        add(&mut buffer, LARGE);
        assert!(buffer.written(now), "the batch was small");
        assert_eq!(buffer.begin().map(|batch| batch.len()), Some(LARGE));
        add(&mut buffer, 1);
        assert!(!buffer.written(now));
        assert_eq!(buffer.due_at(), Some(now + pause));
        assert_eq!(add(&mut buffer, 2 * LARGE - 1), 1, "it is full");
        assert_eq!(buffer.begin().map(|batch| batch.len()), Some(2 * LARGE));
        assert!(!buffer.written(now));
        assert_eq!(buffer.due_at(), None, "there is none");
        add(&mut buffer, 1);
        assert_eq!(buffer.due_at(), Some(now + limits.settle_wait));
    }

    #[test]
    fn a_batch_that_could_not_be_written_goes_first() {
        let now = Instant::now();
        let mut settle_buffer = SettleBuffer::new(&LIMITS);
        settle_buffer.add(1, now);
        let batch = settle_buffer.begin().unwrap();
        settle_buffer.add(2, now);
        settle_buffer.failed(batch, now);
        assert_eq!(settle_buffer.due_at(), Some(now + RETRY_PAUSE));
        assert!(!settle_buffer.is_idle());
        assert_eq!(settle_buffer.begin(), Some(vec![1, 2]));
    }
}
