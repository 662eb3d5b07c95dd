//! The minimum rate of a transfer. A server that sends a byte now and then would otherwise hold a slot for as long as
//! it likes.

use std::time::Duration;

use crate::error::Error;

/// A transfer that is slower than this over [`RATE_TIME`] ends.
const BYTES_PER_SECOND_MIN: u64 = 1 << 10;
const RATE_TIME: Duration = Duration::from_secs(10);
const PERIOD_BYTES_MIN: u64 = BYTES_PER_SECOND_MIN * RATE_TIME.as_secs();

/// What has arrived in the current period, and how long was waited for it. The time in which the reader was busy with
/// what had arrived does not count. A period ends when enough has arrived.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    waited: Duration,
    bytes: u64,
}

impl Rate {
    /// How long may be waited for the rest of the period.
    pub(crate) fn time_left(&self) -> Duration {
        RATE_TIME.saturating_sub(self.waited)
    }

    /// Counts what has arrived. False if it came too slowly.
    pub(crate) fn take(&mut self, bytes: u64, waited: Duration) -> bool {
        self.bytes += bytes;
        self.waited += waited;
        if self.bytes >= PERIOD_BYTES_MIN {
            *self = Self::default();
        }
        !self.time_left().is_zero()
    }

    pub(crate) fn failure() -> Error {
        let seconds = RATE_TIME.as_secs();
        Error::Connection(format!(
            "it came slower than {BYTES_PER_SECOND_MIN} bytes per second for {seconds} s"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_must_keep_the_rate_over_each_period() {
        let mut rate = Rate::default();
        for _ in 0..100 {
            assert!(rate.take(PERIOD_BYTES_MIN, RATE_TIME), "it is fast enough");
        }
        assert!(rate.take(PERIOD_BYTES_MIN - 1, RATE_TIME / 2), "there is time left");
        assert_eq!(rate.time_left(), RATE_TIME / 2);
        assert!(!rate.take(0, RATE_TIME / 2));
        assert!(rate.take(1, Duration::ZERO), "the period is complete");
    }

    #[test]
    fn a_byte_now_and_then_is_too_slow() {
        let mut rate = Rate::default();
        let pieces = (0..100).take_while(|_| rate.take(1, Duration::from_secs(1))).count();
        assert_eq!(pieces, 9);
    }
}
