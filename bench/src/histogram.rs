//! Latencies, counted in buckets that are never wider than a sixty-fourth of what they hold.

use std::time::Duration;

const STEP_BITS: u32 = 6;
const STEPS: usize = 1 << STEP_BITS;
/// Up to 2^40 ns, which is some eighteen minutes.
const BUCKETS: usize = (40 - STEP_BITS as usize + 1) * STEPS;

/// How often each latency occurred.
pub(crate) struct Histogram {
    buckets: Vec<u64>,
    total: u64,
}

impl Histogram {
    pub(crate) fn new() -> Self {
        Self { buckets: vec![0; BUCKETS], total: 0 }
    }

    pub(crate) fn record(&mut self, latency: Duration) {
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.buckets[bucket(nanos)] += 1;
        self.total += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.total += other.total;
    }

    pub(crate) fn count(&self) -> u64 {
        self.total
    }

    /// The latency that this share of all (0.5, 0.99) did not exceed.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (at, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_nanos(ceiling(at));
            }
        }
        Duration::ZERO
    }
}

fn bucket(nanos: u64) -> usize {
    let steps = STEPS as u64;
    if nanos < steps {
        return nanos as usize;
    }
    let shift = nanos.ilog2() - STEP_BITS;
    let at = (u64::from(shift) + 1) * steps + (nanos >> shift) - steps;
    (at as usize).min(BUCKETS - 1)
}

/// The greatest latency that a bucket holds.
fn ceiling(bucket: usize) -> u64 {
    let (steps, at) = (STEPS as u64, bucket as u64);
    if at < steps {
        return at;
    }
    let shift = at / steps - 1;
    ((at % steps + steps + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_narrow_and_holds_what_it_is_given() {
        for nanos in (0..10_000).chain((10_000..2_000_000_000).step_by(9_999_991)) {
            let top = ceiling(bucket(nanos));
            assert!(top >= nanos && top - nanos <= nanos / STEPS as u64, "{nanos} was put under {top}");
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

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
}
