//! The rows of an account in all tables that the database has, whether a list names them or not.

use std::collections::BTreeMap;

use frontdesk_kernel::ids::AccountId;

use crate::dialect::Dialect;
use crate::error::Result;
use crate::read_tx::ReadTx;
use crate::row::only;
use crate::tables::KEPT;
use crate::tables::schema::quoted;
use crate::tables::sizes::NAMES_SQLITE;
use crate::tx::Tx;

/// Every column with its place in the primary key, 0 for none.
const COLUMNS_SQLITE: &str = "SELECT t.name, c.name, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.pk";
pub(crate) const COLUMNS_POSTGRES: &str = "SELECT t.relname::text, a.attname::text,
        coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0)::bigint
    FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
    WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') ORDER BY 1, 3";
const ACCOUNT: &str = "account_id";
const LEASE: &str = "lease";

pub(crate) const SQLITE_STATEMENTS: &[(&str, &str)] =
    &[("account_rows::COLUMNS_SQLITE", COLUMNS_SQLITE), ("sizes::NAMES_SQLITE", NAMES_SQLITE)];

/// A table with a column for the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountTable {
    pub name: String,
    key: Vec<String>,
    has_lease: bool,
}

/// All of them. A table stands before those that its rows refer to, so rows can be deleted in this order.
pub fn account_tables(tx: &mut ReadTx<'_>) -> Result<Vec<AccountTable>> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => COLUMNS_SQLITE,
        Dialect::Postgres => COLUMNS_POSTGRES,
    };
    let columns =
        tx.query(sql, &[], |row| Ok((row.next::<String>()?, row.next::<String>()?, row.next::<i64>()?)))?;
    // Each with whether it has a column for the account.
    let mut found: BTreeMap<String, (AccountTable, bool)> = BTreeMap::new();
    for (name, column, place) in columns {
        let new = || (AccountTable { name: name.clone(), key: Vec::new(), has_lease: false }, false);
        let (table, has_account) = found.entry(name.clone()).or_insert_with(new);
        *has_account |= column == ACCOUNT;
        table.has_lease |= column == LEASE;
        if place > 0 {
            table.key.push(column);
        }
    }
    let mut tables: Vec<AccountTable> =
        found.into_values().filter(|(_, has_account)| *has_account).map(|(table, _)| table).collect();
    // A list has a table after those that it refers to. Tables that are on no list refer to nothing.
    let place = |table: &AccountTable| KEPT.iter().position(|kept| *kept == table.name);
    tables.sort_by_key(|table| std::cmp::Reverse(place(table).map_or(usize::MAX, |at| at)));
    Ok(tables)
}

impl AccountTable {
    /// How many rows the account has.
    pub fn count(&self, tx: &mut ReadTx<'_>, account: AccountId) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM {} WHERE {ACCOUNT} = $1", quoted(&self.name));
        Ok(tx.find(&sql, &[&account], only::<i64>)?.unwrap_or(0) as u64)
    }

    /// Whether it has any.
    pub fn has_any(&self, tx: &mut ReadTx<'_>, account: AccountId) -> Result<bool> {
        let sql = format!("SELECT {ACCOUNT} FROM {} WHERE {ACCOUNT} = $1 LIMIT 1", quoted(&self.name));
        Ok(!tx.query(&sql, &[&account], only::<AccountId>)?.is_empty())
    }

    /// Whether a server has claimed any of them.
    pub fn is_leased(&self, tx: &mut ReadTx<'_>, account: AccountId) -> Result<bool> {
        if !self.has_lease {
            return Ok(false);
        }
        let table = quoted(&self.name);
        let sql =
            format!("SELECT {ACCOUNT} FROM {table} WHERE {ACCOUNT} = $1 AND {LEASE} IS NOT NULL LIMIT 1");
        Ok(!tx.query(&sql, &[&account], only::<AccountId>)?.is_empty())
    }

    /// Deletes up to so many rows of the account, in the order of the key. Returns how many.
    pub fn delete(&self, tx: &mut Tx<'_>, account: AccountId, rows_max: i64) -> Result<u64> {
        let table = quoted(&self.name);
        let key = self.key.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
        let sql = match tx.dialect() {
            Dialect::Sqlite => format!(
                "DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {ACCOUNT} = $1 ORDER BY {key} LIMIT $2)"
            ),
            // The places of the rows need no second search, however the statement is planned.
            Dialect::Postgres => format!(
                "DELETE FROM {table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} WHERE {ACCOUNT} = $1 LIMIT $2))"
            ),
        };
        Ok(tx.execute(&sql, &[&account, &rows_max])?.rows())
    }
}
