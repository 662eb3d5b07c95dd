//! Finds the contact of a person or creates one. Everybody who writes, submits a form, books, or is written to goes
//! through [`find_or_create`]; a [`Policy`] says how they are recognised and what may be done.
//!
//! What is known of a contact stays as it is. Only what is missing is filled in.

use frontdesk_db::{self as db, Dialect, List, ReadTx, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::text::is_blank;
use frontdesk_kernel::{Email, Phone, Text};
use frontdesk_platform::By;
use frontdesk_platform::events;

use super::contact::{Contact, ContactId};
use super::event_types::{self, ContactEventData};
use super::ops;
use super::sql::{self, Inserted};

/// The longest name of a contact; people put poems into their profiles.
const NAME_CHARS_MAX: usize = 200;

frontdesk_db::statements! {
    COUNT = "UPDATE accounts SET contact_count = contact_count + 1 WHERE id = $1 AND contact_limit IS NOT NULL";
    LACKS = "SELECT name IS NULL, phone IS NULL, email IS NULL FROM contacts WHERE account_id = $1 AND id = $2";
}

const KNOWN_MANY: &str = "SELECT coalesce(
        (SELECT c.id FROM contacts c WHERE c.account_id = $1 AND c.phone_key = v.key),
        (SELECT p.contact_id FROM contact_phones p WHERE p.account_id = $1 AND p.phone_key = v.key))
    FROM unnest($2::text[]) WITH ORDINALITY AS v (key, n) ORDER BY v.n";
pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[("contacts::KNOWN_MANY", KNOWN_MANY)];

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

/// A name from a channel's profile as a contact can have it: without control characters, trimmed, and cut to length.
pub fn name_of(profile: &str) -> Option<Text<NAME_CHARS_MAX>> {
    let kept: String = profile.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    let kept = kept.trim();
    if is_blank(kept) { None } else { kept.parse().ok() }
}

/// How a person is recognised, and what happens to the contact that is found or missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub known_by: KnownBy,
    /// Whether a contact that is found gets what it lacks. It is then locked until the transaction ends.
    pub fill_in: bool,
    pub limit: Limit,
    /// Whether a person without a name, phone or email becomes a contact.
    pub anonymous: bool,
}

/// By what a contact is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// By nothing that a person says: each becomes a contact of their own.
    Nothing,
    Phone,
    /// An address that is one contact's is then not filled in at another.
    PhoneThenEmail,
}

/// What the plan's limit means for a new contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The contact is made past the limit too, and counted.
    Counted,
    /// Past the limit no contact is made.
    Enforced,
}

impl Policy {
    /// A customer writes on a channel, which knows them by an id of its own. Nobody who writes is turned away.
    pub const CUSTOMER: Self =
        Self { known_by: KnownBy::Phone, fill_in: true, limit: Limit::Counted, anonymous: true };
    /// A visitor of a website's chat. Whatever they say of themselves is a claim, and a contact's conversation is shown
    /// to whoever is taken for it, so they never become a contact that exists.
    pub const VISITOR: Self =
        Self { known_by: KnownBy::Nothing, fill_in: false, limit: Limit::Counted, anonymous: true };
    /// Somebody submits a form or books.
    pub const FORM: Self =
        Self { known_by: KnownBy::PhoneThenEmail, fill_in: true, limit: Limit::Enforced, anonymous: false };
    /// A message is sent to a number.
    pub const RECIPIENT: Self =
        Self { known_by: KnownBy::Phone, fill_in: false, limit: Limit::Enforced, anonymous: false };
}

/// The contact of a person, found or made. None when the policy makes none: the plan's limit is reached, or the person
/// tells nothing of themselves.
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
        // No key keeps two contacts from having one address. Of two requests at once the second waits here, and then
        // finds the contact that the first has made.
        if let Some(phone) = &person.phone {
            sql::lock_number(tx, by.account, phone)?;
        }
        limit = tx.find_to_change(sql::CONTACT_LIMIT, &[&by.account], only::<Option<i64>>)?.flatten();
        if let Some(known) = recognise(tx, by, person, policy)? {
            return Ok(Some(known));
        }
    }
    if policy.limit == Limit::Enforced && policy.known_by != KnownBy::PhoneThenEmail {
        limit = sql::limit(tx, by.account)?;
    }
    if policy.limit == Limit::Enforced && limit.is_some() && !ops::take_room(tx, by)? {
        return Ok(None);
    }
    let (made, limit) = make(tx, by, person)?;
    if policy.limit == Limit::Counted && limit.is_some() {
        let _limit_lifted_meanwhile_is_fine = tx.execute(COUNT, &[&by.account])?;
    }
    Ok(Some(made))
}

