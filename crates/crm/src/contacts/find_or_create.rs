//! Finds the contact of a person or creates one. Inbound messages, forms, bookings and outbound messages all
//! use [`find_or_create`]; a [`Policy`] says how a person is recognised and what may be done.
//!
//! Existing data of a contact is never overwritten. Only missing fields are filled in.

use std::collections::HashMap;

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::text::is_blank;
use frontdesk_kernel::{Email, Phone, Text};
use frontdesk_platform::By;
use frontdesk_platform::events::{self, NewEvent};

use super::contact::{Contact, ContactId};
use super::event_types::{self, ContactEventData};
use super::ops;
use super::rows::{self, Inserted};
use super::sql;
use super::sql::{ADD_TO_COUNT, FIND_MISSING};

/// The longest name of a contact; names in channels' profiles can be very long.
const NAME_CHARS_MAX: usize = 200;

/// A person, as they or their channel describe them.
#[derive(Clone, Debug, Default)]
pub struct Person {
    pub name: Option<Text<NAME_CHARS_MAX>>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
}

impl Person {
    fn is_anonymous(&self) -> bool {
        self.name.is_none() && self.phone.is_none() && self.email.is_none()
    }
}

/// A name from a channel's profile, in a form that a contact can store: without control characters, trimmed,
/// and cut to length.
pub fn name_of(profile: &str) -> Option<Text<NAME_CHARS_MAX>> {
    let kept: String = profile.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    let kept = kept.trim();
    if is_blank(kept) { None } else { kept.parse().ok() }
}

/// How a person is recognised, and what happens to an existing or missing contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub known_by: KnownBy,
    /// Whether an existing contact's missing fields are filled in. It is then locked until the transaction
    /// ends.
    pub fill_in: bool,
    pub limit: Limit,
    /// Whether a person without a name, phone or email becomes a contact.
    pub anonymous: bool,
}

/// How a contact is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// Not at all: each person becomes a new contact.
    Nothing,
    Phone,
    /// An address of one contact is then not filled in at another.
    PhoneThenEmail,
}

/// How the plan's limit applies to a new contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The contact is created beyond the limit too, and counted.
    Counted,
    /// No contact is created beyond the limit.
    Enforced,
}

impl Policy {
    /// A customer writes on a channel, which identifies them. Customers are never turned away.
    pub const CUSTOMER: Self =
        Self { known_by: KnownBy::Phone, fill_in: true, limit: Limit::Counted, anonymous: true };
    /// A visitor of a website's chat. Their name and email are only claims, and a conversation is shown to
    /// the person it belongs to, so visitors are never matched with an existing contact.
    pub const VISITOR: Self =
        Self { known_by: KnownBy::Nothing, fill_in: false, limit: Limit::Counted, anonymous: true };
    /// A form is submitted, or a booking is made.
    pub const FORM: Self =
        Self { known_by: KnownBy::PhoneThenEmail, fill_in: true, limit: Limit::Enforced, anonymous: false };
    /// A message is sent to a number.
    pub const RECIPIENT: Self =
        Self { known_by: KnownBy::Phone, fill_in: false, limit: Limit::Enforced, anonymous: false };
}

/// Finds or creates the contact of a person. None if the policy allows none: the plan's limit is reached, or
/// the person has no name, phone or email.
pub fn find_or_create(
    tx: &mut Tx<'_>,
    by: &By,
    person: &Person,
    policy: Policy,
) -> db::Result<Option<ContactId>> {
    if person.is_anonymous() && !policy.anonymous {
        return Ok(None);
    }
    if let Some(known) = recognise(tx, by, person, policy)? {
        return Ok(Some(known));
    }
    let mut limit = None;
    if policy.known_by == KnownBy::PhoneThenEmail {
        // No constraint makes email addresses unique. Of two concurrent requests the second waits here, and
        // then finds the contact that the first has created.
        if let Some(phone) = &person.phone {
            rows::lock_number(tx, by.account, phone)?;
        }
        limit = tx.find_to_change(sql::CONTACT_LIMIT, &[&by.account], only::<Option<i64>>)?.flatten();
        if let Some(known) = recognise(tx, by, person, policy)? {
            return Ok(Some(known));
        }
    }
    if policy.limit == Limit::Enforced && policy.known_by != KnownBy::PhoneThenEmail {
        limit = rows::limit(tx, by.account)?;
    }
    if policy.limit == Limit::Enforced && limit.is_some() && !ops::take_room(tx, by, 1)? {
        return Ok(None);
    }
    let (made, limit) = make(tx, by, person)?;
    if policy.limit == Limit::Counted && limit.is_some() {
        let _limit_lifted_meanwhile_is_fine = tx.execute(ADD_TO_COUNT, &[&by.account, &1_i64])?;
    }
    Ok(Some(made))
}

