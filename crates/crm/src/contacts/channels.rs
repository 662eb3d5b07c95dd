//! What channels note about contacts that exist.

use frontdesk_db::{self as db, Query, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::contact::ContactId;

frontdesk_db::statements! {
    HEARD = "UPDATE contacts SET last_inbound_at = $3 WHERE account_id = $1 AND id = $2 AND (last_inbound_at IS NULL OR last_inbound_at < $3)";
    MET = "INSERT INTO contact_channels (account_id, contact_id, channel) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
}

/// Notes that a contact was met on a channel.
pub fn met(tx: &mut Tx<'_>, account: AccountId, id: ContactId, channel: &'static str) -> db::Result<()> {
    tx.execute_along(Query::whole(MET, vec![Box::new(account), Box::new(id), Box::new(channel)]))
}

/// Notes when a contact was last heard from. An earlier moment than the one that is known changes nothing.
pub fn heard(tx: &mut Tx<'_>, account: AccountId, id: ContactId, at: Timestamp) -> db::Result<()> {
    tx.execute_along(Query::whole(HEARD, vec![Box::new(account), Box::new(id), Box::new(at)]))
}
