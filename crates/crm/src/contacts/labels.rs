//! The labels of contacts: their tags, and the values of their custom fields.

use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

use super::contact::{Contact, ContactField, ContactId, ContactTag};
use super::source::ContactRow;
use super::sql::LABELS;
use super::stored_labels::Labels;
use crate::custom_fields::FieldId;
use crate::tags::TagId;

/// An account with at most this many tags has them read with a page, which is cheaper than looking up each.
const TAGS_READ_WHOLE_MAX: i64 = 64;

/// Fills in the tags and custom fields of some contacts of one account.
pub(super) fn complete(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    mut rows: Vec<ContactRow>,
) -> db::Result<Vec<Contact>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let known = known(tx, account)?;
    look_up(tx, account, &mut rows)?;
    let others =
        if known.tags.len() as i64 > TAGS_READ_WHOLE_MAX { Some(tags_of(tx, account, &rows)?) } else { None };
    let tags = others.as_ref().unwrap_or(&known.tags);
    Ok(rows.into_iter().map(|row| row.completed(&known.fields, tags)).collect())
}

/// Reads the labels of those contacts whose rows have none, or outdated ones.
fn look_up(tx: &mut ReadTx<'_>, account: AccountId, rows: &mut [ContactRow]) -> db::Result<()> {
    let missing = rows.iter().filter(|row| row.labels.is_none());
    let mut found: HashMap<ContactId, Labels> =
        missing.map(|row| (row.contact.id, Labels::default())).collect();
    if found.is_empty() {
        return Ok(());
    }
    let ids: Vec<ContactId> = found.keys().copied().collect();
    tx.run(&labels_of(account, &ids), |row| {
        let (contact, id) = (row.next()?, row.next::<Uuid>()?);
        let value = row.next::<Option<String>>()?;
        let Some(labels) = found.get_mut(&contact) else { return Ok(()) };
        match value {
            None => labels.tags.push(TagId::from_uuid(id)),
            Some(value) => labels.values.push((FieldId::from_uuid(id), value)),
        }
        Ok(())
    })?;
    for row in rows {
        row.labels = row.labels.take().or_else(|| found.remove(&row.contact.id));
    }
    Ok(())
}

/// The tags and values of some contacts. A tag has no value.
fn labels_of(account: AccountId, contacts: &[ContactId]) -> Query {
    let mut query =
        Query::new("SELECT contact_id, tag_id, CAST(NULL AS text) FROM contact_tags WHERE account_id = ");
    query.bind(account).push(" AND contact_id IN ").bind_list(contacts);
    query.push(" UNION ALL SELECT contact_id, field_id, value FROM contact_values WHERE account_id = ");
    query.bind(account).push(" AND contact_id IN ").bind_list(contacts);
    query
}

impl ContactRow {
    /// The contact with its tags, by name, and every custom field of the account. Both slices are sorted by id.
    fn completed(self, fields: &[ContactField], tags: &[ContactTag]) -> Contact {
        let Self { mut contact, labels } = self;
        let Labels { tags: carried, values } = labels.unwrap_or_default();
        let carried = carried.iter().filter_map(|id| tags.binary_search_by_key(id, |tag| tag.id).ok());
        contact.tags = carried.map(|at| tags[at].clone()).collect();
        ContactTag::sort(&mut contact.tags);
        contact.custom_fields = fields.to_vec();
        for (field, value) in values {
            contact.set(field, value);
        }
        contact
    }
}

impl Contact {
    /// Sets the value of a field of the account. Fields are sorted by id.
    fn set(&mut self, field: FieldId, value: String) {
        if let Ok(at) = self.custom_fields.binary_search_by_key(&field, |known| known.field_id) {
            self.custom_fields[at].value = Some(value);
        }
    }
}

/// The fields and tags that an account's contacts may have, sorted by id.
struct AccountLabels {
    /// Every custom field, with no value.
    fields: Vec<ContactField>,
    /// The first tags. One more than [`TAGS_READ_WHOLE_MAX`] means that there may be others.
    tags: Vec<ContactTag>,
}

/// Prefetches the labels with the next statement.
pub(super) fn expect(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<()> {
    tx.prefetch(Query::whole(LABELS, vec![Box::new(account), Box::new(TAGS_READ_WHOLE_MAX + 1)]))
}

fn known(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Arc<AccountLabels>> {
    tx.keep(account.uuid(), |tx| read(tx, account))
}

fn read(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<AccountLabels> {
    let mut labels = AccountLabels { fields: Vec::new(), tags: Vec::new() };
    let rows = tx.query(LABELS, &[&account, &(TAGS_READ_WHOLE_MAX + 1)], |row| {
        Ok((row.next::<Uuid>()?, row.next::<String>()?, row.next::<Option<String>>()?))
    })?;
    for (id, name, color) in rows {
        match color {
            None => labels.fields.push(blank(FieldId::from_uuid(id), name)),
            Some(color) => labels.tags.push(ContactTag { id: TagId::from_uuid(id), name, color }),
        }
    }
    labels.fields.sort_unstable_by_key(|field| field.field_id);
    labels.tags.sort_unstable_by_key(|tag| tag.id);
    Ok(labels)
}

/// The tags of some contacts, by their ids.
fn tags_of(tx: &mut ReadTx<'_>, account: AccountId, rows: &[ContactRow]) -> db::Result<Vec<ContactTag>> {
    let labels = rows.iter().filter_map(|row| row.labels.as_ref());
    let mut ids: Vec<TagId> = labels.flat_map(|labels| labels.tags.iter().copied()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    ids.sort_unstable();
    ids.dedup();
    let mut query = Query::new("SELECT id, name, color FROM tags WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(&ids).push(" ORDER BY id");
    tx.run(&query, |row| Ok(ContactTag { id: row.next()?, name: row.next()?, color: row.next()? }))
}

/// A field without a value.
pub(super) fn blank(field_id: FieldId, name: String) -> ContactField {
    ContactField { field_id, name: name.into(), value: None }
}
