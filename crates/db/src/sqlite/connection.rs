//! One SQLite connection: its setup, its statements and its errors.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{ErrorCode, OpenFlags};

use super::statements::{self, Statements};
use crate::error::{Error, Result};
use crate::row::Row;
use crate::value::Param;

/// How long a commit waits for another process, such as a command next to the server.
pub(crate) const BUSY_TIME_MAX: Duration = Duration::from_secs(10);

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
            raw.busy_timeout(BUSY_TIME_MAX)?;
            raw.set_prepared_statement_cache_capacity(statements::KEPT_MAX);
            // Without this, every new value of a parameter makes SQLite plan its statement again.
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
            raw.create_scalar_function(
                "to_hex",
                1,
                FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
                |call| Ok(call.get::<Option<i64>>(0)?.map(|number| format!("{number:x}"))),
            )?;
            Ok(raw)
        };
        let raw = open().map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
        Ok(Self { raw, names: Names::default() })
    }

    /// Opens an existing database without changing it.
    pub(crate) fn look_at(path: &Path) -> Result<Self> {
        let raw = rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
        Ok(Self { raw, names: Names::default() })
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<()> {
        self.raw.execute_batch(sql).map_err(|error| meaning(&self.names, error))
    }

    /// Reads the names of constraints by their columns.
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

pub(crate) fn query<T>(
    statements: &dyn Statements,
    names: &Names,
    sql: &str,
    params: &[&dyn Param],
    mut map: impl FnMut(&mut Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    each(statements, names, sql, params, &mut |row| {
        found.push(map(row)?);
        Ok(true)
    })?;
    Ok(found)
}

/// Visits rows as long as the visitor returns true.
pub(crate) fn each(
    statements: &dyn Statements,
    names: &Names,
    sql: &str,
    params: &[&dyn Param],
    visit: &mut dyn FnMut(&mut Row<'_>) -> Result<bool>,
) -> Result<()> {
    run(statements, names, sql, params, |statement| {
        let fail = |error| meaning(names, error);
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(fail)? {
            if !visit(&mut Row::sqlite(row))? {
                break;
            }
        }
        Ok(())
    })
}

pub(crate) fn execute(
    statements: &dyn Statements,
    names: &Names,
    sql: &str,
    params: &[&dyn Param],
) -> Result<u64> {
    run(statements, names, sql, params, |statement| {
        statement.raw_execute().map(|rows| rows as u64).map_err(|error| meaning(names, error))
    })
}

/// Runs a statement with its parameters bound.
fn run<T>(
    statements: &dyn Statements,
    names: &Names,
    sql: &str,
    params: &[&dyn Param],
    mut run: impl FnMut(&mut rusqlite::Statement<'_>) -> Result<T>,
) -> Result<T> {
    let fail = |error| meaning(names, error);
    let mut outcome = None;
    let prepared = statements.with(sql, &mut |statement| {
        outcome = Some(bind(statement, params).map_err(fail).and_then(|()| run(statement)));
        // The bound values are not kept.
        statement.clear_bindings();
    });
    prepared.map_err(fail)?;
    outcome.unwrap_or_else(|| Err(Error::Engine("a statement was not run".into())))
}

fn bind(statement: &mut rusqlite::Statement<'_>, params: &[&dyn Param]) -> rusqlite::Result<()> {
    params.iter().enumerate().try_for_each(|(at, param)| statement.raw_bind_parameter(at + 1, param.value()))
}

pub(crate) fn prepare(statements: &dyn Statements, names: &Names, sql: &str) -> Result<()> {
    statements.check(sql).map_err(|error| meaning(names, error))
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
    fn unique_constraints_are_identified_by_name() {
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
