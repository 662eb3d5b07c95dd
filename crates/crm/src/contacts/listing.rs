//! Listing contacts: every filter finds its rows by an index, newest first.

use std::cmp::Reverse;

use frontdesk_db::{self as db, Dialect, Query, ReadTx};
use frontdesk_kernel::{Email, Phone, Text, Timestamp};
use frontdesk_platform::{By, accounts};
use frontdesk_web::{Page, filters};

use super::contact::{Contact, ContactError, ContactId};
use super::search::Needle;
use super::search::index::{self, State};
use super::sql::{self, Spread};
use crate::segments::{self, SegmentId};
use crate::tags::TagId;

filters! {
    /// Which contacts to list.
    pub struct ContactFilters {
        /// Any part of the name, phone, email or company, whatever its case. One or two characters match the beginnings of words only.
        pub q: Option<Text<100>>,
        /// Only contacts that carry this tag.
        pub tag_id: Option<TagId>,
        /// Only contacts in this segment.
        pub segment_id: Option<SegmentId>,
        /// Only the contact with this number, however it is written, or the one that a contact with this number was merged into.
        pub phone: Option<Phone>,
        /// Only contacts with this address, whatever its case.
        pub email: Option<Email>,
        /// Only contacts changed at or after this moment.
        pub updated_since: Option<Timestamp>,
        /// Only contacts created at or after this moment.
        pub created_since: Option<Timestamp>,
    }
}

impl ContactFilters {
    /// Whether contacts may lie between those that are found.
    fn leave_gaps(&self) -> bool {
        self.is_slow() || self.tag_id.is_some() || self.phone.is_some() || self.email.is_some()
    }

    /// Whether finding the rows may take longer than a page is worth.
    pub fn is_slow(&self) -> bool {
        self.q.is_some() || self.segment_id.is_some() || self.updated_since.is_some()
    }
}

pub fn list(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Vec<Contact>, ContactError> {
    sql::expect_labels(tx, by.account)?;
    let mut contacts = match (filters.q.as_ref().map(|q| Needle::new(q.as_str())), tx.dialect()) {
        (Some(None), _) => return Ok(Vec::new()),
        (Some(Some(needle)), Dialect::Sqlite) => look_for(tx, by, filters, page, &needle)?,
        (Some(Some(needle)), Dialect::Postgres) => {
            let number = account_number(tx, by)?;
            let among = match needle.keys(number) {
                Some(keys) => Among::Keyed { keys, needle: &needle },
                None => Among::Holding(&needle),
            };
            let query = select(tx, by, filters, page, &among)?;
            tx.run(&query, sql::read)?
        }
        (None, _) => {
            let query = select(tx, by, filters, page, &Among::All)?;
            tx.run(&query, sql::read)?
        }
    };
    let spread = if filters.leave_gaps() { Spread::Apart } else { Spread::Together };
    sql::complete(tx, by.account, &mut contacts[..], spread)?;
    Ok(contacts)
}

/// The number that stands for the caller's account in the indexes.
fn account_number(tx: &mut Tx<'_>, by: &By) -> db::Result<i64> {
    accounts::number(tx, by.account)?.ok_or(db::Error::Decode("account"))
}

/// A page of the contacts that hold a needle, on SQLite: first those that the index does not know yet, then those that
/// it finds and those that have changed since it was written. It finds some besides, so each is looked at.
fn look_for(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
    needle: &Needle,
) -> Result<Vec<Contact>, ContactError> {
    let wanted = page.fetch() as usize;
    let number = account_number(tx, by)?;
    let State { has_changes, through: indexed } = index::state(tx)?;
    let mut pick = |among: &Among<'_>| -> Result<Vec<Contact>, ContactError> {
        let query = select(tx, by, filters, page, among)?;
        let hits = tx.pick(&query, wanted, |row| {
            let contact = sql::read(row)?;
            Ok(needle.is_in(&contact.search_text()).then_some(contact))
        })?;
        Ok(hits)
    };
    let mut found = pick(&Among::After(indexed))?;
    if found.len() < wanted {
        let newer = found.len();
        found.extend(pick(&Among::Found { words: needle.words(number), indexed })?);
        if has_changes {
            found.extend(pick(&Among::Changed { indexed })?);
            found[newer..].sort_unstable_by_key(|contact| Reverse(contact.id));
            found.dedup_by_key(|contact| contact.id);
        }
        found.truncate(wanted);
    }
    Ok(found)
}

/// Among which contacts to look for those that pass the filters.
enum Among<'n> {
    All,
    /// Those that PostgreSQL finds by the trigrams of a part of their text.
    Holding(&'n Needle),
    /// Those that PostgreSQL finds by the keys of a part of their text.
    Keyed {
        keys: String,
        needle: &'n Needle,
    },
    /// Those that come after a place in the order of creation.
    After(i64),
    /// Those up to a place that have changed since SQLite's index was written.
    Changed {
        indexed: i64,
    },
    /// Those that SQLite's index finds up to a place in the order of creation.
    Found {
        words: String,
        indexed: i64,
    },
}

