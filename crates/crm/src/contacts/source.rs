//! Queries for lists of contacts: every filter finds its rows by an index, newest first.

use std::borrow::Cow;

use frontdesk_db::{self as db, Query, ReadTx, Row};
use frontdesk_kernel::{Email, Phone, Text, Timestamp};
use frontdesk_platform::By;
use frontdesk_web::{Page, filters};

use super::contact::{Contact, ContactError, ContactId};
use super::stored_labels::{Labels, StoredLabels};
use crate::segments::{self, SegmentId};
use crate::tags::TagId;

/// The columns that [`read`] maps, of a table called `c`.
pub(super) const COLUMNS: &str =
    "c.id, c.name, c.phone, c.email, c.company, c.avatar_url, c.updated_at, c.labels";

filters! {
    /// Which contacts to list.
    pub struct ContactFilters {
        /// Any part of the name, phone, email or company, ignoring case. One or two characters match only the
        /// beginnings of words.
        pub q: Option<Text<100>>,
        /// Only contacts with this tag.
        pub tag_id: Option<TagId>,
        /// Only contacts in this segment.
        pub segment_id: Option<SegmentId>,
        /// Only the contact with this number, however it is written, or the one that a contact with this number was merged into.
        pub phone: Option<Phone>,
        /// Only contacts with this address, ignoring case.
        pub email: Option<Email>,
        /// Only contacts changed at or after this time.
        pub updated_since: Option<Timestamp>,
        /// Only contacts created at or after this time.
        pub created_since: Option<Timestamp>,
    }
}

impl ContactFilters {
    /// Whether at most a few contacts can match.
    pub(super) fn names_one(&self) -> bool {
        self.phone.is_some() || self.email.is_some()
    }

    /// Whether finding the rows may take long.
    pub fn is_slow(&self) -> bool {
        self.q.is_some() || self.segment_id.is_some() || self.updated_since.is_some()
    }
}

/// A requested list.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) by: &'a By,
    pub(super) filters: &'a ContactFilters,
    pub(super) page: &'a Page,
}

impl Wanted<'_> {
    /// The contact after which the page begins.
    pub(super) fn before(&self) -> Option<ContactId> {
        self.page.before.map(ContactId::from_uuid)
    }
}

/// A source of contacts for the filters: the beginning of a query for contacts `c`, with its conditions on
/// the account and the page, and the order of its rows.
pub(super) struct Source {
    pub(super) query: Query,
    pub(super) order: Cow<'static, str>,
    /// Whether rows beyond the page are not needed.
    pub(super) is_page: bool,
    /// Whether it contains only contacts with the filters' tag.
    pub(super) is_tagged: bool,
}

impl Source {
    /// Every contact of the account.
    pub(super) fn all(wanted: &Wanted<'_>) -> Self {
        let mut query = Query::new("SELECT ");
        query.push(COLUMNS).push(" FROM contacts c");
        Self::new(query, "c.id DESC").newest_first(wanted)
    }

    /// Contacts that a query selects from its own tables.
    pub(super) fn new(query: Query, order: impl Into<Cow<'static, str>>) -> Self {
        Self { query, order: order.into(), is_page: true, is_tagged: false }
    }

    /// Restricts a source that is ordered by `c.id` to the account and the page.
    pub(super) fn newest_first(mut self, wanted: &Wanted<'_>) -> Self {
        self.query.push(" WHERE c.account_id = ").bind(wanted.by.account);
        if let Some(before) = wanted.before() {
            self.query.push(" AND c.id < ").bind(before);
        }
        self
    }

    /// Contacts with a tag. The table that drives the query comes first; SQLite keeps that order for a CROSS
    /// JOIN.
    pub(super) fn tagged(wanted: &Wanted<'_>, tag: TagId) -> Self {
        let mut query = Query::new("SELECT ");
        query.push(COLUMNS);
        query.push(" FROM contact_tags t CROSS JOIN contacts c WHERE c.account_id = t.account_id AND c.id = t.contact_id AND t.account_id = ");
        query.bind(wanted.by.account).push(" AND t.tag_id = ").bind(tag);
        if let Some(before) = wanted.before() {
            query.push(" AND t.contact_id < ").bind(before);
        }
        Self { is_tagged: true, ..Self::new(query, "t.contact_id DESC") }
    }

    /// Adds the filters, the order and the size of the page.
    pub(super) fn select(self, tx: &mut ReadTx<'_>, wanted: &Wanted<'_>) -> Result<Query, ContactError> {
        let Self { mut query, order, is_page, is_tagged } = self;
        let Wanted { by, filters, page } = wanted;
        if let Some(tag) = filters.tag_id.filter(|_| !is_tagged) {
            query.push(" AND EXISTS (SELECT 1 FROM contact_tags t WHERE t.account_id = c.account_id AND t.contact_id = c.id AND t.tag_id = ");
            query.bind(tag).push(")");
        }
        if let Some(phone) = &filters.phone {
            // A contact also has the numbers of the contacts that were merged into it.
            query.push(" AND c.id = (SELECT n.id FROM contacts n WHERE n.account_id = ").bind(by.account);
            query.push(" AND n.phone_key = ").bind(phone.key());
            query.push(" UNION ALL SELECT p.contact_id FROM contact_phones p WHERE p.account_id = ");
            query.bind(by.account).push(" AND p.phone_key = ").bind(phone.key()).push(" LIMIT 1)");
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
            segments::condition(tx, &segment, &mut query, by.now);
        }
        query.push(" ORDER BY ").push(&order);
        if is_page {
            query.push(" LIMIT ").bind(page.fetch());
        }
        Ok(query)
    }
}

/// A contact as its row has it.
pub(crate) struct ContactRow {
    /// Without tags and custom fields.
    pub(crate) contact: Contact,
    /// None if the row has no current ones.
    pub(super) labels: Option<Labels>,
}

pub(super) fn read(row: &mut Row<'_>) -> db::Result<ContactRow> {
    let id: ContactId = row.next()?;
    let contact = Contact {
        id,
        name: row.next()?,
        phone: row.next()?,
        email: row.next()?,
        company: row.next()?,
        avatar_url: row.next()?,
        tags: Vec::new(),
        custom_fields: Vec::new(),
        created_at: id.created_at(),
        updated_at: row.next()?,
    };
    let stored = row.next::<Option<StoredLabels>>()?;
    Ok(ContactRow { labels: stored.and_then(|stored| stored.current(contact.updated_at)), contact })
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
