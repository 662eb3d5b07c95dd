//! Channel data of existing contacts.

use frontdesk_db::{self as db, Query, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::contact::ContactId;
use super::sql::{ADD_CHANNEL, NOTE_INBOUND};

/// Stores that many contacts use a channel.
pub fn note_channels(
    tx: &mut Tx<'_>,
    account: AccountId,
    ids: &[ContactId],
    channel: &'static str,
) -> db::Result<()> {
    let rows: Vec<[&dyn db::Param; 3]> =
        ids.iter().map(|id| [&account as &dyn db::Param, id, &channel]).collect();
    tx.execute_each(ADD_CHANNEL, &rows).map(|_some_use_it_already| ())
}

/// Stores that a contact uses a channel.
pub fn note_channel(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ContactId,
    channel: &'static str,
) -> db::Result<()> {
    tx.execute_along(Query::whole(ADD_CHANNEL, vec![Box::new(account), Box::new(id), Box::new(channel)]))
}

/// Stores when a contact last wrote. An earlier time than the stored one changes nothing.
pub fn note_inbound(tx: &mut Tx<'_>, account: AccountId, id: ContactId, at: Timestamp) -> db::Result<()> {
    tx.execute_along(Query::whole(NOTE_INBOUND, vec![Box::new(account), Box::new(id), Box::new(at)]))
}
