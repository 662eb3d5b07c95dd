//! Statements and row mapping of contacts.

use std::collections::BTreeMap;

use frontdesk_db::{self as db, Dialect, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Email, Phone};
use frontdesk_platform::By;

use super::contact::{Contact, ContactId};
use super::source::read;
use super::{labels, search, stored_labels};
use crate::custom_fields::FieldId;

macro_rules! insert {
    (keys $keys:expr) => {
        concat!(
            "INSERT INTO contacts (account_id, id, seq, name, phone, phone_key, email, email_key, company, search, search_keys, updated_at, labels)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ",
            $keys,
            ", $12, $13
            WHERE NOT EXISTS (SELECT 1 FROM contact_phones p WHERE p.account_id = $1 AND p.phone_key = $6)
            ON CONFLICT (account_id, phone_key) DO NOTHING"
        )
    };
}

macro_rules! update {
    (keys $keys:expr) => {
        concat!(
            "UPDATE contacts SET name = $3, phone = $4, phone_key = $5, email = $6, email_key = $7, company = $8, search = $9, search_keys = ",
            $keys,
            ", updated_at = $11, labels = $12 WHERE account_id = $1 AND id = $2"
        )
    };
}

/// Replaces [`search::KEY_PREFIX`] before each key by the account's number.
macro_rules! numbered {
    ($keys:literal) => {
        concat!("replace(", $keys, ", E'\\x01', (SELECT to_hex(num) || 'z' FROM accounts WHERE id = $1))")
    };
}

frontdesk_db::statements! {
    FIND = "SELECT c.id, c.name, c.phone, c.email, c.company, c.avatar_url, c.updated_at, c.labels FROM contacts c WHERE c.account_id = $1 AND c.id = $2";
    EXISTS = "SELECT id FROM contacts WHERE account_id = $1 AND id = $2";
    FIND_BY_PHONE = "SELECT id FROM contacts WHERE account_id = $1 AND phone_key = $2
        UNION ALL SELECT contact_id FROM contact_phones WHERE account_id = $1 AND phone_key = $2 LIMIT 1";
    FIND_BY_EMAIL = "SELECT id FROM contacts WHERE account_id = $1 AND email_key = $2 ORDER BY id LIMIT 1";
    CONTACT_LIMIT = "SELECT contact_limit FROM accounts WHERE id = $1";
    ROOM = "SELECT contact_limit, contact_count FROM accounts WHERE id = $1";
    INSERT = insert!(keys "$11");
    UPDATE = update!(keys "$10");
    SET_LABELS = "UPDATE contacts SET updated_at = $3, labels = $4 WHERE account_id = $1 AND id = $2";
    COUNT_ONE_MORE = "UPDATE accounts SET contact_count = contact_count + 1 WHERE id = $1 AND (contact_limit IS NULL OR contact_count < contact_limit)";
    LIMIT_AND_FIELDS = "SELECT a.contact_limit, f.id, f.name FROM accounts a LEFT JOIN custom_fields f ON f.account_id = $1 WHERE a.id = $1 ORDER BY f.id";
    ADD_TAG = "INSERT INTO contact_tags (account_id, contact_id, tag_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    REMOVE_TAG = "DELETE FROM contact_tags WHERE account_id = $1 AND contact_id = $2 AND tag_id = $3";
    SET_VALUE = "INSERT INTO contact_values (account_id, contact_id, field_id, value) VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_id, contact_id, field_id) DO UPDATE SET value = excluded.value WHERE contact_values.value <> excluded.value";
    CLEAR_VALUE = "DELETE FROM contact_values WHERE account_id = $1 AND contact_id = $2 AND field_id = $3";
}

