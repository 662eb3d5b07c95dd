//! Statements and row mapping of contacts.

use std::collections::BTreeMap;

use frontdesk_db::{self as db, Query, ReadTx, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Email, Phone};
use frontdesk_platform::By;
use frontdesk_search::contacts as search;

use super::contact::{Contact, ContactField, ContactId};
use super::source::read;
use super::{labels, stored_labels};
use crate::custom_fields::FieldId;

/// Replaces [`KEY_PREFIX`](frontdesk_search::KEY_PREFIX) before each key by the account's number.
macro_rules! numbered {
    ($keys:literal) => {
        concat!("replace(", $keys, ", '\u{1}', (SELECT to_hex(num) || 'z' FROM accounts WHERE id = $1))")
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
    INSERT = concat!(
        "INSERT INTO contacts (account_id, id, seq, name, phone, phone_key, email, email_key, company, search, search_keys, updated_at, labels)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ", numbered!("$11"), ", $12, $13
        WHERE NOT EXISTS (SELECT 1 FROM contact_phones p WHERE p.account_id = $1 AND p.phone_key = $6)
        ON CONFLICT (account_id, phone_key) DO NOTHING"
    );
    UPDATE = concat!(
        "UPDATE contacts SET name = $3, phone = $4, phone_key = $5, email = $6, email_key = $7, company = $8, search = $9, search_keys = ",
        numbered!("$10"), ", updated_at = $11, labels = $12 WHERE account_id = $1 AND id = $2"
    );
    SET_LABELS = "UPDATE contacts SET updated_at = $3, labels = $4 WHERE account_id = $1 AND id = $2";
    TAKE_ROOM = "UPDATE accounts SET contact_count = contact_count + $2 WHERE id = $1 AND (contact_limit IS NULL OR contact_count + $2 <= contact_limit)";
    LIMIT_AND_FIELDS = "SELECT a.contact_limit, f.id, f.name FROM accounts a LEFT JOIN custom_fields f ON f.account_id = $1 WHERE a.id = $1 ORDER BY f.id";
    ADD_TAG = "INSERT INTO contact_tags (account_id, contact_id, tag_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    REMOVE_TAG = "DELETE FROM contact_tags WHERE account_id = $1 AND contact_id = $2 AND tag_id = $3";
    SET_VALUE = "INSERT INTO contact_values (account_id, contact_id, field_id, value) VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_id, contact_id, field_id) DO UPDATE SET value = excluded.value WHERE contact_values.value <> excluded.value";
    CLEAR_VALUE = "DELETE FROM contact_values WHERE account_id = $1 AND contact_id = $2 AND field_id = $3";
    /// The custom fields of an account, and its first tags. A tag has a colour.
    LABELS = "SELECT id, name, CAST(NULL AS text) FROM custom_fields WHERE account_id = $1
        UNION ALL SELECT id, name, color FROM (SELECT id, name, color FROM tags WHERE account_id = $1 ORDER BY id LIMIT $2) AS first_tags";
    NOTE_INBOUND = "UPDATE contacts SET last_inbound_at = $3 WHERE account_id = $1 AND id = $2 AND (last_inbound_at IS NULL OR last_inbound_at < $3)";
    ADD_CHANNEL = "INSERT INTO contact_channels (account_id, contact_id, channel) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    ADD_TO_COUNT = "UPDATE accounts SET contact_count = contact_count + $2 WHERE id = $1 AND contact_limit IS NOT NULL";
    FIND_MISSING = "SELECT name IS NULL, phone IS NULL, email IS NULL FROM contacts WHERE account_id = $1 AND id = $2";
    FIND_OPT_OUT = "SELECT opted_out_at, opt_out_source FROM contacts WHERE account_id = $1 AND id = $2";
    SET_OPT_OUT = "UPDATE contacts SET opted_out_at = $3, opt_out_source = $4, updated_at = $5, labels = $6 WHERE account_id = $1 AND id = $2";
    MOVE_TAGS = "UPDATE contact_tags SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2 AND NOT EXISTS (
        SELECT 1 FROM contact_tags o WHERE o.account_id = $1 AND o.contact_id = $3 AND o.tag_id = contact_tags.tag_id)";
    MOVE_VALUES = "UPDATE contact_values SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2 AND NOT EXISTS (
        SELECT 1 FROM contact_values o WHERE o.account_id = $1 AND o.contact_id = $3 AND o.field_id = contact_values.field_id)";
    MOVE_CHANNELS = "UPDATE contact_channels SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2 AND NOT EXISTS (
        SELECT 1 FROM contact_channels o WHERE o.account_id = $1 AND o.contact_id = $3 AND o.channel = contact_channels.channel)";
    MOVE_PHONES = "UPDATE contact_phones SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2";
    ADD_PHONE = "INSERT INTO contact_phones (account_id, phone_key, contact_id) VALUES ($1, $2, $3)
        ON CONFLICT (account_id, phone_key) DO UPDATE SET contact_id = excluded.contact_id";
    STANDING = "SELECT opted_out_at, opt_out_source, last_inbound_at FROM contacts WHERE account_id = $1 AND id = $2";
    SET_STANDING = "UPDATE contacts SET opted_out_at = $3, opt_out_source = $4, last_inbound_at = $5, avatar_url = $6 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM contacts WHERE account_id = $1 AND id = $2";
    DELETE_TAGS = "DELETE FROM contact_tags WHERE account_id = $1 AND contact_id = $2";
    DELETE_VALUES = "DELETE FROM contact_values WHERE account_id = $1 AND contact_id = $2";
    DELETE_CHANNELS = "DELETE FROM contact_channels WHERE account_id = $1 AND contact_id = $2";
    DELETE_PHONES = "DELETE FROM contact_phones WHERE account_id = $1 AND contact_id = $2";
    COUNT_ONE_LESS = "UPDATE accounts SET contact_count = contact_count - 1 WHERE id = $1 AND contact_limit IS NOT NULL AND contact_count > 0";
    ADD_ERASURE = "INSERT INTO erasures (account_id, subject) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    NEXT_ERASURE = "SELECT account_id, subject FROM erasures WHERE faults < $1 ORDER BY faults, account_id, subject LIMIT 1";
    PUT_OFF_ERASURE = "UPDATE erasures SET faults = faults + 1 WHERE account_id = $1 AND subject = $2 RETURNING faults";
    HOLD_ERASURE = "SELECT subject FROM erasures WHERE account_id = $1 AND subject = $2";
    END_ERASURE = "DELETE FROM erasures WHERE account_id = $1 AND subject = $2";
}

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

/// The oldest contact with this address.
pub(super) fn find_by_email(
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
        }
    }

    fn params<'r>(&'r self, by: &'r By, contact: &'r Contact) -> [&'r dyn db::Param; 13] {
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
    tx.execute(UPDATE, params)?.exactly(1)?;
    if before.search_text() == contact.search_text() {
        return Ok(());
    }
    search::changed(tx, contact.id.sequence())
}
