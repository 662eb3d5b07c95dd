//! SQLite's full-text index of contacts, which lags behind the database.
//!
//! Indexing is the most expensive part of a new contact, and far cheaper in batches. So the index has its own
//! file and writer. Contacts up to a position in the order of creation are in the index. The few contacts
//! after it are checked one by one until the [indexer](super::start_indexer) has written them, and so are
//! contacts that have changed or were created out of order. Every match is checked against the contact. The words of a
//! contact that has changed or was erased are removed when the indexer comes to it.
//!
//! The index is read far faster upwards than downwards, so a contact's row number is its negated position:
//! the newest comes first.

use std::collections::BTreeMap;

use frontdesk_db::{self as db, ReadTx, Row, Topic, Tx, only};

use super::sql::{
    ADD, ADD_TEXT, CHANGED, FORGET, FRESH, IS_NEWEST, MERGE, MOVE, NOTE, REMOVE, REMOVE_TEXTS, STATE, TEXTS,
    THROUGH,
};
use crate::text::text;
use crate::words::words;

/// The topic that wakes the indexer.
pub(super) const BEHIND: Topic = "contacts";
/// Pages of the index merged at a time, which takes a few milliseconds.
const MERGED_PAGES_MAX: i64 = 64;

/// A reader's view of the index's progress.
pub struct State {
    /// Whether changed contacts wait to be indexed again.
    pub has_changes: bool,
    /// The position in the order of creation up to which every contact is in the index, except changed ones.
    pub through: i64,
}

pub fn state(tx: &mut ReadTx<'_>) -> db::Result<State> {
    let found = tx.find(STATE, &[], |row| Ok(State { has_changes: row.next()?, through: row.next()? }))?;
    found.ok_or(db::Error::Decode("contact_index"))
}

/// A contact was created. The indexer finds it, unless it has already passed its position.
pub(super) fn note_made(tx: &mut Tx<'_>, sequence: i64) -> db::Result<()> {
    if tx.find(IS_NEWEST, &[&sequence], only)? == Some(false) {
        return note_changed(tx, sequence);
    }
    tx.wake(BEHIND);
    Ok(())
}

/// A contact's text has changed, or it is being deleted.
pub(super) fn note_changed(tx: &mut Tx<'_>, sequence: i64) -> db::Result<()> {
    tx.wake(BEHIND);
    tx.execute(NOTE, &[&sequence])?.exactly(1)
}

/// The number of a contact's row in the index.
pub fn row(sequence: i64) -> i64 {
    -sequence
}

/// The text of a contact, and the number of its account.
#[derive(Clone, Debug)]
struct IndexedText {
    account: i64,
    text: String,
}

impl IndexedText {
    fn words(&self) -> String {
        words(&self.text, self.account)
    }
}

/// Contacts to be indexed, with their texts.
pub(super) struct Fresh {
    /// The index's position before and after these contacts.
    after: i64,
    through: i64,
    /// The texts to write, by row number, ascending; otherwise the index would flush its pending terms before each row.
    /// Contacts of different accounts may share a row. None are left of a deleted contact.
    rows: BTreeMap<i64, Vec<IndexedText>>,
    /// The changed contacts among them.
    changes: Vec<(i64, i64)>,
    /// Whether there may be more.
    pub(super) is_full: bool,
}

