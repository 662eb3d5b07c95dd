//! Changes of contacts: the rows, the search index and the event, in the given transaction.

use std::collections::HashSet;

use frontdesk_db::{self as db, ReadTx, Touched, Tx};
use frontdesk_kernel::{Email, Patch, Phone, Text};
use frontdesk_platform::By;
use frontdesk_platform::events;
use frontdesk_web::Problems;

use super::contact::{
    Contact, ContactError, ContactId, ContactPatch, ContactTag, FieldValues, MISSING, NewContact,
};
use super::event_types::{self, ContactEventData};
use super::rows::{self, Inserted};
use super::sql;
use crate::custom_fields::{self, CustomField, FieldId};
use crate::tags::{self, TagId};

/// Tags that a contact gets.
pub(crate) type Tags = Vec<ContactTag>;

/// Values that were checked against their fields; `None` clears.
pub(crate) type Values = Vec<(FieldId, Option<String>)>;

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewContact) -> Result<Contact, ContactError> {
    create_tagged(tx, by, new, Vec::new())
}

/// Creates a contact that has further tags, which this transaction has looked up.
pub(crate) fn create_tagged(
    tx: &mut Tx<'_>,
    by: &By,
    new: &NewContact,
    tagged: Tags,
) -> Result<Contact, ContactError> {
    let (tags, values) =
        check(tx, by, new.tag_ids.as_ref().map(|ids| ids.0.as_slice()), new.custom_fields.as_ref())?;
    let id: ContactId = by.new_id();
    events::expect(tx, by)?;
    let mut contact = Contact {
        id,
        name: new.name.as_ref().map(ToString::to_string),
        phone: new.phone.clone(),
        email: new.email.as_ref().map(ToString::to_string),
        company: new.company.as_ref().map(ToString::to_string),
        avatar_url: None,
        tags: joined(tags.unwrap_or_default(), tagged),
        custom_fields: Vec::new(),
        created_at: id.created_at(),
        updated_at: id.created_at(),
    };
    let Inserted::Made { contact_limit } = rows::insert(tx, by, &mut contact, new.email.as_ref(), &values)?
    else {
        return Err(phone_taken(tx, by, new.phone.as_ref())?);
    };
    if let Some(limit) = contact_limit
        && !take_room(tx, by, 1)?
    {
        return Err(ContactError::LimitReached { limit });
    }
    for tag in &contact.tags {
        add_tag(tx, by, id, tag.id)?;
    }
    write_values(tx, by, &mut contact, &values)?;
    events::write(tx, by, event_types::CREATED, &ContactEventData { contact: &contact })?;
    Ok(contact)
}

/// Counts new contacts towards the plan's limit; false if it leaves no room for them.
pub(super) fn take_room(tx: &mut Tx<'_>, by: &By, contacts: i64) -> db::Result<bool> {
    Ok(tx.execute(sql::TAKE_ROOM, &[&by.account, &contacts])?.any())
}

pub fn patch(tx: &mut Tx<'_>, by: &By, id: ContactId, patch: &ContactPatch) -> Result<Contact, ContactError> {
    patch_tagged(tx, by, id, patch, Vec::new()).map(|(contact, _)| contact)
}

/// Changes a contact, and adds further tags to it, which this transaction has looked up. Tells whether anything changed.
/// A change that is refused has written nothing.
pub(crate) fn patch_tagged(
    tx: &mut Tx<'_>,
    by: &By,
    id: ContactId,
    patch: &ContactPatch,
    tagged: Tags,
) -> Result<(Contact, bool), ContactError> {
    let before = rows::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let wanted_tags = match patch.tag_ids.as_ref() {
        Patch::Keep => None,
        Patch::Clear => Some(&[][..]),
        Patch::Set(ids) => Some(ids.0.as_slice()),
    };
    let (tags, values) = check(tx, by, wanted_tags, patch.custom_fields.as_ref())?;
    let mut contact = patched(&before, patch);
    let row_changed = (&contact.name, &contact.phone, &contact.email, &contact.company)
        != (&before.name, &before.phone, &before.email, &before.company);
    let moved = contact.phone.as_ref().map(Phone::key) != before.phone.as_ref().map(Phone::key);
    if moved && let Some(phone) = &contact.phone {
        rows::lock_number(tx, by.account, phone)?;
        if let Some(existing) = rows::find_by_phone(tx, by.account, phone)?.filter(|known| *known != id) {
            return Err(ContactError::PhoneTaken { existing });
        }
    }
    let wanted = joined(tags.unwrap_or_else(|| before.tags.clone()), tagged);
    let mut changed = replace_tags(tx, by, &mut contact, wanted)?;
    changed |= write_values(tx, by, &mut contact, &values)?;
    if !changed && !row_changed {
        return Ok((before, false));
    }
    contact.updated_at = by.now;
    if row_changed {
        match rows::update(tx, by, &before, &contact) {
            // Another contact got the number since the lookup. Run again, this finds that contact.
            Err(error) if error.is_constraint("contacts_phone_key") => return Err(tx.again().into()),
            outcome => outcome?,
        }
    } else {
        rows::set_labels(tx, by, &contact)?;
    }
    events::write(tx, by, event_types::UPDATED, &ContactEventData { contact: &contact })?;
    Ok((contact, true))
}

