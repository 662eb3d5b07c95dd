//! Many rows of one connection, queued or withdrawn.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;

use super::order::{ended, pass_on_all};
use super::queue::{self, Priority, Waiting};
use super::sql::{OUTSTANDING, WITHDRAW};
use crate::connections::StoredConnection;
use crate::ids::MessageId;

/// Queues messages of different conversations, each of which takes one call. The transaction has locked the
/// conversations.
pub(crate) fn queue_many(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    waiting: Vec<Waiting>,
    priority: Priority,
) -> db::Result<()> {
    let connection = Arc::new(connection.clone());
    let (mut jobs, mut later) = (Vec::new(), Vec::new());
    for it in waiting {
        if let Some(place) = queue::take_place(tx, &connection, it.subject.conversation)? {
            jobs.push((place, queue::claimed(by, &connection, it)));
        } else {
            let payload = it.payload.clone();
            later.push((it, vec![payload]));
        }
    }
    queue::hand_over(tx, by, jobs, priority)?;
    queue::line_up(tx, by, &connection, &later, priority)
}

/// Removes messages from the queue whose call has not started; returns those that were removed. The next
/// message of each conversation becomes ready.
pub(crate) fn withdraw(
    tx: &mut Tx<'_>,
    account: AccountId,
    messages: &[MessageId],
) -> db::Result<Vec<MessageId>> {
    let keys: Vec<[&dyn db::Param; 2]> =
        messages.iter().map(|message| [&account as &dyn db::Param, message]).collect();
    let (mut conversations, mut withdrawn) = (Vec::new(), Vec::new());
    for (message, gone) in messages.iter().zip(tx.find_each(WITHDRAW, &keys, ended)?) {
        let Some((conversation, had_turn)) = gone else { continue };
        conversations.extend(had_turn.then_some(conversation));
        withdrawn.push(*message);
    }
    conversations.sort_unstable();
    pass_on_all(tx, &conversations)?;
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
    let keys: Vec<[&dyn db::Param; 3]> =
        messages.iter().map(|message| [&account as &dyn db::Param, message, &since]).collect();
    Ok(tx.find_each(OUTSTANDING, &keys, only::<MessageId>)?.iter().any(Option::is_some))
}
