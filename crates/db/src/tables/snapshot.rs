//! Reads a database as it is at one moment, while others write.
//!
//! SQLite's snapshot is a read transaction of a connection of its own: others commit meanwhile, and the write-ahead log
//! grows by what they write until it ends. PostgreSQL's is a read-only transaction that sees one snapshot. Whatever was
//! acknowledged before it was opened is in it.

use crate::copies::CopySide;
use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::migrate;
use crate::postgres::Session;
use crate::row::only;
use crate::sqlite::{self, Connection, real_path};
use crate::tables::engine::Engine;
use crate::tables::schema::quoted;
use crate::tables::value::Typed;
use crate::tables::{COPIED_TOO, KEPT, StoredRow, StoredValue, TableSchema};
use crate::url::DatabaseUrl;
use crate::value::Param;

/// No statement of a snapshot waits for a lock, except for one that changes a table.
const LOCK_MILLIS_MAX: u32 = 10_000;

/// An open snapshot. It ends when it is dropped.
pub struct Snapshot {
    engine: Engine,
    migrations: Vec<i64>,
    tables: Vec<TableSchema>,
}

impl Snapshot {
    /// Opens a snapshot of a database, which is not migrated and not changed. It has the tables of a backup. Blocks.
    pub fn open(url: &DatabaseUrl) -> Result<Self> {
        Self::open_with(url, KEPT.iter())
    }

    /// The same, with the tables of a copy.
    pub fn open_to_copy(url: &DatabaseUrl) -> Result<Self> {
        Self::open_with(url, KEPT.iter().chain(COPIED_TOO))
    }

    fn open_with<'n>(url: &DatabaseUrl, names: impl Iterator<Item = &'n &'n str>) -> Result<Self> {
        let none = || Error::NoDatabase(url.place());
        let (mut engine, migrations) = match url {
            DatabaseUrl::Sqlite(path) => {
                let path = real_path(path).map_err(|_| none())?;
                if std::fs::metadata(&path).map_or(true, |file| file.len() == 0) {
                    return Err(none());
                }
                let connection = Connection::look_at(&path)?;
                connection
                    .raw
                    .busy_timeout(sqlite::BUSY_TIME_MAX)
                    .map_err(|error| Error::Engine(error.to_string()))?;
                connection.batch("PRAGMA query_only = ON; BEGIN")?;
                // The first read takes the snapshot.
                let migrations = migrate::applied_sqlite(&connection)?;
                (Engine::Sqlite(connection), migrations)
            }
            DatabaseUrl::Postgres(url) => {
                let mut session = Session::connect(url)?;
                // A slow disk or network at the other end must not end the transaction.
                session.lift_limits(LOCK_MILLIS_MAX)?;
                session.begin_read();
                let migrations = migrate::applied_postgres(&mut session)?;
                (Engine::Postgres(Box::new(session)), migrations)
            }
        };
        if migrations.is_empty() {
            return Err(none());
        }
        if engine.query("SELECT count(*) FROM migration_progress", &[], only::<i64>)? != [0] {
            let message = "a migration of this database is under way: try again when it is finished";
            return Err(Error::InUse(message.to_owned()));
        }
        let mut tables = Vec::new();
        for name in names {
            tables.extend(engine.table(name)?);
        }
        Ok(Self { engine, migrations, tables })
    }

    pub fn dialect(&self) -> Dialect {
        self.engine.dialect()
    }

    /// Whether a copy into this database has not ended.
    pub fn is_incomplete_copy(&mut self) -> Result<bool> {
        // An older version has no such table.
        Ok(self.engine.table("copies")?.is_some()
            && self.engine.copy_mark()?.is_some_and(|mark| mark.side == CopySide::Target))
    }

    /// The migrations that the database has.
    pub fn migrations(&self) -> &[i64] {
        &self.migrations
    }

    /// The kept tables that the database has, in their order.
    pub fn tables(&self) -> &[TableSchema] {
        &self.tables
    }

    /// A value of the installation's settings.
    pub fn setting(&mut self, name: &str) -> Result<Option<String>> {
        let found = self.engine.query("SELECT value FROM settings WHERE name = $1", &[&name], only)?;
        Ok(found.into_iter().next())
    }

    /// About how many rows a table has. PostgreSQL estimates it once it has looked at the table.
    pub fn rows_about(&mut self, table: &TableSchema) -> Result<u64> {
        let name = table.name.as_str();
        if let Engine::Postgres(session) = &mut self.engine {
            let about = "SELECT reltuples::float8 FROM pg_class WHERE oid = to_regclass($1)";
            if let Some(rows) =
                session.query(about, &[&name], only::<f64>)?.first().filter(|rows| **rows > 0.0)
            {
                return Ok(*rows as u64);
            }
        }
        let count = format!("SELECT count(*) FROM {}", quoted(name));
        Ok(self.engine.query(&count, &[], only::<i64>)?.first().copied().unwrap_or(0) as u64)
    }

    /// The row of a table with a key; none if there is none.
    pub fn find(&mut self, table: &TableSchema, key: &[StoredValue]) -> Result<Option<StoredRow>> {
        let params: Vec<Typed<'_>> = table
            .key
            .iter()
            .zip(key)
            .map(|(at, value)| Ok(Typed(value.param(table.columns[*at].ty)?)))
            .collect::<Result<_>>()?;
        let params: Vec<&dyn Param> = params.iter().map(|param| param as &dyn Param).collect();
        let columns = table.columns.len();
        let found = self.engine.query(&table.find_sql(), &params, |row| {
            (0..columns).map(|_| row.next::<StoredValue>()).collect::<Result<StoredRow>>()
        })?;
        Ok(found.into_iter().next())
    }

    /// Up to `rows_max` rows of a table in the order of its key, after a row or from the beginning.
    pub fn page(
        &mut self,
        table: &TableSchema,
        after: Option<&StoredRow>,
        rows_max: usize,
    ) -> Result<Vec<StoredRow>> {
        let limit = rows_max as i64;
        let mut params: Vec<Typed<'_>> = vec![Typed(limit.value())];
        for at in table.key.iter().filter(|_| after.is_some()) {
            let value = after.and_then(|row| row.get(*at)).ok_or(Error::Decode("key"))?;
            params.push(Typed(value.param(table.columns[*at].ty)?));
        }
        let params: Vec<&dyn Param> = params.iter().map(|param| param as &dyn Param).collect();
        let columns = table.columns.len();
        self.engine.query(&table.page_sql(after.is_none()), &params, |row| {
            (0..columns).map(|_| row.next::<StoredValue>()).collect::<Result<StoredRow>>()
        })
    }

    /// The row with the key of this one, if there is one.
    pub fn same(&mut self, table: &TableSchema, row: &StoredRow) -> Result<Option<StoredRow>> {
        let mut params = Vec::with_capacity(table.key.len());
        for at in &table.key {
            let value = row.get(*at).ok_or(Error::Decode("key"))?;
            params.push(Typed(value.param(table.columns[*at].ty)?));
        }
        let params: Vec<&dyn Param> = params.iter().map(|param| param as &dyn Param).collect();
        let columns = table.columns.len();
        let found = self.engine.query(&table.find_sql(), &params, |row| {
            (0..columns).map(|_| row.next::<StoredValue>()).collect::<Result<StoredRow>>()
        });
        Ok(found?.into_iter().next())
    }
}
