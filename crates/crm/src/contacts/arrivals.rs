//! People who come by themselves: they write, they send a form, they book. They are never refused for a plan limit;
//! they are counted towards it all the same.

use frontdesk_db::{self as db, Query, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::text::is_blank;
use frontdesk_kernel::{Email, Phone, Timestamp};
use frontdesk_platform::By;
use frontdesk_platform::events::{self, EventType};

use super::contact::{Contact, ContactId};
use super::ops::ContactEvent;
use super::sql;

/// The longest name that is taken over from a channel; people put poems there.
const NAME_CHARS_MAX: usize = 200;

frontdesk_db::statements! {
    COUNT = "UPDATE accounts SET contact_count = contact_count + 1 WHERE id = $1 AND contact_limit IS NOT NULL";
    HEARD = "UPDATE contacts SET last_inbound_at = $3 WHERE account_id = $1 AND id = $2 AND (last_inbound_at IS NULL OR last_inbound_at < $3)";
    LACKS = "SELECT name IS NULL, phone IS NULL FROM contacts WHERE account_id = $1 AND id = $2";
    MET = "INSERT INTO contact_channels (account_id, contact_id, channel) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
}

/// What is known of somebody who came by themselves.
#[derive(Clone, Debug, Default)]
pub struct Arrival {
    pub name: Option<String>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
}

/// Makes a contact of somebody who came. Their number must belong to nobody yet; if it does meanwhile, the transaction
/// is run again.
pub fn arrive(tx: &mut Tx<'_>, by: &By, arrival: &Arrival) -> db::Result<ContactId> {
    let id: ContactId = by.new_id();
    events::expect(tx, by)?;
    let mut contact = Contact {
        id,
        name: arrival.name.as_deref().and_then(name),
        phone: arrival.phone.clone(),
        email: arrival.email.as_ref().map(ToString::to_string),
        company: None,
        avatar_url: None,
        tags: Vec::new(),
        custom_fields: Vec::new(),
        created_at: id.created_at(),
        updated_at: id.created_at(),
    };
    if !sql::insert(tx, by, &mut contact, arrival.email.as_ref())? {
        return Err(tx.again());
    }
    if by.contact_limit.is_some() {
        let _limit_lifted_meanwhile_is_fine = tx.execute(COUNT, &[&by.account])?;
    }
    events::write(tx, by, EventType::ContactCreated, &ContactEvent { contact: &contact })?;
    Ok(id)
}

/// Fills in the name and the number of a contact that has none. What is known stays.
///
/// The row is locked before it is read to be written, so a change that commits meanwhile is kept. A contact that lacks
/// nothing is not locked.
pub fn introduce(
    tx: &mut Tx<'_>,
    by: &By,
    id: ContactId,
    given: Option<&str>,
    phone: Option<&Phone>,
) -> db::Result<()> {
    let given = given.and_then(name);
    let Some((lacks_name, lacks_phone)) =
        tx.find(LACKS, &[&by.account, &id], |row| Ok((row.next::<bool>()?, row.next::<bool>()?)))?
    else {
        return Ok(());
    };
    if !(lacks_name && given.is_some() || lacks_phone && phone.is_some()) {
        return Ok(());
    }
    let Some(before) = sql::find_to_change(tx, by.account, id)? else { return Ok(()) };
    let mut contact = before.clone();
    contact.name = contact.name.or(given);
    if contact.phone.is_none()
        && let Some(phone) = phone
        && sql::find_by_phone(tx, by.account, phone)?.is_none()
    {
        contact.phone = Some(phone.clone());
    }
    if (&contact.name, &contact.phone) == (&before.name, &before.phone) {
        return Ok(());
    }
    contact.updated_at = by.now;
    match sql::update(tx, by, &before, &contact) {
        // Another contact took the number after the lookup. Run again, this finds it taken.
        Err(error) if error.is_constraint("contacts_phone_key") => return Err(tx.again()),
        outcome => outcome?,
    }
    events::write(tx, by, EventType::ContactUpdated, &ContactEvent { contact: &contact })?;
    Ok(())
}

/// Notes that a contact was met on a channel.
pub fn met(tx: &mut Tx<'_>, account: AccountId, id: ContactId, channel: &str) -> db::Result<()> {
    let _met_already_is_fine = tx.execute(MET, &[&account, &id, &channel])?;
    Ok(())
}

/// Notes when a contact was last heard from. An earlier moment than the one that is known changes nothing.
pub fn heard(tx: &mut Tx<'_>, account: AccountId, id: ContactId, at: Timestamp) -> db::Result<()> {
    tx.execute_along(Query::whole(HEARD, vec![Box::new(account), Box::new(id), Box::new(at)]))
}

/// The contact with this number.
pub fn find_by_phone(tx: &mut Tx<'_>, account: AccountId, phone: &Phone) -> db::Result<Option<ContactId>> {
    sql::find_by_phone(tx, account, phone)
}

/// A name as it can be kept: trimmed, without control characters, and not too long.
fn name(given: &str) -> Option<String> {
    let kept: String = given.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    let kept = kept.trim();
    (!is_blank(kept)).then(|| kept.to_owned())
}
