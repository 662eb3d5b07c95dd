//! Somebody comes who tells who they are, by a form or a booking: the contact is found, or made.
//!
//! A contact is known by its phone number, then by its email address. What is known of it stays as it is; only what is
//! missing is filled in. Past the plan's limit nobody new is made, and nobody is turned away.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Email, Patch, Phone, Text};
use frontdesk_platform::By;

use super::contact::{ContactError, ContactId, ContactPatch, NewContact};
use super::ops::{self, Room};
use super::sql;

/// Who somebody says they are.
#[derive(Clone, Debug, Default)]
pub struct Person {
    pub name: Option<Text<200>>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
}

/// The contact of a person. None when they say nothing of themselves, and when the plan has no room for a new one.
pub fn meet(tx: &mut Tx<'_>, by: &By, person: &Person) -> Result<Option<ContactId>, ContactError> {
    if person.name.is_none() && person.phone.is_none() && person.email.is_none() {
        return Ok(None);
    }
    if let Some(known) = recognise(tx, by.account, person)? {
        return fill_in(tx, by, known, person).map(Some);
    }
    // One who sends a form twice at once is one: the second waits here, and is then recognised.
    tx.find_to_change(sql::HOLD_ACCOUNT, &[&by.account], only::<AccountId>)?;
    if let Some(known) = recognise(tx, by.account, person)? {
        return fill_in(tx, by, known, person).map(Some);
    }
    if !ops::take_room(tx, by)? {
        return Ok(None);
    }
    let new = NewContact {
        phone: person.phone.clone(),
        name: person.name.clone(),
        email: person.email.clone(),
        company: None,
        tag_ids: None,
        custom_fields: None,
    };
    let made = ops::add(tx, by, &new, Room::Taken);
    unless_taken(tx, made).map(|contact| Some(contact.id))
}

fn recognise(tx: &mut Tx<'_>, account: AccountId, person: &Person) -> db::Result<Option<ContactId>> {
    if let Some(phone) = &person.phone
        && let Some(known) = sql::find_by_phone(tx, account, phone)?
    {
        return Ok(Some(known));
    }
    match &person.email {
        Some(email) => sql::find_by_email(tx, account, email),
        None => Ok(None),
    }
}

fn fill_in(tx: &mut Tx<'_>, by: &By, id: ContactId, person: &Person) -> Result<ContactId, ContactError> {
    fn missing<T: Clone, K>(known: Option<&K>, told: Option<&T>) -> Patch<T> {
        told.filter(|_| known.is_none()).map_or(Patch::Keep, |told| Patch::Set(told.clone()))
    }
    // It was erased or merged since it was recognised: run again, this finds what is there now.
    let Some(contact) = sql::find_to_change(tx, by.account, id)? else { return Err(tx.again().into()) };
    // An address that is another contact's says nothing about this one.
    let email = match &person.email {
        Some(email) if sql::find_by_email(tx, by.account, email)?.is_none() => Some(email),
        _ => None,
    };
    let patch = ContactPatch {
        phone: missing(contact.phone.as_ref(), person.phone.as_ref()),
        name: missing(contact.name.as_ref(), person.name.as_ref()),
        email: missing(contact.email.as_ref(), email),
        company: Patch::Keep,
        tag_ids: Patch::Keep,
        custom_fields: None,
    };
    let patched = ops::patch(tx, by, id, &patch);
    unless_taken(tx, patched).map(|contact| contact.id)
}

/// Another took the number since it was looked for: run again, this finds who.
fn unless_taken<T>(tx: &mut Tx<'_>, done: Result<T, ContactError>) -> Result<T, ContactError> {
    match done {
        Err(ContactError::PhoneTaken { .. }) => Err(tx.again().into()),
        done => done,
    }
}
