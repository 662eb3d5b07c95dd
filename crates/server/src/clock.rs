//! The clock. Nothing else in the program reads the time; everything else is told it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use frontdesk_kernel::Timestamp;
use frontdesk_platform::Clock;

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub(crate) fn now() -> Timestamp {
    // A machine that believes in a time before 1970 is told apart by `doctor`; here it stands at the beginning.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(since.as_millis() as i64)
}

/// The clock as the API is given it.
pub(crate) fn real() -> Clock {
    Arc::new(now)
}
