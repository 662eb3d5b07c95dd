//! The labels of contacts: their tags, and the values of their custom fields.

use std::sync::Arc;

use frontdesk_db::{self as db, Query, ReadTx, Row};
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::Shared;
use uuid::Uuid;

use super::contact::{Contact, ContactField, ContactId, ContactTag};
use crate::custom_fields::FieldId;
use crate::tags::TagId;

frontdesk_db::statements! {
    /// The custom fields of an account, and its first tags. A tag has a colour.
    LABELS = "SELECT id, name, CAST(NULL AS text) FROM custom_fields WHERE account_id = $1
        UNION ALL SELECT id, name, color FROM (SELECT id, name, color FROM tags WHERE account_id = $1 ORDER BY id LIMIT $2) AS first_tags";
    /// The tags and values of the contacts from one to another. A tag has no value.
    LABELS_BETWEEN = "SELECT contact_id, tag_id, CAST(NULL AS text) FROM contact_tags
            WHERE account_id = $1 AND contact_id >= $2 AND contact_id <= $3
        UNION ALL SELECT contact_id, field_id, value FROM contact_values
            WHERE account_id = $1 AND contact_id >= $2 AND contact_id <= $3";
}

/// An account with at most this many tags has them read with a page, which is cheaper than looking up each.
const TAGS_READ_WHOLE_MAX: i64 = 64;

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
    let labels = known(tx, account)?;
    for contact in contacts.iter_mut() {
        contact.custom_fields.clone_from(&labels.fields);
    }
    let (mut carried, mut place) = (Vec::with_capacity(2 * contacts.len()), contacts.len());
    let apart = (spread == Spread::Apart).then(|| labels_of(account, contacts));
    let add = |row: &mut Row<'_>| {
        let (contact, id) = (row.next()?, row.next::<Uuid>()?);
        let value = row.next::<Option<String>>()?;
        let Some(at) = place_of(contacts, contact, place) else { return Ok(()) };
        place = at;
        match value {
            None => carried.push((at, TagId::from_uuid(id))),
            Some(value) => contacts[at].set(FieldId::from_uuid(id), value),
        }
        Ok(())
    };
    match apart {
        None => tx.query(LABELS_BETWEEN, &[&account, &oldest, &newest], add)?,
        Some(query) => tx.run(&query, add)?,
    };
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

/// The tags and values of some contacts.
fn labels_of(account: AccountId, contacts: &[Contact]) -> Query {
    let ids: Vec<ContactId> = contacts.iter().map(|contact| contact.id).collect();
    let mut query =
        Query::new("SELECT contact_id, tag_id, CAST(NULL AS text) FROM contact_tags WHERE account_id = ");
    query.bind(account).push(" AND contact_id IN ").bind_list(&ids);
    query.push(" UNION ALL SELECT contact_id, field_id, value FROM contact_values WHERE account_id = ");
    query.bind(account).push(" AND contact_id IN ").bind_list(&ids);
    query
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

/// The labels of an account's contacts, sorted by id.
struct Labels {
    /// Every custom field, with no value.
    fields: Vec<ContactField>,
    /// The first tags. One more than [`TAGS_READ_WHOLE_MAX`] means that there may be others.
    tags: Vec<Shared<ContactTag>>,
}

/// Prefetches the labels with the next statement.
pub(super) fn expect(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<()> {
    tx.prefetch(Query::whole(LABELS, vec![Box::new(account), Box::new(TAGS_READ_WHOLE_MAX + 1)]))
}

fn known(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Arc<Labels>> {
    tx.keep(account.uuid(), |tx| read(tx, account))
}

fn read(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Labels> {
    let mut labels = Labels { fields: Vec::new(), tags: Vec::new() };
    let rows = tx.query(LABELS, &[&account, &(TAGS_READ_WHOLE_MAX + 1)], |row| {
        Ok((row.next::<Uuid>()?, row.next::<String>()?, row.next::<Option<String>>()?))
    })?;
    for (id, name, color) in rows {
        match color {
            None => labels.fields.push(blank(FieldId::from_uuid(id), name)),
            Some(color) => labels.tags.push(ContactTag { id: TagId::from_uuid(id), name, color }.into()),
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
) -> db::Result<Vec<Shared<ContactTag>>> {
    let mut ids: Vec<TagId> = carried.iter().map(|(_, tag)| *tag).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut query = Query::new("SELECT id, name, color FROM tags WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(&ids).push(" ORDER BY id");
    tx.run(&query, |row| Ok(ContactTag { id: row.next()?, name: row.next()?, color: row.next()? }.into()))
}

/// A field without a value.
pub(super) fn blank(field_id: FieldId, name: String) -> ContactField {
    ContactField { field_id, name: name.into(), value: None }
}