fn select(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
    among: &Among<'_>,
) -> Result<Query, ContactError> {
    let before = page.before.map(ContactId::from_uuid);
    let mut query = Query::new("");
    if let Among::Keyed { keys, needle } = among {
        hold(needle, keys, &mut query);
    }
    query.push("SELECT ").push(sql::COLUMNS);
    // The table that drives the search comes first; SQLite keeps that order for a CROSS JOIN.
    let order = match (among, filters.tag_id) {
        (Among::Found { words, indexed }, _) => {
            let newest = before.map_or(*indexed, |before| (before.sequence() - 1).min(*indexed));
            query.push(" FROM contact_search s CROSS JOIN contacts c ON c.seq = -s.rowid WHERE s.contact_search MATCH ");
            query.bind(words.clone()).push(" AND s.rowid >= ").bind(index::row(newest));
            query.push(" AND c.account_id = ").bind(by.account);
            "s.rowid ASC"
        }
        (Among::Changed { indexed }, _) => {
            let newest = before.map_or(*indexed, |before| (before.sequence() - 1).min(*indexed));
            query
                .push(" FROM contact_changes n CROSS JOIN contacts c ON c.seq = n.seq WHERE n.seq <= ")
                .bind(newest);
            query.push(" AND c.account_id = ").bind(by.account);
            "n.seq DESC"
        }
        (Among::All, Some(tag)) => {
            query.push(" FROM contact_tags t CROSS JOIN contacts c WHERE c.account_id = t.account_id AND c.id = t.contact_id AND t.account_id = ");
            query.bind(by.account).push(" AND t.tag_id = ").bind(tag);
            if let Some(before) = before {
                query.push(" AND t.contact_id < ").bind(before);
            }
            "t.contact_id DESC"
        }
        _ => {
            query.push(match among {
                Among::Keyed { .. } => {
                    " FROM held h JOIN contacts c ON c.account_id = h.account_id AND c.id = h.id"
                }
                _ => " FROM contacts c",
            });
            query.push(" WHERE c.account_id = ").bind(by.account);
            if let Some(before) = before {
                query.push(" AND c.id < ").bind(before);
            }
            "c.id DESC"
        }
    };
    match among {
        Among::After(indexed) => {
            query.push(" AND c.id > ").bind(ContactId::last_of(*indexed));
        }
        Among::Holding(needle) => {
            query.push(" AND c.search LIKE ").bind(needle.pattern());
        }
        Among::All | Among::Keyed { .. } | Among::Found { .. } | Among::Changed { .. } => {}
    }
    if let (Some(tag), false) = (filters.tag_id, matches!(among, Among::All)) {
        query.push(" AND EXISTS (SELECT 1 FROM contact_tags t WHERE t.account_id = c.account_id AND t.contact_id = c.id AND t.tag_id = ");
        query.bind(tag).push(")");
    }
    if let Some(phone) = &filters.phone {
        // A contact also has the numbers of the contacts that were merged into it.
        query.push(" AND c.id = (SELECT n.id FROM contacts n WHERE n.account_id = ").bind(by.account);
        query.push(" AND n.phone_key = ").bind(phone.key());
        query
            .push(" UNION ALL SELECT p.contact_id FROM contact_phones p WHERE p.account_id = ")
            .bind(by.account);
        query.push(" AND p.phone_key = ").bind(phone.key()).push(" LIMIT 1)");
    }
    if let Some(email) = &filters.email {
        query.push(" AND c.email_key = ").bind(email.key());
    }
    if let Some(since) = filters.updated_since {
        query.push(" AND c.updated_at >= ").bind(since);
    }
    if let Some(since) = filters.created_since {
        query.push(" AND c.id >= ").bind(ContactId::first_at(since));
    }
    if let Some(segment) = filters.segment_id {
        let segment = segments::find(tx, by.account, segment)?.ok_or(segments::MISSING)?;
        query.push(" AND ");
        segments::condition(&segment, &mut query, tx.dialect(), by.now);
    }
    query.push(" ORDER BY ").push(order);
    if !matches!(among, Among::After(_) | Among::Found { .. } | Among::Changed { .. }) {
        query.push(" LIMIT ").bind(page.fetch());
    }
    Ok(query)
}

/// Where there are keys, they alone drive the search: the trigrams of what is rare may be in every other text, and the
/// planner must not read all of the account's entries beside them.
fn hold(needle: &Needle, keys: &str, query: &mut Query) {
    query.push("WITH held AS MATERIALIZED (SELECT account_id, id FROM contacts WHERE string_to_array(search_keys, E'\\n') @> string_to_array(");
    query.bind(keys.to_owned()).push(", E'\\n') AND strpos(search, ");
    query.bind(needle.as_str().to_owned()).push(") > 0) ");
}

impl From<segments::SegmentError> for ContactError {
    fn from(error: segments::SegmentError) -> Self {
        match error {
            segments::SegmentError::Platform(error) => Self::Platform(error),
            segments::SegmentError::Invalid(problems) => Self::Invalid(problems),
            segments::SegmentError::TooMany(_) => Self::Platform(db::Error::Decode("segment").into()),
        }
    }
}