impl Fresh {
    pub(super) fn read(tx: &mut ReadTx<'_>, max: usize) -> db::Result<Self> {
        let State { through: after, has_changes } = state(tx)?;
        let max_rows = max as i64;
        let fresh = tx.query(FRESH, &[&after, &max_rows], |line| {
            let sequence: i64 = line.next()?;
            let account: i64 = line.next()?;
            Ok((sequence, indexed(line, account)?))
        })?;
        let changed = if has_changes {
            tx.query(CHANGED, &[&max_rows], |line| {
                let (sequence, times): (i64, i64) = (line.next()?, line.next()?);
                // A deleted contact has no account.
                let account: Option<i64> = line.next()?;
                let text = account.map(|account| indexed(line, account)).transpose()?;
                Ok((sequence, times, text))
            })?
        } else {
            Vec::new()
        };
        let is_full = fresh.len() == max || changed.len() == max;
        let through = fresh.last().map_or(after, |(last, _)| *last);
        let changes = changed.iter().map(|(sequence, times, _)| (*sequence, *times)).collect();
        let mut rows: BTreeMap<i64, Vec<IndexedText>> = BTreeMap::new();
        for (sequence, _, text) in changed {
            rows.entry(row(sequence)).or_default().extend(text);
        }
        // A contact that is new and has changed is among both.
        for (sequence, text) in fresh {
            rows.entry(row(sequence)).or_default().push(text);
        }
        Ok(Self { after, through, rows, changes, is_full })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Writes the contacts into the index. False if another writer has done so: then they must be read again.
    pub(super) fn write(&self, tx: &mut Tx<'_>) -> db::Result<bool> {
        if tx.find(THROUGH, &[], only)? != Some(self.after) {
            return Ok(false);
        }
        // All removals come before all additions, so that the index flushes once in between.
        for row in self.rows.keys() {
            remove(tx, *row)?;
        }
        for (row, texts) in &self.rows {
            let by_account: BTreeMap<i64, &IndexedText> =
                texts.iter().map(|text| (text.account, text)).collect();
            for text in by_account.into_values() {
                tx.execute(ADD, &[row, &text.words()])?.exactly(1)?;
                tx.execute(ADD_TEXT, &[row, &text.account, &text.text])?.exactly(1)?;
            }
        }
        tx.execute(MOVE, &[&self.through])?.exactly(1)?;
        Ok(true)
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Removes indexed contacts from the changed ones, unless they have changed again.
    pub(super) fn forget_changes(&self, tx: &mut Tx<'_>) -> db::Result<()> {
        for (sequence, times) in &self.changes {
            let _once_more_is_fine = tx.execute(FORGET, &[sequence, times])?;
        }
        Ok(())
    }
}

/// A contact's text: the rest of its row.
fn indexed(line: &mut Row<'_>, account: i64) -> db::Result<IndexedText> {
    let fields: [Option<String>; 4] = [line.next()?, line.next()?, line.next()?, line.next()?];
    Ok(IndexedText { account, text: text(fields.each_ref().map(Option::as_deref)) })
}

/// Removes everything that the index has of a row.
fn remove(tx: &mut Tx<'_>, row: i64) -> db::Result<()> {
    let texts =
        tx.query(TEXTS, &[&row], |line| Ok(IndexedText { account: line.next()?, text: line.next()? }))?;
    if texts.is_empty() {
        return Ok(());
    }
    for text in texts {
        let _removed = tx.execute(REMOVE, &[&row, &text.words()])?;
    }
    let _any_number_is_fine = tx.execute(REMOVE_TEXTS, &[&row])?;
    Ok(())
}

/// Merges a part of the index, so that searches read fewer segments.
pub fn tidy(tx: &mut Tx<'_>) -> db::Result<()> {
    let _nothing_to_merge_is_fine = tx.execute(MERGE, &[&MERGED_PAGES_MAX])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use frontdesk_db::{DatabaseUrl, Options, Store};
    use uuid::Uuid;

    use super::*;
    use crate::contacts::FILE;

    /// A store with one account, deleted with this value.
    struct Scratch {
        store: Store,
        directory: PathBuf,
    }

    impl Scratch {
        async fn new(name: &str) -> Self {
            let directory =
                std::env::temp_dir().join(format!("frontdesk-index-{}-{name}", std::process::id()));
            let store = open(&directory);
            store.write(account).await.unwrap();
            Self { store, directory }
        }

        /// Opens the closed store with an empty index, and fills it.
        async fn begins_anew(&self) {
            let store = open(&self.directory);
            let fresh = store.read(|tx| Fresh::read(tx, 9)).await.unwrap();
            assert_eq!(fresh.after, 0);
            assert_eq!(write(&store, &Arc::new(fresh)).await, (10, false));
            store.close();
        }

        async fn make(&self, place: i64, name: &'static str) {
            let make = move |tx: &mut Tx<'_>| contact(tx, place, name).and_then(|()| note_made(tx, place));
            self.store.write(make).await.unwrap();
        }

        async fn rename(&self, place: i64, name: &'static str) {
            const RENAME: &str = "UPDATE contacts SET name = $2 WHERE seq = $1";
            let rename = move |tx: &mut Tx<'_>| {
                tx.execute(RENAME, &[&place, &name])?.exactly(1)?;
                note_changed(tx, place)
            };
            self.store.write(rename).await.unwrap();
        }

        async fn read(&self, max: usize) -> Arc<Fresh> {
            Arc::new(self.store.read(move |tx| Fresh::read(tx, max)).await.unwrap())
        }

        async fn write(&self, fresh: &Arc<Fresh>) -> (i64, bool) {
            write(&self.store, fresh).await
        }

        /// The positions of the contacts that the index finds, in its order.
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

    /// Writes contacts; returns the index's position, and whether changed contacts still wait.
    async fn write(store: &Store, fresh: &Arc<Fresh>) -> (i64, bool) {
        let written = fresh.clone();
        if store.write_side(&FILE, move |tx| written.write(tx)).await.unwrap() {
            let written = fresh.clone();
            store.write(move |tx| written.forget_changes(tx)).await.unwrap();
        }
        let state = store.read(state).await.unwrap();
        (state.through, state.has_changes)
    }

    fn open(directory: &Path) -> Store {
        let url = DatabaseUrl::Sqlite(directory.join("test.db"));
        Store::open(&Options { server: true, side_files: &[FILE], ..Options::new(url) }).unwrap()
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
        assert_eq!((first.len(), first.is_full, scratch.write(&first).await), (2, true, (20, false)));
        assert_eq!(scratch.found("ann").await, [20, 10]);
        assert_eq!(scratch.found("bob").await, [0; 0]);
        let rest = scratch.read(2).await;
        assert_eq!((rest.len(), rest.is_full, scratch.write(&rest).await), (1, false, (30, false)));
        assert_eq!(scratch.found("bob").await, [30]);
        let none = scratch.read(2).await;
        assert_eq!((none.len(), scratch.write(&none).await), (0, (30, false)));
        // Contacts that another writer has indexed are left alone.
        scratch.rename(10, "Eve").await;
        assert_eq!(scratch.write(&rest).await, (30, true));
    }

    #[tokio::test]
    async fn a_contact_inserted_during_the_walk_is_not_skipped() {
        let scratch = Scratch::new("between").await;
        scratch.make(10, "Ann").await;
        scratch.make(30, "Bob").await;
        let read_before = scratch.read(9).await;
        scratch.make(20, "Eve").await;
        assert_eq!(scratch.write(&read_before).await, (30, true));
        assert_eq!(scratch.found("eve").await, [0; 0]);
        let fresh = scratch.read(9).await;
        assert_eq!((fresh.len(), scratch.write(&fresh).await), (1, (30, false)));
        assert_eq!(scratch.found("eve").await, [20]);
    }

    #[tokio::test]
    async fn a_changed_contact_is_written_again_after_each_change() {
        let scratch = Scratch::new("changes").await;
        scratch.make(10, "Ann").await;
        scratch.rename(10, "Anna").await;
        let read_before = scratch.read(9).await;
        assert_eq!(read_before.len(), 1);
        scratch.rename(10, "Bob").await;
        assert_eq!(scratch.write(&read_before).await, (10, true));
        assert_eq!(scratch.found("nna").await, [10]);
        assert_eq!(scratch.found("bob").await, [0; 0]);
        assert_eq!(scratch.write(&scratch.read(9).await).await, (10, false));
        assert_eq!(scratch.found("bob").await, [10]);
        // A deleted contact does not wait.
        scratch.rename(10, "Eve").await;
        let gone = |tx: &mut Tx<'_>| tx.execute("DELETE FROM contacts WHERE seq = 10", &[])?.exactly(1);
        scratch.store.write(gone).await.unwrap();
        assert_eq!(scratch.write(&scratch.read(9).await).await, (10, false));
    }

    /// Whether any page of the index has these bytes.
    async fn has_bytes(scratch: &Scratch, letters: &'static str) -> bool {
        const FIND: &str =
            "SELECT EXISTS (SELECT 1 FROM contact_search_data WHERE instr(block, CAST($1 AS BLOB)) > 0)";
        scratch.store.read(move |tx| tx.find(FIND, &[&letters], only)).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn the_index_forgets_the_words_of_a_contact_that_was_renamed_or_deleted() {
        let scratch = Scratch::new("forgets").await;
        for (place, name) in [(10, "Ann"), (20, "Xqzw"), (30, "Xvjk")] {
            scratch.make(place, name).await;
        }
        scratch.write(&scratch.read(9).await).await;
        assert!(has_bytes(&scratch, "qzw").await && has_bytes(&scratch, "vjk").await);
        scratch.rename(20, "Bob").await;
        let gone = |tx: &mut Tx<'_>| {
            note_changed(tx, 30)?;
            tx.execute("DELETE FROM contacts WHERE seq = 30", &[])?.exactly(1)
        };
        scratch.store.write(gone).await.unwrap();
        let fresh = scratch.read(9).await;
        assert_eq!(scratch.write(&fresh).await, (30, false));
        assert!(!has_bytes(&scratch, "qzw").await, "the old name");
        assert!(!has_bytes(&scratch, "vjk").await, "the deleted contact");
        assert_eq!(scratch.found("ann").await, [10]);
        assert_eq!(scratch.found("bob").await, [20]);
        // After a crash the same contacts are written once more.
        assert_eq!(scratch.write(&fresh).await, (30, false));
        assert_eq!(scratch.found("bob").await, [20]);
        scratch.rename(20, "Eve").await;
        scratch.write(&scratch.read(9).await).await;
        assert_eq!(scratch.found("bob").await, [0; 0]);
    }

    #[tokio::test]
    async fn a_contact_that_is_written_often_is_found_once() {
        let scratch = Scratch::new("often").await;
        scratch.make(10, "Ann").await;
        scratch.write(&scratch.read(9).await).await;
        for _ in 0..20 {
            scratch.rename(10, "Anna").await;
            scratch.write(&scratch.read(9).await).await;
            scratch.store.write_side(&FILE, tidy).await.unwrap();
        }
        assert_eq!(scratch.found("ann").await, [10]);
        assert_eq!(scratch.found("nna").await, [10]);
    }

    #[tokio::test]
    async fn a_missing_broken_or_foreign_index_is_rebuilt() {
        let scratch = Scratch::new("lost").await;
        let other = Scratch::new("other").await;
        scratch.make(10, "Ann").await;
        other.make(40, "Bob").await;
        for scratch in [&scratch, &other] {
            scratch.write(&scratch.read(9).await).await;
            scratch.store.close();
        }
        let file = |scratch: &Scratch| scratch.directory.join("test.db.search");
        std::fs::copy(file(&other), file(&scratch)).unwrap();
        scratch.begins_anew().await;
        std::fs::remove_file(file(&scratch)).unwrap();
        scratch.begins_anew().await;
        std::fs::write(file(&scratch), "This is no index at all, and long enough to be taken for one.")
            .unwrap();
        scratch.begins_anew().await;
    }
}
