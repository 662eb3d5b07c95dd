//! How long something takes, on a machine that others use too.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(5);

/// Counts the time in which the machine ran. A thread counts its own short sleeps: while the host gives the machine no
/// processor, the thread does not wake, and nothing is counted. So a bound on how long the product may take holds on a
/// machine that is halted now and then. It still breaks when the product waits for too long or keeps the machine busy:
/// beside eight endless loops for each processor, three quarters of the time are counted.
///
/// It never counts more than has passed, so it is no use for a time that must have passed at least.
#[derive(Clone, Copy)]
pub struct Stopwatch(u32);

fn ticks() -> u32 {
    static TICKS: AtomicU32 = AtomicU32::new(0);
    static COUNTING: Once = Once::new();
    COUNTING.call_once(|| {
        thread::spawn(|| {
            loop {
                thread::sleep(TICK);
                TICKS.fetch_add(1, Ordering::Relaxed);
            }
        });
    });
    TICKS.load(Ordering::Relaxed)
}

impl Stopwatch {
    #[must_use]
    pub fn start() -> Self {
        Self(ticks())
    }

    #[must_use]
    pub fn elapsed(self) -> Duration {
        TICK * (ticks() - self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_stopwatch_counts_what_passes_and_no_more() {
        let (watch, wall) = (Stopwatch::start(), Instant::now());
        while watch.elapsed() < Duration::from_millis(100) {
            assert!(wall.elapsed() < Duration::from_mins(1), "it stands still");
            thread::sleep(TICK);
        }
        // The tick that was under way at the start counts as a whole.
        assert!(watch.elapsed() <= wall.elapsed() + TICK);
    }
}
