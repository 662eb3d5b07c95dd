//! The database that a copy fills, page by page. The position of the copy commits with the rows, so a copy that was killed goes
//! on where it was.
//!
//! Until the copy is complete the database has a mark, and nobody else opens it. Indexes that are not needed meanwhile are
//! dropped first and made at the end, which takes a fraction of the time. Their definitions commit with their removal.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use frontdesk_kernel::{hex, unhex};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::copies::{self, CopySide};
use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::migrate;
use crate::postgres::Session;
use crate::row::only;
use crate::sqlite::{Connection, create_private, real_path};
use crate::store::DatabaseClaim;
use crate::tables::copy_source::{claim, lock, place_of, refuse_servers};
use crate::tables::engine::Engine;
use crate::tables::insert::Insert;
use crate::tables::new_file::remove_with_logs;
use crate::tables::schema::quoted;
use crate::tables::{COPIED_TOO, KEPT, StoredRow, StoredValue, TableSchema};
use crate::url::DatabaseUrl;

/// No statement waits longer for a lock, except for one that changes a table.
const LOCK_MILLIS_MAX: u32 = 10_000;
/// What PostgreSQL may use to make an index.
const INDEX_MEMORY: &str = "128MB";

/// A database that is being filled. Whatever was added before it is dropped stays.
pub struct CopyTarget {
    engine: Engine,
    tables: Vec<TableSchema>,
    _no_server_starts: Option<DatabaseClaim>,
}

/// How far a table is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CopiedTable {
    pub rows: u64,
    /// The key of the last row; none at the beginning.
    pub last_key: Option<Vec<StoredValue>>,
    pub is_complete: bool,
}

impl CopyTarget {
    /// Opens a database without accounts, or one that this copy was filling. `side_files` are the extensions of files that
    /// belong to a database that was there before. Returns whether the copy goes on.
    pub fn open(url: &DatabaseUrl, copy_id: Uuid, source: &str, side_files: &[&str]) -> Result<(Self, bool)> {
        let place = place_of(url);
        let (mut engine, claim) = match url {
            DatabaseUrl::Sqlite(path) => {
                let (connection, claim) = open_file(path, &place)?;
                (Engine::Sqlite(connection), Some(claim))
            }
            DatabaseUrl::Postgres(address) => {
                let mut session = Session::connect(address)?;
                lock(&mut session, &place)?;
                refuse_other_tables(&mut session, &place)?;
                migrate::migrate_postgres(&mut session)?;
                session.lift_limits(LOCK_MILLIS_MAX)?;
                // A crash of PostgreSQL takes the last rows and the position with them alike.
                session.batch(&format!(
                    "SET synchronous_commit = off; SET maintenance_work_mem = '{INDEX_MEMORY}'"
                ))?;
                (Engine::Postgres(Box::new(session)), None)
            }
        };
        let mut tables = Vec::new();
        for name in KEPT.iter().chain(COPIED_TOO) {
            tables.extend(engine.table(name)?);
        }
        let mut target = Self { engine, tables, _no_server_starts: claim };
        match target.engine.copy_mark()? {
            Some(mark) if mark.side == CopySide::Target && mark.copy_id == copy_id => Ok((target, true)),
            Some(mark) if mark.side == CopySide::Target => Err(Error::InUse(format!(
                "the database {place} was being filled by another copy, from {}: remove it, and begin with an empty one",
                mark.other
            ))),
            Some(mark) => Err(mark.refusal(&place)),
            None => {
                if target.engine.number("SELECT count(*) FROM accounts")? != 0 {
                    return Err(Error::InUse(format!(
                        "the database {place} has accounts, which a copy never overwrites: choose an empty one"
                    )));
                }
                refuse_servers(&mut target.engine, &place)?;
                if let DatabaseUrl::Sqlite(path) = url {
                    remove_side_files(path, side_files)?;
                }
                target.begin(copy_id, source)?;
                Ok((target, false))
            }
        }
    }

    /// Empties the tables, drops the indexes, and leaves the mark, in one transaction.
    fn begin(&mut self, copy_id: Uuid, source: &str) -> Result<()> {
        let tables = &self.tables;
        self.engine.write(|engine| {
            // Migrations insert a few rows, which the source has too. Dependent tables come last in the list.
            for table in tables.iter().rev() {
                engine.execute(&format!("DELETE FROM {}", quoted(&table.name)), &[])?;
            }
            engine.execute(copies::FORGET_PROGRESS, &[])?;
            let names: HashSet<&str> = tables.iter().map(|table| table.name.as_str()).collect();
            for (index, table, definition) in secondary_indexes(engine)? {
                if names.contains(table.as_str()) {
                    engine.execute(copies::ADD_INDEX, &[&index, &definition])?;
                    engine.batch(&format!("DROP INDEX {}", quoted(&index)))?;
                }
            }
            engine.execute(copies::PUT, &[&copy_id, &CopySide::Target.as_str(), &source]).map(drop)
        })
    }

    pub fn dialect(&self) -> Dialect {
        self.engine.dialect()
    }

    pub fn tables(&self) -> &[TableSchema] {
        &self.tables
    }

