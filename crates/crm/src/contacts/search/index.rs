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
