//! The progress of a long command, in one line of a terminal on standard error.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::backup::{Phase, Step};

/// How often the line changes.
const PERIOD: Duration = Duration::from_millis(200);
const BAR_CHARS: u64 = 20;

pub(super) struct ProgressLine {
    phase: Option<(Phase, Instant, u64)>,
    shown: Option<Instant>,
    is_shown: bool,
}

impl ProgressLine {
    /// Shows nothing unless standard error is a terminal.
    pub(super) fn new() -> Self {
        Self { phase: None, shown: None, is_shown: std::io::stderr().is_terminal() }
    }

    pub(super) fn show(&mut self, step: Step) {
        // What was done before a command went on says nothing about its speed.
        let (began, before) = match self.phase {
            Some((phase, began, before)) if phase == step.phase => (began, before),
            _ => {
                self.phase = Some((step.phase, Instant::now(), step.done));
                self.shown = None;
                (Instant::now(), step.done)
            }
        };
        if !self.is_shown || self.shown.is_some_and(|shown| shown.elapsed() < PERIOD) {
            return;
        }
        self.shown = Some(Instant::now());
        over(&text(step, before, began.elapsed()));
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown.is_some() {
            over("");
        }
    }
}

/// Overwrites the line.
fn over(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _nobody_looks = write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush());
}

fn text(step: Step, before: u64, elapsed: Duration) -> String {
    let Step { done, total, bytes, phase } = step;
    let full = (done * BAR_CHARS).checked_div(total).unwrap_or(0).min(BAR_CHARS) as usize;
    let bar: String = "#".repeat(full) + &"-".repeat(BAR_CHARS as usize - full);
    let done_now = done.saturating_sub(before);
    let left = elapsed.as_secs_f64() * total.saturating_sub(done) as f64 / (done_now.max(1)) as f64;
    let rate = (done_now as f64 / elapsed.as_secs_f64().max(0.001)) as u64;
    let what = match phase {
        Phase::Check => format!("checked {} of {}", size(done), size(total)),
        Phase::Rows => format!("{done} of about {total} rows, {}, {rate} rows/s", size(bytes)),
        Phase::Indexes => format!("made {done} of {total} indexes"),
        Phase::Compare => format!("compared {done} of {total} rows, {rate} rows/s"),
        Phase::Delete => format!("deleted {done} of about {total} rows, {rate} rows/s"),
        Phase::Import => format!("looked at {done} of about {total} rows, {rate} rows/s"),
        Phase::Files => {
            let rate = (bytes as f64 / elapsed.as_secs_f64().max(0.001)) as u64;
            format!("{done} of {total} files, {} at {}/s", size(bytes), size(rate))
        }
    };
    format!("[{bar}] {what}, {} left", clock(left.ceil() as u64))
}

/// Minutes and seconds.
fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// A size for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} KB", bytes / 1_000),
        10_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_and_what_is_left() {
        let step = Step { done: 250, total: 1_000, bytes: 2_000_000, phase: Phase::Rows };
        assert_eq!(
            text(step, 0, Duration::from_secs(30)),
            "[#####---------------] 250 of about 1000 rows, 2000 KB, 8 rows/s, 1:30 left"
        );
        assert_eq!(
            text(Step { phase: Phase::Compare, ..step }, 150, Duration::from_secs(10)),
            "[#####---------------] compared 250 of 1000 rows, 10 rows/s, 1:15 left"
        );
        let step = Step { done: 0, total: 0, bytes: 0, phase: Phase::Check };
        assert_eq!(
            text(step, 0, Duration::ZERO),
            "[--------------------] checked 0 bytes of 0 bytes, 0:00 left"
        );
    }
}
