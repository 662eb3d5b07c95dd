//! Many rows of one connection, queued or withdrawn with one statement on PostgreSQL.

use std::slice;
use std::sync::Arc;

use frontdesk_db::{self as db, Dialect, List, Query, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;

use super::order::{ended, pass_on_all};
use super::queue::{self, Priority, SendPayload, Subject, written};
use super::{QUEUED, strangers};
use crate::connections::StoredConnection;
use crate::ids::MessageId;
use crate::message::Message;

frontdesk_db::statements! {
    WITHDRAW = "DELETE FROM sends WHERE account_id = $1 AND message_id = $2 AND state = 'queued'
        RETURNING connection_id, conversation_id, ready AND priority < 9";
    OUTSTANDING = "SELECT message_id FROM sends WHERE account_id = $1 AND message_id = $2 AND (state = 'queued' OR handed_at > $3)";
}

const QUEUE_MANY: &str = "INSERT INTO sends (account_id, message_id, part, connection_id, conversation_id, person, payload, priority, state, due_at, tries, ready)
    SELECT $1, v.message_id, 0, $2, v.conversation_id, v.person, v.payload, $3, 'queued', $4, 0,
        (SELECT a.part FROM sends a WHERE a.connection_id = $2 AND a.conversation_id = v.conversation_id AND a.priority < 9
            AND (a.state = 'queued' OR a.ready) ORDER BY a.priority, a.message_id, a.part LIMIT 1 FOR SHARE) IS NULL
    FROM unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[]) AS v (message_id, conversation_id, person, payload)";
const WITHDRAW_MANY: &str =
    "DELETE FROM sends WHERE account_id = $1 AND message_id = ANY ($2) AND state = 'queued'
    RETURNING connection_id, conversation_id, ready AND priority < 9, message_id";
const OUTSTANDING_MANY: &str = "SELECT message_id FROM sends WHERE account_id = $1 AND message_id = ANY ($2) AND (state = 'queued' OR handed_at > $3) LIMIT 1";

pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[
    ("outbox::QUEUE_MANY", QUEUE_MANY),
    ("outbox::WITHDRAW_MANY", WITHDRAW_MANY),
    ("outbox::OUTSTANDING_MANY", OUTSTANDING_MANY),
];

/// A message to be queued.
pub(crate) struct Waiting {
    pub(crate) subject: Subject,
    /// The channel's id of the person.
    pub(crate) person: String,
    pub(crate) payload: SendPayload,
    /// The channel's id of the quoted message.
    pub(crate) reply_to: Option<String>,
    /// The message as its row was written; none if the row says more than the message.
    pub(crate) written: Option<Message>,
    /// Whether a contact has this id of the person.
    pub(crate) is_person_known: bool,
}

/// Queues messages of different conversations, each of which takes one call. The transaction has locked the
/// conversations.
pub(crate) fn queue_many(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    waiting: Vec<Waiting>,
    priority: Priority,
) -> db::Result<()> {
    if tx.dialect() == Dialect::Sqlite || strangers::is_minded(connection) {
        let connection = Arc::new(connection.clone());
        let mut jobs = Vec::with_capacity(waiting.len());
        for it in waiting {
            if queue::goes_at_once(tx, &connection, it.subject.conversation)? {
                jobs.push(queue::claimed(by, &connection, it));
            } else {
                queue::line_up(tx, by, &connection, &it, slice::from_ref(&it.payload), priority)?;
            }
        }
        return queue::hand_over(tx, by, jobs, priority);
    }
    tx.plan_by_index()?;
    let payloads: Vec<String> = waiting.iter().map(|it| written(&it.payload)).collect::<db::Result<_>>()?;
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(connection.id()),
        Box::new(priority.rank()),
        Box::new(by.now),
        Box::new(List(waiting.iter().map(|it| it.subject.message).collect())),
        Box::new(List(waiting.iter().map(|it| it.subject.conversation).collect())),
        Box::new(List(waiting.iter().map(|it| it.person.clone()).collect())),
        Box::new(List(payloads)),
    ];
    tx.insert_along(Query::whole(QUEUE_MANY, params))?;
    tx.wake_about(QUEUED, connection.id().uuid());
    Ok(())
}

/// Removes messages from the queue whose call has not started; returns those that were removed. The next
/// message of each conversation becomes ready.
pub(crate) fn withdraw(
    tx: &mut Tx<'_>,
    account: AccountId,
    messages: &[MessageId],
) -> db::Result<Vec<MessageId>> {
    let (mut threads, mut withdrawn) = (Vec::new(), Vec::new());
    if tx.dialect() == Dialect::Postgres {
        let gone = tx.query(WITHDRAW_MANY, &[&account, &List(messages.to_vec())], |row| {
            Ok((ended(row)?, row.next::<MessageId>()?))
        })?;
        for ((thread, had_turn), message) in gone {
            threads.extend(had_turn.then_some(thread));
            withdrawn.push(message);
        }
    } else {
        for message in messages {
            if let Some((thread, had_turn)) = tx.find(WITHDRAW, &[&account, message], ended)? {
                threads.extend(had_turn.then_some(thread));
                withdrawn.push(*message);
            }
        }
    }
    threads.sort_unstable();
    pass_on_all(tx, &threads)?;
    Ok(withdrawn)
}

/// Whether one of these messages is queued, or a call for it may be running. A call that started before
/// `since` has ended, with any outcome.
pub(crate) fn any_outstanding(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    messages: &[MessageId],
    since: Timestamp,
) -> db::Result<bool> {
    if tx.dialect() == Dialect::Postgres {
        let found =
            tx.find(OUTSTANDING_MANY, &[&account, &List(messages.to_vec()), &since], only::<MessageId>)?;
        return Ok(found.is_some());
    }
    for message in messages {
        if tx.find(OUTSTANDING, &[&account, message, &since], only::<MessageId>)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
