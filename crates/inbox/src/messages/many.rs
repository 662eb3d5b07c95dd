//! Many messages at once: found, updated and reported.

use std::collections::{HashMap, HashSet};

use frontdesk_db::{self as db, FOR_UPDATE, Row, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::events::{self, NewEvent};

use super::history;
use super::message::{Message, MessageId, MessageStatus};
use super::sql::{HOLD, OWNER, SET};
use super::status::{Change, Known, StatusAdvance, advanced, announcements};
use crate::connections::ConnectionId;
use crate::media::Links;

/// Changes a message only if nothing else has since it was written, it was not moved to another conversation, and no other
/// message has the channel's id.
const SET_SENT: &str =
    "UPDATE OR IGNORE messages SET status = 'sent', channel_message_id = $5, status_changes = 1
    WHERE account_id = $1 AND id = $2 AND connection_id = $3 AND conversation_id = $4
        AND status = 'sending' AND status_changes = 0 AND channel_message_id IS NULL AND error IS NULL
        AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = $1 AND e.subject = $4)";

pub(super) const SQLITE_STATEMENTS: &[(&str, &str)] = &[("messages::SET_SENT", SET_SENT)];

/// A message that we send, by our own id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) account: AccountId,
    pub(crate) connection: ConnectionId,
    pub(crate) message: MessageId,
}

/// The channel's id of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'n> {
    pub(crate) of: Key,
    pub(crate) name: &'n str,
}

impl Named<'_> {
    /// The parameters of a statement about each of these names.
    pub(crate) fn keys<'n>(names: &'n [Self]) -> Vec<[&'n dyn db::Param; 3]> {
        let key = |it: &'n Self| [&it.of.account as &dyn db::Param, &it.of.connection, &it.name];
        names.iter().map(key).collect()
    }
}

/// A message, locked until the transaction ends.
pub(crate) struct LockedMessage {
    known: Known,
    message: Message,
}

fn standing(row: &mut Row<'_>, links: &Links, now: Timestamp) -> db::Result<LockedMessage> {
    let message = super::read(row, links, now)?;
    let connection: ConnectionId = row.next()?;
    let known = Known {
        id: message.id,
        connection,
        status: message.status,
        channel_message_id: message.channel_message_id.clone(),
        error: row.next()?,
        changes: row.next()?,
    };
    Ok(LockedMessage { known, message })
}

/// Locks messages, in the order of their ids. Missing ones are left out.
pub(crate) fn hold(
    tx: &mut Tx<'_>,
    mut keys: Vec<Key>,
    links: &Links,
    now: Timestamp,
) -> db::Result<HashMap<MessageId, LockedMessage>> {
    keys.sort_unstable_by_key(|key| key.message);
    keys.dedup();
    let rows: Vec<[&dyn db::Param; 3]> =
        keys.iter().map(|key| [&key.account as &dyn db::Param, &key.message, &key.connection]).collect();
    let found = tx.find_each_locked(HOLD, FOR_UPDATE, &rows, |row| standing(row, links, now))?;
    Ok(found.into_iter().flatten().map(|standing| (standing.known.id, standing)).collect())
}

/// The messages with these channel ids, in the same order.
pub(crate) fn owners(tx: &mut Tx<'_>, names: &[Named<'_>]) -> db::Result<Vec<Option<MessageId>>> {
    tx.find_each(OWNER, &Named::keys(names), only)
}

/// Advances the statuses of messages, each as [`super::advance`] does. None of the changes is a failure.
pub(crate) fn advance_many(
    tx: &mut Tx<'_>,
    acting: &HashMap<AccountId, By>,
    changes: Vec<(AccountId, LockedMessage, Change)>,
) -> db::Result<()> {
    let mut rows = Vec::with_capacity(changes.len());
    let mut news = News::with_capacity(changes.len());
    for (account, LockedMessage { known, mut message }, change) in changes {
        let Some(advanced) = advanced(&known, &change) else { continue };
        if advanced.moves {
            message.status = advanced.status;
            message.channel_message_id.clone_from(&advanced.channel_message_id);
            let at = change.at.unwrap_or(acting[&account].now);
            news.add(
                account,
                &message,
                known.status,
                &change,
                (advanced.changes, at, advanced.error.clone()),
            )?;
        }
        rows.push((account, known.id, advanced));
    }
    set(tx, &rows)?;
    news.write(tx, acting)
}

/// A message as this process wrote it, which its channel has accepted under a name.
pub(crate) struct Accepted<'m> {
    pub(crate) of: Key,
    pub(crate) written: &'m Message,
    pub(crate) name: &'m str,
}

/// Marks messages as sent on SQLite without reading them first; [`advance_many`] would change the same. Returns those
/// that it marked. It leaves a message that something has changed, and one whose name another message has.
pub(crate) fn mark_sent(
    tx: &mut Tx<'_>,
    acting: &HashMap<AccountId, By>,
    messages: &[Accepted<'_>],
) -> db::Result<HashSet<MessageId>> {
    let mut news = News::with_capacity(messages.len());
    let mut marked = HashSet::with_capacity(messages.len());
    for Accepted { of: Key { account, connection, message }, written, name } in messages {
        let params: &[&dyn db::Param] = &[account, message, connection, &written.conversation_id, name];
        if !tx.execute(SET_SENT, params)?.any() {
            continue;
        }
        marked.insert(*message);
        let name = Some((*name).to_owned());
        let sent = Message { status: MessageStatus::Sent, channel_message_id: name, ..(*written).clone() };
        let change = Change { status: sent.status, channel_message_id: None, error: None, at: None };
        news.add(*account, &sent, written.status, &change, (1, acting[account].now, None))?;
    }
    news.write(tx, acting)?;
    Ok(marked)
}

/// Statuses of messages, for their history and as events.
struct News {
    statuses: Vec<history::Entry>,
    events: HashMap<AccountId, Vec<NewEvent>>,
}

impl News {
    fn with_capacity(messages: usize) -> Self {
        Self { statuses: Vec::with_capacity(messages), events: HashMap::new() }
    }

    /// The message has a new status: which of its changes this is, its time and its error.
    fn add(
        &mut self,
        account: AccountId,
        message: &Message,
        before: MessageStatus,
        change: &Change,
        (n, at, error): (i64, Timestamp, Option<String>),
    ) -> db::Result<()> {
        let events = announcements(message, before, change)?;
        self.events.entry(account).or_default().extend(events);
        let (message, status) = (message.id, message.status);
        self.statuses.push(history::Entry { account, message, n, status, at, error });
        Ok(())
    }

    fn write(self, tx: &mut Tx<'_>, acting: &HashMap<AccountId, By>) -> db::Result<()> {
        history::write_many(tx, &self.statuses)?;
        for (account, events) in self.events {
            events::write_many(tx, &acting[&account], &events)?;
        }
        Ok(())
    }
}

/// A message and the change of its row.
type NewState = (AccountId, MessageId, StatusAdvance);

fn set(tx: &mut Tx<'_>, rows: &[NewState]) -> db::Result<()> {
    let mut changes: Vec<[&dyn db::Param; 6]> = Vec::with_capacity(rows.len());
    for (account, id, advanced) in rows {
        let StatusAdvance { status, error, channel_message_id, changes: count, .. } = advanced;
        changes.push([account, id, status, error, channel_message_id, count]);
    }
    tx.execute_each(SET, &changes)?.into_iter().try_for_each(|touched| touched.exactly(1))
}