/// The contact with a patch's name, phone, email and company.
pub(crate) fn patched(before: &Contact, patch: &ContactPatch) -> Contact {
    let text = |text: Text<200>| text.into_string();
    let mut contact = before.clone();
    contact.name = patch.name.clone().map(text).apply(contact.name);
    contact.phone = patch.phone.clone().apply(contact.phone);
    contact.email = patch.email.clone().map(|email: Email| email.to_string()).apply(contact.email);
    contact.company = patch.company.clone().map(text).apply(contact.company);
    contact
}

/// Some tags and others, each once, sorted as a contact shows them.
fn joined(mut tags: Tags, others: Tags) -> Tags {
    if others.is_empty() {
        return tags;
    }
    let mut known: HashSet<TagId> = tags.iter().map(|tag| tag.id).collect();
    tags.extend(others.into_iter().filter(|tag| known.insert(tag.id)));
    ContactTag::sort(&mut tags);
    tags
}

/// Adds tags to the contact's tags.
pub fn tag(tx: &mut Tx<'_>, by: &By, id: ContactId, wanted: &[TagId]) -> Result<Contact, ContactError> {
    let mut contact = rows::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let (tags, _) = check(tx, by, Some(wanted), None)?;
    let mut changed = false;
    for tag in tags.unwrap_or_default() {
        if add_tag(tx, by, id, tag.id)? {
            contact.tags.push(tag);
            changed = true;
        }
    }
    if changed { touched(tx, by, contact) } else { Ok(contact) }
}

/// Removes a tag from the contact.
pub fn untag(tx: &mut Tx<'_>, by: &By, id: ContactId, tag: TagId) -> Result<Contact, ContactError> {
    let mut contact = rows::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    if !tx.execute(sql::REMOVE_TAG, &[&by.account, &id, &tag])?.any() {
        return Err(ContactError::NotTagged);
    }
    contact.tags.retain(|carried| carried.id != tag);
    touched(tx, by, contact)
}

/// Adds some tags to the contact and takes others off, whether or not it carries them.
pub(crate) fn retag(
    tx: &mut Tx<'_>,
    by: &By,
    id: ContactId,
    add: &[TagId],
    remove: &[TagId],
) -> Result<Contact, ContactError> {
    let mut contact = rows::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let (tags, _) = check(tx, by, Some(add), None)?;
    let mut removed = HashSet::new();
    for gone in remove {
        if tx.execute(sql::REMOVE_TAG, &[&by.account, &id, gone])?.any() {
            removed.insert(*gone);
        }
    }
    contact.tags.retain(|carried| !removed.contains(&carried.id));
    let mut changed = !removed.is_empty();
    for tag in tags.unwrap_or_default() {
        if add_tag(tx, by, id, tag.id)? {
            contact.tags.push(tag);
            changed = true;
        }
    }
    if changed { touched(tx, by, contact) } else { Ok(contact) }
}

/// Writes the changed labels of a contact into its row, and the event.
fn touched(tx: &mut Tx<'_>, by: &By, mut contact: Contact) -> Result<Contact, ContactError> {
    contact.updated_at = by.now;
    ContactTag::sort(&mut contact.tags);
    rows::set_labels(tx, by, &contact)?;
    events::write(tx, by, event_types::UPDATED, &ContactEventData { contact: &contact })?;
    Ok(contact)
}

