//! The columns and the key of a table, as the database itself describes them.

use frontdesk_kernel::hex;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres::Session;
use crate::row::only;
use crate::sqlite::{self, Connection};
use crate::tables::{StoredRow, StoredValue};

/// The type of a column. SQLite stores ids as bytes, and times and booleans as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Int,
    Real,
    Bool,
    Text,
    Json,
    Bytes,
    Uuid,
    Time,
}

impl ColumnType {
    /// The type that an engine calls so.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "INTEGER" | "bigint" | "integer" => Self::Int,
            "REAL" | "double precision" => Self::Real,
            "boolean" => Self::Bool,
            "TEXT" | "text" | "character varying" => Self::Text,
            "jsonb" | "json" => Self::Json,
            "BLOB" | "bytea" => Self::Bytes,
            "uuid" => Self::Uuid,
            "timestamp with time zone" => Self::Time,
            _ => return None,
        })
    }
}

impl ColumnType {
    /// What PostgreSQL calls it.
    pub(super) fn postgres(self) -> &'static str {
        match self {
            Self::Int => "bigint",
            Self::Real => "double precision",
            Self::Bool => "boolean",
            Self::Text => "text",
            Self::Json => "jsonb",
            Self::Bytes => "bytea",
            Self::Uuid => "uuid",
            Self::Time => "timestamptz",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    pub name: String,
    pub ty: ColumnType,
    pub is_nullable: bool,
}

/// A table with its columns, and the places of those that are its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSchema {
    pub name: String,
    pub columns: Vec<TableColumn>,
    pub key: Vec<usize>,
}

impl TableSchema {
    /// Reads a table of SQLite; none if it is not there.
    pub(super) fn of_sqlite(connection: &Connection, table: &str) -> Result<Option<Self>> {
        let described: Vec<(String, String, i64, bool)> = sqlite::query(
            &connection.raw,
            &connection.names,
            "SELECT name, type, pk, \"notnull\" FROM pragma_table_info($1) ORDER BY cid",
            &[&table],
            |row| Ok((row.next()?, row.next()?, row.next::<i64>()?, !row.next::<bool>()?)),
        )?;
        let mut key: Vec<(i64, usize)> =
            described.iter().enumerate().map(|(at, (_, _, place, _))| (*place, at)).collect();
        key.retain(|(place, _)| *place > 0);
        key.sort_unstable();
        let columns =
            described.into_iter().map(|(name, ty, _, is_nullable)| (name, ty, is_nullable)).collect();
        Self::new(table, columns, key.into_iter().map(|(_, at)| at).collect())
    }

    /// Reads a table of PostgreSQL; none if it is not there.
    pub(super) fn of_postgres(session: &mut Session, table: &str) -> Result<Option<Self>> {
        let columns: Vec<(String, String, bool)> = session.query(
            "SELECT attname::text, format_type(atttypid, NULL), NOT attnotnull FROM pg_attribute
             WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
            &[&table],
            |row| Ok((row.next()?, row.next()?, row.next()?)),
        )?;
        let key: Vec<String> = session.query(
            "SELECT a.attname::text FROM pg_index i
             CROSS JOIN unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (num, place)
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num
             WHERE i.indrelid = to_regclass($1) AND i.indisprimary ORDER BY k.place",
            &[&table],
            only,
        )?;
        let places = key.iter().filter_map(|name| columns.iter().position(|(column, _, _)| column == name));
        let key = places.collect();
        Self::new(table, columns, key)
    }

    fn new(table: &str, columns: Vec<(String, String, bool)>, key: Vec<usize>) -> Result<Option<Self>> {
        if columns.is_empty() {
            return Ok(None);
        }
        let columns = columns.into_iter().map(|(name, ty, is_nullable)| match ColumnType::named(&ty) {
            Some(ty) => Ok(TableColumn { name, ty, is_nullable }),
            None => Err(Error::Engine(format!("the column {name} of {table} has the unknown type {ty}"))),
        });
        let columns = columns.collect::<Result<_>>()?;
        if key.is_empty() {
            return Err(Error::Engine(format!("the table {table} has no primary key")));
        }
        Ok(Some(Self { name: table.to_owned(), columns, key }))
    }

    /// The key of a row.
    pub fn key_of(&self, row: &StoredRow) -> Vec<StoredValue> {
        self.key.iter().map(|at| row.get(*at).cloned().unwrap_or(StoredValue::Null)).collect()
    }

    /// A row with this key and nothing else.
    pub fn row_with_key(&self, key: &[StoredValue]) -> StoredRow {
        let mut row = vec![StoredValue::Null; self.columns.len()];
        for (at, value) in self.key.iter().zip(key) {
            row[*at] = value.clone();
        }
        row
    }

    /// The key of a row for people, such as `account_id=0189…, id=0189…`.
    pub fn key_text(&self, row: &StoredRow) -> String {
        let text = |at: &usize| {
            let column = &self.columns[*at];
            let value = match &row[*at] {
                StoredValue::Bytes(bytes) => {
                    Uuid::from_slice(bytes).map_or_else(|_| hex(bytes), |id| id.to_string())
                }
                StoredValue::Int(n) => n.to_string(),
                StoredValue::Text(text) => format!("{text:?}"),
                other => format!("{other:?}"),
            };
            format!("{}={value}", column.name)
        };
        self.key.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// The statement that reads the row with a key.
    pub(super) fn find_sql(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|column| quoted(&column.name)).collect();
        let key = self.key.iter().enumerate();
        let key: Vec<String> =
            key.map(|(n, at)| format!("{} = ${}", quoted(&self.columns[*at].name), n + 1)).collect();
        format!("SELECT {} FROM {} WHERE {}", columns.join(", "), quoted(&self.name), key.join(" AND "))
    }

    /// The place of a column; none if the table does not have it.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|found| found.name == column)
    }

    /// The statement that reads a page: from the beginning, or after a key.
    pub(super) fn page_sql(&self, is_first: bool) -> String {
        let list = |places: &mut dyn Iterator<Item = usize>| {
            places.map(|at| quoted(&self.columns[at].name)).collect::<Vec<_>>().join(", ")
        };
        let columns = list(&mut (0..self.columns.len()));
        let key = list(&mut self.key.iter().copied());
        let from = if is_first {
            String::new()
        } else {
            let after: Vec<String> = (2..).take(self.key.len()).map(|at| format!("${at}")).collect();
            format!(" WHERE ({key}) > ({})", after.join(", "))
        };
        format!("SELECT {columns} FROM {}{from} ORDER BY {key} LIMIT $1", quoted(&self.name))
    }
}

/// A name as an identifier. Names are the program's own.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
