//! Statements and row mapping of contacts.

use std::collections::HashMap;

use frontdesk_db::{self as db, Dialect, Query, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Email, Phone};
use frontdesk_platform::By;

use super::contact::{Contact, ContactField, ContactId, ContactTag};
use super::search;
use crate::custom_fields::FieldId;
use crate::tags::TagId;

/// The columns that [`read`] maps, of a table called `c`.
pub(super) const COLUMNS: &str = "c.id, c.name, c.phone, c.email, c.company, c.avatar_url, c.updated_at";

frontdesk_db::statements! {
    FIND = "SELECT c.id, c.name, c.phone, c.email, c.company, c.avatar_url, c.updated_at FROM contacts c WHERE c.account_id = $1 AND c.id = $2";
    EXISTS = "SELECT id FROM contacts WHERE account_id = $1 AND id = $2";
    FIND_BY_PHONE = "SELECT id FROM contacts WHERE account_id = $1 AND phone_key = $2";
    INSERT = "INSERT INTO contacts (account_id, id, seq, name, phone, phone_key, email, email_key, company, search, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (account_id, phone_key) DO NOTHING";
    UPDATE = "UPDATE contacts SET name = $3, phone = $4, phone_key = $5, email = $6, email_key = $7, company = $8, search = $9, updated_at = $10
        WHERE account_id = $1 AND id = $2";
    TOUCH = "UPDATE contacts SET updated_at = $3 WHERE account_id = $1 AND id = $2";
    COUNT_ONE_MORE = "UPDATE accounts SET contact_count = contact_count + 1 WHERE id = $1 AND (contact_limit IS NULL OR contact_count < contact_limit)";
    FIELDS = "SELECT id, name FROM custom_fields WHERE account_id = $1 ORDER BY id";
    ADD_TAG = "INSERT INTO contact_tags (account_id, contact_id, tag_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    REMOVE_TAG = "DELETE FROM contact_tags WHERE account_id = $1 AND contact_id = $2 AND tag_id = $3";
    SET_VALUE = "INSERT INTO contact_values (account_id, contact_id, field_id, value) VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_id, contact_id, field_id) DO UPDATE SET value = excluded.value WHERE contact_values.value <> excluded.value";
    CLEAR_VALUE = "DELETE FROM contact_values WHERE account_id = $1 AND contact_id = $2 AND field_id = $3";
}

/// Statements of SQLite's full-text index.
const INDEX: &str = "INSERT INTO contact_search (rowid, grams, starts) VALUES ($1, $2, $3)";
const UNINDEX: &str = "DELETE FROM contact_search WHERE rowid = $1";

/// A contact with its tags and custom fields.
pub fn find(tx: &mut Tx<'_>, account: AccountId, id: ContactId) -> db::Result<Option<Contact>> {
    let mut found = tx.query(FIND, &[&account, &id], read)?;
    complete(tx, account, &mut found)?;
    Ok(found.pop())
}

/// The same, to be changed in this transaction.
pub(super) fn find_to_change(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ContactId,
) -> db::Result<Option<Contact>> {
    let mut found: Vec<Contact> = tx.find_to_change(FIND, &[&account, &id], read)?.into_iter().collect();
    complete(tx, account, &mut found)?;
    Ok(found.pop())
}

pub fn exists(tx: &mut Tx<'_>, account: AccountId, id: ContactId) -> db::Result<bool> {
    Ok(tx.find(EXISTS, &[&account, &id], only::<ContactId>)?.is_some())
}

pub(super) fn find_by_phone(
    tx: &mut Tx<'_>,
    account: AccountId,
    phone: &Phone,
) -> db::Result<Option<ContactId>> {
    tx.find(FIND_BY_PHONE, &[&account, &phone.key()], only)
}

/// Writes a new contact's row. False when its phone number is taken.
pub(super) fn insert(tx: &mut Tx<'_>, by: &By, contact: &Contact, email: Option<&Email>) -> db::Result<bool> {
    let text = search_text(contact);
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
        &searched(tx, &text),
        &contact.updated_at,
    ];
    if !tx.execute(INSERT, params)?.any() {
        return Ok(false);
    }
    if tx.dialect() == Dialect::Sqlite {
        index(tx, by, contact.id, &text)?;
    }
    Ok(true)
}

