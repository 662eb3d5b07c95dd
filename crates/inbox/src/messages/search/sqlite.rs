//! Searching on SQLite: the full-text index, and the messages that wait for it.

use frontdesk_crm::contacts::search::Needle;
use frontdesk_db::{self as db, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::accounts;

use super::super::message::{Message, MessageId};
use super::super::message_columns;
use super::Wanted;
use super::indexer;

/// Entries of the index that are looked at together.
const CHUNK: i64 = 256;

const QUEUE: &str = "INSERT INTO message_queue (account_id, message_id) VALUES ($1, $2)";
/// Only the indexer takes rows out of the queue, and new rows come after all others.
const LEAVE: &str = "DELETE FROM message_queue WHERE num <= $1";
const FORGET: &str = "INSERT INTO message_forgets (message_id, account_num, text)
    SELECT m.id, a.num, m.text FROM messages m JOIN accounts a ON a.id = m.account_id WHERE m.account_id = $1 AND m.id = $2 AND m.text IS NOT NULL";
const IS_WHOLE: &str = "SELECT is_whole FROM message_index";
const MATCHING: &str = "SELECT rowid FROM message_search WHERE message_search MATCH $1 AND rowid BETWEEN $2 AND $3 ORDER BY rowid LIMIT $4";

/// Statements of the index. Only SQLite has it.
pub const SQLITE_STATEMENTS: &[(&str, &str)] = &[
    ("message_search::QUEUE", QUEUE),
    ("message_search::LEAVE", LEAVE),
    ("message_search::MATCHING", MATCHING),
    ("message_search::FORGET", FORGET),
    ("message_search::ENTER", indexer::ENTER),
    ("message_search::REMOVE", indexer::REMOVE),
    ("message_search::REMOVE_ENTRY", indexer::REMOVE_ENTRY),
    ("message_search::FORGETS", indexer::FORGETS),
    ("message_search::FORGOT", indexer::FORGOT),
    ("message_search::WAITING", indexer::WAITING),
    ("message_search::NEWEST", indexer::NEWEST),
    ("message_search::PROGRESS", indexer::PROGRESS),
    ("message_search::OLD", indexer::OLD),
    ("message_search::ADD", indexer::ADD),
    ("message_search::REACH", indexer::REACH),
    ("message_search::MERGE", indexer::MERGE),
    ("message_search::IS_WHOLE", IS_WHOLE),
];

/// Queues new messages for the index.
pub(super) fn queue_many(tx: &mut Tx<'_>, account: AccountId, ids: &[MessageId]) -> db::Result<()> {
    tx.wake(indexer::BEHIND);
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&account as &dyn db::Param, id]).collect();
    tx.insert_each(QUEUE, &rows)
}

/// Takes the rows up to this one out of the queue.
pub(super) fn leave_queue(tx: &mut Tx<'_>, last: i64) -> db::Result<()> {
    tx.execute(LEAVE, &[&last]).map(|_how_many| ())
}

/// Lets the index forget messages that are about to be deleted.
pub(super) fn forget_many(tx: &mut Tx<'_>, account: AccountId, ids: &[MessageId]) -> db::Result<()> {
    for id in ids {
        let _without_text_is_fine = tx.execute(FORGET, &[&account, id])?;
    }
    tx.wake(indexer::BEHIND);
    Ok(())
}

/// Whether the index has every message that does not wait for it.
fn is_whole(tx: &mut ReadTx<'_>) -> db::Result<bool> {
    Ok(tx.find(IS_WHOLE, &[], only)?.unwrap_or(false))
}

/// The number of a message's entry in the index. The newest comes first.
pub(super) fn entry(id: MessageId) -> i64 {
    -id.sequence()
}

/// A page of messages; none while the index is being filled.
pub(super) fn find(
    tx: &mut ReadTx<'_>,
    wanted: &Wanted<'_>,
    mut read: impl FnMut(&mut Row<'_>) -> db::Result<Message>,
) -> db::Result<Option<Vec<Message>>> {
    let rows_max = wanted.page.fetch() as usize;
    // The queue is read before the index: a message that has left the queue of this snapshot is in the index.
    let mut found = waiting(tx, wanted, &mut read)?;
    if !is_whole(tx)? {
        return Ok(None);
    }
    found.extend(indexed(tx, wanted, &mut read, rows_max)?);
    found.sort_unstable_by_key(|message| std::cmp::Reverse(message.id));
    found.dedup_by_key(|message| message.id);
    found.truncate(rows_max);
    Ok(Some(found))
}

/// Messages that the index does not have yet: a few, as a rule.
fn waiting(
    tx: &mut ReadTx<'_>,
    wanted: &Wanted<'_>,
    read: &mut impl FnMut(&mut Row<'_>) -> db::Result<Message>,
) -> db::Result<Vec<Message>> {
    let mut query = Query::new("SELECT ");
    query.push(message_columns!("m."));
    query.push(
        " FROM message_queue w CROSS JOIN messages m ON m.account_id = w.account_id AND m.id = w.message_id WHERE w.account_id = ",
    );
    query.bind(wanted.account);
    wanted.narrow(&mut query);
    let rows = tx.run(&query, read)?;
    Ok(rows.into_iter().filter(|message| wanted.is_in(message)).collect())
}

/// Messages that the index finds. It finds more than are wanted, so each is looked at.
fn indexed(
    tx: &mut ReadTx<'_>,
    wanted: &Wanted<'_>,
    read: &mut impl FnMut(&mut Row<'_>) -> db::Result<Message>,
    rows_max: usize,
) -> db::Result<Vec<Message>> {
    let number = accounts::number(tx, wanted.account)?.ok_or(db::Error::Decode("account"))?;
    let Some(words) = Needle::new(wanted.q).map(|needle| needle.words(number)) else { return Ok(Vec::new()) };
    let mut from = wanted.page.before.map_or(i64::MIN, |before| entry(MessageId::from_uuid(before)));
    let oldest = wanted.filters.since.map_or(i64::MAX, |since| entry(MessageId::first_at(since)));
    let mut found = Vec::new();
    loop {
        let entries = tx.query(MATCHING, &[&words, &from, &oldest, &CHUNK], only::<i64>)?;
        for entry in &entries {
            found.extend(at(tx, wanted, *entry, read)?.into_iter().filter(|message| wanted.is_in(message)));
            if found.len() >= rows_max {
                return Ok(found);
            }
        }
        match entries.last() {
            Some(last) if entries.len() as i64 == CHUNK => from = last + 1,
            _ => return Ok(found),
        }
    }
}

/// The message of an entry, if it passes the filters.
fn at(
    tx: &mut ReadTx<'_>,
    wanted: &Wanted<'_>,
    entry: i64,
    read: &mut impl FnMut(&mut Row<'_>) -> db::Result<Message>,
) -> db::Result<Vec<Message>> {
    let place = -entry;
    let mut query = wanted.query();
    query
        .push(" AND m.id > ")
        .bind(MessageId::last_of(place - 1))
        .push(" AND m.id <= ")
        .bind(MessageId::last_of(place));
    tx.run(&query, read)
}
