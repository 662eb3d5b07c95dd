//! SQLite's full-text index of contacts, which follows behind.
//!
//! Writing into it is the dearest part of a new contact, and far cheaper when many are written at once. So contacts up
//! to a place in the order of creation are in the index, and those after it, which are few, are looked at one by one
//! until the [`Indexer`](super::Indexer) has written them. Who is made below that place, or changed, is written at once.
//! Nothing is ever taken out: what the index finds is looked at before it counts.
//!
//! The index reads upwards far better than downwards, so a contact's row number is its place below zero: the newest
//! comes first.

use frontdesk_db::{self as db, Topic, Tx, only};
use frontdesk_kernel::Phone;
use frontdesk_platform::By;

use super::super::contact::Contact;
use super::{text, words};

/// Wakes the one who writes the index.
pub(super) const BEHIND: Topic = "contacts";
/// Pages of the index merged at a time: a few milliseconds' work.
const MERGED_PAGES_MAX: i64 = 64;

/// What is written of a contact.
pub const ADD: &str = "INSERT INTO contact_search (rowid, words) VALUES ($1, $2)";
const THROUGH: &str = "SELECT through FROM contact_index";
const MOVE: &str = "UPDATE contact_index SET through = $1";
const FRESH: &str = "SELECT c.seq, a.num, c.name, c.phone, c.email, c.company
    FROM contacts c JOIN accounts a ON a.id = c.account_id WHERE c.seq > $1 ORDER BY c.seq LIMIT $2";
const COUNT: &str = "SELECT count(*) FROM contacts WHERE seq > $1 AND seq <= $2";
const MERGE: &str = "INSERT INTO contact_search (contact_search, rank) VALUES ('merge', $1)";

/// The place in the order of creation up to which every contact is in the index.
pub fn through(tx: &mut Tx<'_>) -> db::Result<i64> {
    tx.find(THROUGH, &[], only)?.ok_or(db::Error::Decode("contact_index"))
}

/// A contact has been made.
pub(in super::super) fn made(tx: &mut Tx<'_>, by: &By, contact: &Contact) -> db::Result<()> {
    if contact.id.sequence() <= through(tx)? {
        return changed(tx, by, contact);
    }
    tx.wake(BEHIND);
    Ok(())
}

/// A contact's text has changed.
pub(in super::super) fn changed(tx: &mut Tx<'_>, by: &By, contact: &Contact) -> db::Result<()> {
    add(tx, contact.id.sequence(), &words(&contact.search_text(), by.account_num))
}

/// The number of a contact's row in the index.
pub fn row(sequence: i64) -> i64 {
    -sequence
}

fn add(tx: &mut Tx<'_>, sequence: i64, words: &str) -> db::Result<()> {
    tx.execute(ADD, &[&row(sequence), &words])?.exactly(1)
}

/// The first contacts that are not in the index, with what is to be written of them.
pub(super) struct Fresh {
    after: i64,
    rows: Vec<(i64, String)>,
}