/// Checks that the tags and fields belong to the account and that values are valid, and reports all problems
/// at once.
pub(super) fn check(
    tx: &mut ReadTx<'_>,
    by: &By,
    tag_ids: Option<&[TagId]>,
    values: Option<&FieldValues>,
) -> Result<(Option<Tags>, Values), ContactError> {
    let mut problems = Problems::new();
    let tags = match tag_ids {
        Some(ids) => {
            let known = tags::find_many(tx, by.account, ids)?;
            let known_ids: HashSet<TagId> = known.iter().map(|tag| tag.id).collect();
            for (at, id) in ids.iter().enumerate() {
                if !known_ids.contains(id) {
                    problems.add(format!("tag_ids.{at}"), "must be a tag of this account");
                }
            }
            let mut tags: Vec<_> = known
                .into_iter()
                .map(|tag| ContactTag { id: tag.id, name: tag.name, color: tag.color })
                .collect();
            ContactTag::sort(&mut tags);
            Some(tags)
        }
        None => None,
    };
    let mut checked = Vec::new();
    if let Some(values) = values.filter(|values| !values.0.is_empty()) {
        let fields = custom_fields::list(tx, by.account)?;
        checked = check_values(&fields, values, &mut problems);
    }
    if problems.is_empty() { Ok((tags, checked)) } else { Err(ContactError::Invalid(problems)) }
}

/// Checks values against the account's fields, which are sorted newest first.
pub(crate) fn check_values(fields: &[CustomField], values: &FieldValues, problems: &mut Problems) -> Values {
    let mut checked = Vec::with_capacity(values.0.len());
    for (key, value) in &values.0 {
        let path = || format!("custom_fields.{key}");
        let known = key.parse().ok().and_then(|id: FieldId| custom_fields::find_in(fields, id));
        let Some(field) = known else {
            problems.add(path(), "must be the id of a custom field of this account");
            continue;
        };
        let value = value.as_ref().map(ToString::to_string);
        if let Some(wrong) = value.as_deref().and_then(|value| field.refuses(value)) {
            problems.add(path(), wrong);
        }
        checked.push((field.id, value));
    }
    checked
}

/// Adds a tag; false if the contact already has it.
fn add_tag(tx: &mut Tx<'_>, by: &By, contact: ContactId, tag: TagId) -> Result<bool, ContactError> {
    let added = tx.execute(sql::ADD_TAG, &[&by.account, &contact, &tag]);
    unless_gone(tx, added, "contact_tags_tag_fkey")
}

/// A tag or field was deleted since the lookup. Run again, the operation reports it as missing.
fn unless_gone(tx: &mut Tx<'_>, written: db::Result<Touched>, key: &str) -> Result<bool, ContactError> {
    match written {
        Err(error) if error.is_constraint(key) => Err(tx.again().into()),
        written => Ok(written?.any()),
    }
}

fn replace_tags(tx: &mut Tx<'_>, by: &By, contact: &mut Contact, wanted: Tags) -> Result<bool, ContactError> {
    let ids = |tags: &Tags| tags.iter().map(|tag| tag.id).collect::<HashSet<TagId>>();
    let (before, after) = (ids(&contact.tags), ids(&wanted));
    let mut changed = false;
    for gone in before.difference(&after) {
        changed |= tx.execute(sql::REMOVE_TAG, &[&by.account, &contact.id, gone])?.any();
    }
    for tag in after.difference(&before) {
        changed |= add_tag(tx, by, contact.id, *tag)?;
    }
    contact.tags = wanted;
    Ok(changed)
}

/// Writes values into the rows and into the contact; true if any changed.
fn write_values(
    tx: &mut Tx<'_>,
    by: &By,
    contact: &mut Contact,
    values: &Values,
) -> Result<bool, ContactError> {
    let mut changed = false;
    for (field, value) in values {
        changed |= match value {
            Some(value) => {
                let set = tx.execute(sql::SET_VALUE, &[&by.account, &contact.id, field, value]);
                unless_gone(tx, set, "contact_values_field_fkey")?
            }
            None => tx.execute(sql::CLEAR_VALUE, &[&by.account, &contact.id, field])?.any(),
        };
        if let Some(slot) = contact.custom_fields.iter_mut().find(|slot| slot.field_id == *field) {
            slot.value.clone_from(value);
        }
    }
    Ok(changed)
}

fn phone_taken(tx: &mut Tx<'_>, by: &By, phone: Option<&Phone>) -> Result<ContactError, ContactError> {
    let existing = match phone {
        Some(phone) => rows::find_by_phone(tx, by.account, phone)?,
        None => None,
    };
    Ok(match existing {
        Some(existing) => ContactError::PhoneTaken { existing },
        // The other contact has lost the number in the meantime.
        None => tx.again().into(),
    })
}
