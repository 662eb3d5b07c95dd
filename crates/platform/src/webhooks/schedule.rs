//! The retry schedule of deliveries.

use std::time::Duration;

/// The pauses after each failed attempt: eight attempts in all.
const PAUSES: [Duration; 7] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(10),
];

/// Each pause is varied by up to this share, so that retries do not all come at once.
const JITTER: f64 = 0.1;
/// The longest pause that a receiver may ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_hours(24);

/// The pause after the `step`-th failed attempt, or none after the last. `chance` is between 0 and 1. A
/// longer `Retry-After` of the receiver is honoured, within bounds.
pub fn pause(step: i64, chance: f64, retry_after: Option<Duration>) -> Option<Duration> {
    let planned = *PAUSES.get(usize::try_from(step - 1).ok()?)?;
    let jittered = planned.mul_f64(1.0 - JITTER + 2.0 * JITTER * chance.clamp(0.0, 1.0));
    Some(jittered.max(retry_after.unwrap_or_default().min(RETRY_AFTER_MAX)))
}

/// Reads `Retry-After`: seconds, or a date.
pub fn retry_after(header: &str, now_seconds: i64) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(header).ok()?.timestamp().as_second();
    u64::try_from(date - now_seconds).ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn there_are_eight_attempts() {
        let pauses: Vec<u64> =
            (1..).map_while(|step| pause(step, 0.5, None)).map(|pause| pause.as_secs()).collect();
        assert_eq!(pauses, [5, 300, 1800, 7200, 18000, 36000, 36000]);
    }

    #[test]
    fn a_receiver_may_ask_for_longer_within_bounds() {
        let asked = |seconds| pause(1, 0.5, Some(Duration::from_secs(seconds))).map(|pause| pause.as_secs());
        assert_eq!(asked(1), Some(5));
        assert_eq!(asked(120), Some(120));
        assert_eq!(asked(u64::MAX), Some(86_400));
        assert_eq!(pause(8, 0.5, Some(Duration::from_secs(1))), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(retry_after("90", 0), Some(Duration::from_secs(90)));
        assert_eq!(retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 10), Some(Duration::from_secs(50)));
        assert_eq!(retry_after("Thu, 01 Jan 1970 00:00:05 GMT", 10), None);
        assert_eq!(retry_after("soon", 0), None);
    }

    proptest! {
        #[test]
        fn jitter_stays_within_a_tenth(step in 1_i64..8, chance in 0.0..1.0_f64) {
            let (planned, jittered) = (pause(step, 0.5, None).unwrap().as_secs_f64(), pause(step, chance, None).unwrap().as_secs_f64());
            prop_assert!((planned * 0.899..=planned * 1.101).contains(&jittered));
        }
    }
}
