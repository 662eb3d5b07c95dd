//! Waiting for something to be so.

use std::thread::sleep;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Looks again and again until it is so; false when it never was.
#[must_use = "what was waited for may not have come"]
pub fn came_true(mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        if Instant::now() > deadline {
            return false;
        }
        sleep(LOOK_AGAIN);
    }
    true
}
