//! Searching messages by any part of their text, whatever its case.
//!
//! PostgreSQL has a trigram index on the text as it is compared. SQLite has a full-text index in a file of its own, which
//! lags behind: a new message waits in `message_queue` until the [indexer](start_indexer) has written it, and a search
//! reads the queue too. Both engines compare the same text in the end, so they find the same messages. One or two
//! characters have no trigram, so the account's messages are read one by one, newest first. So are those of a single
//! conversation, and all of them while a new index is being filled.

mod file;
mod indexer;
mod sqlite;

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Dialect, Query, ReadTx, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_web::{Page, filters};

pub use file::FILE;
pub use indexer::{BATCH, start as start_indexer, tidy};
pub use sqlite::SQLITE_STATEMENTS;

use super::message::{Message, MessageId};
use super::message_columns;
use crate::conversations::ConversationId;
use crate::media::Links;

/// Queries up to this long have no trigram.
const SHORT_CHARS_MAX: usize = 2;

filters! {
    /// Which messages to search.
    pub struct SearchFilters {
        /// Any part of the text, whatever its case. Required.
        pub q: Option<Text<100>>,
        pub conversation_id: Option<ConversationId>,
        pub contact_id: Option<ContactId>,
        /// Only messages since this moment.
        pub since: Option<Timestamp>,
    }
}

/// A text as it is compared: lower case, and no line breaks.
fn plain(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// What a message's row keeps for its search: nothing where that is the text itself.
pub(super) fn column(dialect: Dialect, text: Option<&str>) -> Option<String> {
    let text = text.filter(|_| dialect == Dialect::Postgres)?;
    Some(plain(text)).filter(|plain| plain != text)
}

/// A message was written.
pub(super) fn written(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: MessageId,
    text: Option<&str>,
) -> db::Result<()> {
    match (tx.dialect(), text) {
        (Dialect::Sqlite, Some(_)) => sqlite::queue_many(tx, account, &[id]),
        _ => Ok(()),
    }
}

/// Messages were written.
pub(super) fn written_many(
    tx: &mut Tx<'_>,
    account: AccountId,
    ids: impl Iterator<Item = MessageId>,
    texts: &[Option<&str>],
) -> db::Result<()> {
    if tx.dialect() == Dialect::Postgres {
        return Ok(());
    }
    let with_text = ids.zip(texts).filter(|(_, text)| text.is_some());
    sqlite::queue_many(tx, account, &with_text.map(|(id, _)| id).collect::<Vec<_>>())
}

/// Messages are about to be deleted.
pub(crate) fn erasing(tx: &mut Tx<'_>, account: AccountId, ids: &[MessageId]) -> db::Result<()> {
    match tx.dialect() {
        Dialect::Sqlite => sqlite::forget_many(tx, account, ids),
        Dialect::Postgres => Ok(()),
    }
}

/// A page of the messages that hold the query, newest first.
pub(super) fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &SearchFilters,
    page: &Page,
    links: &Links,
    now: Timestamp,
) -> db::Result<Vec<Message>> {
    let Some(q) = filters.q.as_ref().map(|q| plain(q.as_str())) else { return Ok(Vec::new()) };
    let wanted = Wanted { account, filters, page, q: &q };
    let read = |row: &mut db::Row<'_>| super::read(row, links, now);
    match tx.dialect() {
        Dialect::Postgres => {
            let mut query = wanted.query();
            query.push(" AND coalesce(m.search, m.text) LIKE ").bind(pattern(&q)).push(" ESCAPE '\\'");
            query.push(" ORDER BY m.id DESC LIMIT ").bind(page.fetch());
            tx.run(&query, read)
        }
        Dialect::Sqlite if filters.conversation_id.is_some() || q.chars().count() <= SHORT_CHARS_MAX => {
            walk(tx, &wanted, read)
        }
        Dialect::Sqlite => match sqlite::find(tx, &wanted, read)? {
            Some(found) => Ok(found),
            None => walk(tx, &wanted, read),
        },
    }
}

/// Reads messages one by one, newest first, until the page is full. A conversation has an index for that.
fn walk(
    tx: &mut ReadTx<'_>,
    wanted: &Wanted<'_>,
    mut read: impl FnMut(&mut db::Row<'_>) -> db::Result<Message>,
) -> db::Result<Vec<Message>> {
    let mut query = wanted.query();
    query.push(" ORDER BY m.id DESC");
    tx.pick(&query, wanted.page.fetch() as usize, |row| {
        let message = read(row)?;
        Ok(wanted.is_in(&message).then_some(message))
    })
}

/// A search as it was asked for.
struct Wanted<'a> {
    account: AccountId,
    filters: &'a SearchFilters,
    page: &'a Page,
    /// As it is compared.
    q: &'a str,
}

impl Wanted<'_> {
    /// The beginning of a query for messages `m`, with its filters.
    fn query(&self) -> Query {
        let mut query =
            Query::new(concat!("SELECT ", message_columns!("m."), " FROM messages m WHERE m.account_id = "));
        query.bind(self.account);
        self.narrow(&mut query);
        query
    }

    /// Adds the filters. Messages of an erased contact are not found, although some may be left.
    fn narrow(&self, query: &mut Query) {
        query.push(
            " AND m.text IS NOT NULL AND EXISTS (SELECT 1 FROM conversations v WHERE v.account_id = m.account_id AND v.id = m.conversation_id",
        );
        if let Some(contact) = self.filters.contact_id {
            query.push(" AND v.contact_id = ").bind(contact);
        }
        query.push(")");
        if let Some(conversation) = self.filters.conversation_id {
            query.push(" AND m.conversation_id = ").bind(conversation);
        }
        if let Some(since) = self.filters.since {
            query.push(" AND m.id >= ").bind(MessageId::first_at(since));
        }
        if let Some(before) = self.page.before {
            query.push(" AND m.id < ").bind(before);
        }
    }

    /// Whether a message holds the query.
    fn is_in(&self, message: &Message) -> bool {
        message.text.as_deref().is_some_and(|text| plain(text).contains(self.q))
    }
}

/// The pattern of LIKE with `\` as escape.
fn pattern(q: &str) -> String {
    let mut pattern = String::from("%");
    for c in q.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_compared_in_lower_case_and_on_one_line() {
        assert_eq!(plain("Grüße\nAN Ärzte\t!"), "grüße an ärzte !");
        assert_eq!(column(Dialect::Postgres, Some("plain text")), None);
        assert_eq!(column(Dialect::Postgres, Some("Text")).as_deref(), Some("text"));
        assert_eq!(column(Dialect::Sqlite, Some("Text")), None);
        assert_eq!(column(Dialect::Postgres, None), None);
        assert_eq!(pattern("100%_\\"), "%100\\%\\_\\\\%");
    }
}
