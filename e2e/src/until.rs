//! Waiting for something to be so.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a test waits before it fails. It is longer than every period of the product, of which none takes more than
/// two minutes, so a test that passes never waits this long.
pub const PATIENCE: Duration = Duration::from_mins(3);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Looks again and again until it is so; false when it never was.
#[must_use = "what was waited for may not have come"]
pub fn came_true(condition: impl FnMut() -> bool) -> bool {
    came_true_within(PATIENCE, condition)
}

/// Does the same for at most this long, for what may never come true.
#[must_use = "what was waited for may not have come"]
pub fn came_true_within(patience: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    while !condition() {
        if Instant::now() > deadline {
            return false;
        }
        sleep(LOOK_AGAIN);
    }
    true
}
