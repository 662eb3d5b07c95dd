//! The order within a conversation: which of its rows is ready.
//!
//! The messages of a conversation are sent one at a time, ordered by priority, message and part. The row that
//! may be sent is `ready`. It stays ready while its call runs; the transaction that ends the row makes the
//! next one ready. A read receipt is always ready: it waits for no other row, and no row waits for it.
//!
//! At most one message of a conversation is ready, and if any is queued, exactly one is. Rows are added under
//! the lock of their conversation. On PostgreSQL a new row also locks the row in front of it (`queue`), and
//! the transaction that ends that row waits for the lock. So either that transaction sees the new row, or the
//! new row sees that nothing is in front of it.
//!
//! A call that runs for too long stops being ready ([`expire`]), and the conversation continues without it.

use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::QUEUE;
use super::sql::{EXPIRE, HOLD, OVERDUE, PASS_ON, RECEIPTS, STUCK, TAKE_BACK, WAITS, WENT_OUT};
use crate::calls::CALL_TIME_MAX;
use crate::connections::ConnectionId;
use crate::ids::{ConversationId, MessageId};

/// A call that runs for longer than any call may take no longer blocks its conversation.
pub(crate) const UNDER_WAY: Duration = Duration::from_secs(CALL_TIME_MAX.as_secs() * 3 / 2);

/// The key of a conversation in the sender's rows.
pub(crate) type ConversationKey = (ConnectionId, ConversationId);

/// Reads a conversation, and whether the ended row was ready.
pub(crate) fn ended(row: &mut Row<'_>) -> db::Result<(ConversationKey, bool)> {
    Ok((key(row)?, row.next()?))
}

fn key(row: &mut Row<'_>) -> db::Result<ConversationKey> {
    Ok((row.next()?, row.next()?))
}

/// Makes the next message of each conversation ready, unless one is.
pub(crate) fn pass_on_all(tx: &mut Tx<'_>, conversations: &[ConversationKey]) -> db::Result<()> {
    let keys: Vec<[&dyn db::Param; 2]> = conversations
        .iter()
        .map(|(connection, conversation)| [connection as &dyn db::Param, conversation])
        .collect();
    // Usually nothing waits, and this read costs a tenth of the update.
    let waiting = tx.find_each(WAITS, &keys, db::only::<MessageId>)?;
    let (keys, connections): (Vec<_>, Vec<ConnectionId>) = (keys.into_iter().zip(conversations).zip(waiting))
        .filter(|(_, waiting)| waiting.is_some())
        .map(|((key, conversation), _)| (key, conversation.0))
        .unzip();
    for (connection, passed) in connections.into_iter().zip(tx.execute_each(PASS_ON, &keys)?) {
        if passed.any() {
            QUEUE.wake(tx, connection);
        }
    }
    Ok(())
}

fn pass_on(tx: &mut Tx<'_>, conversation: ConversationKey) -> db::Result<()> {
    pass_on_all(tx, &[conversation])
}

/// The channel itself has reported a message, which proves that it was sent, whatever the outcome of the
/// call.
pub(crate) fn went_out(tx: &mut Tx<'_>, account: AccountId, message: MessageId) -> db::Result<()> {
    for (conversation, had_turn) in tx.query(WENT_OUT, &[&account, &message], ended)? {
        if had_turn {
            pass_on(tx, conversation)?;
        }
    }
    Ok(())
}

/// A message that is no longer ready is queued again: it goes before those that were queued after it.
pub(crate) fn go_back(tx: &mut Tx<'_>, account: AccountId, conversation: ConversationKey) -> db::Result<()> {
    // A row that is being added at the same time may not have seen this one.
    tx.find_to_change(HOLD, &[&account, &conversation.1], db::only::<ConversationId>)?;
    let _another_may_be_under_way = tx.execute(TAKE_BACK, &[&conversation.0, &conversation.1])?;
    pass_on(tx, conversation)
}

/// Whether a call has run for too long.
pub(crate) fn is_overdue(tx: &mut ReadTx<'_>, now: Timestamp) -> db::Result<bool> {
    Ok(tx.find(OVERDUE, &[&(now - UNDER_WAY)], db::only::<uuid::Uuid>)?.is_some())
}

/// Ends the turn of calls that have run for too long, and makes the next messages ready.
pub(crate) fn expire(tx: &mut Tx<'_>, now: Timestamp) -> db::Result<()> {
    let mut conversations = tx.query(EXPIRE, &[&(now - UNDER_WAY)], key)?;
    conversations.sort_unstable();
    pass_on_all(tx, &conversations)
}

/// Makes a message ready in every waiting conversation that has none. Servers of an earlier version, without
/// `ready`, leave such conversations behind.
pub(crate) fn mend(tx: &mut Tx<'_>) -> db::Result<()> {
    let _usually_none = tx.execute(RECEIPTS, &[])?;
    let conversations = tx.query(STUCK, &[], key)?;
    pass_on_all(tx, &conversations)
}
