//! Many messages at once: found, updated and reported with one statement per table on PostgreSQL.

use std::collections::{HashMap, HashSet};

use frontdesk_db::{self as db, Dialect, List, Query, Row, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::events::{self, NewEvent};

use super::history;
use super::message::{Message, MessageId, MessageStatus};
use super::status::{Change, Known, SET, StatusAdvance, advanced, announcements};
use crate::connections::ConnectionId;
use crate::media::Links;

macro_rules! columns {
    ($from:literal) => {
        concat!(
            "SELECT m.id, m.conversation_id, m.direction, m.sender_type, m.type, m.text, m.media_id, m.media_url, m.template_name, m.status,
                m.channel_message_id, m.reply_to_message_id, m.connection_id, m.error, m.status_changes FROM ", $from,
            " m.direction = 'outbound'
                AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = m.account_id AND e.subject = m.conversation_id)"
        )
    };
}

frontdesk_db::statements! {
    HOLD = columns!("messages m WHERE m.account_id = $1 AND m.id = $2 AND m.connection_id = $3 AND");
    OWNER = "SELECT id FROM messages WHERE account_id = $1 AND connection_id = $2 AND channel_message_id = $3";
}

const HOLD_MANY: &str = concat!(
    columns!(
        "unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS v (account_id, id, connection_id)
            JOIN messages m ON m.account_id = v.account_id AND m.id = v.id AND m.connection_id = v.connection_id WHERE"
    ),
    " ORDER BY m.id FOR UPDATE OF m"
);
const OWNERS_MANY: &str = "SELECT (SELECT m.id FROM messages m
        WHERE m.account_id = v.account_id AND m.connection_id = v.connection_id AND m.channel_message_id = v.name)
    FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS v (account_id, connection_id, name, n) ORDER BY v.n";
const SET_MANY: &str = "UPDATE messages m SET status = v.status, error = v.error, channel_message_id = v.name, status_changes = v.changes
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[]) AS v (account_id, id, status, error, name, changes)
    WHERE m.account_id = v.account_id AND m.id = v.id";

pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[
    ("messages::HOLD_MANY", HOLD_MANY),
    ("messages::OWNERS_MANY", OWNERS_MANY),
    ("messages::SET_MANY", SET_MANY),
];

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
    /// Accounts, connections and channel ids, each as one parameter.
    pub(crate) fn lists<'n>(names: &[Named<'n>]) -> (List<AccountId>, List<ConnectionId>, List<&'n str>) {
        let accounts = names.iter().map(|name| name.of.account).collect();
        let connections = names.iter().map(|name| name.of.connection).collect();
        (List(accounts), List(connections), List(names.iter().map(|name| name.name).collect()))
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
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    keys.sort_unstable_by_key(|key| key.message);
    keys.dedup();
    let mut found = Vec::with_capacity(keys.len());
    if tx.dialect() == Dialect::Postgres {
        let params: &[&dyn db::Param] = &[
            &List(keys.iter().map(|key| key.account).collect()),
            &List(keys.iter().map(|key| key.message).collect()),
            &List(keys.iter().map(|key| key.connection).collect()),
        ];
        found = tx.query(HOLD_MANY, params, |row| standing(row, links, now))?;
    } else {
        for key in keys {
            let params: &[&dyn db::Param] = &[&key.account, &key.message, &key.connection];
            found.extend(tx.find(HOLD, params, |row| standing(row, links, now))?);
        }
    }
    Ok(found.into_iter().map(|standing| (standing.known.id, standing)).collect())
}

/// The messages with these channel ids, in the same order.
pub(crate) fn owners(tx: &mut Tx<'_>, names: &[Named<'_>]) -> db::Result<Vec<Option<MessageId>>> {
    if tx.dialect() == Dialect::Postgres {
        let (accounts, connections, names) = Named::lists(names);
        return tx.query(OWNERS_MANY, &[&accounts, &connections, &names], only);
    }
    let owner = |name: &Named<'_>| tx.find(OWNER, &[&name.of.account, &name.of.connection, &name.name], only);
    names.iter().map(owner).collect()
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
    fn each<T: db::Param + Send + 'static>(
        rows: &[NewState],
        of: impl Fn(&StatusAdvance) -> T,
    ) -> db::OwnedParam {
        Box::new(List(rows.iter().map(|(_, _, advanced)| of(advanced)).collect()))
    }
    if rows.is_empty() {
        return Ok(());
    }
    if tx.dialect() == Dialect::Sqlite {
        return rows.iter().try_for_each(|(account, id, advanced)| {
            let params: &[&dyn db::Param] = &[
                account,
                id,
                &advanced.status,
                &advanced.error,
                &advanced.channel_message_id,
                &advanced.changes,
            ];
            tx.execute(SET, params)?.exactly(1)
        });
    }
    let params: Vec<db::OwnedParam> = vec![
        Box::new(List(rows.iter().map(|(account, ..)| *account).collect())),
        Box::new(List(rows.iter().map(|(_, id, _)| *id).collect())),
        each(rows, |advanced| advanced.status),
        each(rows, |advanced| advanced.error.clone()),
        each(rows, |advanced| advanced.channel_message_id.clone()),
        each(rows, |advanced| advanced.changes),
    ];
    tx.execute_along(Query::whole(SET_MANY, params))
}
