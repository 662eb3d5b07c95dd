//! A connection to either engine, for commands that work on whole tables.

use crate::copies;
use crate::copies::CopyMark;
use crate::dialect::Dialect;
use crate::error::Result;
use crate::postgres::Session;
use crate::row::{Row, only};
use crate::sqlite::{self, Connection};
use crate::tables::TableSchema;
use crate::value::Param;

pub(super) enum Engine {
    Sqlite(Connection),
    Postgres(Box<Session>),
}

impl Engine {
    pub(super) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    pub(super) fn query<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self {
            Self::Sqlite(connection) => sqlite::query(&connection.raw, &connection.names, sql, params, map),
            Self::Postgres(session) => session.query(sql, params, map),
        }
    }

    pub(super) fn execute(&mut self, sql: &str, params: &[&dyn Param]) -> Result<u64> {
        match self {
            Self::Sqlite(connection) => sqlite::execute(&connection.raw, &connection.names, sql, params),
            Self::Postgres(session) => session.execute(sql, params),
        }
    }

    /// Runs statements without parameters.
    pub(super) fn batch(&mut self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(connection) => connection.batch(sql),
            Self::Postgres(session) => session.batch(sql),
        }
    }

    /// Runs a transaction.
    pub(super) fn write<T>(&mut self, operation: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.batch(match self {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
            Self::Postgres(_) => "BEGIN",
        })?;
        let done = operation(self).and_then(|done| self.batch("COMMIT").map(|()| done));
        if done.is_err() {
            let _what_failed_is_reported = self.batch("ROLLBACK");
        }
        done
    }

    /// Describes a table; none if it is not there.
    pub(super) fn table(&mut self, name: &str) -> Result<Option<TableSchema>> {
        match self {
            Self::Sqlite(connection) => TableSchema::of_sqlite(connection, name),
            Self::Postgres(session) => TableSchema::of_postgres(session, name),
        }
    }

    /// The number of a statement's only row.
    pub(super) fn number(&mut self, sql: &str) -> Result<i64> {
        Ok(self.query(sql, &[], only::<i64>)?.first().copied().unwrap_or(0))
    }

    /// The mark of a copy, if there is one.
    pub(super) fn copy_mark(&mut self) -> Result<Option<CopyMark>> {
        Ok(self.query(copies::FIND, &[], CopyMark::read)?.into_iter().next())
    }
}
