//! Migrates SQLite, next to commands that start. A file has one server, so no other process writes for long.
//!
//! Every step begins by reading the progress inside its own transaction. So two processes that migrate at the
//! same time take turns and repeat nothing.

use std::time::{Duration, Instant};

use super::steps::{Step, at_once, batch_of, steps};
use super::{APPLIED, Migration, PROGRESS_TABLE, Progress, VERSIONS_TABLE, pending};
use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::row::only;
use crate::sqlite::{Connection, execute, query};

/// How often progress is logged.
const LOG_PERIOD: Duration = Duration::from_secs(10);
const IS_THERE: &str = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'";

#[expect(clippy::disallowed_methods, reason = "limits how often progress is logged")]
pub(crate) fn migrate(connection: &Connection, migrations: &[Migration]) -> Result<()> {
    let mut logged_at = Instant::now();
    while !pending(migrations, &applied(connection)?)?.is_empty() {
        begin(connection)?;
        let advanced = advance(connection, migrations).and_then(|()| connection.batch("COMMIT"));
        if advanced.is_err() {
            let _ = connection.batch("ROLLBACK");
        }
        advanced?;
        if logged_at.elapsed() > LOG_PERIOD {
            tracing::info!(version = applied(connection)?.last(), "migrating the database");
            logged_at = Instant::now();
        }
    }
    Ok(())
}

/// Begins a write transaction, and waits for other writers: another process may be migrating.
fn begin(connection: &Connection) -> Result<()> {
    loop {
        match connection.batch("BEGIN IMMEDIATE") {
            Err(Error::Busy) => tracing::info!("another process writes to the database; waiting for it"),
            begun => return begun,
        }
    }
}

/// The migrations of the database.
pub(super) fn applied(connection: &Connection) -> Result<Vec<i64>> {
    let read = |sql| query(&connection.raw, &connection.names, sql, &[], only::<i64>);
    if read(IS_THERE)? == [0] { Ok(Vec::new()) } else { read(APPLIED) }
}

/// Runs one step; all of them in a new database.
fn advance(connection: &Connection, migrations: &[Migration]) -> Result<()> {
    connection.batch(&format!("{VERSIONS_TABLE}; {PROGRESS_TABLE}"))?;
    let applied = applied(connection)?;
    let pending = pending(migrations, &applied)?;
    if applied.is_empty() {
        return pending.iter().try_for_each(|(number, text)| {
            connection.batch(&at_once(&steps(Dialect::Sqlite, text)))?;
            connection.batch(&format!("INSERT INTO migrations VALUES ({number})"))
        });
    }
    let Some(&(number, text)) = pending.first() else { return Ok(()) };
    let (raw, names) = (&connection.raw, &connection.names);
    let reached = query(raw, names, Progress::FIND, &[&number], Progress::read)?;
    let Progress { steps: at, cursor: from } = reached.into_iter().next().unwrap_or_default();
    match steps(Dialect::Sqlite, text).get(at) {
        None => connection
            .batch(&format!("INSERT INTO migrations VALUES ({number}); DELETE FROM migration_progress")),
        Some(Step::Whole(text) | Step::Index(text)) => {
            tracing::info!(version = number, step = at + 1, "migrating the database");
            connection.batch(text)?;
            connection.batch(&Progress::done(number, at))
        }
        Some(Step::Batch(text)) => {
            let (end, moves) = batch_of(text);
            let to = query(raw, names, end, &[&from], only::<Option<String>>)?.into_iter().next().flatten();
            if to.is_some() {
                execute(raw, names, moves, &[&from, &to])?;
            }
            let done = at + usize::from(to.is_none());
            execute(raw, names, Progress::PUT, &[&number, &(done as i64), &to]).map(|_| ())
        }
    }
}
