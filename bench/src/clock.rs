//! The one place that reads the time of day.

use std::time::{SystemTime, UNIX_EPOCH};

use frontdesk_kernel::Timestamp;

#[expect(
    clippy::disallowed_methods,
    reason = "rows are dated by whoever writes them, and here that is this program"
)]
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(since.as_millis() as i64)
}
