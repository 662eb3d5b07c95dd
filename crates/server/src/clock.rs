//! The clock. Nothing else in the program reads the time; other code takes it as an argument.
//!
//! Servers that share a database go by its clock: a server whose own clock is further from it than [`APART_MAX`] corrects
//! every reading by the difference. So leases, expiries, limits and ids of several servers agree, however their machines'
//! clocks are set. SQLite has no clock but the machine's.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use frontdesk_db::{self as db, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::Clock;

/// A machine's clock that is further from the database's is corrected and reported.
pub(crate) const APART_MAX: Duration = Duration::from_secs(2);
/// A comparison that took longer says nothing, unless there is no other.
const COMPARISON_TIME_MAX: Duration = Duration::from_secs(1);

/// How many milliseconds the machine's clock is ahead of the database's, as far as readings are corrected.
static AHEAD_MILLIS: AtomicI64 = AtomicI64::new(0);
/// How many milliseconds the machine's clock is pretended to be ahead, to try servers whose clocks differ.
static PRETENDED_MILLIS: AtomicI64 = AtomicI64::new(0);

/// The time that the program goes by.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(machine().millis() - AHEAD_MILLIS.load(Ordering::Relaxed))
}

/// The machine's own time.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub(crate) fn machine() -> Timestamp {
    // A clock before 1970 counts as 1970 here; `doctor` reports it.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(since.as_millis() as i64 + PRETENDED_MILLIS.load(Ordering::Relaxed))
}

/// Pretends that the machine's clock is ahead by so many seconds, or behind.
pub(crate) fn pretend_ahead(seconds: i64) {
    PRETENDED_MILLIS.store(seconds * 1000, Ordering::Relaxed);
}

/// How many milliseconds the machine's clock is ahead of the database's. 0 if that is too little to matter.
pub(crate) fn ahead_millis() -> i64 {
    AHEAD_MILLIS.load(Ordering::Relaxed)
}

/// What to do about a clock that is off; none if it is right.
pub(crate) fn warning() -> Option<String> {
    let ahead = ahead_millis();
    (ahead != 0).then(|| {
        format!(
            "this machine's clock is {}; this server goes by the database's clock meanwhile. Let both machines follow a time \
             server, such as chrony",
            describe(ahead)
        )
    })
}

/// A difference in words.
pub(crate) fn describe(ahead_millis: i64) -> String {
    let (seconds, direction) =
        (ahead_millis.abs() / 1000, if ahead_millis < 0 { "behind" } else { "ahead of" });
    format!("{seconds} s {direction} the database's")
}

/// Compares this machine's clock with the database's, and corrects further readings if they are far apart.
pub(crate) async fn compare(store: &Store, is_first: bool) -> db::Result<()> {
    let asked = machine();
    let Some(theirs) = store.database_time().await? else { return Ok(()) };
    let took = machine().millis() - asked.millis();
    // A clock that was set meanwhile gives a negative time.
    if took < 0 || (took > COMPARISON_TIME_MAX.as_millis() as i64 && !is_first) {
        return Ok(());
    }
    let (current, measured) = (ahead_millis(), asked.millis() + took / 2 - theirs.millis());
    let corrected = correction(current, measured, took / 2);
    if corrected != current {
        AHEAD_MILLIS.store(corrected, Ordering::Relaxed);
        if let Some(warning) = warning() {
            tracing::warn!("{warning}");
        } else {
            tracing::info!("this machine's clock agrees with the database's again");
        }
    }
    Ok(())
}

/// The correction after a comparison that is exact to `uncertain`. It stays while it is good enough, so that time does not
/// jump with each comparison.
fn correction(current: i64, measured: i64, uncertain: i64) -> i64 {
    let apart_max = APART_MAX.as_millis() as i64;
    if (measured - current).abs() <= apart_max + uncertain {
        current
    } else if measured.abs() <= apart_max {
        0
    } else {
        measured
    }
}

/// The API's clock: the real one plus an offset, which only the sandbox changes.
#[derive(Clone, Default)]
pub(crate) struct MovableClock {
    offset_millis: Arc<AtomicI64>,
}

impl MovableClock {
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(now().millis() + self.offset_millis.load(Ordering::Relaxed))
    }

    /// Sets the offset. It never decreases, because time does not run backwards.
    pub(crate) fn set_offset(&self, millis: i64) {
        self.offset_millis.fetch_max(millis, Ordering::Relaxed);
    }

    pub(crate) fn reader(&self) -> Clock {
        let clock = self.clone();
        Arc::new(move || clock.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_nearly_right_is_not_corrected() {
        for measured in [0, 900, -1999, 2000] {
            assert_eq!(correction(0, measured, 0), 0, "{measured}");
        }
        // A slow comparison is no proof.
        assert_eq!(correction(0, 2300, 400), 0);
    }

    #[test]
    fn a_clock_that_is_off_is_corrected_and_stays_so_until_it_is_right() {
        assert_eq!(correction(0, 600_000, 5), 600_000);
        assert_eq!(correction(0, -600_000, 5), -600_000);
        assert_eq!(correction(600_000, 600_900, 5), 600_000, "it drifts");
        assert_eq!(correction(600_000, 603_000, 5), 603_000);
        assert_eq!(correction(600_000, 300, 5), 0, "it was set right");
        assert_eq!(correction(600_000, -600_000, 5), -600_000, "it was set too far");
    }

    #[test]
    fn a_difference_says_its_direction() {
        assert_eq!(describe(600_250), "600 s ahead of the database's");
        assert_eq!(describe(-2_500), "2 s behind the database's");
    }
}
