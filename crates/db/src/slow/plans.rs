//! Plans of slow statements, made on a connection of their own.
//!
//! A plan is one for any values: nothing is executed and no value is known here. `EXPLAIN` without `ANALYZE` only reads
//! the catalogue.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::{SlowStatement, now};
use crate::error::{Error, Result};
use crate::postgres::Session;
use crate::sqlite::{self, Connection, SideFile};
use crate::url::DatabaseUrl;

/// How often a statement's plan is logged at most.
const PLAN_PERIOD: Duration = Duration::from_mins(1);
/// Statements whose last plans are remembered.
const PLANNED_MAX: usize = 512;
/// The first PostgreSQL with `EXPLAIN (GENERIC_PLAN)`.
const GENERIC_PLANS_SINCE: u32 = 160_000;
const SQLITE_PLAN: &str = "EXPLAIN QUERY PLAN ";
/// An `EXPLAIN` waits for nobody and changes nothing.
const BEGIN: &str = "BEGIN READ ONLY; SET LOCAL statement_timeout = 5000; SET LOCAL lock_timeout = 500;
    SET LOCAL plan_cache_mode = force_generic_plan";

/// Makes plans until nothing can be slow any more.
pub(super) fn work(url: &DatabaseUrl, side_files: &'static [SideFile], asked: &Receiver<SlowStatement>) {
    let mut recent = Recent::default();
    let mut planner = None;
    while let Ok(SlowStatement { name, sql }) = asked.recv() {
        if !recent.admits(&sql, now()) {
            continue;
        }
        match plan(&mut planner, url, side_files, &sql) {
            Ok(lines) => {
                tracing::warn!(statement = name, plan = %lines.join("\n"), "plan of a slow statement");
            }
            Err(error) => {
                // The connection may be the reason.
                planner = None;
                tracing::warn!(statement = name, %error, "the plan of a slow statement cannot be read");
            }
        }
    }
}

fn plan(
    planner: &mut Option<Planner>,
    url: &DatabaseUrl,
    side_files: &[SideFile],
    sql: &str,
) -> Result<Vec<String>> {
    let planner = match planner {
        Some(planner) => planner,
        None => planner.insert(Planner::open(url, side_files)?),
    };
    planner.plan(sql)
}

/// The statements whose plans were made a short time ago.
#[derive(Default)]
struct Recent(HashMap<String, Instant>);

impl Recent {
    fn admits(&mut self, sql: &str, now: Instant) -> bool {
        let is_recent = |at: &Instant| now.saturating_duration_since(*at) < PLAN_PERIOD;
        if self.0.get(sql).is_some_and(is_recent) {
            return false;
        }
        if self.0.len() >= PLANNED_MAX {
            self.0.retain(|_, at| is_recent(at));
        }
        if self.0.len() >= PLANNED_MAX {
            return false;
        }
        self.0.insert(sql.to_owned(), now);
        true
    }
}

/// The connection on which plans are made.
enum Planner {
    Sqlite(Connection),
    Postgres { session: Box<Session>, version: u32 },
}

impl Planner {
    fn open(url: &DatabaseUrl, side_files: &[SideFile]) -> Result<Self> {
        match url {
            DatabaseUrl::Sqlite(path) => {
                let path = sqlite::real_path(path)
                    .map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
                let connection = Connection::open(&path)?;
                for file in side_files {
                    file.attach(&connection, &path)?;
                }
                connection.batch("PRAGMA query_only = ON")?;
                Ok(Self::Sqlite(connection))
            }
            DatabaseUrl::Postgres(url) => {
                let mut session = Session::connect(url)?;
                let version = session.lines("SHOW server_version_num")?;
                let version = version.first().and_then(|version| version.parse().ok()).unwrap_or(0);
                Ok(Self::Postgres { session: Box::new(session), version })
            }
        }
    }

    fn plan(&mut self, sql: &str) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(connection) => {
                let (raw, names) = (&connection.raw, &connection.names);
                sqlite::query(raw, names, &format!("{SQLITE_PLAN}{sql}"), &[], |row| {
                    let (_id, _parent, _unused) =
                        (row.next::<i64>()?, row.next::<i64>()?, row.next::<i64>()?);
                    row.next()
                })
            }
            Self::Postgres { session, version } if *version >= GENERIC_PLANS_SINCE => {
                explain(session, &[], &format!("EXPLAIN (GENERIC_PLAN) {sql}"))
            }
            Self::Postgres { session, .. } => {
                let nulls = vec!["NULL"; placeholders(sql)].join(", ");
                let values = if nulls.is_empty() { nulls } else { format!(" ({nulls})") };
                let prepare = format!("PREPARE slow_statement AS {sql}");
                let lines = explain(session, &[&prepare], &format!("EXPLAIN EXECUTE slow_statement{values}"));
                session.batch("DEALLOCATE ALL")?;
                lines
            }
        }
    }
}

/// Reads a plan in a transaction that is rolled back.
fn explain(session: &mut Session, first: &[&str], explain: &str) -> Result<Vec<String>> {
    session.batch(BEGIN)?;
    let planned = first.iter().try_for_each(|sql| session.batch(sql)).and_then(|()| session.lines(explain));
    session.batch("ROLLBACK")?;
    planned
}

/// The highest number of a placeholder.
fn placeholders(sql: &str) -> usize {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    sql.split('$').skip(1).filter_map(|after| digits(after).parse().ok()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_counted_by_their_highest_number() {
        for (sql, count) in
            [("SELECT 1", 0), ("a = $1", 1), ("$2 $1 $2", 2), ("$10::text[]", 10), ("'$.x' $3", 3)]
        {
            assert_eq!(placeholders(sql), count, "{sql}");
        }
    }

    #[test]
    fn a_plan_is_made_once_a_minute_and_few_are_remembered() {
        let (mut recent, start) = (Recent::default(), now());
        assert!(recent.admits("a", start) && !recent.admits("a", start) && recent.admits("b", start));
        assert!(recent.admits("a", start + PLAN_PERIOD));
        for n in 0..2 * PLANNED_MAX {
            recent.admits(&n.to_string(), start + PLAN_PERIOD);
        }
        assert!(recent.0.len() <= PLANNED_MAX);
        assert!(recent.admits("c", start + 3 * PLAN_PERIOD), "old ones are forgotten");
    }
}
