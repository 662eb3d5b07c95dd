//! A record of each request that was sent and of its arrival.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::histogram::Histogram;
use crate::people;

/// The requests of one run, from sending to arrival at the endpoint. Each counts once, however often it arrives.
pub(crate) struct Journal {
    first: u64,
    entries: Vec<Entry>,
    arrived: AtomicUsize,
}

#[derive(Default)]
struct Entry {
    sent: OnceLock<Instant>,
    arrived: OnceLock<Instant>,
}

impl Journal {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            first: people::reserve(count as u64),
            entries: std::iter::repeat_with(Entry::default).take(count).collect(),
            arrived: AtomicUsize::new(0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of the request at a place. No other run has it.
    pub(crate) fn number(&self, place: usize) -> u64 {
        self.first + place as u64
    }

    pub(crate) fn send(&self, place: usize, at: Instant) {
        // Each place is sent once.
        let _ = self.entries[place].sent.set(at);
    }

    /// Records the arrival of a number. Numbers of other runs are ignored.
    pub(crate) fn arrive(&self, number: u64, at: Instant) {
        let entry = number.checked_sub(self.first).and_then(|place| self.entries.get(place as usize));
        if entry.is_some_and(|entry| entry.arrived.set(at).is_ok()) {
            self.arrived.fetch_add(1, Ordering::Release);
        }
    }

    pub(crate) fn arrived(&self) -> usize {
        self.arrived.load(Ordering::Acquire)
    }

    /// The time of each request from sending to arrival.
    pub(crate) fn latencies(&self) -> Histogram {
        let mut latencies = Histogram::new();
        for entry in &self.entries {
            if let (Some(sent), Some(arrived)) = (entry.sent.get(), entry.arrived.get()) {
                latencies.record(arrived.saturating_duration_since(*sent));
            }
        }
        latencies
    }

    /// The time from the first sending to the last arrival.
    pub(crate) fn span(&self) -> Duration {
        let first = self.entries.iter().filter_map(|entry| entry.sent.get()).min();
        let last = self.entries.iter().filter_map(|entry| entry.arrived.get()).max();
        first.zip(last).map_or(Duration::ZERO, |(first, last)| last.saturating_duration_since(*first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_counts_once_and_strangers_do_not() {
        let journal = Journal::new(3);
        let begin = Instant::now();
        let after = |millis| begin + Duration::from_millis(millis);
        for place in 0..3 {
            journal.send(place, after(place as u64));
        }
        for (place, millis) in [(0, 10), (1, 21), (0, 90), (2, 32)] {
            journal.arrive(journal.number(place), after(millis));
        }
        journal.arrive(journal.number(3), after(1));
        journal.arrive(journal.first.wrapping_sub(1), after(1));
        assert_eq!(journal.arrived(), journal.len());
        assert_eq!(journal.span(), Duration::from_millis(32));
        let latencies = journal.latencies();
        assert_eq!(latencies.count(), 3);
        assert!((20.0..20.4).contains(&(latencies.quantile(0.5).as_secs_f64() * 1e3)));
    }
}
