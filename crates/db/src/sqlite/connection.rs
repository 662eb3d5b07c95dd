//! One SQLite connection: how it is set up, how statements are run on it, what its errors mean.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{ErrorCode, OpenFlags};

use crate::{Error, Param, Result, Row};

const STATEMENTS_CACHED_MAX: usize = 256;
/// How long a commit waits for another process (a command line beside the server) to finish its own.
const BUSY_MILLIS: u64 = 10_000;

/// A connection and the names of its constraints.
pub(crate) struct Connection {
    pub(crate) raw: rusqlite::Connection,
    pub(crate) names: Names,
}

/// Names of unique constraints by the columns that SQLite's messages list instead.
#[derive(Clone, Default)]
pub(crate) struct Names(HashMap<String, String>);

impl Connection {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let open = || -> rusqlite::Result<rusqlite::Connection> {
            let raw = rusqlite::Connection::open(path)?;
            raw.busy_timeout(std::time::Duration::from_millis(BUSY_MILLIS))?;
            raw.set_prepared_statement_cache_capacity(STATEMENTS_CACHED_MAX);
            // Without this every new value of a parameter has its statement planned anew.
            raw.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            raw.execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 67108864;",
            )?;
            raw.create_scalar_function(
                "fold",
                1,
                FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
                |call| Ok(call.get::<Option<String>>(0)?.map(|text| text.to_lowercase())),
            )?;
            Ok(raw)
        };
        let raw = open().map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
        Ok(Self { raw, names: Names::default() })
    }

    /// Opens a database that is there, and leaves it as it is.
    pub(crate) fn look_at(path: &Path) -> Result<Self> {
        let raw = rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
        Ok(Self { raw, names: Names::default() })
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<()> {
        self.raw.execute_batch(sql).map_err(|error| meaning(&self.names, error))
    }

    /// Reads which constraint stands behind which columns.
    pub(crate) fn learn_names(&mut self) -> Result<()> {
        const UNIQUE_INDEXES: &str = "SELECT t.name, i.name, i.origin, group_concat(c.name, ',')
            FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
            WHERE t.type = 'table' AND i.\"unique\" = 1 GROUP BY t.name, i.name, i.origin";
        let rows = query(&self.raw, &self.names, UNIQUE_INDEXES, &[], |row| {
            Ok((row.next::<String>()?, row.next::<String>()?, row.next::<String>()?, row.next::<String>()?))
        })?;
        for (table, index, origin, columns) in rows {
            let listed: Vec<String> = columns.split(',').map(|column| format!("{table}.{column}")).collect();
            let name = if origin == "pk" { format!("{table}_pkey") } else { index };
            self.names.0.insert(listed.join(", "), name);
        }
        Ok(())
    }
}

/// `$1` is a *named* parameter to SQLite, numbered by where it first stands; `?1` is the first.
fn numbered(sql: &str) -> String {
    let mut bytes = sql.as_bytes().to_vec();
    let mut seen = 0;
    while let Some(at) = sql[seen..].find('$').map(|at| seen + at) {
        seen = at + 1;
        if bytes.get(seen).is_some_and(u8::is_ascii_digit) {
            bytes[at] = b'?';
        }
    }
    String::from_utf8(bytes).expect("one character of one byte took the place of another")
}

pub(crate) fn query<T>(
    connection: &rusqlite::Connection,
    names: &Names,
    sql: &str,
    params: &[&dyn Param],
    mut map: impl FnMut(&mut Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    each(connection, names, sql, params, |row| {
        found.push(map(row)?);
        Ok(true)
    })?;
    Ok(found)
}

/// Visits rows for as long as the visitor says yes.
pub(crate) fn each(
    connection: &rusqlite::Connection,
    names: &Names,
    sql: &str,
    params: &[&dyn Param],
    mut visit: impl FnMut(&mut Row<'_>) -> Result<bool>,
) -> Result<()> {
    let fail = |error| meaning(names, error);
    let mut statement = connection.prepare_cached(&numbered(sql)).map_err(fail)?;
    for (at, param) in params.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, param.value()).map_err(fail)?;
    }
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(fail)? {
        if !visit(&mut Row::sqlite(row))? {
            break;
        }
    }
    Ok(())
}

pub(crate) fn execute(
    connection: &rusqlite::Connection,
    names: &Names,
    sql: &str,
    params: &[&dyn Param],
) -> Result<u64> {
    let fail = |error| meaning(names, error);
    let mut statement = connection.prepare_cached(&numbered(sql)).map_err(fail)?;
    for (at, param) in params.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, param.value()).map_err(fail)?;
    }
    statement.raw_execute().map(|rows| rows as u64).map_err(fail)
}

pub(crate) fn prepare(connection: &rusqlite::Connection, names: &Names, sql: &str) -> Result<()> {
    connection.prepare(&numbered(sql)).map(|_| ()).map_err(|error| meaning(names, error))
}

pub(crate) fn meaning(names: &Names, error: rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(failure, message) = &error else {
        return Error::Engine(error.to_string());
    };
    match failure.code {
        ErrorCode::ConstraintViolation => {
            let message = message.as_deref().unwrap_or_default();
            let subject = message.split_once("constraint failed: ").map_or(message, |(_, subject)| subject);
            let name = names.0.get(subject).cloned().unwrap_or_else(|| subject.to_owned());
            Error::Constraint(name)
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::Busy,
        ErrorCode::DiskFull | ErrorCode::SystemIoFailure => Error::Disk(error.to_string()),
        ErrorCode::ReadOnly => Error::ReadOnly(error.to_string()),
        ErrorCode::CannotOpen => Error::Unavailable(error.to_string()),
        _ => Error::Engine(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_keep_their_numbers() {
        assert_eq!(numbered("a = $2 AND b = $1 AND c = $10"), "a = ?2 AND b = ?1 AND c = ?10");
        assert_eq!(numbered("'$.x'"), "'$.x'");
    }

    #[test]
    fn unique_constraints_are_told_by_their_names() {
        let mut connection = Connection::open(Path::new(":memory:")).unwrap();
        connection
            .raw
            .execute_batch(
                "CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
                 CREATE UNIQUE INDEX t_c_key ON t (a, c); INSERT INTO t VALUES (1, 1, 1);",
            )
            .unwrap();
        connection.learn_names().unwrap();
        let insert = |sql| execute(&connection.raw, &connection.names, sql, &[]).unwrap_err();
        assert!(insert("INSERT INTO t VALUES (1, 1, 2)").is_constraint("t_pkey"));
        assert!(insert("INSERT INTO t VALUES (1, 2, 1)").is_constraint("t_c_key"));
    }
}