    /// How far a table is.
    pub fn progress(&mut self, table: &str) -> Result<CopiedTable> {
        let found = self.engine.query(copies::PROGRESS, &[&table], |row| {
            let rows = row.next::<i64>()? as u64;
            let last_key = row.next::<Option<String>>()?.map(|text| key_of_text(&text)).transpose()?;
            Ok(CopiedTable { rows, last_key, is_complete: row.next()? })
        })?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// Adds rows with these columns, and records how far the table is then. `reached.rows` counts them.
    pub fn add(
        &mut self,
        table: &TableSchema,
        columns: &[String],
        rows: &[StoredRow],
        reached: &CopiedTable,
    ) -> Result<()> {
        let insert = Insert::new(table, columns)?;
        let last_key = reached.last_key.as_deref().map(text_of_key);
        self.engine.write(|engine| {
            match engine {
                Engine::Sqlite(connection) => insert.run_sqlite(connection, rows)?,
                Engine::Postgres(session) => insert.run_postgres(session, rows)?,
            }
            let count = reached.rows as i64;
            engine.execute(copies::REACH, &[&table.name, &count, &last_key, &reached.is_complete]).map(drop)
        })
    }

    /// The names of the indexes that are not made yet.
    pub fn missing_indexes(&mut self) -> Result<Vec<String>> {
        self.engine.query(copies::INDEXES, &[], only)
    }

    /// Makes an index.
    pub fn make_index(&mut self, name: &str) -> Result<()> {
        let read = |row: &mut crate::row::Row<'_>| Ok((row.next::<String>()?, row.next::<String>()?));
        let found = self.engine.query(copies::INDEXES, &[], read)?;
        let Some((_, definition)) = found.into_iter().find(|(found, _)| found == name) else { return Ok(()) };
        self.engine.write(|engine| {
            engine.batch(&definition)?;
            engine.execute(copies::REMOVE_INDEX, &[&name]).map(drop)
        })
    }

    /// Removes the mark, after this everything is durable and servers may start. `after_sqlite` are statements for a SQLite
    /// database.
    pub fn finish(mut self, after_sqlite: &[&str]) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite(connection) => {
                connection.batch("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)")?;
            }
            Engine::Postgres(session) => session.batch("ANALYZE; SET synchronous_commit = on")?,
        }
        self.engine.write(|engine| {
            if let Engine::Sqlite(connection) = engine {
                after_sqlite.iter().try_for_each(|statement| connection.batch(statement))?;
            }
            engine.execute(copies::FORGET_PROGRESS, &[])?;
            engine.execute(copies::REMOVE, &[]).map(drop)
        })
    }
}

/// Opens the file, creates its tables, and keeps servers away.
fn open_file(path: &Path, place: &str) -> Result<(Connection, DatabaseClaim)> {
    let failed =
        |what: &Path, error: &std::io::Error| Error::Unavailable(format!("{}: {error}", what.display()));
    let path = real_path(path).map_err(|error| failed(path, &error))?;
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(|error| failed(directory, &error))?;
    }
    let claim = claim(&path, place)?;
    create_private(&path)?;
    let connection = Connection::open(&path)?;
    migrate::migrate_sqlite(&connection)?;
    // A crash of the machine takes the last rows and the position with them alike. Making an index may take more than memory.
    connection.batch(
        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536; PRAGMA temp_store = FILE",
    )?;
    Ok((connection, claim))
}

fn remove_side_files(path: &Path, side_files: &[&str]) -> Result<()> {
    let path = real_path(path).map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
    side_files.iter().try_for_each(|name| remove_with_logs(&path.with_added_extension(name)))
}

/// Refuses a database that belongs to something else.
fn refuse_other_tables(session: &mut Session, place: &str) -> Result<()> {
    let others = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()
        AND tablename NOT IN ('migrations', 'migration_progress')";
    if migrate::applied_postgres(session)?.is_empty() && session.query(others, &[], only::<i64>)? != [0] {
        return Err(Error::InUse(format!(
            "the database {place} has tables of something else: copy into an empty one, such as one that `createdb` has \
             just made"
        )));
    }
    Ok(())
}

/// The indexes that no constraint needs, each with its table and its definition.
fn secondary_indexes(engine: &mut Engine) -> Result<Vec<(String, String, String)>> {
    let sql = match engine {
        Engine::Sqlite(_) => {
            "SELECT name, tbl_name, sql FROM sqlite_schema
             WHERE type = 'index' AND sql IS NOT NULL AND sql NOT LIKE 'CREATE UNIQUE%' ORDER BY name"
        }
        Engine::Postgres(_) => {
            "SELECT c.relname::text, t.relname::text, pg_get_indexdef(c.oid) FROM pg_index i
             JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
             JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = current_schema() AND NOT i.indisunique ORDER BY 1"
        }
    };
    engine.query(sql, &[], |row| Ok((row.next()?, row.next()?, row.next()?)))
}

fn text_of_key(key: &[StoredValue]) -> String {
    let json = |value: &StoredValue| match value {
        StoredValue::Null => Json::Null,
        StoredValue::Int(n) => json!(n),
        StoredValue::Real(n) => json!({ "bits": n.to_bits() }),
        StoredValue::Text(text) => json!(text),
        StoredValue::Bytes(bytes) => json!({ "hex": hex(bytes) }),
    };
    Json::Array(key.iter().map(json).collect()).to_string()
}

fn key_of_text(text: &str) -> Result<Vec<StoredValue>> {
    let unreadable = || Error::Decode("position of a copy");
    let value = |json: &Json| match json {
        Json::Null => Ok(StoredValue::Null),
        Json::Number(n) => n.as_i64().map(StoredValue::Int).ok_or_else(unreadable),
        Json::String(text) => Ok(StoredValue::Text(text.clone())),
        Json::Object(tagged) => match (tagged.get("hex"), tagged.get("bits").and_then(Json::as_u64)) {
            (Some(Json::String(hex)), _) => unhex(hex).map(StoredValue::Bytes).ok_or_else(unreadable),
            (_, Some(bits)) => Ok(StoredValue::Real(f64::from_bits(bits))),
            _ => Err(unreadable()),
        },
        _ => Err(unreadable()),
    };
    let json: Vec<Json> = serde_json::from_str(text).map_err(|_| unreadable())?;
    json.iter().map(value).collect()
}
