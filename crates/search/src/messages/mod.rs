//! Search of messages by any part of their text.
//!
//! PostgreSQL has a trigram index on the text as it is compared. SQLite has a full-text index in a file of its own, which
//! lags behind: a new message waits in `message_queue` until the [indexer](start_indexer) has written it, and a search
//! reads the queue too. Both engines compare the same text in the end, so they find the same messages. One or two
//! characters have no trigram, so the account's messages are read one by one, newest first. So are those of a single
//! conversation, and all of them while a new index is being filled.

mod file;
pub(crate) mod indexer;
mod sql;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::{accounts, listing};
use uuid::Uuid;

pub use file::FILE;
pub use indexer::{BATCH, start as start_indexer};

pub use sql::STATEMENTS;
use sql::{FORGET, FORGET_MANY, FORGETS_OF_ACCOUNT, IS_WHOLE, LEAVE, MATCHING, QUEUE};

use crate::needle::Needle;

/// Marks the id of a message.
enum MessageRow {}
type MessageId = Id<MessageRow>;

/// Queries up to this long have no trigram.
const SHORT_CHARS_MAX: usize = 2;
/// Entries of the index that are looked at together.
const CHUNK: i64 = 256;

/// A text as it is compared: lower case, and no line breaks.
pub fn plain(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// What a message's row stores for its search: nothing where that is the text itself.
pub fn column(tx: &ReadTx<'_>, text: Option<&str>) -> Option<String> {
    text.filter(|_| !tx.has_side_files()).and_then(compared)
}

pub(crate) fn compared(text: &str) -> Option<String> {
    Some(plain(text)).filter(|plain| plain != text)
}

/// Messages with a text were written.
pub fn written(tx: &mut Tx<'_>, account: AccountId, ids: impl Iterator<Item = Uuid>) -> db::Result<()> {
    if !tx.has_side_files() {
        return Ok(());
    }
    let ids: Vec<Uuid> = ids.collect();
    if ids.is_empty() {
        return Ok(());
    }
    tx.wake(indexer::BEHIND);
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&account as &dyn db::Param, id]).collect();
    tx.insert_each(QUEUE, &rows)
}

/// Messages are about to be deleted. The index forgets them.
pub fn erasing(tx: &mut Tx<'_>, account: AccountId, ids: impl Iterator<Item = Uuid>) -> db::Result<()> {
    if !tx.has_side_files() {
        return Ok(());
    }
    for id in ids {
        let _without_text_is_fine = tx.execute(FORGET, &[&account, &id])?;
    }
    tx.wake(indexer::BEHIND);
    Ok(())
}

/// The first messages of an account, in the order of their ids, are about to be deleted.
pub fn erasing_first(tx: &mut Tx<'_>, account: AccountId, messages_max: i64) -> db::Result<()> {
    if !tx.has_side_files() {
        return Ok(());
    }
    let _without_text_is_fine = tx.execute(FORGET_MANY, &[&account, &messages_max])?;
    tx.wake(indexer::BEHIND);
    Ok(())
}

/// How many erased messages of an account the index has not forgotten yet, by the account's number.
pub fn not_forgotten(tx: &mut ReadTx<'_>, account_number: i64) -> db::Result<i64> {
    if !tx.has_side_files() {
        return Ok(0);
    }
    Ok(tx.find(FORGETS_OF_ACCOUNT, &[&account_number], only)?.unwrap_or(0))
}

/// Takes the rows up to this one out of the queue.
fn leave_queue(tx: &mut Tx<'_>, last: i64) -> db::Result<()> {
    tx.execute(LEAVE, &[&last]).map(|_how_many| ())
}

/// The number of a message's entry in the index. The newest comes first.
fn entry(id: MessageId) -> i64 {
    -id.sequence()
}

/// Where messages are searched, and how they are read.
pub trait Messages {
    type Message;
    /// The columns to read, of a table called `m`.
    const COLUMNS: &'static str;

    /// Adds the filters and the beginning of the page to a query for messages `m`.
    fn narrow(&self, query: &mut Query);

    fn read(&self, row: &mut Row<'_>) -> db::Result<Self::Message>;

    fn id(message: &Self::Message) -> Uuid;

    fn text(message: &Self::Message) -> Option<&str>;
}

/// A search for messages.
pub struct MessageSearch<'a, M> {
    pub account: AccountId,
    /// The query as it is compared: [`plain`].
    pub q: &'a str,
    pub messages: &'a M,
    /// Whether the filters leave so few messages that reading them is faster than the index.
    pub is_narrow: bool,
    /// The message after which the page begins.
    pub before: Option<Uuid>,
    pub since: Option<Timestamp>,
    pub rows_max: usize,
}

