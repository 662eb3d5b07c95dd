//! Slow statements: those that take longer than a limit are logged, and their plans on demand.
//!
//! A line has the statement's text, which contains placeholders and never values, its time and its rows. Plans are made
//! on a connection of their own and for any values, at most once a minute for each statement, so that looking costs
//! little while the database is slow.

mod plans;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use crate::sqlite::SideFile;
use crate::url::DatabaseUrl;

/// Characters of a text that are logged. Inserts of many rows are longer.
const TEXT_CHARS_MAX: usize = 2_000;
/// Statements that wait for their plans. Further ones go without.
const PLANS_QUEUED_MAX: usize = 32;
const COUNT: &str = "frontdesk_db_slow_statements_total";

/// Which statements are slow, and what is logged of them.
#[derive(Clone, Debug)]
pub struct SlowStatements {
    pub time_min: Duration,
    /// Whether plans are logged too.
    pub plans: bool,
    /// The names of statements, by their texts.
    pub names: HashMap<&'static str, &'static str>,
}

/// The log of slow statements.
pub(crate) struct SlowLog {
    options: SlowStatements,
    plans: Option<Sender<SlowStatement>>,
    count: metrics::Counter,
}

/// A statement whose plan is wanted.
struct SlowStatement {
    name: &'static str,
    sql: String,
}

impl SlowLog {
    pub(crate) fn start(options: SlowStatements, url: &DatabaseUrl, side_files: &'static [SideFile]) -> Self {
        let plans = options.plans.then(|| {
            let (plans, asked) = crossbeam_channel::bounded(PLANS_QUEUED_MAX);
            let url = url.clone();
            let work = move || plans::work(&url, side_files, &asked);
            std::thread::Builder::new()
                .name("store-plans".to_owned())
                .spawn(work)
                .expect("a thread can be started");
            plans
        });
        Self { options, plans, count: metrics::counter!(COUNT) }
    }

    /// Logs a statement if it was slow.
    pub(crate) fn note(&self, sql: &str, rows: u64, time: Duration) {
        if time < self.options.time_min {
            return;
        }
        self.count.increment(1);
        let name = self.name(sql);
        let (millis, text) = (time.as_millis() as u64, shown(sql));
        tracing::warn!(statement = name, millis, rows, sql = %text, "slow statement");
        if let Some(plans) = &self.plans {
            // A full queue is no reason to wait: the statement is likely to be slow again.
            let _full_is_fine = plans.try_send(SlowStatement { name, sql: sql.to_owned() });
        }
    }

    /// Logs a commit if it was slow, with the statements that were sent along with it.
    pub(crate) fn note_commit(&self, along: &[String], time: Duration) {
        if time < self.options.time_min {
            return;
        }
        self.count.increment(1);
        let texts: Vec<String> = along.iter().map(|sql| shown(sql)).collect();
        let millis = time.as_millis() as u64;
        tracing::warn!(statement = "COMMIT", millis, along = %texts.join("; "), "slow commit");
    }

    /// The name of the statement's constant. Built statements have none.
    fn name(&self, sql: &str) -> &'static str {
        let names = &self.options.names;
        let unlocked = || sql.rsplit_once(" FOR ").and_then(|(unlocked, _)| names.get(unlocked));
        names.get(sql).or_else(unlocked).copied().unwrap_or("built")
    }
}

/// The clock of durations.
#[expect(clippy::disallowed_methods, reason = "measures how long a statement takes")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The text on one line, and no longer than the limit.
fn shown(sql: &str) -> String {
    let words: Vec<&str> = sql.split_whitespace().collect();
    words.join(" ").chars().take(TEXT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_named_after_its_constant_with_a_lock_or_without() {
        let names = HashMap::from([("SELECT a FROM t WHERE b = $1", "t::FIND")]);
        let options = SlowStatements { time_min: Duration::ZERO, plans: false, names };
        let log = SlowLog { options, plans: None, count: metrics::Counter::noop() };
        assert_eq!(log.name("SELECT a FROM t WHERE b = $1"), "t::FIND");
        assert_eq!(log.name("SELECT a FROM t WHERE b = $1 FOR UPDATE"), "t::FIND");
        assert_eq!(log.name("SELECT a FROM t WHERE b = $1 FOR NO KEY UPDATE"), "t::FIND");
        assert_eq!(log.name("SELECT 1"), "built");
    }

    #[test]
    fn a_text_is_one_line_of_limited_length() {
        assert_eq!(shown("SELECT a\n        FROM  t"), "SELECT a FROM t");
        assert_eq!(shown(&"é ".repeat(5_000)).chars().count(), TEXT_CHARS_MAX);
    }
}