/// One statement inserts the row and reads what is needed next, to save PostgreSQL a round trip. Every result
/// row has whether the contact was inserted, the account's limit, and a custom field.
const INSERT_AND_TELL: &str = concat!(
    "WITH made AS (",
    insert!(keys numbered!("$11")),
    " RETURNING id) SELECT (SELECT count(*) FROM made), a.contact_limit, f.id, f.name
      FROM accounts a LEFT JOIN custom_fields f ON f.account_id = $1 WHERE a.id = $1 ORDER BY f.id"
);
const UPDATE_POSTGRES: &str = update!(keys numbered!("$10"));
pub const POSTGRES_STATEMENTS: &[(&str, &str)] =
    &[("contacts::INSERT_AND_TELL", INSERT_AND_TELL), ("contacts::UPDATE_POSTGRES", UPDATE_POSTGRES)];

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
    match tx.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => tx.lock(format!("phone {account} {}", phone.key())),
    }
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
pub(crate) fn find_by_phone(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    phone: &Phone,
) -> db::Result<Option<ContactId>> {
    tx.find(FIND_BY_PHONE, &[&account, &phone.key()], only)
}

/// The oldest contact with this address.
pub(super) fn find_by_email(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    email: &Email,
) -> db::Result<Option<ContactId>> {
    tx.find(FIND_BY_EMAIL, &[&account, &email.key()], only)
}

/// Inserts a new contact's row and sets the contact's custom fields, without values. Its tags and the given values
/// become the row's labels; their own rows are not written here.
pub(super) fn insert(
    tx: &mut Tx<'_>,
    by: &By,
    contact: &mut Contact,
    email: Option<&Email>,
    values: &[(FieldId, Option<String>)],
) -> db::Result<Inserted> {
    if let Some(phone) = &contact.phone {
        lock_number(tx, by.account, phone)?;
    }
    let search = search::of(tx.dialect());
    let (text, keys) = search.columns(contact);
    // A field may be named twice; the last one counts.
    let values: BTreeMap<_, _> = values.iter().map(|(field, value)| (*field, value.as_deref())).collect();
    let values = values.into_iter().filter_map(|(field, value)| Some((field, value?)));
    let stored = stored_labels::encode(contact.updated_at, contact.tags.iter().map(|tag| tag.id), values);
    let params: &[&dyn db::Param] = &[
        &by.account,
        &contact.id,
        &contact.id.sequence(),
        &contact.name,
        &contact.phone,
        &contact.phone.as_ref().map(Phone::key),
        &contact.email,
        &email.map(Email::key),
        &contact.company,
        &text,
        &keys,
        &contact.updated_at,
        &stored,
    ];
    let read = |row: &mut Row<'_>| {
        let limit: Option<i64> = row.next()?;
        let field = row.next::<Option<FieldId>>()?.zip(row.next::<Option<String>>()?);
        Ok((limit, field.map(|(id, name)| labels::blank(id, name))))
    };
    let told = if tx.dialect() == Dialect::Postgres {
        let told = tx.query(INSERT_AND_TELL, params, |row| Ok((row.next::<i64>()? == 1, read(row)?)))?;
        if !told.first().is_some_and(|(made, _)| *made) {
            return Ok(Inserted::PhoneTaken);
        }
        told.into_iter().map(|(_, told)| told).collect()
    } else {
        if !tx.execute(INSERT, params)?.any() {
            return Ok(Inserted::PhoneTaken);
        }
        tx.query(LIMIT_AND_FIELDS, &[&by.account], read)?
    };
    search.made(tx, contact)?;
    let contact_limit = told.first().and_then(|(limit, _)| *limit);
    contact.custom_fields = told.into_iter().filter_map(|(_, field)| field).collect();
    Ok(Inserted::Made { contact_limit })
}

/// Writes the labels and the time of the last change into a contact's row, which is otherwise unchanged.
pub(super) fn set_labels(tx: &mut Tx<'_>, by: &By, contact: &Contact) -> db::Result<()> {
    let params: &[&dyn db::Param] =
        &[&by.account, &contact.id, &contact.updated_at, &stored_labels::of(contact)];
    tx.execute(SET_LABELS, params)?.exactly(1)
}

/// Writes a contact's changed row; `before` is its previous state.
pub(super) fn update(tx: &mut Tx<'_>, by: &By, before: &Contact, contact: &Contact) -> db::Result<()> {
    let search = search::of(tx.dialect());
    let (text, keys) = search.columns(contact);
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
    ];
    let is_postgres = tx.dialect() == Dialect::Postgres;
    tx.execute(if is_postgres { UPDATE_POSTGRES } else { UPDATE }, params)?.exactly(1)?;
    search.changed(tx, before, contact)
}
