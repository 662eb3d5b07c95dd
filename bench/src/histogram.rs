//! Latencies, to two significant digits.

use std::time::Duration;

/// Longer latencies count as this one.
const LATENCY_MAX: Duration = Duration::from_mins(20);
const SIGNIFICANT_DIGITS: u8 = 2;

/// How often each latency occurred.
pub(crate) struct Histogram(hdrhistogram::Histogram<u64>);

impl Histogram {
    pub(crate) fn new() -> Self {
        let nanos_max = LATENCY_MAX.as_nanos() as u64;
        let histogram = hdrhistogram::Histogram::new_with_max(nanos_max, SIGNIFICANT_DIGITS);
        Self(histogram.expect("twenty minutes and two digits are bounds that it takes"))
    }

    pub(crate) fn record(&mut self, latency: Duration) {
        self.0.saturating_record(latency.as_nanos() as u64);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("all histograms have the same bounds");
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.len()
    }

    /// The latency that this share of all (0.5, 0.99) did not exceed.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        Duration::from_nanos(self.0.value_at_quantile(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_ranks() {
        let (mut histogram, mut other) = (Histogram::new(), Histogram::new());
        for millis in 1..=50 {
            histogram.record(Duration::from_millis(millis));
            other.record(Duration::from_millis(millis + 50));
        }
        histogram.add(&other);
        assert_eq!(histogram.count(), 100);
        for (share, millis) in [(0.5, 50.0), (0.99, 99.0), (1.0, 100.0)] {
            let found = histogram.quantile(share).as_secs_f64() * 1000.0;
            assert!((millis..millis * 1.02).contains(&found), "{share}: {found}");
        }
        assert_eq!(Histogram::new().quantile(0.5), Duration::ZERO);
    }

    #[test]
    fn a_latency_beyond_the_bounds_is_counted_as_the_longest() {
        let mut histogram = Histogram::new();
        histogram.record(Duration::from_hours(24));
        assert!(histogram.count() == 1 && histogram.quantile(1.0) >= LATENCY_MAX);
    }
}
