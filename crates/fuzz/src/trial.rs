//! One trial: a check of an input, with the time that it took.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

thread_local! {
    /// Whether the panics of this thread are part of a trial, and so are not printed.
    static IS_TRYING: Cell<bool> = const { Cell::new(false) };
}

/// Runs the check. The message of a panic is its error.
pub(crate) fn attempt<T>(check: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            if !IS_TRYING.get() {
                usual(about);
            }
        }));
    });
    let was_trying = IS_TRYING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(check));
    IS_TRYING.set(was_trying);
    result.map_err(|panicked| {
        let text = panicked.downcast_ref::<String>().cloned();
        text.or_else(|| panicked.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
    })
}

/// The processor time of this thread. Unlike the time of day it does not depend on what else the machine does.
pub(crate) fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// The shortest of a few measurements.
pub(crate) fn shortest(times: usize, mut run: impl FnMut()) -> Duration {
    let measured = (0..times).map(|_| {
        let start = processor_time();
        run();
        processor_time().saturating_sub(start)
    });
    measured.min().unwrap_or_default()
}
