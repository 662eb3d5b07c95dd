//! Customers with an existing conversation.
//!
//! One statement finds the identity, the contact and the conversation of a known customer, and locks the rows
//! that a message changes: the contact first, then the conversation, which is the order of a merge and of an
//! erasure. If the contact or conversation changes while this statement waits for a lock, it finds nothing,
//! and the general path is used.

use frontdesk_channels::Person;
use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::ids::AccountId;

use super::sql::FIND;
use crate::connections::ConnectionId;
use crate::conversations::{self, Conversation};
use crate::identities;

const CONTACT_THEN_CONVERSATION: &str = "FOR UPDATE OF c, v";

/// The conversation of a customer who is known on this connection, if the message contains nothing new about
/// them. The conversation and its contact are locked until the transaction ends.
pub(super) fn find(
    tx: &mut Tx<'_>,
    account: AccountId,
    connection: ConnectionId,
    person: &Person,
) -> db::Result<Option<Conversation>> {
    if let Some(also) = &person.also
        && identities::find(tx, account, connection, also)?.is_none()
    {
        return Ok(None);
    }
    let key: &[&dyn db::Param] = &[&account, &connection, &person.id];
    let found = tx.find_locked(FIND, CONTACT_THEN_CONVERSATION, key, |row| {
        Ok((conversations::read(row)?, row.next::<bool>()?, row.next::<bool>()?))
    })?;
    Ok(found.and_then(|(conversation, lacks_name, lacks_phone)| {
        let brings_news = lacks_name && person.name.is_some() || lacks_phone && person.phone.is_some();
        (!brings_news).then_some(conversation)
    }))
}
