//! Computes the search columns of copied rows, as the API does when it writes them.

use frontdesk_db::Dialect;
use frontdesk_db::tables::{Snapshot, StoredRow, StoredValue, TableSchema};
use frontdesk_search::stored::{self, SEARCH_COLUMNS};

use crate::error::{Error, Result};

/// Whether a column is computed from others.
pub(super) fn is_computed(table: &str, column: &str) -> bool {
    SEARCH_COLUMNS.iter().any(|(name, columns)| *name == table && columns.contains(&column))
}

/// Computes columns as a database of this engine has them.
pub(super) struct SearchColumns {
    dialect: Dialect,
    accounts: Option<TableSchema>,
    /// The account of the last row, and its number. Rows of an account follow each other.
    last_number: Option<(StoredValue, i64)>,
}

impl SearchColumns {
    pub(super) fn of(dialect: Dialect, source: &Snapshot) -> Self {
        let accounts = source.tables().iter().find(|table| table.name == "accounts").cloned();
        Self { dialect, accounts, last_number: None }
    }

    /// Replaces the search columns of a row of the source.
    pub(super) fn fill(
        &mut self,
        source: &mut Snapshot,
        table: &TableSchema,
        row: &mut StoredRow,
    ) -> Result<()> {
        let at = |column: &str| table.columns.iter().position(|it| it.name == column);
        let text = |row: &StoredRow, column: &str| match at(column).map(|at| &row[at]) {
            Some(StoredValue::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let put = |row: &mut StoredRow, column: &str, value: Option<String>| {
            if let Some(at) = at(column) {
                row[at] = value.map_or(StoredValue::Null, StoredValue::Text);
            }
        };
        match table.name.as_str() {
            "contacts" => {
                let account = at("account_id").map_or(StoredValue::Null, |at| row[at].clone());
                let number = self.number(source, account)?;
                let fields = ["name", "phone", "email", "company"].map(|column| text(row, column));
                let fields = fields.each_ref().map(Option::as_deref);
                let (search, keys) = stored::of_contact(self.dialect, fields, number);
                put(row, "search", search);
                put(row, "search_keys", keys);
            }
            "messages" => {
                let search = stored::of_message(self.dialect, text(row, "text").as_deref());
                put(row, "search", search);
            }
            _ => {}
        }
        Ok(())
    }

    /// The number of an account in search indexes.
    fn number(&mut self, source: &mut Snapshot, account: StoredValue) -> Result<i64> {
        if let Some((last, number)) = &self.last_number
            && *last == account
        {
            return Ok(*number);
        }
        let missing = || Error::Invalid("a contact of the source has no account".to_owned());
        let table = self.accounts.as_ref().ok_or_else(missing)?;
        let row = table.row_with_key(std::slice::from_ref(&account));
        let row = source.same(table, &row)?.ok_or_else(missing)?;
        let at = table.columns.iter().position(|column| column.name == "num").ok_or_else(missing)?;
        let StoredValue::Int(number) = row[at] else { return Err(missing()) };
        self.last_number = Some((account, number));
        Ok(number)
    }
}
