//! The minute that budgets are counted in.

use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// Waits for the next minute when this one has less than this many seconds left: for tests whose
/// calls must all be counted in one window.
pub fn wait_for_room_in_the_minute(seconds: u64) {
    #[expect(clippy::disallowed_methods, reason = "the budgets of a real server go by the real clock")]
    let now = SystemTime::now();
    let since = now.duration_since(SystemTime::UNIX_EPOCH).expect("a clock past 1970");
    let left = Duration::from_mins(since.as_secs() / 60 + 1).saturating_sub(since);
    if left < Duration::from_secs(seconds) {
        sleep(left + Duration::from_millis(50));
    }
}
