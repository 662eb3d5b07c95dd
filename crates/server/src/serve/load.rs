//! How busy this server is, for `frontdesk servers`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The period over which requests are counted.
const PERIOD: Duration = Duration::from_mins(1);
/// What load balancers and monitors ask, which is no load.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Counts the requests of this server.
#[derive(Default)]
pub(super) struct RequestCount(AtomicU64);

impl RequestCount {
    pub(super) fn count(&self, path: &str) {
        if !PROBES.contains(&path) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many requests came in the last minute, by samples of their count.
#[derive(Default)]
pub(super) struct RecentRequests(VecDeque<(Instant, u64)>);

impl RecentRequests {
    /// Adds a sample. Returns the requests of the last minute, or since the first sample.
    pub(super) fn sample(&mut self, count: &RequestCount, at: Instant) -> u64 {
        let total = count.total();
        self.0.push_back((at, total));
        // The oldest sample that is kept is the last one before the period.
        while self.0.get(1).is_some_and(|(sampled, _)| at.duration_since(*sampled) >= PERIOD) {
            self.0.pop_front();
        }
        self.0.front().map_or(0, |(_, before)| total - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_minute_counts_and_probes_do_not() {
        let (count, start) = (RequestCount::default(), Instant::now());
        let mut recent = RecentRequests::default();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(recent.sample(&count, at(0)), 0);
        for path in ["/api/v1/me", "/app", "/readyz", "/healthz", "/metrics"] {
            count.count(path);
        }
        assert_eq!(recent.sample(&count, at(30)), 2);
        count.count("/api/v1/me");
        assert_eq!(recent.sample(&count, at(60)), 3);
        assert_eq!(recent.sample(&count, at(90)), 1);
        assert_eq!(recent.sample(&count, at(121)), 0);
    }
}
