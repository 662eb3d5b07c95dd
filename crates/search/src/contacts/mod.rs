//! Search of contacts by their name, phone, email and company.
//!
//! Every contact has one [`text`](crate::text()). On PostgreSQL it is a column with a trigram index. A rare text may consist
//! of common trigrams, but few contacts share [`keys`](crate::keys()), which have a column and an index too. SQLite has one
//! full-text index with both as words ([`index`]), which lags behind.

mod file;
pub mod index;
mod indexer;
mod sql;

use frontdesk_db::{self as db, Query, ReadTx, Tx, only};
use frontdesk_kernel::Id;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::accounts;
use uuid::Uuid;

pub use file::FILE;
pub(crate) use indexer::catch_up;
pub use indexer::{BATCH, start as start_indexer};

pub use sql::STATEMENTS;
use sql::{INDEXED_OF_ACCOUNT, NOTE_MANY};

use crate::keys::{KEY_PREFIX, keys};
use crate::needle::Needle;
use index::State;

/// Marks the id of a contact.
enum ContactRow {}

/// The search columns of a contact's row: its text, and its keys with [`KEY_PREFIX`].
pub fn columns(tx: &ReadTx<'_>, text: String) -> (Option<String>, Option<String>) {
    if tx.has_side_files() {
        return (None, None);
    }
    let keys = keys(&text, KEY_PREFIX);
    (Some(text), Some(keys))
}

/// A contact's row has been inserted. A sequence is the position of a contact in the order of creation.
pub fn created(tx: &mut Tx<'_>, sequence: i64) -> db::Result<()> {
    if tx.has_side_files() { index::note_made(tx, sequence) } else { Ok(()) }
}

/// A contact's text has changed, or its row is about to be deleted.
pub fn changed(tx: &mut Tx<'_>, sequence: i64) -> db::Result<()> {
    if tx.has_side_files() { index::note_changed(tx, sequence) } else { Ok(()) }
}

/// The first contacts of an account, in the order of their ids, are about to be deleted.
pub fn erasing_first(tx: &mut Tx<'_>, account: AccountId, contacts_max: i64) -> db::Result<()> {
    if !tx.has_side_files() {
        return Ok(());
    }
    let _any_number_is_fine = tx.execute(NOTE_MANY, &[&account, &contacts_max])?;
    tx.wake(index::BEHIND);
    Ok(())
}

/// How many contacts of an account the side file has, by the account's number.
pub fn indexed(tx: &mut ReadTx<'_>, account_number: i64) -> db::Result<i64> {
    if !tx.has_side_files() {
        return Ok(0);
    }
    Ok(tx.find(INDEXED_OF_ACCOUNT, &[&account_number], only)?.unwrap_or(0))
}

/// A search for contacts.
#[derive(Clone, Copy)]
pub struct ContactSearch<'a> {
    pub account: AccountId,
    pub needle: &'a Needle,
    /// The columns to read, of a table called `c`.
    pub columns: &'static str,
    /// The contact after which the page begins.
    pub before: Option<Uuid>,
}

/// The beginning of a query for contacts `c`, with its conditions on the account, the page and the text.
pub struct Hits {
    pub query: Query,
    pub order: &'static str,
    /// Whether every row matches. Rows of other queries must be checked.
    pub is_exact: bool,
}

impl ContactSearch<'_> {
    /// Queries whose rows contain every match, newest first. A later stage has only older contacts than an earlier one, and
    /// is not needed once the page is full. A contact may be found twice in a stage.
    pub fn stages(&self, tx: &mut ReadTx<'_>) -> db::Result<Vec<Vec<Hits>>> {
        let number = accounts::number(tx, self.account)?.ok_or(db::Error::Decode("account"))?;
        if !tx.has_side_files() {
            let keys = self.needle.keys(number);
            return Ok(vec![vec![keys.map_or_else(|| self.containing(), |keys| self.keyed(keys))]]);
        }
        let State { has_changes, through: indexed } = index::state(tx)?;
        let mut older = vec![self.matching(number, indexed)];
        if has_changes {
            older.push(self.changed(indexed));
        }
        Ok(vec![vec![self.after(indexed)], older])
    }

    /// Contacts from a table `c`, restricted to the account and the page.
    fn newest_first(&self, mut query: Query, is_exact: bool) -> Hits {
        query.push(" WHERE c.account_id = ").bind(self.account);
        if let Some(before) = self.before {
            query.push(" AND c.id < ").bind(before);
        }
        Hits { query, order: "c.id DESC", is_exact }
    }

    fn select(&self, from: &str) -> Query {
        let mut query = Query::new("SELECT ");
        query.push(self.columns).push(from);
        query
    }

    /// Contacts found by the trigrams of a part of their text.
    fn containing(&self) -> Hits {
        let mut hits = self.newest_first(self.select(" FROM contacts c"), true);
        hits.query.push(" AND c.search LIKE ").bind(self.needle.pattern());
        hits
    }

    /// Contacts found by the keys of a part of their text. If there are keys, the search uses them alone: the
    /// trigrams of a rare text may be in every other text, and the planner must not read all of the account's
    /// entries for them.
    fn keyed(&self, keys: String) -> Hits {
        let mut query = Query::new(
            "WITH held AS MATERIALIZED (SELECT account_id, id FROM contacts WHERE string_to_array(search_keys, E'\\n') @> string_to_array(",
        );
        query.bind(keys).push(", E'\\n') AND strpos(search, ");
        query.bind(self.needle.as_str().to_owned()).push(") > 0) SELECT ").push(self.columns);
        query.push(" FROM held h JOIN contacts c ON c.account_id = h.account_id AND c.id = h.id");
        self.newest_first(query, true)
    }

    /// Contacts after a position in the order of creation, which are not in the index yet.
    fn after(&self, indexed: i64) -> Hits {
        let mut hits = self.newest_first(self.select(" FROM contacts c"), false);
        hits.query.push(" AND c.id > ").bind(Id::<ContactRow>::last_of(indexed));
        hits
    }

    /// Contacts that the index finds, up to a position in the order of creation. The table that drives the query
    /// comes first; SQLite keeps that order for a CROSS JOIN.
    fn matching(&self, number: i64, indexed: i64) -> Hits {
        let mut query = self.select(
            " FROM contact_search s CROSS JOIN contacts c ON c.seq = -s.rowid WHERE s.contact_search MATCH ",
        );
        query.bind(self.needle.words(number));
        query.push(" AND s.rowid >= ").bind(index::row(self.newest(indexed)));
        query.push(" AND c.account_id = ").bind(self.account);
        Hits { query, order: "s.rowid ASC", is_exact: false }
    }

    /// Contacts up to a position that have changed since they were indexed.
    fn changed(&self, indexed: i64) -> Hits {
        let from = " FROM contact_changes n CROSS JOIN contacts c ON c.seq = n.seq WHERE n.seq <= ";
        let mut query = self.select(from);
        query.bind(self.newest(indexed)).push(" AND c.account_id = ").bind(self.account);
        Hits { query, order: "n.seq DESC", is_exact: false }
    }

    /// The position of the newest contact that the page may show.
    fn newest(&self, indexed: i64) -> i64 {
        let before = self.before.map(Id::<ContactRow>::from_uuid);
        before.map_or(indexed, |before| (before.sequence() - 1).min(indexed))
    }
}
