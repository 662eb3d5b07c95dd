//! A counter in memory, per key and minute.
//!
//! The window is fixed: it begins on the minute, for all keys at once. Each server counts separately. Memory
//! is bounded: when that many keys are counted in a minute, further keys are not limited.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use frontdesk_kernel::Timestamp;

/// The counts of the current minute, by key.
pub struct PerMinute<K> {
    keys_max: usize,
    window: Mutex<Window<K>>,
}

struct Window<K> {
    minute: i64,
    used: HashMap<K, i64>,
}

/// The result of taking units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Units used in this minute, including those just taken.
    pub used: i64,
    /// Whether the units were taken. If they do not fit, none are taken.
    pub taken: bool,
}

/// The minute's units are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedUp {
    pub seconds_left: i64,
}

impl<K: Hash + Eq> PerMinute<K> {
    pub fn new(keys_max: usize) -> Self {
        Self { keys_max, window: Mutex::new(Window { minute: 0, used: HashMap::new() }) }
    }

    /// Counts one more, if that is still within `max`.
    pub fn admit(&self, key: K, max: i64, now: Timestamp) -> Result<(), UsedUp> {
        if self.take(key, 1, max, now).taken {
            return Ok(());
        }
        Err(UsedUp { seconds_left: seconds_left(now) })
    }

    /// Takes units, if that many are left of `max`.
    pub fn take(&self, key: K, units: i64, max: i64, now: Timestamp) -> Usage {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        window.advance(now);
        if window.used.len() >= self.keys_max && !window.used.contains_key(&key) {
            return Usage { used: units, taken: units <= max };
        }
        let used = window.used.entry(key).or_default();
        let taken = units <= max - *used;
        if taken {
            *used += units;
        }
        Usage { used: *used, taken }
    }

    /// Units used in this minute.
    pub fn used(&self, key: &K, now: Timestamp) -> i64 {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        window.advance(now);
        window.used.get(key).copied().unwrap_or(0)
    }

    /// Frees the memory of a past minute.
    pub fn tidy(&self, now: Timestamp) {
        self.window.lock().unwrap_or_else(PoisonError::into_inner).advance(now);
    }
}

impl<K> Window<K> {
    /// A request whose time is just before the end of the minute counts in the minute in which it is
    /// processed. If the time is further back, the clock was set back, and its minute begins anew.
    fn advance(&mut self, now: Timestamp) {
        if !(now.minute()..=now.minute() + 1).contains(&self.minute) {
            *self = Self { minute: now.minute(), used: HashMap::new() };
        }
    }
}

/// Seconds until the minute ends; at least 1.
pub fn seconds_left(now: Timestamp) -> i64 {
    (Timestamp::of_minute(now.minute() + 1).seconds() - now.seconds()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(used: i64) -> Usage {
        Usage { used, taken: true }
    }

    fn refused(used: i64) -> Usage {
        Usage { used, taken: false }
    }

    #[test]
    fn a_dearer_call_takes_nothing_and_the_minute_refills_at_once() {
        let counts = PerMinute::new(10);
        let now = Timestamp::of_minute(100);
        assert_eq!(counts.take("k", 8, 10, now), took(8));
        assert_eq!(counts.take("k", 5, 10, now), refused(8));
        assert_eq!(counts.take("k", 2, 10, now), took(10));
        assert_eq!(counts.take("k", 1, 10, now), refused(10));
        assert_eq!(counts.take("other", 1, 10, now), took(1));
        assert_eq!(counts.take("k", 1, 10, Timestamp::of_minute(101)), took(1));
        assert_eq!(counts.used(&"k", Timestamp::of_minute(102)), 0);
    }

    #[test]
    fn a_request_from_before_the_minute_does_not_bring_the_last_minute_back() {
        let counts = PerMinute::new(10);
        let (before, after) = (Timestamp::from_millis(119_999), Timestamp::from_millis(120_000));
        assert_eq!(counts.take("k", 1, 1, after), took(1));
        assert_eq!(counts.take("k", 1, 1, before), refused(1));
        assert_eq!(counts.take("k", 1, 1, after), refused(1));
    }

    #[test]
    fn a_clock_that_is_set_back_freezes_no_limit() {
        let counts = PerMinute::new(10);
        assert_eq!(counts.take("k", 1, 1, Timestamp::of_minute(100)), took(1));
        for minute in [98, 40, 41] {
            let now = Timestamp::of_minute(minute);
            assert_eq!(counts.take("k", 1, 1, now), took(1), "{minute}");
            assert_eq!(counts.take("k", 1, 1, now), refused(1), "{minute}");
        }
        // One minute back may be a request that waited, so it counts in the later minute; not for long.
        assert_eq!(counts.take("k", 1, 1, Timestamp::of_minute(40)), refused(1));
        assert_eq!(counts.take("k", 1, 1, Timestamp::of_minute(42)), took(1));
    }

    #[test]
    fn past_the_number_of_keys_further_ones_are_not_counted() {
        let counts = PerMinute::new(2);
        let now = Timestamp::of_minute(100);
        assert_eq!(["a", "b", "c"].map(|key| counts.admit(key, 1, now).is_ok()), [true; 3]);
        assert_eq!(["a", "b", "c"].map(|key| counts.admit(key, 1, now).is_ok()), [false, false, true]);
        assert!(!counts.take("d", 2, 1, now).taken);
    }

    #[test]
    fn a_refusal_says_how_long_the_minute_lasts() {
        let counts = PerMinute::new(10);
        for (millis, seconds_left) in [(60_000, 60), (60_001, 60), (105_000, 15), (105_500, 15), (119_999, 1)]
        {
            let now = Timestamp::from_millis(millis);
            let _first = counts.admit("k", 1, now);
            assert_eq!(counts.admit("k", 1, now), Err(UsedUp { seconds_left }), "{millis}");
        }
    }

    #[test]
    fn a_past_minute_takes_no_memory_once_it_is_tidied() {
        let counts = PerMinute::new(10);
        counts.take("k", 1, 10, Timestamp::of_minute(100));
        counts.tidy(Timestamp::of_minute(101));
        assert_eq!(counts.window.lock().unwrap().used.capacity(), 0);
    }
}
