//! Search on PostgreSQL: contacts have their text and keys in columns, each with an index.

use frontdesk_db::{self as db, Query, ReadTx, Tx};

use super::super::contact::{Contact, ContactError, ContactId};
use super::super::source::{COLUMNS, ContactRow, Source, Wanted, read};
use super::{ContactSearch, KEY_PREFIX, Needle, account_number, keys, text_of};

pub(super) struct PostgresSearch;

impl ContactSearch for PostgresSearch {
    fn columns(&self, contact: &Contact) -> (Option<String>, Option<String>) {
        let text = text_of(contact);
        let keys = keys(&text, KEY_PREFIX);
        (Some(text), Some(keys))
    }

    fn made(&self, _: &mut Tx<'_>, _: &Contact) -> db::Result<()> {
        Ok(())
    }

    fn changed(&self, _: &mut Tx<'_>, _: &Contact, _: &Contact) -> db::Result<()> {
        Ok(())
    }

    fn gone(&self, _: &mut Tx<'_>, _: ContactId) -> db::Result<()> {
        Ok(())
    }

    fn find(
        &self,
        tx: &mut ReadTx<'_>,
        wanted: &Wanted<'_>,
        needle: &Needle,
    ) -> Result<Vec<ContactRow>, ContactError> {
        let source = match needle.keys(account_number(tx, wanted.by)?) {
            Some(keys) => keyed(wanted, needle, keys),
            None => holding(wanted, needle),
        };
        let query = source.select(tx, wanted)?;
        Ok(tx.run(&query, read)?)
    }
}

/// Contacts found by the trigrams of a part of their text.
fn holding(wanted: &Wanted<'_>, needle: &Needle) -> Source {
    let mut source = Source::all(wanted);
    source.query.push(" AND c.search LIKE ").bind(needle.pattern());
    source
}

/// Contacts found by the keys of a part of their text. If there are keys, the search uses them alone: the
/// trigrams of a rare text may be in every other text, and the planner must not read all of the account's
/// entries for them.
fn keyed(wanted: &Wanted<'_>, needle: &Needle, keys: String) -> Source {
    let mut query = Query::new(
        "WITH held AS MATERIALIZED (SELECT account_id, id FROM contacts WHERE string_to_array(search_keys, E'\\n') @> string_to_array(",
    );
    query.bind(keys).push(", E'\\n') AND strpos(search, ");
    query.bind(needle.as_str().to_owned()).push(") > 0) SELECT ").push(COLUMNS);
    query.push(" FROM held h JOIN contacts c ON c.account_id = h.account_id AND c.id = h.id");
    Source::new(query, "c.id DESC").newest_first(wanted)
}
