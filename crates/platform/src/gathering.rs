//! Gathering: what a worker's calls came to is written many at a time.
//!
//! The first outcome waits a moment for company, a full batch goes at once, and while one batch is on its way the next
//! gathers. A batch that could not be written comes back to the front and is tried again.

use std::time::Duration;

use tokio::time::Instant;

/// After a failure of the store.
const PAUSE: Duration = Duration::from_millis(200);

/// Outcomes on their way to be written.
pub struct Gathering<T> {
    waiting: Vec<T>,
    due_at: Option<Instant>,
    under_way: bool,
    most: usize,
    patience: Duration,
}

impl<T> Gathering<T> {
    /// Batches of at most so many, whose first waits at most so long.
    pub fn new(most: usize, patience: Duration) -> Self {
        Self { waiting: Vec::new(), due_at: None, under_way: false, most, patience }
    }

    /// Takes an outcome. True when a batch is full and may go.
    pub fn add(&mut self, outcome: T) -> bool {
        self.waiting.push(outcome);
        let is_full = self.waiting.len() >= self.most;
        if !is_full && self.due_at.is_none() && !self.under_way {
            self.due_at = Some(Instant::now() + self.patience);
        }
        is_full
    }

    /// The next batch, unless there is none or one is on its way.
    pub fn begin(&mut self) -> Option<Vec<T>> {
        self.due_at = None;
        if self.under_way || self.waiting.is_empty() {
            return None;
        }
        self.under_way = true;
        let rest = self.waiting.split_off(self.waiting.len().min(self.most));
        Some(std::mem::replace(&mut self.waiting, rest))
    }

    /// The batch on its way was written.
    pub fn written(&mut self) {
        self.under_way = false;
    }

    /// The batch on its way could not be written: it goes first after a pause.
    pub fn failed(&mut self, batch: Vec<T>) {
        self.under_way = false;
        self.waiting.splice(0..0, batch);
        self.due_at = Some(Instant::now() + PAUSE);
    }

    /// Whether everything is written.
    pub fn is_idle(&self) -> bool {
        !self.under_way && self.waiting.is_empty()
    }

    /// When what has gathered is to go, whether or not more has come.
    pub fn due_at(&self) -> Option<Instant> {
        self.due_at
    }
}

/// Waits until then; for ever when there is no such moment.
pub async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_batch_goes_when_it_is_full_or_due_and_one_at_a_time() {
        let mut gathering = Gathering::new(2, Duration::from_millis(1));
        assert!(gathering.is_idle() && gathering.begin().is_none());
        assert!(!gathering.add(1));
        assert!(gathering.due_at().is_some());
        assert!(gathering.add(2));
        gathering.add(3);
        assert_eq!(gathering.begin(), Some(vec![1, 2]));
        assert_eq!(gathering.begin(), None, "one is on its way");
        gathering.written();
        assert_eq!(gathering.begin(), Some(vec![3]));
        gathering.written();
        assert!(gathering.is_idle());
    }

    #[tokio::test]
    async fn what_could_not_be_written_goes_first() {
        let mut gathering = Gathering::new(2, Duration::from_millis(1));
        gathering.add(1);
        let batch = gathering.begin().unwrap();
        gathering.add(2);
        gathering.failed(batch);
        assert!(gathering.due_at().is_some() && !gathering.is_idle());
        assert_eq!(gathering.begin(), Some(vec![1, 2]));
    }
}