/// Writes a contact's changed row; `before` is what it was.
pub(super) fn update(tx: &mut Tx<'_>, by: &By, before: &Contact, contact: &Contact) -> db::Result<()> {
    let text = search_text(contact);
    let params: &[&dyn db::Param] = &[
        &by.account,
        &contact.id,
        &contact.name,
        &contact.phone,
        &contact.phone.as_ref().map(Phone::key),
        &contact.email,
        &contact.email.as_ref().map(|email| email.to_lowercase()),
        &contact.company,
        &searched(tx, &text),
        &contact.updated_at,
    ];
    tx.execute(UPDATE, params)?.exactly(1)?;
    if tx.dialect() == Dialect::Sqlite && search_text(before) != text {
        tx.execute(UNINDEX, &[&contact.id.sequence()])?.exactly(1)?;
        index(tx, by, contact.id, &text)?;
    }
    Ok(())
}

fn search_text(contact: &Contact) -> String {
    let phone = contact.phone.as_ref().map(Phone::as_str);
    search::text([contact.name.as_deref(), phone, contact.email.as_deref(), contact.company.as_deref()])
}

/// PostgreSQL searches the text itself; SQLite has its own index and need not keep it.
fn searched<'t>(tx: &Tx<'_>, text: &'t str) -> Option<&'t str> {
    (tx.dialect() == Dialect::Postgres).then_some(text)
}

fn index(tx: &mut Tx<'_>, by: &By, id: ContactId, text: &str) -> db::Result<()> {
    let (grams, starts) = search::words(text, by.account_num);
    tx.execute(INDEX, &[&id.sequence(), &grams, &starts])?.exactly(1)
}

/// Fills in the tags and custom fields of some contacts of one account.
pub(super) fn complete(tx: &mut Tx<'_>, account: AccountId, contacts: &mut [Contact]) -> db::Result<()> {
    if contacts.is_empty() {
        return Ok(());
    }
    let ids: Vec<ContactId> = contacts.iter().map(|contact| contact.id).collect();
    let places: HashMap<ContactId, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();

    let mut query = Query::new(
        "SELECT ct.contact_id, t.id, t.name, t.color FROM contact_tags ct
         JOIN tags t ON t.account_id = ct.account_id AND t.id = ct.tag_id WHERE ct.account_id = ",
    );
    query.bind(account).push(" AND ct.contact_id IN ").bind_list(&ids);
    let tags = tx.run(&query, |row| {
        Ok((
            row.next::<ContactId>()?,
            ContactTag { id: row.next::<TagId>()?, name: row.next()?, color: row.next()? },
        ))
    })?;
    for (contact, tag) in tags {
        if let Some(at) = places.get(&contact) {
            contacts[*at].tags.push(tag);
        }
    }
    for contact in contacts.iter_mut() {
        contact.tags.sort_by(|one, other| one.name.cmp(&other.name));
    }

    let fields = blank_fields(tx, account)?;
    if fields.is_empty() {
        return Ok(());
    }
    for contact in contacts.iter_mut() {
        contact.custom_fields.clone_from(&fields);
    }
    let mut query = Query::new("SELECT contact_id, field_id, value FROM contact_values WHERE account_id = ");
    query.bind(account).push(" AND contact_id IN ").bind_list(&ids);
    let values =
        tx.run(&query, |row| Ok((row.next::<ContactId>()?, row.next::<FieldId>()?, row.next::<String>()?)))?;
    for (contact, field, value) in values {
        if let Some(at) = places.get(&contact)
            && let Some(slot) = contacts[*at].custom_fields.iter_mut().find(|slot| slot.field_id == field)
        {
            slot.value = Some(value);
        }
    }
    Ok(())
}

/// Every custom field of the account, with no value.
pub(super) fn blank_fields(tx: &mut Tx<'_>, account: AccountId) -> db::Result<Vec<ContactField>> {
    tx.query(FIELDS, &[&account], |row| {
        Ok(ContactField { field_id: row.next()?, name: row.next()?, value: None })
    })
}

pub(super) fn read(row: &mut Row<'_>) -> db::Result<Contact> {
    let id: ContactId = row.next()?;
    Ok(Contact {
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
    })
}
