//! The rows of contacts.

use std::collections::BTreeMap;

use frontdesk_db::{self as db, Query, ReadTx, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::text::sort_key;
use frontdesk_kernel::{Email, Phone};
use frontdesk_platform::By;
use frontdesk_search::contacts as search;

use super::contact::{Contact, ContactField, ContactId};
use super::source::read;
use super::sql::{
    CONTACT_LIMIT, EXISTS, FIND, FIND_BY_EMAIL, FIND_BY_PHONE, INSERT, LIMIT_AND_FIELDS, ROOM, SET_LABELS,
    UPDATE,
};
use super::{labels, stored_labels};
use crate::custom_fields::FieldId;

/// The outcome of inserting a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inserted {
    /// It was inserted. The limit is the account's maximum number of contacts; none for unlimited.
    Made { contact_limit: Option<i64> },
    /// Its phone number belongs to another contact.
    PhoneTaken,
}

/// A contact with its tags and custom fields.
pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: ContactId) -> db::Result<Option<Contact>> {
    labels::expect(tx, account)?;
    let found = tx.query(FIND, &[&account, &id], read)?;
    Ok(labels::complete(tx, account, found)?.pop())
}

/// The same, to be changed in this transaction.
pub(super) fn find_to_change(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ContactId,
) -> db::Result<Option<Contact>> {
    let found = tx.find_to_change(FIND, &[&account, &id], read)?.into_iter().collect();
    Ok(labels::complete(tx, account, found)?.pop())
}

pub fn exists(tx: &mut ReadTx<'_>, account: AccountId, id: ContactId) -> db::Result<bool> {
    Ok(tx.find(EXISTS, &[&account, &id], only::<ContactId>)?.is_some())
}

/// Locks a contact, so that it is neither erased nor merged before this transaction ends. False if it is
/// deleted.
pub fn hold(tx: &mut Tx<'_>, account: AccountId, id: ContactId) -> db::Result<bool> {
    Ok(tx.find_to_change(EXISTS, &[&account, &id], only::<ContactId>)?.is_some())
}

/// Locks a number of an account until the transaction ends. Transactions that give a number to a contact lock
/// it first, and so do merges, which free the number of one contact and point it to the other: an insert that
/// waited for the merge's deleted row would not see the number's new contact.
pub(super) fn lock_number(tx: &mut Tx<'_>, account: AccountId, phone: &Phone) -> db::Result<()> {
    tx.lock(number_lock(account, phone))
}

fn number_lock(account: AccountId, phone: &Phone) -> String {
    format!("phone {account} {}", phone.key())
}

