//! What was done, what was checked, and what was found.

use std::time::Duration;

use crate::caller::Beats;
use crate::cluster::{Cluster, SERVERS};
use crate::faults::Struck;

/// Findings that are printed; there may be one for each of thousands of rows.
const PROBLEMS_MAX: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) faults: Struck,
    /// What requests came to meanwhile.
    pub(crate) beats: Beats,
    pub(crate) length: Duration,
    /// How long the queues took to empty.
    pub(crate) drained: Duration,
    /// Messages whose outcome nobody knew when the queues were empty.
    pub(crate) in_doubt: usize,
    checked: Vec<(&'static str, usize)>,
    problems: Vec<String>,
}

impl Report {
    /// So many of them were compared.
    pub(crate) fn checked(&mut self, what: &'static str, many: usize) {
        self.checked.push((what, many));
    }

    pub(crate) fn problem(&mut self, what: String) {
        self.problems.push(what);
    }

    /// Notes a problem unless this is so.
    pub(crate) fn demand(&mut self, is_so: bool, what: impl FnOnce() -> String) {
        if !is_so {
            self.problem(what());
        }
    }

    /// Demands that problems with these words were found, which were planted, in place of all that were found.
    pub(crate) fn expect(&mut self, planted: &[&str]) {
        if planted.is_empty() {
            return;
        }
        let found = std::mem::take(&mut self.problems);
        println!("\nFound, of {} that were planted:", planted.len());
        for problem in &found {
            println!("  {problem}");
        }
        for words in planted.iter().filter(|words| !found.iter().any(|problem| problem.contains(**words))) {
            self.problem(format!("nothing was found that says: {words}"));
        }
    }

    /// Prints it; true if there was no problem.
    pub(crate) fn print(mut self, cluster: &Cluster, seed: u64) -> bool {
        let (beats, complaints) = (self.beats.clone(), cluster.complaints().clone());
        let panics = complaints.iter().filter(|line| line.contains("panicked")).count();
        self.demand(panics == 0, || format!("{panics} panics are in the logs"));
        // What passes by itself is 503.
        let failed = beats.refused.get(&500).copied().unwrap_or_default();
        self.demand(failed == 0, || format!("{failed} requests were answered with 500"));
        let refused: Vec<String> =
            beats.refused.iter().map(|(status, many)| format!("{many} × {status}")).collect();
        let rows = [
            ("seed", seed.to_string()),
            ("time with faults", seconds(self.length)),
            ("servers", SERVERS.to_string()),
            ("servers killed", self.faults.kills.to_string()),
            ("PostgreSQL crashed", self.faults.postgres_crashes.to_string()),
            ("PostgreSQL restarted", self.faults.postgres_restarts.to_string()),
            ("Redis killed", self.faults.redis_away.len().to_string()),
            ("moments a server had no Redis", cluster.without_redis().len().to_string()),
            ("requests acknowledged", beats.acknowledged.to_string()),
            ("requests repeated", beats.repeated.to_string()),
            ("  as the connection broke", beats.broken.to_string()),
            ("  as they were refused", refused.join(", ")),
            ("longest time without a success", seconds(beats.longest_silence)),
            ("queues empty after", seconds(self.drained)),
            ("messages in doubt then", self.in_doubt.to_string()),
            ("errors in the logs", complaints.len().to_string()),
        ];
        println!();
        for (name, value) in rows {
            println!("{name:32} {value}");
        }
        for (name, many) in &self.checked {
            println!("checked: {name:38} {many:>7}");
        }
        for line in complaints.iter().take(PROBLEMS_MAX) {
            println!("log: {line}");
        }
        if self.problems.is_empty() {
            println!("\nEverything that was promised was kept.");
            return true;
        }
        println!("\n{} problems:", self.problems.len());
        for problem in self.problems.iter().take(PROBLEMS_MAX) {
            println!("  {problem}");
        }
        false
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
