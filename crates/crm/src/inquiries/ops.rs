//! Statements and operations of inquiries.

use std::collections::BTreeMap;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::By;
use frontdesk_platform::events;
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use frontdesk_platform::listing::{any_part, newest_first};
use frontdesk_web::{Page, filters};

use super::event_types::{self, InquiryEventData, InquiryStatusEventData, PreviousInquiryStatus};
use super::inquiry::{Inquiry, InquiryError, InquiryId, InquiryPatch, InquiryStatus, MISSING, NewInquiry};
use super::sql::{FIND, INSERT, REPOINT, SELECT, SET_STATUS};
use crate::contacts::{self, ContactId, Person, Policy, Repointed};

/// Inquiries of one contact that are listed together.
const OF_CONTACT_MAX: i64 = 500;

filters! {
    /// Which inquiries to list.
    pub struct InquiryFilters {
        pub status: Option<InquiryStatus>,
        /// Any part of the name, email, phone or message, ignoring case.
        pub q: Option<Text<100>>,
        /// Only inquiries changed at or after this time.
        pub updated_since: Option<Timestamp>,
    }
}

impl InquiryFilters {
    /// Whether finding the rows may take long.
    pub fn is_slow(&self) -> bool {
        self.q.is_some() || self.updated_since.is_some()
    }
}

/// Stores an inquiry with its contact, regardless of the plan's limits.
pub fn submit(tx: &mut Tx<'_>, by: &By, new: &NewInquiry) -> Result<Inquiry, InquiryError> {
    let person = Person { name: new.name.clone(), phone: new.phone.clone(), email: new.email.clone() };
    let contact_id = contacts::find_or_create(tx, by, &person, Policy::FORM)?;
    let id: InquiryId = by.new_id();
    let given = new.fields.iter().flat_map(|fields| &fields.0);
    let inquiry = Inquiry {
        id,
        form: new.form.as_ref().map(ToString::to_string),
        name: new.name.as_ref().map(ToString::to_string),
        email: new.email.as_ref().map(ToString::to_string),
        phone: new.phone.clone(),
        message: new.message.as_ref().map(ToString::to_string),
        fields: given.filter_map(|(name, text)| Some((name.clone(), text.as_ref()?.to_string()))).collect(),
        source_url: new.source_url.as_ref().map(|url| url.as_str().to_owned()),
        contact_id,
        status: InquiryStatus::New,
        created_at: id.created_at(),
        updated_at: id.created_at(),
    };
    let fields = serde_json::to_string(&inquiry.fields).map_err(|_| db::Error::Decode("fields"))?;
    let params: &[&dyn db::Param] = &[
        &by.account,
        &id,
        &inquiry.form,
        &inquiry.name,
        &inquiry.email,
        &inquiry.phone,
        &inquiry.message,
        &fields,
        &inquiry.source_url,
        &inquiry.contact_id,
        &inquiry.status,
        &search_text(&inquiry),
        &inquiry.updated_at,
    ];
    tx.execute(INSERT, params)?.exactly(1)?;
    events::write(tx, by, event_types::CREATED, &InquiryEventData { inquiry: &inquiry })?;
    Ok(inquiry)
}

/// The text that `q` searches, one field per line.
fn search_text(inquiry: &Inquiry) -> String {
    let phone = inquiry.phone.as_ref().map(frontdesk_kernel::Phone::as_str);
    let fields =
        [inquiry.name.as_deref(), inquiry.email.as_deref(), phone, inquiry.message.as_deref()].into_iter();
    fields.flatten().collect::<Vec<_>>().join("\n").to_lowercase()
}

pub fn patch(tx: &mut Tx<'_>, by: &By, id: InquiryId, patch: &InquiryPatch) -> Result<Inquiry, InquiryError> {
    let before = tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    let by = &by.after(before.updated_at);
    let status = patch.status.apply(before.status);
    if status == before.status {
        return Ok(before);
    }
    tx.execute(SET_STATUS, &[&by.account, &id, &status, &by.now])?.exactly(1)?;
    let previous = PreviousInquiryStatus { status: before.status };
    let inquiry = Inquiry { status, updated_at: by.now, ..before };
    let changed = InquiryStatusEventData { inquiry: &inquiry, previous };
    events::write(tx, by, event_types::STATUS_CHANGED, &changed)?;
    Ok(inquiry)
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: InquiryId) -> db::Result<Option<Inquiry>> {
    tx.find(FIND, &[&account, &id], read)
}

pub fn exists(tx: &mut ReadTx<'_>, account: AccountId, id: InquiryId) -> db::Result<bool> {
    Ok(find(tx, account, id)?.is_some())
}

/// The latest inquiries of a contact.
pub fn of_contact(tx: &mut ReadTx<'_>, account: AccountId, contact: ContactId) -> db::Result<Vec<Inquiry>> {
    let mut query = Query::new(SELECT);
    query.bind(account).push(" AND contact_id = ").bind(contact);
    query.push(" ORDER BY id DESC LIMIT ").bind(OF_CONTACT_MAX);
    tx.run(&query, read)
}

pub fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &InquiryFilters,
    page: &Page,
) -> db::Result<Vec<Inquiry>> {
    let mut query = Query::new(SELECT);
    query.bind(account);
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(q) = &filters.q {
        any_part(&mut query, q.as_str());
    }
    if let Some(since) = filters.updated_since {
        query.push(" AND updated_at >= ").bind(since);
    }
    newest_first(&mut query, page);
    tx.run(&query, read)
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "inquiries",
    &["inquiries"],
    Columns {
        sql: "t.id, t.form, t.name, t.email, t.phone, t.message, t.fields, t.source_url, t.contact_id, t.status, t.updated_at",
        line: |row, _| line(&read(row)?),
    },
)
.of_contact("t.contact_id = {contact}")];

fn read(row: &mut Row<'_>) -> db::Result<Inquiry> {
    let id: InquiryId = row.next()?;
    let (form, name, email, phone, message) =
        (row.next()?, row.next()?, row.next()?, row.next()?, row.next()?);
    let fields: BTreeMap<String, String> =
        serde_json::from_str(&row.next::<String>()?).map_err(|_| db::Error::Decode("fields"))?;
    Ok(Inquiry {
        id,
        form,
        name,
        email,
        phone,
        message,
        fields,
        source_url: row.next()?,
        contact_id: row.next()?,
        status: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

pub const CONTACT_ROWS: Repointed = Repointed(REPOINT);
