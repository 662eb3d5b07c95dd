//! How large the tables are, for bug reports. Reading it takes no longer for large tables.

use crate::dialect::Dialect;
use crate::error::Result;
use crate::read_tx::ReadTx;
use crate::row::only;
use crate::tables::schema::quoted;
use crate::tables::{KEPT, LEFT_OUT};

/// Rows of a table that SQLite counts at most. It has no estimate.
const ROWS_COUNTED_MAX: i64 = 100_000;

/// PostgreSQL's own estimates; -1 for a table that it has never analyzed.
pub(crate) const ESTIMATES: &str =
    "SELECT c.relname::text, c.reltuples::bigint, pg_total_relation_size(c.oid)::bigint FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname";

/// The tables of SQLite. Some tables are PostgreSQL's alone.
pub(crate) const NAMES_SQLITE: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";

/// The size of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSize {
    pub name: String,
    /// On SQLite counted up to a limit, on PostgreSQL an estimate.
    pub rows: i64,
    /// Whether there are, or may be, more or fewer rows.
    pub is_exact: bool,
    /// With its indexes; only PostgreSQL knows it.
    pub bytes: Option<i64>,
}

/// The sizes of all tables of this program.
pub fn sizes(tx: &mut ReadTx<'_>) -> Result<Vec<TableSize>> {
    match tx.dialect() {
        Dialect::Sqlite => {
            let names = tx.query(NAMES_SQLITE, &[], only::<String>)?;
            let ours = names.iter().filter(|name| is_ours(name));
            ours.map(|name| count(tx, name)).collect()
        }
        Dialect::Postgres => {
            let all = tx.query(ESTIMATES, &[], |row| {
                Ok(TableSize {
                    name: row.next()?,
                    rows: row.next()?,
                    is_exact: false,
                    bytes: Some(row.next()?),
                })
            })?;
            // Another program may keep tables in the same schema.
            Ok(all.into_iter().filter(|table| is_ours(&table.name)).collect())
        }
    }
}

fn is_ours(name: &str) -> bool {
    KEPT.contains(&name) || LEFT_OUT.iter().any(|(ours, _)| *ours == name)
}

fn count(tx: &mut ReadTx<'_>, name: &str) -> Result<TableSize> {
    let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT $1) counted", quoted(name));
    let rows = tx.find(&sql, &[&ROWS_COUNTED_MAX], only::<i64>)?.unwrap_or(0);
    Ok(TableSize { name: name.to_owned(), rows, is_exact: rows < ROWS_COUNTED_MAX, bytes: None })
}
