//! Statements and row mapping of contacts.

use std::sync::Arc;

use frontdesk_db::{self as db, Dialect, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Email, Phone};
use frontdesk_platform::By;
use uuid::Uuid;

use super::contact::{Contact, ContactField, ContactId, ContactTag};
use super::search;
use super::source::read;
use crate::custom_fields::FieldId;
use crate::tags::TagId;

macro_rules! insert {
    (keys $keys:expr) => {
        concat!(
            "INSERT INTO contacts (account_id, id, seq, name, phone, phone_key, email, email_key, company, search, search_keys, updated_at)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ",
            $keys,
            ", $12
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
            ", updated_at = $11 WHERE account_id = $1 AND id = $2"
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
    FIND = "SELECT c.id, c.name, c.phone, c.email, c.company, c.avatar_url, c.updated_at FROM contacts c WHERE c.account_id = $1 AND c.id = $2";
    EXISTS = "SELECT id FROM contacts WHERE account_id = $1 AND id = $2";
    FIND_BY_PHONE = "SELECT id FROM contacts WHERE account_id = $1 AND phone_key = $2
        UNION ALL SELECT contact_id FROM contact_phones WHERE account_id = $1 AND phone_key = $2 LIMIT 1";
    FIND_BY_EMAIL = "SELECT id FROM contacts WHERE account_id = $1 AND email_key = $2 ORDER BY id LIMIT 1";
    CONTACT_LIMIT = "SELECT contact_limit FROM accounts WHERE id = $1";
    INSERT = insert!(keys "$11");
    UPDATE = update!(keys "$10");
    TOUCH = "UPDATE contacts SET updated_at = $3 WHERE account_id = $1 AND id = $2";
    COUNT_ONE_MORE = "UPDATE accounts SET contact_count = contact_count + 1 WHERE id = $1 AND (contact_limit IS NULL OR contact_count < contact_limit)";
    /// The custom fields of an account, and its first tags. A tag has a colour.
    LABELS = "SELECT id, name, CAST(NULL AS text) FROM custom_fields WHERE account_id = $1
        UNION ALL SELECT id, name, color FROM (SELECT id, name, color FROM tags WHERE account_id = $1 ORDER BY id LIMIT $2) AS first_tags";
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
    expect_labels(tx, account)?;
    let mut found = tx.query(FIND, &[&account, &id], read)?;
    complete(tx, account, &mut found, Spread::Together)?;
    Ok(found.pop())
}

/// The same, to be changed in this transaction.
pub(super) fn find_to_change(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ContactId,
) -> db::Result<Option<Contact>> {
    let mut found: Vec<Contact> = tx.find_to_change(FIND, &[&account, &id], read)?.into_iter().collect();
    complete(tx, account, &mut found, Spread::Together)?;
    Ok(found.pop())
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

/// The contact of a number: its own, or that of a contact merged into it.
pub(super) fn find_by_phone(
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

/// Inserts a new contact's row and sets the contact's custom fields, without values.
pub(super) fn insert(
    tx: &mut Tx<'_>,
    by: &By,
    contact: &mut Contact,
    email: Option<&Email>,
) -> db::Result<Inserted> {
    if let Some(phone) = &contact.phone {
        lock_number(tx, by.account, phone)?;
    }
    let search = search::of(tx.dialect());
    let (text, keys) = search.columns(contact);
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
    ];
    let read = |row: &mut Row<'_>| {
        let limit: Option<i64> = row.next()?;
        let field = row.next::<Option<FieldId>>()?.zip(row.next::<Option<String>>()?);
        Ok((limit, field.map(|(id, name)| blank(id, name))))
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
    ];
    let is_postgres = tx.dialect() == Dialect::Postgres;
    tx.execute(if is_postgres { UPDATE_POSTGRES } else { UPDATE }, params)?.exactly(1)?;
    search.changed(tx, before, contact)
}

/// The distribution of some contacts in the account's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// They are consecutive, newest first, so their tags and values are one index range.
    Together,
    /// There may be others between them.
    Apart,
}

/// Fills in the tags and custom fields of some contacts of one account, which are sorted newest first.
pub(super) fn complete(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    contacts: &mut [Contact],
    spread: Spread,
) -> db::Result<()> {
    let (Some(newest), Some(oldest)) =
        (contacts.first().map(|contact| contact.id), contacts.last().map(|contact| contact.id))
    else {
        return Ok(());
    };
    let mut query = Query::new("");
    for (columns, table) in
        [("tag_id, CAST(NULL AS text)", "contact_tags"), ("field_id, value", "contact_values")]
    {
        query.push(if query.sql().is_empty() {
            "SELECT contact_id, "
        } else {
            " UNION ALL SELECT contact_id, "
        });
        query.push(columns).push(" FROM ").push(table).push(" WHERE account_id = ").bind(account);
        match spread {
            Spread::Together => {
                query.push(" AND contact_id >= ").bind(oldest).push(" AND contact_id <= ").bind(newest)
            }
            Spread::Apart => {
                let ids: Vec<ContactId> = contacts.iter().map(|contact| contact.id).collect();
                query.push(" AND contact_id IN ").bind_list(&ids)
            }
        };
    }
    let labels = labels(tx, account)?;
    for contact in contacts.iter_mut() {
        contact.custom_fields.clone_from(&labels.fields);
    }
    let (mut carried, mut place) = (Vec::new(), contacts.len());
    tx.run(&query, |row| {
        let (contact, id) = (row.next()?, row.next::<Uuid>()?);
        let value = row.next::<Option<String>>()?;
        let Some(at) = place_of(contacts, contact, place) else { return Ok(()) };
        place = at;
        match value {
            None => carried.push((at, TagId::from_uuid(id))),
            Some(value) => contacts[at].set(FieldId::from_uuid(id), value),
        }
        Ok(())
    })?;
    let others = if labels.tags.len() as i64 > TAGS_READ_WHOLE_MAX && !carried.is_empty() {
        Some(tags_of(tx, account, &carried)?)
    } else {
        None
    };
    let tags = others.as_ref().unwrap_or(&labels.tags);
    for (at, tag) in carried {
        if let Ok(known) = tags.binary_search_by_key(&tag, |known| known.id) {
            contacts[at].tags.push(tags[known].clone());
        }
    }
    for contact in contacts.iter_mut() {
        contact.tags.sort_by(|one, other| one.name.cmp(&other.name));
    }
    Ok(())
}

impl Contact {
    /// Sets the value of a field of the account. Fields are sorted by id.
    fn set(&mut self, field: FieldId, value: String) {
        if let Ok(at) = self.custom_fields.binary_search_by_key(&field, |known| known.field_id) {
            self.custom_fields[at].value = Some(value);
        }
    }
}

/// The position of a contact among some that are sorted newest first. Rows mostly come oldest first, so the
/// contact of the previous row and the next newer one are tried first.
fn place_of(contacts: &[Contact], id: ContactId, before: usize) -> Option<usize> {
    let near = [before, before.wrapping_sub(1)];
    near.into_iter()
        .find(|at| contacts.get(*at).is_some_and(|contact| contact.id == id))
        .or_else(|| contacts.binary_search_by(|contact| id.cmp(&contact.id)).ok())
}

/// An account with at most this many tags has them read with a page, which is cheaper than looking up each.
const TAGS_READ_WHOLE_MAX: i64 = 64;

/// The labels of an account's contacts, sorted by id.
struct Labels {
    /// Every custom field, with no value.
    fields: Vec<ContactField>,
    /// The first tags. One more than [`TAGS_READ_WHOLE_MAX`] means that there may be others.
    tags: Vec<ContactTag>,
}

/// Prefetches the labels with the next statement.
pub(super) fn expect_labels(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<()> {
    tx.prefetch(Query::whole(LABELS, vec![Box::new(account), Box::new(TAGS_READ_WHOLE_MAX + 1)]))
}

fn labels(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Arc<Labels>> {
    tx.keep(account.uuid(), |tx| read_labels(tx, account))
}

fn read_labels(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Labels> {
    let mut labels = Labels { fields: Vec::new(), tags: Vec::new() };
    let rows = tx.query(LABELS, &[&account, &(TAGS_READ_WHOLE_MAX + 1)], |row| {
        Ok((row.next::<Uuid>()?, row.next::<String>()?, row.next::<Option<String>>()?))
    })?;
    for (id, name, color) in rows {
        match color {
            None => labels.fields.push(blank(FieldId::from_uuid(id), name)),
            Some(color) => labels.tags.push(ContactTag {
                id: TagId::from_uuid(id),
                name: name.into(),
                color: color.into(),
            }),
        }
    }
    labels.fields.sort_unstable_by_key(|field| field.field_id);
    labels.tags.sort_unstable_by_key(|tag| tag.id);
    Ok(labels)
}

/// The tags that are carried, by their ids.
fn tags_of(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    carried: &[(usize, TagId)],
) -> db::Result<Vec<ContactTag>> {
    let mut ids: Vec<TagId> = carried.iter().map(|(_, tag)| *tag).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut query = Query::new("SELECT id, name, color FROM tags WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(&ids).push(" ORDER BY id");
    tx.run(&query, |row| {
        Ok(ContactTag {
            id: row.next()?,
            name: row.next::<String>()?.into(),
            color: row.next::<String>()?.into(),
        })
    })
}

fn blank(field_id: FieldId, name: String) -> ContactField {
    ContactField { field_id, name: name.into(), value: None }
}
