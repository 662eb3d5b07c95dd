//! Search on SQLite: a full-text index in its own file, which lags behind ([`index`]).

use std::cmp::Reverse;

use frontdesk_db::{self as db, Query, ReadTx, Tx};

use super::super::contact::{Contact, ContactError, ContactId};
use super::super::source::{COLUMNS, ContactRow, Source, Wanted, read};
use super::index::{self, State};
use super::{ContactSearch, Needle, account_number, text_of};

pub(super) struct SqliteSearch;

impl ContactSearch for SqliteSearch {
    fn columns(&self, _: &Contact) -> (Option<String>, Option<String>) {
        (None, None)
    }

    fn made(&self, tx: &mut Tx<'_>, contact: &Contact) -> db::Result<()> {
        index::made(tx, contact)
    }

    fn changed(&self, tx: &mut Tx<'_>, before: &Contact, contact: &Contact) -> db::Result<()> {
        if text_of(before) == text_of(contact) {
            return Ok(());
        }
        index::changed(tx, contact)
    }

    fn gone(&self, tx: &mut Tx<'_>, id: ContactId) -> db::Result<()> {
        index::gone(tx, id)
    }

    /// First come contacts that are not in the index yet, then those that it finds and those that have
    /// changed since they were indexed. It finds more than match, so each is checked.
    fn find(
        &self,
        tx: &mut ReadTx<'_>,
        wanted: &Wanted<'_>,
        needle: &Needle,
    ) -> Result<Vec<ContactRow>, ContactError> {
        let rows_max = wanted.page.fetch() as usize;
        let words = needle.words(account_number(tx, wanted.by)?);
        let State { has_changes, through: indexed } = index::state(tx)?;
        let mut pick = |source: Source| -> Result<Vec<ContactRow>, ContactError> {
            let query = Source { is_page: false, ..source }.select(tx, wanted)?;
            let hits = tx.pick(&query, rows_max, |row| {
                let row = read(row)?;
                Ok(needle.is_in(&text_of(&row.contact)).then_some(row))
            })?;
            Ok(hits)
        };
        let mut found = pick(after(wanted, indexed))?;
        if found.len() < rows_max {
            let newer = found.len();
            found.extend(pick(matching(wanted, words, indexed))?);
            if has_changes {
                found.extend(pick(changed(wanted, indexed))?);
                found[newer..].sort_unstable_by_key(|row| Reverse(row.contact.id));
                found.dedup_by_key(|row| row.contact.id);
            }
            found.truncate(rows_max);
        }
        Ok(found)
    }
}

/// Contacts after a position in the order of creation.
fn after(wanted: &Wanted<'_>, indexed: i64) -> Source {
    let mut source = Source::all(wanted);
    source.query.push(" AND c.id > ").bind(ContactId::last_of(indexed));
    source
}

/// Contacts that the index finds, up to a position in the order of creation. The table that drives the query
/// comes first; SQLite keeps that order for a CROSS JOIN.
fn matching(wanted: &Wanted<'_>, words: String, indexed: i64) -> Source {
    let mut query = Query::new("SELECT ");
    query.push(COLUMNS);
    query.push(
        " FROM contact_search s CROSS JOIN contacts c ON c.seq = -s.rowid WHERE s.contact_search MATCH ",
    );
    query.bind(words).push(" AND s.rowid >= ").bind(index::row(newest(wanted, indexed)));
    query.push(" AND c.account_id = ").bind(wanted.by.account);
    Source::new(query, "s.rowid ASC")
}

/// Contacts up to a position that have changed since they were indexed.
fn changed(wanted: &Wanted<'_>, indexed: i64) -> Source {
    let mut query = Query::new("SELECT ");
    query.push(COLUMNS);
    query.push(" FROM contact_changes n CROSS JOIN contacts c ON c.seq = n.seq WHERE n.seq <= ");
    query.bind(newest(wanted, indexed)).push(" AND c.account_id = ").bind(wanted.by.account);
    Source::new(query, "n.seq DESC")
}

/// The position of the newest contact that the page may show.
fn newest(wanted: &Wanted<'_>, indexed: i64) -> i64 {
    wanted.before().map_or(indexed, |before| (before.sequence() - 1).min(indexed))
}
