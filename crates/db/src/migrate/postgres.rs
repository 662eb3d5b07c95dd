//! Migrates PostgreSQL while other servers run and start.
//!
//! Statements have no time limit here, but every lock has: a step that would wait for one gives up after
//! [`LOCK_MILLIS_MAX`], so that transactions behind it in the lock's queue continue, and retries. Servers
//! that start in the meantime wait without holding a snapshot or a lock.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::steps::{Step, at_once, batch_of, steps};
use super::{APPLIED, Migration, PROGRESS_TABLE, Progress, VERSIONS_TABLE, has_tables, pending};
use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::postgres::Session;
use crate::row::only;

/// An arbitrary number, the same for every server, that no other lock uses.
const MIGRATION_LOCK: i64 = 0x6672_6f6e_7464_6573;
/// Other transactions queue behind a migration that waits for a lock, so it does not wait for long.
const LOCK_MILLIS_MAX: u32 = 1_000;
/// The pause before a retry, in which other transactions continue.
const LOCK_PAUSE: Duration = Duration::from_secs(2);
/// How often a server checks whether it can migrate.
const TURN_PAUSE: Duration = Duration::from_millis(200);
/// How often progress is logged.
const LOG_PERIOD: Duration = Duration::from_secs(10);

pub(crate) fn migrate(session: &mut Session, migrations: &[Migration]) -> Result<()> {
    if pending(migrations, &applied(session)?)?.is_empty() {
        return Ok(());
    }
    session.lift_limits(LOCK_MILLIS_MAX)?;
    take_turn(session)?;
    let migrated = apply(session, migrations);
    // If the connection is lost, the lock is already free.
    let freed = session.batch(&format!("SELECT pg_advisory_unlock({MIGRATION_LOCK})"));
    migrated.and(freed)?;
    session.restore_limits()
}

/// The migrations of the database. Only reads, so it works on a standby too.
pub(super) fn applied(session: &mut Session) -> Result<Vec<i64>> {
    if has_tables(session)? { session.query(APPLIED, &[], only) } else { Ok(Vec::new()) }
}

/// Waits until no other server migrates. A session that waited inside PostgreSQL for the lock would prevent
/// the holder's CREATE INDEX CONCURRENTLY from finishing.
#[expect(clippy::disallowed_methods, reason = "limits how often progress is logged")]
fn take_turn(session: &mut Session) -> Result<()> {
    let mut logged_at: Option<Instant> = None;
    loop {
        if session.query("SELECT pg_try_advisory_lock($1)", &[&MIGRATION_LOCK], only::<bool>)? == [true] {
            return Ok(());
        }
        if logged_at.is_none_or(|logged_at| logged_at.elapsed() > LOG_PERIOD) {
            let version = applied(session)?.last().copied();
            tracing::info!(
                version,
                "another server is migrating the database; this one starts when it is done"
            );
            logged_at = Some(Instant::now());
        }
        sleep(TURN_PAUSE);
    }
}

fn apply(session: &mut Session, migrations: &[Migration]) -> Result<()> {
    session.batch(&format!("{VERSIONS_TABLE}; {PROGRESS_TABLE}"))?;
    let applied = applied(session)?;
    for (number, text) in pending(migrations, &applied)? {
        let steps = steps(Dialect::Postgres, text);
        if applied.is_empty() {
            let text = at_once(&steps);
            insist(session, |session| {
                session.batch(&format!("BEGIN; {text}; INSERT INTO migrations VALUES ({number}); COMMIT"))
            })?;
            continue;
        }
        tracing::info!(version = number, steps = steps.len(), "migrating the database");
        let reached = progress(session, number)?;
        for (at, step) in steps.iter().enumerate().skip(reached.steps) {
            let from = reached.cursor.clone().filter(|_| at == reached.steps);
            run(session, number, at, step, from)?;
        }
        insist(session, |session| {
            session.batch(&format!(
                "BEGIN; INSERT INTO migrations VALUES ({number}); DELETE FROM migration_progress; COMMIT"
            ))
        })?;
        tracing::info!(version = number, "migrated the database");
    }
    Ok(())
}

fn progress(session: &mut Session, number: i64) -> Result<Progress> {
    let found = session.query(Progress::FIND, &[&number], Progress::read)?;
    Ok(found.into_iter().next().unwrap_or_default())
}

fn run(session: &mut Session, number: i64, at: usize, step: &Step, from: Option<String>) -> Result<()> {
    match step {
        Step::Whole(text) => insist(session, |session| {
            session.batch(&format!("BEGIN; {text}; {}; COMMIT", Progress::done(number, at)))
        }),
        Step::Batch(text) => run_batches(session, number, at, text, from),
        Step::Index(text) => {
            let name = text.split("CONCURRENTLY").nth(1).and_then(|rest| rest.split_whitespace().next());
            let name = name.ok_or(Error::Decode("index step"))?;
            tracing::info!(version = number, index = name, "building an index while servers run");
            // It blocks no one while it waits, so it may wait. An interrupted one leaves an invalid index.
            session.batch("SET lock_timeout = 0")?;
            insist(session, |session| {
                session.batch(&format!("DROP INDEX CONCURRENTLY IF EXISTS {name}"))?;
                session.batch(text)
            })?;
            session.batch(&format!("SET lock_timeout = {LOCK_MILLIS_MAX}"))?;
            insist(session, |session| session.batch(&Progress::done(number, at)))
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "limits how often progress is logged")]
fn run_batches(
    session: &mut Session,
    number: i64,
    at: usize,
    text: &str,
    mut from: Option<String>,
) -> Result<()> {
    let (end, moves) = batch_of(text);
    let (mut moved, mut logged_at) = (0, Instant::now());
    loop {
        let (to, rows) = insist(session, |session| {
            session.begin();
            let found = session.query(end, &[&from], |row| Ok((row.next()?, row.next()?)))?;
            let (to, rows): (Option<String>, i64) = found.into_iter().next().unwrap_or_default();
            if to.is_some() {
                session.execute(moves, &[&from, &to])?;
            }
            let done = at + usize::from(to.is_none());
            session.execute(Progress::PUT, &[&number, &(done as i64), &to])?;
            session.commit().map(|()| (to, rows))
        })?;
        moved += rows;
        if to.is_none() {
            tracing::info!(version = number, rows = moved, "moved all rows");
            return Ok(());
        }
        if logged_at.elapsed() > LOG_PERIOD {
            tracing::info!(version = number, rows = moved, "moving rows");
            logged_at = Instant::now();
        }
        from = to;
    }
}

/// Runs it until it gets its locks.
#[expect(clippy::disallowed_methods, reason = "limits how often progress is logged")]
fn insist<T>(session: &mut Session, mut run: impl FnMut(&mut Session) -> Result<T>) -> Result<T> {
    let mut logged_at: Option<Instant> = None;
    loop {
        let outcome = run(session);
        if outcome.is_err() {
            session.roll_back()?;
        }
        match outcome {
            Err(Error::LockTimeout | Error::Undone) if !session.is_closed() => {}
            outcome => return outcome,
        }
        if logged_at.is_none_or(|logged_at| logged_at.elapsed() > LOG_PERIOD) {
            tracing::warn!(
                "the migration waits for a lock that another transaction holds, and tries again until it is free; \
                 pg_stat_activity shows which transactions are old"
            );
            logged_at = Some(Instant::now());
        }
        sleep(LOCK_PAUSE);
    }
}
