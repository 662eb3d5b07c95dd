//! Channel data of existing contacts.

use frontdesk_db::{self as db, Dialect, List, Query, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::contact::ContactId;

frontdesk_db::statements! {
    HEARD = "UPDATE contacts SET last_inbound_at = $3 WHERE account_id = $1 AND id = $2 AND (last_inbound_at IS NULL OR last_inbound_at < $3)";
    MET = "INSERT INTO contact_channels (account_id, contact_id, channel) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
}

const MET_MANY: &str = "INSERT INTO contact_channels (account_id, contact_id, channel) SELECT $1, unnest($2::uuid[]), $3 ON CONFLICT DO NOTHING";
pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[("contacts::MET_MANY", MET_MANY)];

/// Stores that many contacts use a channel.
pub fn met_many(
    tx: &mut Tx<'_>,
    account: AccountId,
    ids: &[ContactId],
    channel: &'static str,
) -> db::Result<()> {
    if tx.dialect() == Dialect::Sqlite {
        return ids.iter().try_for_each(|id| note_channel(tx, account, *id, channel));
    }
    let params: Vec<db::OwnedParam> =
        vec![Box::new(account), Box::new(List(ids.to_vec())), Box::new(channel)];
    tx.execute_along(Query::whole(MET_MANY, params))
}

/// Stores that a contact uses a channel.
pub fn note_channel(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ContactId,
    channel: &'static str,
) -> db::Result<()> {
    tx.execute_along(Query::whole(MET, vec![Box::new(account), Box::new(id), Box::new(channel)]))
}

/// Stores when a contact last wrote. An earlier time than the stored one changes nothing.
pub fn note_inbound(tx: &mut Tx<'_>, account: AccountId, id: ContactId, at: Timestamp) -> db::Result<()> {
    tx.execute_along(Query::whole(HEARD, vec![Box::new(account), Box::new(id), Box::new(at)]))
}
