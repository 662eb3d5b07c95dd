//! Rows of one table, read in the order of their key.

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

use super::columns::Columns;
use super::key::PageKey;
use super::links::without_tokens;
use super::{ExportPage, Exported, PAGE_ROWS, Subject};

/// Makes the lines of rows by their ids, in the order of the ids. It may leave out those that are gone.
pub type FindLines = fn(&mut ReadTx<'_>, AccountId, &[Uuid]) -> db::Result<Vec<String>>;

/// The rows of one table, which is called `t` in the SQL of its parts.
#[derive(Clone, Copy)]
pub struct ExportedRows {
    name: &'static str,
    tables: &'static [&'static str],
    key: &'static [&'static str],
    account: &'static str,
    lines: Lines,
    only: Option<&'static str>,
    of_contact: Option<&'static str>,
}

#[derive(Clone, Copy)]
enum Lines {
    Read(Columns),
    Find(FindLines),
}

impl ExportedRows {
    /// Rows with an `id`, whose columns become a line. The first table is the one that is read.
    pub const fn new(name: &'static str, tables: &'static [&'static str], columns: Columns) -> Self {
        Self {
            name,
            tables,
            key: &["t.id"],
            account: "t.account_id",
            lines: Lines::Read(columns),
            only: None,
            of_contact: None,
        }
    }

    /// Rows with an `id`, whose lines need more than one statement.
    pub const fn found(name: &'static str, tables: &'static [&'static str], find: FindLines) -> Self {
        Self { lines: Lines::Find(find), ..Self::new(name, tables, NO_COLUMNS) }
    }

    /// The columns after the account that order the rows. Together they are unique.
    pub const fn keyed(self, key: &'static [&'static str]) -> Self {
        Self { key, ..self }
    }

    /// The column with the account, if it is not `account_id`.
    pub const fn owned_by(self, account: &'static str) -> Self {
        Self { account, ..self }
    }

    /// A condition on the rows.
    pub const fn only(self, condition: &'static str) -> Self {
        Self { only: Some(condition), ..self }
    }

    /// The condition on rows that are about a contact, in which `{account}` and `{contact}` stand for their ids.
    pub const fn of_contact(self, condition: &'static str) -> Self {
        Self { of_contact: Some(condition), ..self }
    }

    fn query(&self, of: Subject, after: Option<&PageKey>) -> Query {
        let mut query = Query::new("SELECT ");
        query.push(&self.key.join(", "));
        if let Lines::Read(columns) = self.lines {
            query.push(", ").push(columns.sql);
        }
        query.push(" FROM ").push(self.tables[0]).push(" t WHERE ");
        query.push(self.account).push(" = ").bind(of.account);
        if let Some(condition) = self.only {
            query.push(" AND ").push(condition);
        }
        if let (Some(condition), Some(contact)) = (self.of_contact, of.contact) {
            query.push(" AND ");
            push_condition(&mut query, condition, of.account, contact);
        }
        if let Some(after) = after {
            after.push_after(&mut query, self.key);
        }
        query.push(" ORDER BY ").push(&self.key.join(", ")).push(" LIMIT ").bind(PAGE_ROWS);
        query
    }
}

const NO_COLUMNS: Columns = Columns { sql: "", line: |_, _| Ok(String::new()) };

/// Adds a condition, and binds the account and the contact where it names them.
fn push_condition(query: &mut Query, condition: &'static str, account: AccountId, contact: Uuid) {
    let mut rest = condition;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        query.push(before);
        match name {
            "account" => query.bind(account),
            _ => query.bind(contact),
        };
        rest = after;
    }
    query.push(rest);
}

impl Exported for ExportedRows {
    fn name(&self) -> &'static str {
        self.name
    }

    fn tables(&self) -> &'static [&'static str] {
        self.tables
    }

    fn is_about_contacts(&self) -> bool {
        self.of_contact.is_some()
    }

    fn page(&self, tx: &mut ReadTx<'_>, of: Subject, after: Option<&PageKey>) -> db::Result<ExportPage> {
        let (query, columns) = (self.query(of, after), self.key.len());
        let (lines, last, rows) = match self.lines {
            Lines::Read(Columns { line, .. }) => {
                let found =
                    tx.run(&query, |row| Ok((PageKey::read(row, columns)?, line(row, of.account)?)))?;
                let rows = found.len();
                let (keys, lines): (Vec<PageKey>, Vec<String>) = found.into_iter().unzip();
                (lines, keys.into_iter().next_back(), rows)
            }
            Lines::Find(find) => {
                let keys = tx.run(&query, |row| PageKey::read(row, columns))?;
                let ids: Vec<Uuid> = keys.iter().filter_map(PageKey::last_id).collect();
                let lines = if ids.is_empty() { Vec::new() } else { find(tx, of.account, &ids)? };
                (lines, keys.last().cloned(), keys.len())
            }
        };
        let lines = lines.into_iter().map(without_tokens).collect();
        Ok(ExportPage { lines, next: last.filter(|_| rows as i64 == PAGE_ROWS) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::Id;

    #[test]
    fn a_query_begins_after_a_key_and_binds_the_contact_where_it_is_named() {
        let rows = ExportedRows::new("steps", &["steps"], crate::export_columns!("at": i64))
            .keyed(&["t.run_id", "t.id"])
            .only("t.n > 0")
            .of_contact(
                "t.run_id IN (SELECT id FROM runs WHERE account_id = {account} AND contact_id = {contact})",
            );
        let account = Id::from_uuid(Uuid::nil());
        let all = rows.query(Subject { account, contact: None }, None);
        assert_eq!(
            all.sql(),
            "SELECT t.run_id, t.id, t.at FROM steps t WHERE t.account_id = $1 AND t.n > 0 ORDER BY t.run_id, t.id LIMIT $2"
        );
        let one = rows.query(Subject { account, contact: Some(Uuid::nil()) }, None);
        assert!(
            one.sql().contains("(SELECT id FROM runs WHERE account_id = $2 AND contact_id = $3) ORDER BY")
        );
    }
}
