//! Gathers outcomes, so that many are settled in one transaction.
//!
//! The first outcome waits a moment for others. A full batch is written at once. While one batch is being written, the
//! next gathers. A batch that could not be written is retried first, after a pause.

use std::time::Duration;

use tokio::time::Instant;

/// How long a batch waits after the store failed.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// Outcomes that wait to be written.
pub(crate) struct SettleBuffer<T> {
    waiting: Vec<T>,
    due_at: Option<Instant>,
    is_writing: bool,
    most: usize,
    patience: Duration,
}

impl<T> SettleBuffer<T> {
    /// A batch has at most `most` outcomes, and its first outcome waits at most `patience`.
    pub(crate) fn new(most: usize, patience: Duration) -> Self {
        Self { waiting: Vec::new(), due_at: None, is_writing: false, most, patience }
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
        let rest = self.waiting.split_off(self.waiting.len().min(self.most));
        Some(std::mem::replace(&mut self.waiting, rest))
    }

    pub(crate) fn written(&mut self) {
        self.is_writing = false;
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

    #[test]
    fn a_batch_is_written_when_it_is_full_or_due_and_one_at_a_time() {
        let now = Instant::now();
        let mut settle_buffer = SettleBuffer::new(2, Duration::from_millis(1));
        assert!(settle_buffer.is_idle() && settle_buffer.begin().is_none());
        assert!(!settle_buffer.add(1, now));
        assert_eq!(settle_buffer.due_at(), Some(now + Duration::from_millis(1)));
        assert!(settle_buffer.add(2, now));
        settle_buffer.add(3, now);
        assert_eq!(settle_buffer.begin(), Some(vec![1, 2]));
        assert_eq!(settle_buffer.begin(), None, "one is being written");
        settle_buffer.written();
        assert_eq!(settle_buffer.begin(), Some(vec![3]));
        settle_buffer.written();
        assert!(settle_buffer.is_idle());
    }

    #[test]
    fn a_batch_that_could_not_be_written_goes_first() {
        let now = Instant::now();
        let mut settle_buffer = SettleBuffer::new(2, Duration::from_millis(1));
        settle_buffer.add(1, now);
        let batch = settle_buffer.begin().unwrap();
        settle_buffer.add(2, now);
        settle_buffer.failed(batch, now);
        assert_eq!(settle_buffer.due_at(), Some(now + RETRY_PAUSE));
        assert!(!settle_buffer.is_idle());
        assert_eq!(settle_buffer.begin(), Some(vec![1, 2]));
    }
}
