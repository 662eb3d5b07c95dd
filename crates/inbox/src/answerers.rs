//! The assistants that answer in the inbox, and the connections on which each takes new conversations.
//!
//! A crate above this one manages assistants and writes every change here in the same transaction. A target
//! is a channel's name, or `pwa:` and the id of one personal number.

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::ids::{AccountId, AssistantId};

use crate::connections::{Channel, ConnectionId};

/// The prefix of a personal number's id.
pub const PERSONAL_PREFIX: &str = "pwa:";

frontdesk_db::statements! {
    PUT = "INSERT INTO answerers (account_id, assistant_id, enabled, targets) VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_id, assistant_id) DO UPDATE SET enabled = excluded.enabled, targets = excluded.targets";
    REMOVE = "DELETE FROM answerers WHERE account_id = $1 AND assistant_id = $2";
    FIND = "SELECT assistant_id FROM answerers WHERE account_id = $1 AND assistant_id = $2";
    ENABLED = "SELECT assistant_id, targets FROM answerers WHERE account_id = $1 AND enabled ORDER BY assistant_id";
}

/// Stores an assistant that was created or changed.
pub fn put(
    tx: &mut Tx<'_>,
    account: AccountId,
    assistant: AssistantId,
    enabled: bool,
    targets: &[String],
) -> db::Result<()> {
    let targets = serde_json::to_string(targets).map_err(|_| db::Error::Decode("targets"))?;
    tx.execute(PUT, &[&account, &assistant, &enabled, &targets])?.exactly(1)
}

/// Removes a deleted assistant.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, assistant: AssistantId) -> db::Result<()> {
    tx.execute(REMOVE, &[&account, &assistant])?.exactly(1)
}

pub fn exists(tx: &mut ReadTx<'_>, account: AccountId, assistant: AssistantId) -> db::Result<bool> {
    Ok(tx.find(FIND, &[&account, &assistant], only::<AssistantId>)?.is_some())
}

/// The assistant that takes new conversations on a connection: the oldest enabled one that targets it.
pub(crate) fn of_connection(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    channel: Channel,
    connection: ConnectionId,
) -> db::Result<Option<AssistantId>> {
    let enabled = tx.query(ENABLED, &[&account], |row| {
        let (id, targets): (AssistantId, String) = (row.next()?, row.next()?);
        let targets: Vec<String> =
            serde_json::from_str(&targets).map_err(|_| db::Error::Decode("targets"))?;
        Ok((id, targets))
    })?;
    let takes = |targets: &[String]| targets.iter().any(|target| is_met(target, channel, connection));
    Ok(enabled.into_iter().find(|(_, targets)| takes(targets)).map(|(id, _)| id))
}

/// Whether a target matches this connection.
pub fn is_met(target: &str, channel: Channel, connection: ConnectionId) -> bool {
    match target.strip_prefix(PERSONAL_PREFIX) {
        Some(id) => id.parse().is_ok_and(|id: ConnectionId| id == connection),
        None => target == channel.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_target_is_a_channel_or_one_personal_number() {
        let number = ConnectionId::from_uuid(Uuid::from_u128(7));
        let met = |target: &str| is_met(target, Channel::PersonalWhatsapp, number);
        assert!(met("personal_whatsapp") && met(&format!("pwa:{number}")));
        for other in ["whatsapp", "", "pwa:", "pwa:00000000-0000-0000-0000-000000000008"] {
            assert!(!met(other), "{other}");
        }
    }
}
