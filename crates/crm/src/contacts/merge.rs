//! Merges two contacts of one person.

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Phone, Timestamp};
use frontdesk_platform::By;
use frontdesk_platform::events;

use super::contact::{Contact, ContactError, ContactField, ContactId, ContactTag, MISSING};
use super::dependents::Dependents;
use super::event_types::{self, ContactEventData, ContactMergedEventData, PreviousContact};
use super::sql::{ADD_PHONE, MOVE_CHANNELS, MOVE_PHONES, MOVE_TAGS, MOVE_VALUES, SET_STANDING, STANDING};
use super::{erase, rows};

/// The fields of a contact's row that the resource does not have.
struct ContactState {
    opted_out: Option<(Timestamp, Option<String>)>,
    last_inbound_at: Option<Timestamp>,
}

/// Moves everything of `other` into `id`. Afterwards `other` is deleted, and its number leads to `id`.
pub fn merge(
    tx: &mut Tx<'_>,
    by: &By,
    id: ContactId,
    other: ContactId,
    dependents: Dependents,
) -> Result<Contact, ContactError> {
    if id == other {
        return Err(ContactError::SameContact);
    }
    let (before, from) = find_both(tx, by.account, id, other)?;
    if let Some(phone) = &from.phone {
        rows::lock_number(tx, by.account, phone)?;
    }
    let standing = standing(tx, by.account, id)?;
    let joined = standing.joined(self::standing(tx, by.account, other)?);
    for dependent in dependents {
        dependent.merge(tx, by, other, id)?;
    }
    for statement in [MOVE_TAGS, MOVE_VALUES, MOVE_CHANNELS, MOVE_PHONES] {
        let _any_number_is_fine = tx.execute(statement, &[&by.account, &other, &id])?;
    }
    // The deleted contact's number must be free before the other one can get it.
    erase::delete(tx, by, other)?;
    let now = Contact {
        tags: joined_tags(&before, &from),
        custom_fields: joined_values(&before, &from),
        name: before.name.clone().or(from.name),
        phone: before.phone.clone().or_else(|| from.phone.clone()),
        email: before.email.clone().or(from.email),
        company: before.company.clone().or(from.company),
        avatar_url: before.avatar_url.clone().or(from.avatar_url),
        updated_at: by.now,
        ..before.clone()
    };
    rows::update(tx, by, &before, &now)?;
    let key = |phone: &Option<Phone>| phone.as_ref().map(Phone::key);
    if let Some(number) = key(&from.phone).filter(|number| key(&now.phone).as_ref() != Some(number)) {
        tx.execute(ADD_PHONE, &[&by.account, &number, &id])?.exactly(1)?;
    }
    let (since, source) = joined.opted_out.clone().unzip();
    let params: &[&dyn db::Param] =
        &[&by.account, &id, &since, &source.flatten(), &joined.last_inbound_at, &now.avatar_url];
    tx.execute(SET_STANDING, params)?.exactly(1)?;
    let merged = ContactMergedEventData { contact: &now, previous: PreviousContact { contact_id: other } };
    events::write(tx, by, event_types::MERGED, &merged)?;
    if joined.opted_out.is_some() && standing.opted_out.is_none() {
        events::write(tx, by, event_types::OPTED_OUT, &ContactEventData { contact: &now })?;
    }
    Ok(now)
}

/// The tags of either contact, by name.
fn joined_tags(before: &Contact, from: &Contact) -> Vec<ContactTag> {
    let added = from.tags.iter().filter(|tag| !before.tags.iter().any(|carried| carried.id == tag.id));
    let mut tags: Vec<_> = before.tags.iter().chain(added).cloned().collect();
    ContactTag::sort(&mut tags);
    tags
}

/// The values of the remaining contact, and those of the other one where it has none.
fn joined_values(before: &Contact, from: &Contact) -> Vec<ContactField> {
    let mut fields = before.custom_fields.clone();
    for field in fields.iter_mut().filter(|field| field.value.is_none()) {
        let other = from.custom_fields.iter().find(|other| other.field_id == field.field_id);
        field.value = other.and_then(|other| other.value.clone());
    }
    fields
}

/// Locks both, always in the order of their ids, so that concurrent merges do not deadlock.
fn find_both(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ContactId,
    other: ContactId,
) -> Result<(Contact, Contact), ContactError> {
    let first = rows::find_to_change(tx, account, id.min(other))?.ok_or(MISSING)?;
    let second = rows::find_to_change(tx, account, id.max(other))?.ok_or(MISSING)?;
    Ok(if id < other { (first, second) } else { (second, first) })
}

fn standing(tx: &mut ReadTx<'_>, account: AccountId, id: ContactId) -> Result<ContactState, ContactError> {
    let found = tx.find(STANDING, &[&account, &id], |row: &mut Row<'_>| {
        let (since, source): (Option<Timestamp>, Option<String>) = (row.next()?, row.next()?);
        Ok(ContactState { opted_out: since.map(|since| (since, source)), last_inbound_at: row.next()? })
    })?;
    Ok(found.ok_or(MISSING)?)
}

impl ContactState {
    /// The earlier opt-out and the later inbound time.
    fn joined(&self, other: Self) -> Self {
        let wishes = [self.opted_out.clone(), other.opted_out];
        Self {
            opted_out: wishes.into_iter().flatten().min_by_key(|(since, _)| *since),
            last_inbound_at: self.last_inbound_at.max(other.last_inbound_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opt_out_of_either_holds_since_the_earlier_one() {
        let moment = Timestamp::from_millis;
        let out = |at: i64, source: &str| ContactState {
            opted_out: Some((moment(at), Some(source.to_owned()))),
            last_inbound_at: Some(moment(at)),
        };
        let never = || ContactState { opted_out: None, last_inbound_at: None };
        let joined = out(7, "api").joined(out(3, "whatsapp"));
        assert_eq!(joined.opted_out, Some((moment(3), Some("whatsapp".to_owned()))));
        assert_eq!(joined.last_inbound_at, Some(moment(7)));
        assert_eq!(never().joined(out(3, "api")).opted_out, Some((moment(3), Some("api".to_owned()))));
        assert_eq!(never().joined(never()).opted_out, None);
    }
}
