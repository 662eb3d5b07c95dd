//! When a call is tried again, and after which pause. Pure: time and chance are arguments.

use std::time::Duration;

use http::StatusCode;

/// The pause after the first attempt; it doubles with each further one.
const BACKOFF_MIN: Duration = Duration::from_millis(500);
const BACKOFF_MAX: Duration = Duration::from_secs(8);
/// The longest `Retry-After` that is waited for. Windows of the rate limit last a minute.
const RETRY_AFTER_MAX: Duration = Duration::from_mins(2);

/// What became of an attempt that has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No connection was made, so nothing was sent.
    NotSent,
    /// The connection broke or was silent for too long after something had been sent.
    Broken,
    /// The server refused.
    Refused {
        status: StatusCode,
        /// `Retry-After`.
        retry_after: Option<Duration>,
        /// An earlier attempt with the same idempotency key is still being carried out.
        in_flight: bool,
    },
}

impl Failure {
    /// Whether a call may be sent again after this. `repeatable` says that sending it twice has the effect of sending
    /// it once: it only reads, sets, or has an idempotency key.
    fn may_repeat(self, repeatable: bool) -> bool {
        match self {
            Self::NotSent => true,
            Self::Broken | Self::Refused { in_flight: true, .. } => repeatable,
            Self::Refused { status, .. } => match status.as_u16() {
                // The server did not begin.
                429 => true,
                // The server cannot say whether it did, or a proxy in front of it does not know.
                502..=504 => repeatable,
                _ => false,
            },
        }
    }
}

/// The pause before the next attempt, or none if there is none. `attempts` have been made, `more` are allowed, `left` is the
/// time until the deadline, and `chance` is between 0 and 1.
pub(crate) fn pause(
    failure: Failure,
    repeatable: bool,
    attempts: u32,
    more: u32,
    left: Duration,
    chance: f64,
) -> Option<Duration> {
    if more == 0 || !failure.may_repeat(repeatable) {
        return None;
    }
    let pause = match failure {
        // A little later than asked, so that many clients do not come back at the same moment.
        Failure::Refused { retry_after: Some(asked), .. } => {
            if asked > RETRY_AFTER_MAX {
                return None;
            }
            asked + BACKOFF_MIN.mul_f64(chance)
        }
        _ => backoff(attempts, chance),
    };
    (pause < left).then_some(pause)
}

/// Between half of the backoff and all of it.
pub(crate) fn backoff(attempts: u32, chance: f64) -> Duration {
    let doubled = BACKOFF_MIN.saturating_mul(1 << attempts.saturating_sub(1).min(10)).min(BACKOFF_MAX);
    doubled.mul_f64(0.5 + chance / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(10);

    fn refused(status: u16, seconds: Option<u64>) -> Failure {
        Failure::Refused {
            status: StatusCode::from_u16(status).unwrap(),
            retry_after: seconds.map(Duration::from_secs),
            in_flight: false,
        }
    }

    #[test]
    fn what_may_have_been_carried_out_is_only_repeated_with_a_key() {
        for (failure, with_key, without_key) in [
            (Failure::NotSent, true, true),
            (Failure::Broken, true, false),
            (refused(429, None), true, true),
            (refused(503, None), true, false),
            (refused(502, None), true, false),
            (refused(504, None), true, false),
            (refused(500, None), false, false),
            (refused(409, None), false, false),
            (refused(400, None), false, false),
            (refused(422, None), false, false),
        ] {
            let repeats = |repeatable| pause(failure, repeatable, 1, 3, LONG, 0.5).is_some();
            assert_eq!((repeats(true), repeats(false)), (with_key, without_key), "{failure:?}");
        }
    }

    #[test]
    fn a_request_in_flight_is_waited_for() {
        let failure = Failure::Refused { status: StatusCode::CONFLICT, retry_after: None, in_flight: true };
        assert!(pause(failure, true, 1, 1, LONG, 0.0).is_some());
        assert_eq!(pause(failure, false, 1, 1, LONG, 0.0), None);
    }

    #[test]
    fn the_servers_wait_is_kept_and_never_shortened() {
        for chance in [0.0, 0.5, 1.0] {
            let waited = pause(refused(429, Some(7)), false, 1, 1, LONG, chance).unwrap();
            assert!(waited >= Duration::from_secs(7) && waited <= Duration::from_millis(7_500), "{waited:?}");
        }
        assert_eq!(pause(refused(429, Some(121)), false, 1, 1, LONG, 0.0), None);
    }

    #[test]
    fn nothing_is_waited_for_past_the_deadline_or_after_the_last_attempt() {
        assert_eq!(pause(refused(429, Some(7)), true, 1, 1, Duration::from_secs(7), 0.0), None);
        assert_eq!(pause(Failure::NotSent, true, 3, 0, LONG, 0.0), None);
    }

    #[test]
    fn pauses_double_up_to_their_limit() {
        let most: Vec<_> = (1..8).map(|attempts| backoff(attempts, 1.0).as_millis()).collect();
        assert_eq!(most, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
        assert_eq!(backoff(u32::MAX, 0.0), BACKOFF_MAX / 2);
        assert_eq!(backoff(1, 0.0).as_millis(), 250);
    }
}