/// The account's maximum number of contacts; none for unlimited.
pub fn limit(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Option<i64>> {
    Ok(tx.find(CONTACT_LIMIT, &[&account], only::<Option<i64>>)?.flatten())
}

/// How many more contacts the account may have; none for unlimited.
pub(crate) fn room(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Option<i64>> {
    let room = tx.find(ROOM, &[&account], |row| {
        let (limit, count): (Option<i64>, i64) = (row.next()?, row.next()?);
        Ok(limit.map(|limit| (limit - count).max(0)))
    })?;
    Ok(room.flatten())
}

/// The contact of a number: its own, or that of a contact merged into it.
pub fn find_by_phone(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    phone: &Phone,
) -> db::Result<Option<ContactId>> {
    tx.find(FIND_BY_PHONE, &[&account, &phone.key()], only)
}

/// The same for many numbers, in their order.
pub fn find_all_by_phone(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    phones: &[Phone],
) -> db::Result<Vec<Option<ContactId>>> {
    let keys: Vec<String> = phones.iter().map(Phone::key).collect();
    let rows: Vec<[&dyn db::Param; 2]> = keys.iter().map(|key| [&account as &dyn db::Param, key]).collect();
    tx.find_each(FIND_BY_PHONE, &rows, only)
}

/// The oldest contact with this address.
pub(crate) fn find_by_email(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    email: &Email,
) -> db::Result<Option<ContactId>> {
    tx.find(FIND_BY_EMAIL, &[&account, &email.key()], only)
}

/// Values of a new contact's custom fields.
type Values = [(FieldId, Option<String>)];

/// What a new contact's row has besides the contact.
struct NewRow {
    sequence: i64,
    phone_key: Option<String>,
    email_key: Option<String>,
    search_text: Option<String>,
    search_keys: Option<String>,
    labels: Vec<u8>,
    orders: Orders,
}

/// The keys by which a contact is sorted, empty for a text that it does not have.
struct Orders {
    name: String,
    company: String,
}

impl Orders {
    fn of(contact: &Contact) -> Self {
        let key = |text: &Option<String>| text.as_deref().map(sort_key).unwrap_or_default();
        Self { name: key(&contact.name), company: key(&contact.company) }
    }
}

impl NewRow {
    fn new(tx: &ReadTx<'_>, contact: &Contact, email: Option<&Email>, values: &Values) -> Self {
        let (search_text, search_keys) = search::columns(tx, contact.search_text());
        // A field may be named twice; the last one counts.
        let values: BTreeMap<_, _> = values.iter().map(|(field, value)| (*field, value.as_deref())).collect();
        let values = values.into_iter().filter_map(|(field, value)| Some((field, value?)));
        let tags = contact.tags.iter().map(|tag| tag.id);
        Self {
            sequence: contact.id.sequence(),
            phone_key: contact.phone.as_ref().map(Phone::key),
            email_key: email.map(Email::key),
            search_text,
            search_keys,
            labels: stored_labels::encode(contact.updated_at, tags, values),
            orders: Orders::of(contact),
        }
    }

    fn params<'r>(&'r self, by: &'r By, contact: &'r Contact) -> [&'r dyn db::Param; 15] {
        [
            &by.account,
            &contact.id,
            &self.sequence,
            &contact.name,
            &contact.phone,
            &self.phone_key,
            &contact.email,
            &self.email_key,
            &contact.company,
            &self.search_text,
            &self.search_keys,
            &contact.updated_at,
            &self.labels,
            &self.orders.name,
            &self.orders.company,
        ]
    }
}

/// Inserts a new contact's row and sets the contact's custom fields, without values. Its tags and the given values
/// become the row's labels; their own rows are not written here.
pub(super) fn insert(
    tx: &mut Tx<'_>,
    by: &By,
    contact: &mut Contact,
    email: Option<&Email>,
    values: &Values,
) -> db::Result<Inserted> {
    if let Some(phone) = &contact.phone {
        lock_number(tx, by.account, phone)?;
    }
    expect_limit_and_fields(tx, by)?;
    let row = NewRow::new(tx, contact, email, values);
    if !tx.execute(INSERT, &row.params(by, contact))?.any() {
        return Ok(Inserted::PhoneTaken);
    }
    search::created(tx, row.sequence)?;
    let (contact_limit, fields) = limit_and_fields(tx, by)?;
    contact.custom_fields = fields;
    Ok(Inserted::Made { contact_limit })
}

/// Inserts the rows of many new contacts that have a phone number and nothing else, and sets their custom fields. None
/// is inserted in vain: if a number belongs to another contact, the transaction runs again. Returns the account's limit.
pub(super) fn insert_all(tx: &mut Tx<'_>, by: &By, contacts: &mut [Contact]) -> db::Result<Option<i64>> {
    let phones = contacts.iter().filter_map(|contact| contact.phone.as_ref());
    tx.lock_all(phones.map(|phone| number_lock(by.account, phone)).collect())?;
    expect_limit_and_fields(tx, by)?;
    let rows: Vec<NewRow> = contacts.iter().map(|contact| NewRow::new(tx, contact, None, &[])).collect();
    let params: Vec<_> = rows.iter().zip(&*contacts).map(|(row, contact)| row.params(by, contact)).collect();
    let inserted = tx.execute_each(INSERT, &params)?;
    if !inserted.into_iter().all(db::Touched::any) {
        return Err(tx.again());
    }
    rows.iter().try_for_each(|row| search::created(tx, row.sequence))?;
    let (contact_limit, fields) = limit_and_fields(tx, by)?;
    for contact in contacts {
        contact.custom_fields.clone_from(&fields);
    }
    Ok(contact_limit)
}

/// Prefetches what [`limit_and_fields`] reads with the next statement.
fn expect_limit_and_fields(tx: &mut ReadTx<'_>, by: &By) -> db::Result<()> {
    tx.prefetch(Query::whole(LIMIT_AND_FIELDS, vec![Box::new(by.account)]))
}

/// The account's maximum number of contacts, and its custom fields, without values.
fn limit_and_fields(tx: &mut ReadTx<'_>, by: &By) -> db::Result<(Option<i64>, Vec<ContactField>)> {
    let known = tx.query(LIMIT_AND_FIELDS, &[&by.account], |row| {
        let limit: Option<i64> = row.next()?;
        let field = row.next::<Option<FieldId>>()?.zip(row.next::<Option<String>>()?);
        Ok((limit, field.map(|(id, name)| labels::blank(id, name))))
    })?;
    let limit = known.first().and_then(|(limit, _)| *limit);
    Ok((limit, known.into_iter().filter_map(|(_, field)| field).collect()))
}

/// Writes the labels and the time of the last change into a contact's row, which is otherwise unchanged.
pub(super) fn set_labels(tx: &mut Tx<'_>, by: &By, contact: &Contact) -> db::Result<()> {
    let params: &[&dyn db::Param] =
        &[&by.account, &contact.id, &contact.updated_at, &stored_labels::of(contact)];
    tx.execute(SET_LABELS, params)?.exactly(1)
}

/// Writes a contact's changed row; `before` is its previous state.
pub(super) fn update(tx: &mut Tx<'_>, by: &By, before: &Contact, contact: &Contact) -> db::Result<()> {
    let (text, keys) = search::columns(tx, contact.search_text());
    let orders = Orders::of(contact);
    let params: &[&dyn db::Param] = &[
        &by.account,
        &contact.id,
        &contact.name,
        &contact.phone,
        &contact.phone.as_ref().map(Phone::key),
        &contact.email,
        &contact.email.as_ref().map(|email| email.to_lowercase()),
        &contact.company,
        &text,
        &keys,
        &contact.updated_at,
        &stored_labels::of(contact),
        &orders.name,
        &orders.company,
    ];
    tx.execute(UPDATE, params)?.exactly(1)?;
    if before.search_text() == contact.search_text() {
        return Ok(());
    }
    search::changed(tx, contact.id.sequence())
}