/// Finds or creates the contacts of phone numbers, in the order of the numbers. None if the plan's limit leaves no room for
/// all that are new.
pub fn find_or_create_all(
    tx: &mut Tx<'_>,
    by: &By,
    phones: &[Phone],
    limit: Limit,
) -> db::Result<Option<Vec<ContactId>>> {
    let known = rows::find_all_by_phone(tx, by.account, phones)?;
    let mut new: Vec<Contact> = Vec::new();
    let mut new_ids: HashMap<String, ContactId> = HashMap::new();
    let found = phones.iter().zip(known).map(|(phone, known)| {
        known.unwrap_or_else(|| {
            *new_ids.entry(phone.key()).or_insert_with(|| {
                let person = Person { phone: Some(phone.clone()), ..Person::default() };
                new.push(contact_of(by.new_id(), &person));
                new[new.len() - 1].id
            })
        })
    });
    let found = found.collect();
    if new.is_empty() {
        return Ok(Some(found));
    }
    let count = new.len() as i64;
    let is_limited = limit == Limit::Enforced && rows::limit(tx, by.account)?.is_some();
    if is_limited && !ops::take_room(tx, by, count)? {
        return Ok(None);
    }
    let contact_limit = rows::insert_all(tx, by, &mut new)?;
    if limit == Limit::Counted && contact_limit.is_some() {
        let _limit_lifted_meanwhile_is_fine = tx.execute(ADD_TO_COUNT, &[&by.account, &count])?;
    }
    let event = |contact| NewEvent::new(event_types::CREATED, &ContactEventData { contact });
    let events = new.iter().map(event).collect::<db::Result<Vec<_>>>()?;
    events::write_many(tx, by, &events)?;
    Ok(Some(found))
}

fn recognise(tx: &mut Tx<'_>, by: &By, person: &Person, policy: Policy) -> db::Result<Option<ContactId>> {
    let by_phone = match &person.phone {
        Some(phone) if policy.known_by != KnownBy::Nothing => rows::find_by_phone(tx, by.account, phone)?,
        _ => None,
    };
    let found = match (by_phone, &person.email) {
        (None, Some(email)) if policy.known_by == KnownBy::PhoneThenEmail => {
            rows::find_by_email(tx, by.account, email)?
        }
        (found, _) => found,
    };
    if let Some(known) = found.filter(|_| policy.fill_in) {
        fill_in(tx, by, known, person, policy.known_by)?;
    }
    Ok(found)
}

/// Creates a contact; returns it with the account's limit.
fn make(tx: &mut Tx<'_>, by: &By, person: &Person) -> db::Result<(ContactId, Option<i64>)> {
    events::expect(tx, by)?;
    let mut contact = contact_of(by.new_id(), person);
    let Inserted::Made { contact_limit } = rows::insert(tx, by, &mut contact, person.email.as_ref(), &[])?
    else {
        // Another contact got the number after the lookup. Run again, this finds it.
        return Err(tx.again());
    };
    events::write(tx, by, event_types::CREATED, &ContactEventData { contact: &contact })?;
    Ok((contact.id, contact_limit))
}

/// A new contact.
fn contact_of(id: ContactId, person: &Person) -> Contact {
    Contact {
        id,
        name: person.name.as_ref().map(ToString::to_string),
        phone: person.phone.clone(),
        email: person.email.as_ref().map(ToString::to_string),
        company: None,
        avatar_url: None,
        tags: Vec::new(),
        custom_fields: Vec::new(),
        created_at: id.created_at(),
        updated_at: id.created_at(),
    }
}

/// Fills in the missing fields of a contact. The row is locked first, so a concurrent change is kept.
pub fn fill_in(
    tx: &mut Tx<'_>,
    by: &By,
    id: ContactId,
    person: &Person,
    known_by: KnownBy,
) -> db::Result<()> {
    let lacks = tx.find_to_change(FIND_MISSING, &[&by.account, &id], |row| {
        Ok([row.next::<bool>()?, row.next::<bool>()?, row.next::<bool>()?])
    })?;
    // The contact was erased or merged after it was found. Run again, this finds the current one.
    let Some([name, phone, email]) = lacks else { return Err(tx.again()) };
    let tells_more =
        name && person.name.is_some() || phone && person.phone.is_some() || email && person.email.is_some();
    if !tells_more {
        return Ok(());
    }
    let before = rows::find(tx, by.account, id)?.ok_or(db::Error::Decode("contact"))?;
    let mut contact = before.clone();
    if name {
        contact.name = person.name.as_ref().map(ToString::to_string);
    }
    if phone && let Some(given) = &person.phone {
        rows::lock_number(tx, by.account, given)?;
        // A number of another contact is not filled in here.
        contact.phone = rows::find_by_phone(tx, by.account, given)?.is_none().then(|| given.clone());
    }
    if email && let Some(given) = &person.email {
        let is_taken =
            known_by == KnownBy::PhoneThenEmail && rows::find_by_email(tx, by.account, given)?.is_some();
        contact.email = (!is_taken).then(|| given.to_string());
    }
    let given = |contact: &Contact| (contact.name.clone(), contact.phone.clone(), contact.email.clone());
    if given(&contact) == given(&before) {
        return Ok(());
    }
    contact.updated_at = by.now;
    match rows::update(tx, by, &before, &contact) {
        // Another contact got the number after the lookup. Run again, this finds it taken.
        Err(error) if error.is_constraint("contacts_phone_key") => return Err(tx.again()),
        outcome => outcome?,
    }
    events::write(tx, by, event_types::UPDATED, &ContactEventData { contact: &contact })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_a_profile_is_trimmed_and_cut_or_left_out() {
        let shown = |profile: &str| name_of(profile).map(|name| name.to_string());
        assert_eq!(shown(" Ann\u{7}\n ").as_deref(), Some("Ann"));
        assert_eq!(shown(&"x".repeat(500)).map(|name| name.len()), Some(NAME_CHARS_MAX));
        assert_eq!(shown(" \u{200b}\0 "), None);
    }
}
