//! The clock. Nothing else in the program reads the time; everything else takes it as an argument.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use frontdesk_kernel::Timestamp;
use frontdesk_platform::Clock;

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub(crate) fn now() -> Timestamp {
    // A machine that believes in a time before 1970 is told apart by `doctor`; here it stands at the beginning.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(since.as_millis() as i64)
}

/// The clock as the API is given it: the real one, set forward by an offset that only the sandbox moves.
#[derive(Clone, Default)]
pub(crate) struct MovableClock {
    offset_millis: Arc<AtomicI64>,
}

impl MovableClock {
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(now().millis() + self.offset_millis.load(Ordering::Relaxed))
    }

    /// Sets the offset, which never falls: time does not run backwards.
    pub(crate) fn set_offset(&self, millis: i64) {
        self.offset_millis.fetch_max(millis, Ordering::Relaxed);
    }

    pub(crate) fn reader(&self) -> Clock {
        let clock = self.clone();
        Arc::new(move || clock.now())
    }
}
