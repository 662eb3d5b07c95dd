//! The pace of a lane: how many jobs it may begin now.

use std::time::Duration;

use tokio::time::Instant;

/// A throttled lane runs at a quarter of its pace for a minute.
const SLOW_FACTOR: f64 = 0.25;
const SLOW_TIME: Duration = Duration::from_mins(1);
/// The minimum pace, so that there is always a next job.
const PER_SECOND_MIN: f64 = 0.1;

/// A token bucket that holds at most one second's worth of jobs.
#[derive(Debug)]
pub(crate) struct Pace {
    per_second: f64,
    tokens: f64,
    filled_at: Instant,
    slow_until: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(per_second: f64, now: Instant) -> Self {
        Self { per_second: per_second.max(PER_SECOND_MIN), tokens: 1.0, filled_at: now, slow_until: None }
    }

    pub(crate) fn set(&mut self, per_second: f64) {
        self.per_second = per_second.max(PER_SECOND_MIN);
    }

    /// How many jobs may begin now.
    pub(crate) fn room(&mut self, now: Instant) -> usize {
        self.fill(now);
        self.tokens as usize
    }

    pub(crate) fn take(&mut self, jobs: usize) {
        self.tokens -= jobs as f64;
    }

    /// How long until one more job may begin.
    pub(crate) fn wait(&mut self, now: Instant) -> Duration {
        let rate = self.fill(now);
        if self.tokens >= 1.0 { Duration::ZERO } else { Duration::from_secs_f64((1.0 - self.tokens) / rate) }
    }

    pub(crate) fn slow_down(&mut self, now: Instant) {
        self.slow_until = Some(now + SLOW_TIME);
        self.tokens = self.tokens.min(0.0);
    }

    /// Adds the tokens gained since the last call. Returns the current rate.
    fn fill(&mut self, now: Instant) -> f64 {
        let rate = match self.slow_until {
            Some(until) if until > now => (self.per_second * SLOW_FACTOR).max(PER_SECOND_MIN),
            _ => self.per_second,
        };
        let gained = now.saturating_duration_since(self.filled_at).as_secs_f64() * rate;
        self.tokens = (self.tokens + gained).min(rate.max(1.0));
        self.filled_at = now;
        rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holds_what_the_pace_allows() {
        let start = Instant::now();
        let mut pace = Pace::new(80.0, start);
        assert_eq!(pace.room(start), 1);
        assert_eq!(pace.room(start + Duration::from_mins(1)), 80);
        pace.take(80);
        assert_eq!(pace.room(start + Duration::from_mins(1)), 0);
        let wait = pace.wait(start + Duration::from_mins(1));
        assert!(wait > Duration::from_millis(10) && wait < Duration::from_millis(15), "{wait:?}");
        assert_eq!(pace.room(start + Duration::from_millis(60_500)), 40);
    }

    #[test]
    fn an_overloaded_lane_slows_down_for_a_minute() {
        let start = Instant::now();
        let mut pace = Pace::new(80.0, start);
        pace.slow_down(start);
        assert_eq!(pace.room(start + Duration::from_secs(2)), 20);
        assert_eq!(pace.room(start + Duration::from_mins(2)), 80);
    }

    #[test]
    fn a_pace_of_zero_still_lets_a_job_begin_now_and_then() {
        let start = Instant::now();
        let mut pace = Pace::new(0.0, start);
        pace.take(1);
        assert_eq!(pace.wait(start), Duration::from_secs(10));
    }
}
