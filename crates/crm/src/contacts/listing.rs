//! Listing contacts: every filter finds its rows by an index, newest first.

use frontdesk_db::{self as db, Dialect, Query, Tx};
use frontdesk_kernel::{Email, Phone, Text, Timestamp};
use frontdesk_platform::By;
use frontdesk_web::{Page, filters};

use super::contact::{Contact, ContactError, ContactId};
use super::search::Needle;
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
        /// Only the contact with this number, however it is written.
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
    tx: &mut Tx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Vec<Contact>, ContactError> {
    let query = select(tx, by, filters, page)?;
    let Some(query) = query else { return Ok(Vec::new()) };
    let mut contacts = tx.run(&query, sql::read)?;
    let spread = if filters.leave_gaps() { Spread::Apart } else { Spread::Together };
    sql::complete(tx, by.account, &mut contacts[..], spread)?;
    Ok(contacts)
}

/// None when the filters can match nothing.
fn select(
    tx: &mut Tx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Option<Query>, ContactError> {
    let needle = match &filters.q {
        Some(q) => match Needle::new(q.as_str()) {
            None => return Ok(None),
            needle => needle,
        },
        None => None,
    };
    let before = page.before.map(ContactId::from_uuid);
    let mut query = Query::new("SELECT ");
    query.push(sql::COLUMNS);
    // The table that drives the search comes first; SQLite keeps that order for a CROSS JOIN.
    let order = match (&needle, tx.dialect(), filters.tag_id) {
        (Some(needle), Dialect::Sqlite, _) => {
            query.push(" FROM contact_search s CROSS JOIN contacts c ON c.seq = s.rowid WHERE s.contact_search MATCH ");
            query.bind(needle.phrase(by.account_num)).push(" AND c.account_id = ").bind(by.account);
            if let Some(before) = before {
                query.push(" AND s.rowid < ").bind(before.sequence());
            }
            "s.rowid"
        }
        (None, _, Some(tag)) => {
            query.push(" FROM contact_tags t CROSS JOIN contacts c WHERE c.account_id = t.account_id AND c.id = t.contact_id AND t.account_id = ");
            query.bind(by.account).push(" AND t.tag_id = ").bind(tag);
            if let Some(before) = before {
                query.push(" AND t.contact_id < ").bind(before);
            }
            "t.contact_id"
        }
        _ => {
            query.push(" FROM contacts c WHERE c.account_id = ").bind(by.account);
            if let Some(before) = before {
                query.push(" AND c.id < ").bind(before);
            }
            "c.id"
        }
    };
    if let (Some(needle), Dialect::Postgres) = (&needle, tx.dialect()) {
        query.push(" AND c.search LIKE ").bind(needle.pattern());
    }
    if let (Some(_), Some(tag)) = (&needle, filters.tag_id) {
        query.push(" AND EXISTS (SELECT 1 FROM contact_tags t WHERE t.account_id = c.account_id AND t.contact_id = c.id AND t.tag_id = ");
        query.bind(tag).push(")");
    }
    if let Some(phone) = &filters.phone {
        query.push(" AND c.phone_key = ").bind(phone.key());
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
    query.push(" ORDER BY ").push(order).push(" DESC LIMIT ").bind(page.fetch());
    Ok(Some(query))
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
