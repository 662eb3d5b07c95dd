//! Migrations: forward only, one text for both engines, applied at start under a lock.
//!
//! The files are written in PostgreSQL's words. For SQLite the column types are translated, and every table is
//! strict and clustered by its primary key. Lines between `-- @sqlite` or `-- @postgres` and `-- @both` are for that
//! engine alone.

use crate::postgres::Session;
use crate::sqlite::Connection;
use crate::{Dialect, Error, Result, only, sqlite};

const MIGRATIONS: &[(i64, &str)] = &[
    (1, include_str!("../migrations/0001_platform.sql")),
    (2, include_str!("../migrations/0002_contacts.sql")),
    (3, include_str!("../migrations/0003_webhooks.sql")),
    (4, include_str!("../migrations/0004_inbox.sql")),
    (5, include_str!("../migrations/0005_deals.sql")),
    (6, include_str!("../migrations/0006_search.sql")),
    (7, include_str!("../migrations/0007_search.sql")),
    (8, include_str!("../migrations/0008_search.sql")),
    (10, include_str!("../migrations/0010_account_numbers.sql")),
    (20, include_str!("../migrations/0020_servers.sql")),
];

/// Any number, the same for every server, that no other lock uses.
const MIGRATION_LOCK: i64 = 0x6672_6f6e_7464_6573;

const VERSIONS_TABLE: &str = "CREATE TABLE IF NOT EXISTS migrations (version bigint NOT NULL PRIMARY KEY)";
const VERSION: &str = "SELECT coalesce(max(version), 0) FROM migrations";

pub(crate) fn migrate_sqlite(connection: &Connection) -> Result<()> {
    connection.batch("BEGIN IMMEDIATE")?;
    let outcome = pending(version_of(connection)?).and_then(|pending| {
        for (version, text) in pending {
            connection.batch(&text_for(Dialect::Sqlite, text))?;
            connection.batch(&format!("INSERT INTO migrations VALUES ({version})"))?;
        }
        connection.batch("COMMIT")
    });
    if outcome.is_err() {
        let _ = connection.batch("ROLLBACK");
    }
    outcome
}

fn version_of(connection: &Connection) -> Result<i64> {
    connection.batch(VERSIONS_TABLE)?;
    let found = sqlite::query(&connection.raw, &connection.names, VERSION, &[], only)?;
    Ok(found.into_iter().next().unwrap_or(0))
}

/// Whether there is anything of ours yet.
pub(crate) fn has_tables(session: &mut Session) -> Result<bool> {
    let found = session.query("SELECT to_regclass('migrations') IS NOT NULL", &[], only)?;
    Ok(found.into_iter().next().unwrap_or(false))
}

pub(crate) fn migrate_postgres(session: &mut Session) -> Result<()> {
    session.batch(&format!("SELECT pg_advisory_lock({MIGRATION_LOCK})"))?;
    session.batch(VERSIONS_TABLE)?;
    let version = session.query(VERSION, &[], only)?.into_iter().next().unwrap_or(0);
    for (version, text) in pending(version)? {
        let text = text_for(Dialect::Postgres, text);
        session.batch(&format!("BEGIN; {text}; INSERT INTO migrations VALUES ({version}); COMMIT"))?;
    }
    session.batch(&format!("SELECT pg_advisory_unlock({MIGRATION_LOCK})"))
}

fn pending(found: i64) -> Result<impl Iterator<Item = (i64, &'static str)>> {
    let known = MIGRATIONS.last().map_or(0, |(version, _)| *version);
    if found > known {
        return Err(Error::TooNew { found, known });
    }
    Ok(MIGRATIONS.iter().copied().filter(move |(version, _)| *version > found))
}

fn text_for(dialect: Dialect, text: &str) -> String {
    let mut wanted = true;
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match line.trim() {
            "-- @sqlite" => wanted = dialect == Dialect::Sqlite,
            "-- @postgres" => wanted = dialect == Dialect::Postgres,
            "-- @both" => wanted = true,
            comment if comment.starts_with("--") => {}
            _ if !wanted => {}
            ");" if dialect == Dialect::Sqlite => out.push_str(") STRICT, WITHOUT ROWID;\n"),
            _ if dialect == Dialect::Sqlite => {
                out.push_str(&in_sqlite_types(line));
                out.push('\n');
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

fn in_sqlite_types(line: &str) -> String {
    const TYPES: &[(&str, &str)] = &[
        (" uuid", " BLOB"),
        (" bytea", " BLOB"),
        (" timestamptz", " INTEGER"),
        (" bigint", " INTEGER"),
        (" boolean", " INTEGER"),
        (" double precision", " REAL"),
        (" jsonb", " TEXT"),
    ];
    TYPES.iter().fold(line.to_owned(), |line, (theirs, ours)| line.replace(theirs, ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_becomes_two() {
        let text = "CREATE TABLE t (\n  id uuid NOT NULL,\n  at timestamptz\n);\n-- @postgres\nCREATE INDEX p ON t (id);\n-- @both\nCREATE INDEX b ON t (id);";
        let sqlite = text_for(Dialect::Sqlite, text);
        assert_eq!(
            sqlite,
            "CREATE TABLE t (\n  id BLOB NOT NULL,\n  at INTEGER\n) STRICT, WITHOUT ROWID;\nCREATE INDEX b ON t (id);\n"
        );
        let postgres = text_for(Dialect::Postgres, text);
        assert!(
            postgres.contains("timestamptz") && postgres.contains("INDEX p") && postgres.contains("INDEX b")
        );
    }

    #[test]
    fn a_database_from_the_future_is_refused() {
        assert!(matches!(pending(1_000_000).map(|_| ()), Err(Error::TooNew { .. })));
    }
}
