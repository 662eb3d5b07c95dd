//! The clock. Nothing else in the program reads the time; other code takes it as an argument.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use frontdesk_kernel::Timestamp;
use frontdesk_platform::Clock;

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub(crate) fn now() -> Timestamp {
    // A clock before 1970 counts as 1970 here; `doctor` reports it.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(since.as_millis() as i64)
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
