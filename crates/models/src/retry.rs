//! When a call is retried.

use std::time::Duration;

/// Maximum attempts of one call.
pub(crate) const ATTEMPTS_MAX: u32 = 4;
/// The wait after the first attempt; it doubles after each further one.
const WAIT_FIRST: Duration = Duration::from_millis(500);
const WAIT_MAX: Duration = Duration::from_secs(20);
/// An attempt with less time than this is not worth starting.
const ATTEMPT_TIME_MIN: Duration = Duration::from_secs(1);

/// How long to wait after this many attempts. None when there is no further attempt. A wait that the provider asked
/// for is never shortened. Jitter of up to a half spreads the waits, so that callers that failed together do not
/// retry together.
pub(crate) fn wait(attempts: u32, asked: Option<Duration>, left: Duration, chance: u64) -> Option<Duration> {
    if attempts >= ATTEMPTS_MAX {
        return None;
    }
    let wait = if let Some(asked) = asked {
        asked + WAIT_FIRST.mul_f64(fraction(chance, attempts))
    } else {
        let usual = (WAIT_FIRST * 2_u32.pow(attempts.saturating_sub(1))).min(WAIT_MAX);
        usual.mul_f64(0.5 + 0.5 * fraction(chance, attempts))
    };
    (wait + ATTEMPT_TIME_MIN <= left).then_some(wait)
}

/// A number from 0 to 1, different for each attempt. (The mixing function of `SplitMix64`.)
fn fraction(chance: u64, attempts: u32) -> f64 {
    let mut mixed = chance.wrapping_add(u64::from(attempts).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn waits_double_and_end_after_the_last_attempt() {
        let waits: Vec<_> = (1..=ATTEMPTS_MAX).map(|attempts| wait(attempts, None, MINUTE, 7)).collect();
        assert!(waits[3].is_none());
        for (wait, usual) in waits.iter().flatten().zip([500, 1000, 2000]) {
            let usual = Duration::from_millis(usual);
            assert!(*wait >= usual / 2 && *wait <= usual, "{wait:?} for {usual:?}");
        }
    }

    #[test]
    fn a_wait_that_does_not_fit_the_deadline_is_not_begun() {
        let asked = Some(Duration::from_secs(30));
        assert!(wait(1, asked, MINUTE, 1).is_some());
        assert_eq!(wait(1, asked, Duration::from_secs(30), 1), None);
        assert_eq!(wait(1, None, Duration::from_millis(1200), 1), None);
    }

    proptest! {
        #[test]
        fn a_wait_is_never_shorter_than_the_provider_asked(chance: u64, seconds in 0_u64..50, attempts in 1_u32..4) {
            let asked = Duration::from_secs(seconds);
            let wait = wait(attempts, Some(asked), MINUTE, chance).unwrap();
            prop_assert!(wait >= asked && wait <= asked + WAIT_FIRST);
        }
    }
}