impl Fresh {
    pub(super) fn read(tx: &mut Tx<'_>, max: usize) -> db::Result<Self> {
        let after = through(tx)?;
        let rows = tx.query(FRESH, &[&after, &(max as i64)], |row| {
            let (sequence, account_num): (i64, i64) = (row.next()?, row.next()?);
            let (name, phone): (Option<String>, Option<Phone>) = (row.next()?, row.next()?);
            let (email, company): (Option<String>, Option<String>) = (row.next()?, row.next()?);
            let phone = phone.as_ref().map(Phone::as_str);
            let text = text([name.as_deref(), phone, email.as_deref(), company.as_deref()]);
            Ok((sequence, words(&text, account_num)))
        })?;
        Ok(Self { after, rows })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Writes them, unless one more has come between them meanwhile: then they are to be read again. One that has
    /// changed meanwhile was written by who changed it.
    pub(super) fn write(&self, tx: &mut Tx<'_>) -> db::Result<()> {
        let Some((last, _)) = self.rows.last() else { return Ok(()) };
        let there: Option<i64> = tx.find(COUNT, &[&self.after, last], only)?;
        if through(tx)? != self.after || there != Some(self.rows.len() as i64) {
            return Ok(());
        }
        // Row numbers rise, or else the index would write out what it gathered before each.
        for (sequence, words) in self.rows.iter().rev() {
            add(tx, *sequence, words)?;
        }
        tx.execute(MOVE, &[last])?.exactly(1)
    }
}

/// Merges a little of the index, so that searches need not look into many parts of it.
pub fn tidy(tx: &mut Tx<'_>) -> db::Result<()> {
    let _nothing_to_merge_is_fine = tx.execute(MERGE, &[&MERGED_PAGES_MAX])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use frontdesk_db::{DatabaseUrl, Options, Store};
    use uuid::Uuid;

    use super::*;

    /// A store with one account, gone when dropped.
    struct Scratch {
        store: Store,
        directory: PathBuf,
    }

    impl Scratch {
        async fn new(name: &str) -> Self {
            let directory =
                std::env::temp_dir().join(format!("frontdesk-index-{}-{name}", std::process::id()));
            let url = DatabaseUrl::Sqlite(directory.join("test.db"));
            let store = Store::open(&Options { server: true, ..Options::new(url) }).unwrap();
            store.write(account).await.unwrap();
            Self { store, directory }
        }

        async fn make(&self, place: i64, name: &'static str) {
            self.store.write(move |tx| contact(tx, place, name)).await.unwrap();
        }

        async fn read(&self, max: usize) -> Fresh {
            self.store.read(move |tx| Fresh::read(tx, max)).await.unwrap()
        }

        async fn write(&self, fresh: Fresh) -> i64 {
            let write = move |tx: &mut Tx<'_>| fresh.write(tx).and_then(|()| through(tx));
            self.store.write(write).await.unwrap()
        }

        /// The places of those whom the index finds, in its order.
        async fn found(&self, word: &'static str) -> Vec<i64> {
            const FIND: &str =
                "SELECT -rowid FROM contact_search WHERE contact_search MATCH $1 ORDER BY rowid";
            self.store.read(move |tx| tx.query(FIND, &[&format!("\"7z{word}\"")], only)).await.unwrap()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            self.store.close();
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }

    fn account(tx: &mut Tx<'_>) -> db::Result<()> {
        const INSERT: &str =
            "INSERT INTO accounts (id, num, name, timezone, owner_user_id, rate_limit, updated_at)
            VALUES ($1, 7, 'Ours', 'UTC', $1, 60, 0)";
        tx.execute(INSERT, &[&Uuid::nil()])?.exactly(1)
    }

    fn contact(tx: &mut Tx<'_>, place: i64, name: &str) -> db::Result<()> {
        const INSERT: &str =
            "INSERT INTO contacts (account_id, id, seq, name, updated_at) VALUES ($1, $2, $3, $4, 0)";
        let id = Uuid::from_u128(place.unsigned_abs().into());
        tx.execute(INSERT, &[&Uuid::nil(), &id, &place, &name])?.exactly(1)
    }

    #[tokio::test]
    async fn the_index_follows_in_the_order_of_creation() {
        let scratch = Scratch::new("follows").await;
        for (place, name) in [(10, "Ann"), (20, "Anna"), (30, "Bob")] {
            scratch.make(place, name).await;
        }
        let first = scratch.read(2).await;
        assert_eq!((first.len(), scratch.write(first).await), (2, 20));
        assert_eq!(scratch.found("ann").await, [20, 10]);
        assert_eq!(scratch.found("bob").await, [0; 0]);
        let rest = scratch.read(2).await;
        assert_eq!((rest.len(), scratch.write(rest).await), (1, 30));
        assert_eq!(scratch.found("bob").await, [30]);
        let none = scratch.read(2).await;
        assert_eq!((none.len(), scratch.write(none).await), (0, 30));
    }

    #[tokio::test]
    async fn who_comes_between_is_not_passed_over() {
        let scratch = Scratch::new("between").await;
        scratch.make(10, "Ann").await;
        scratch.make(30, "Bob").await;
        let read_before = scratch.read(9).await;
        scratch.make(20, "Eve").await;
        assert_eq!(scratch.write(read_before).await, 0);
        assert_eq!(scratch.found("ann").await, [0; 0]);
        let (fresh, twice) = (scratch.read(9).await, scratch.read(9).await);
        assert_eq!(scratch.write(fresh).await, 30);
        assert_eq!(scratch.found("eve").await, [20]);
        // What another has written meanwhile is left alone.
        assert_eq!(scratch.write(twice).await, 30);
        assert_eq!(scratch.found("bob").await, [30]);
    }

    #[tokio::test]
    async fn who_is_written_twice_is_found_once() {
        let scratch = Scratch::new("twice").await;
        scratch.make(10, "Ann").await;
        let fresh = scratch.read(9).await;
        // As when the name is changed to Anna before the index has got so far.
        scratch.store.write(|tx| add(tx, 10, &words("\u{1}anna\n", 7))).await.unwrap();
        scratch.write(fresh).await;
        assert_eq!(scratch.found("ann").await, [10]);
        assert_eq!(scratch.found("nna").await, [10]);
        for _ in 0..20 {
            scratch.store.write(|tx| add(tx, 10, &words("\u{1}anna\n", 7))).await.unwrap();
            scratch.store.write(tidy).await.unwrap();
        }
        assert_eq!(scratch.found("ann").await, [10]);
    }
}
