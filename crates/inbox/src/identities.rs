//! Identities: a person's id on one connection, and the contact it belongs to.
//!
//! A person is found by the channel's id, then by their phone number; otherwise a contact is created. If two
//! transactions create the same person, the second is run again and finds the first one's contact.

use frontdesk_channels::Person;
use frontdesk_crm::contacts::{self, ContactId, Policy};
use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::export::{Exported, ExportedRows};
use frontdesk_platform::export_columns;

use crate::connections::{ConnectionId, StoredConnection};

frontdesk_db::statements! {
    FIND = "SELECT i.contact_id FROM identities i JOIN contacts c ON c.account_id = i.account_id AND c.id = i.contact_id
        WHERE i.account_id = $1 AND i.connection_id = $2 AND i.person = $3";
    FIND_PERSON = "SELECT person FROM identities WHERE account_id = $1 AND contact_id = $2 AND connection_id = $3 ORDER BY person LIMIT 1";
    INSERT = "INSERT INTO identities (account_id, connection_id, person, contact_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    /// A separate statement, so that it sees a contact created by the transaction that the insert waited for.
    RELINK = "UPDATE identities SET contact_id = $4 WHERE account_id = $1 AND connection_id = $2 AND person = $3
        AND NOT EXISTS (SELECT 1 FROM contacts c WHERE c.account_id = identities.account_id AND c.id = identities.contact_id)";
    MOVE = "UPDATE identities SET person = $4 WHERE account_id = $1 AND connection_id = $2 AND person = $3";
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "identities",
    &["identities"],
    export_columns!("connection_id": ConnectionId, "person": String, "contact_id": ContactId),
)
.keyed(&["t.connection_id", "t.person"])
.of_contact("t.contact_id = {contact}")];

pub(crate) fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    connection: ConnectionId,
    person: &str,
) -> db::Result<Option<ContactId>> {
    tx.find(FIND, &[&account, &connection, &person], only)
}

/// The positions in the list of people without a contact.
pub(crate) fn unknown(tx: &mut Tx<'_>, people: &[(AccountId, ConnectionId, &str)]) -> db::Result<Vec<usize>> {
    let rows: Vec<[&dyn db::Param; 3]> = people
        .iter()
        .map(|(account, connection, person)| [account as &dyn db::Param, connection, person])
        .collect();
    let found = tx.find_each(FIND, &rows, only::<ContactId>)?;
    Ok(found.iter().enumerate().filter(|(_, contact)| contact.is_none()).map(|(at, _)| at).collect())
}

/// The channel's id of a contact on one connection.
pub(crate) fn person_of(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    contact: ContactId,
    connection: ConnectionId,
) -> db::Result<Option<String>> {
    tx.find(FIND_PERSON, &[&account, &contact, &connection], only)
}

/// The channel's ids of contacts on one connection, in the order of the contacts.
pub(crate) fn persons_of(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    contacts: &[ContactId],
    connection: ConnectionId,
) -> db::Result<Vec<Option<String>>> {
    let rows: Vec<[&dyn db::Param; 3]> =
        contacts.iter().map(|contact| [&account as &dyn db::Param, contact, &connection]).collect();
    tx.find_each(FIND_PERSON, &rows, only)
}

/// Finds or creates the contact of a person who wrote.
pub(crate) fn find_or_create_contact(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    person: &Person,
) -> db::Result<ContactId> {
    for id in [Some(&person.id), person.also.as_ref()].into_iter().flatten() {
        if let Some(contact) = find(tx, by.account, connection.id(), id)? {
            // Both ids lead to this contact from now on: the next message may contain only one of them.
            for name in [Some(&person.id), person.also.as_ref()].into_iter().flatten() {
                if name != id {
                    remember(tx, by.account, connection.id(), name, contact)?;
                }
            }
            contacts::fill_in(tx, by, contact, &introduction(person), Policy::CUSTOMER.known_by)?;
            return Ok(contact);
        }
    }
    let met = contacts::find_or_create(tx, by, &introduction(person), Policy::CUSTOMER)?;
    let contact = met.ok_or(db::Error::Decode("contact"))?;
    for name in [Some(&person.id), person.also.as_ref()].into_iter().flatten() {
        remember(tx, by.account, connection.id(), name, contact)?;
        if find(tx, by.account, connection.id(), name)? != Some(contact) {
            // Another transaction has stored the same person with a different contact.
            return Err(tx.again());
        }
    }
    Ok(contact)
}

/// Stores the channel's id of a contact. An existing identity stays, unless its contact is deleted.
pub(crate) fn remember(
    tx: &mut Tx<'_>,
    account: AccountId,
    connection: ConnectionId,
    person: &str,
    contact: ContactId,
) -> db::Result<()> {
    let params: &[&dyn db::Param] = &[&account, &connection, &person, &contact];
    if !tx.execute(INSERT, params)?.any() {
        let _known_already_is_fine = tx.execute(RELINK, params)?;
    }
    Ok(())
}

/// The channel has changed a person's id.
pub(crate) fn move_to(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    from: &str,
    to: &Person,
) -> db::Result<()> {
    if find(tx, by.account, connection.id(), &to.id)?.is_none() {
        let _unknown_is_fine = tx.execute(MOVE, &[&by.account, &connection.id(), &from, &to.id])?;
    }
    Ok(())
}

/// The parts of a channel's profile that a contact can store.
fn introduction(person: &Person) -> contacts::Person {
    contacts::Person {
        name: person.name.as_deref().and_then(contacts::name_of),
        phone: person.phone.as_deref().and_then(|phone| phone.parse().ok()),
        email: None,
    }
}