/// The contacts that numbers lead to, in the order of the numbers.
pub fn known(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    phones: &[Phone],
) -> db::Result<Vec<Option<ContactId>>> {
    if tx.dialect() == Dialect::Postgres {
        let keys: Vec<String> = phones.iter().map(Phone::key).collect();
        return tx.query(KNOWN_MANY, &[&account, &List(keys)], only);
    }
    phones.iter().map(|phone| sql::find_by_phone(tx, account, phone)).collect()
}

fn recognise(tx: &mut Tx<'_>, by: &By, person: &Person, policy: Policy) -> db::Result<Option<ContactId>> {
    let by_phone = match &person.phone {
        Some(phone) if policy.known_by != KnownBy::Nothing => sql::find_by_phone(tx, by.account, phone)?,
        _ => None,
    };
    let found = match (by_phone, &person.email) {
        (None, Some(email)) if policy.known_by == KnownBy::PhoneThenEmail => {
            sql::find_by_email(tx, by.account, email)?
        }
        (found, _) => found,
    };
    if let Some(known) = found.filter(|_| policy.fill_in) {
        fill_in(tx, by, known, person, policy.known_by)?;
    }
    Ok(found)
}

/// Makes a contact; returns it with the account's limit.
fn make(tx: &mut Tx<'_>, by: &By, person: &Person) -> db::Result<(ContactId, Option<i64>)> {
    let id: ContactId = by.new_id();
    events::expect(tx, by)?;
    let mut contact = Contact {
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
    };
    let Inserted::Made { contact_limit } = sql::insert(tx, by, &mut contact, person.email.as_ref())? else {
        // Another contact took the number after the lookup. Run again, this finds it.
        return Err(tx.again());
    };
    events::write(tx, by, event_types::CREATED, &ContactEventData { contact: &contact })?;
    Ok((id, contact_limit))
}

/// Fills in the fields that a contact lacks and the person has. The row is locked first, so a change that commits
/// meanwhile is kept.
pub fn fill_in(
    tx: &mut Tx<'_>,
    by: &By,
    id: ContactId,
    person: &Person,
    known_by: KnownBy,
) -> db::Result<()> {
    let lacks = tx.find_to_change(LACKS, &[&by.account, &id], |row| {
        Ok([row.next::<bool>()?, row.next::<bool>()?, row.next::<bool>()?])
    })?;
    // It was erased or merged after it was found. Run again, this finds what is there now.
    let Some([name, phone, email]) = lacks else { return Err(tx.again()) };
    let tells_more =
        name && person.name.is_some() || phone && person.phone.is_some() || email && person.email.is_some();
    if !tells_more {
        return Ok(());
    }
    let before = sql::find(tx, by.account, id)?.ok_or(db::Error::Decode("contact"))?;
    let mut contact = before.clone();
    if name {
        contact.name = person.name.as_ref().map(ToString::to_string);
    }
    if phone && let Some(told) = &person.phone {
        sql::lock_number(tx, by.account, told)?;
        // A number that is another contact's says nothing about this one.
        contact.phone = sql::find_by_phone(tx, by.account, told)?.is_none().then(|| told.clone());
    }
    if email && let Some(told) = &person.email {
        let is_taken =
            known_by == KnownBy::PhoneThenEmail && sql::find_by_email(tx, by.account, told)?.is_some();
        contact.email = (!is_taken).then(|| told.to_string());
    }
    let told = |contact: &Contact| (contact.name.clone(), contact.phone.clone(), contact.email.clone());
    if told(&contact) == told(&before) {
        return Ok(());
    }
    contact.updated_at = by.now;
    match sql::update(tx, by, &before, &contact) {
        // Another contact took the number after the lookup. Run again, this finds it taken.
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
