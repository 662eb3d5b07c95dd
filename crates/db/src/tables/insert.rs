//! Inserts many rows into a table.
//!
//! PostgreSQL gets the values of each column as one array, so a page of rows is one statement. SQLite runs one statement
//! per row.

use crate::error::{Error, Result};
use crate::postgres::Session;
use crate::sqlite::{self, Connection};
use crate::tables::schema::quoted;
use crate::tables::value::Typed;
use crate::tables::{ColumnType, StoredRow, StoredValue, TableSchema};
use crate::value::{Param, Value};

/// The insert of rows with these columns.
pub(super) struct Insert {
    table: String,
    columns: Vec<(String, ColumnType)>,
    /// For one row.
    one: String,
    /// For arrays of values.
    many: String,
}

impl Insert {
    pub(super) fn new(table: &TableSchema, columns: &[String]) -> Result<Self> {
        let mut found = Vec::with_capacity(columns.len());
        for column in columns {
            let known = table.columns.iter().find(|it| it.name == *column).ok_or_else(|| {
                Error::Engine(format!("the table {} has no column {column} in this version", table.name))
            })?;
            found.push((known.name.clone(), known.ty));
        }
        let join = |parts: Vec<String>| parts.join(", ");
        let names = join(columns.iter().map(|column| quoted(column)).collect());
        let places = join((1..=columns.len()).map(|at| format!("${at}")).collect());
        let typed =
            |(at, (_, ty)): (usize, &(String, ColumnType))| format!("${}::{}[]", at + 1, ty.postgres());
        let arrays = join(found.iter().enumerate().map(typed).collect());
        let head = format!("INSERT INTO {} ({names})", quoted(&table.name));
        Ok(Self {
            table: table.name.clone(),
            columns: found,
            one: format!("{head} VALUES ({places})"),
            many: format!("{head} SELECT * FROM unnest({arrays})"),
        })
    }

    pub(super) fn run_sqlite(&self, connection: &Connection, rows: &[StoredRow]) -> Result<()> {
        for row in rows {
            let values = self.values(row)?.into_iter().map(Typed).collect::<Vec<_>>();
            let params: Vec<&dyn Param> = values.iter().map(|value| value as &dyn Param).collect();
            sqlite::execute(&connection.raw, &connection.names, &self.one, &params)?;
        }
        Ok(())
    }

    pub(super) fn run_postgres(&self, session: &mut Session, rows: &[StoredRow]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut arrays: Vec<Vec<Value<'_>>> = vec![Vec::with_capacity(rows.len()); self.columns.len()];
        for row in rows {
            self.check_text(row)?;
            for (array, value) in arrays.iter_mut().zip(self.values(row)?) {
                array.push(value);
            }
        }
        let arrays: Vec<Typed<'_>> = arrays.into_iter().map(|array| Typed(Value::List(array))).collect();
        let params: Vec<&dyn Param> = arrays.iter().map(|array| array as &dyn Param).collect();
        session.execute(&self.many, &params).map(drop)
    }

    fn values<'r>(&self, row: &'r StoredRow) -> Result<Vec<Value<'r>>> {
        if row.len() != self.columns.len() {
            return Err(Error::Decode("row"));
        }
        row.iter().zip(&self.columns).map(|(value, (_, ty))| value.param(*ty)).collect()
    }

    /// PostgreSQL stores no NUL characters, and its own message names no row.
    fn check_text(&self, row: &StoredRow) -> Result<()> {
        let has_nul = |value: &StoredValue| matches!(value, StoredValue::Text(text) if text.contains('\0'));
        let Some(at) = row.iter().position(has_nul) else { return Ok(()) };
        let column = self.columns.get(at).map_or("", |(name, _)| name.as_str());
        Err(Error::Engine(format!(
            "a row of {} has a NUL character in {column}, which PostgreSQL cannot store: remove it with an UPDATE first",
            self.table
        )))
    }
}