impl<M: Messages> MessageSearch<'_, M> {
    /// A page of the messages that contain the query, newest first.
    pub fn find(&self, tx: &mut ReadTx<'_>) -> db::Result<Vec<M::Message>> {
        if !tx.has_side_files() {
            return self.containing(tx);
        }
        if self.is_narrow || self.q.chars().count() <= SHORT_CHARS_MAX {
            return self.walk(tx);
        }
        match self.queued_and_indexed(tx)? {
            Some(found) => Ok(found),
            None => self.walk(tx),
        }
    }

    /// The beginning of a query for messages `m`, with its filters.
    fn query(&self) -> Query {
        let mut query = Query::new("SELECT ");
        query.push(M::COLUMNS).push(" FROM messages m WHERE m.account_id = ").bind(self.account);
        self.messages.narrow(&mut query);
        query
    }

    /// Whether a message contains the query.
    fn is_in(&self, message: &M::Message) -> bool {
        M::text(message).is_some_and(|text| plain(text).contains(self.q))
    }

    /// Messages found by the trigrams of a part of their text.
    fn containing(&self, tx: &mut ReadTx<'_>) -> db::Result<Vec<M::Message>> {
        let mut query = self.query();
        query.push(" AND coalesce(m.search, m.text) LIKE ").bind(listing::pattern(self.q));
        query.push(" ESCAPE '\\' ORDER BY m.id DESC LIMIT ").bind(self.rows_max as i64);
        tx.run(&query, |row| self.messages.read(row))
    }

    /// Reads messages one by one, newest first, until the page is full. A conversation has an index for that.
    fn walk(&self, tx: &mut ReadTx<'_>) -> db::Result<Vec<M::Message>> {
        let mut query = self.query();
        query.push(" ORDER BY m.id DESC");
        tx.pick(&query, self.rows_max, |row| {
            let message = self.messages.read(row)?;
            Ok(self.is_in(&message).then_some(message))
        })
    }

    /// A page of messages of the queue and the index; none while the index is being filled.
    fn queued_and_indexed(&self, tx: &mut ReadTx<'_>) -> db::Result<Option<Vec<M::Message>>> {
        // The queue is read before the index: a message that has left the queue of this snapshot is in the index.
        let mut found = self.waiting(tx)?;
        if !tx.find(IS_WHOLE, &[], only)?.unwrap_or(false) {
            return Ok(None);
        }
        found.extend(self.indexed(tx)?);
        found.sort_unstable_by_key(|message| std::cmp::Reverse(M::id(message)));
        found.dedup_by_key(|message| M::id(message));
        found.truncate(self.rows_max);
        Ok(Some(found))
    }

    /// Messages that the index does not have yet: a few, as a rule.
    fn waiting(&self, tx: &mut ReadTx<'_>) -> db::Result<Vec<M::Message>> {
        let mut query = Query::new("SELECT ");
        query.push(M::COLUMNS).push(
            " FROM message_queue w CROSS JOIN messages m ON m.account_id = w.account_id AND m.id = w.message_id WHERE w.account_id = ",
        );
        query.bind(self.account);
        self.messages.narrow(&mut query);
        let rows = tx.run(&query, |row| self.messages.read(row))?;
        Ok(rows.into_iter().filter(|message| self.is_in(message)).collect())
    }

    /// Messages that the index finds. It finds more than are wanted, so each is checked.
    fn indexed(&self, tx: &mut ReadTx<'_>) -> db::Result<Vec<M::Message>> {
        let number = accounts::number(tx, self.account)?.ok_or(db::Error::Decode("account"))?;
        let Some(words) = Needle::new(self.q).map(|needle| needle.words(number)) else {
            return Ok(Vec::new());
        };
        let mut from = self.before.map_or(i64::MIN, |before| entry(MessageId::from_uuid(before)));
        let oldest = self.since.map_or(i64::MAX, |since| entry(MessageId::first_at(since)));
        let mut found = Vec::new();
        loop {
            let entries = tx.query(MATCHING, &[&words, &from, &oldest, &CHUNK], only::<i64>)?;
            for entry in &entries {
                found.extend(self.at(tx, *entry)?.into_iter().filter(|message| self.is_in(message)));
                if found.len() >= self.rows_max {
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
    fn at(&self, tx: &mut ReadTx<'_>, entry: i64) -> db::Result<Vec<M::Message>> {
        let place = -entry;
        let mut query = self.query();
        query.push(" AND m.id > ").bind(MessageId::last_of(place - 1));
        query.push(" AND m.id <= ").bind(MessageId::last_of(place));
        tx.run(&query, |row| self.messages.read(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_compared_in_lower_case_and_on_one_line() {
        assert_eq!(plain("Grüße\nAN Ärzte\t!"), "grüße an ärzte !");
        assert_eq!(compared("plain text"), None);
        assert_eq!(compared("Text").as_deref(), Some("text"));
    }
}
