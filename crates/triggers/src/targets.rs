//! The contacts that a firing acts on.
//!
//! A search goes through the contacts a stretch at a time, oldest first, so that no statement runs long, even among a
//! million contacts.

use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::segments::{self, Segment, SegmentId};
use frontdesk_db::{self as db, Query, ReadTx, Store};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

/// Contacts that one statement examines, and that one read examines.
const STRETCH_ROWS_MAX: i64 = 2_000;
const READ_ROWS_MAX: i64 = 100_000;

/// A contact of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) contact: ContactId,
    pub(crate) name: Option<String>,
}

/// What a search has found so far.
#[derive(Clone, Debug)]
struct Search {
    found: Vec<Target>,
    /// Where it continues; none when it has reached the end.
    next: Option<Uuid>,
}

impl Search {
    /// A search that has not begun.
    fn new() -> Self {
        Self { found: Vec::new(), next: Some(Uuid::nil()) }
    }

    fn is_over(&self, most: usize) -> bool {
        self.next.is_none() || self.found.len() >= most
    }

    fn contacts(self) -> Vec<ContactId> {
        self.found.into_iter().map(|target| target.contact).collect()
    }
}

/// The first contacts of a segment, found by one read. None when there is no such segment.
pub(crate) fn search(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    segment: SegmentId,
    most: usize,
    now: Timestamp,
) -> db::Result<Option<Vec<Target>>> {
    let Some(segment) = segments::find(tx, account, segment)? else { return Ok(None) };
    let mut search = Search::new();
    while !search.is_over(most) {
        stretch(tx, account, &segment, most, now, &mut search)?;
    }
    Ok(Some(search.found))
}

/// The same, in as many reads as it takes. For a worker.
pub(crate) async fn search_long(
    store: &Store,
    account: AccountId,
    segment: SegmentId,
    most: usize,
    now: Timestamp,
) -> db::Result<Option<Vec<ContactId>>> {
    let mut search = Search::new();
    while !search.is_over(most) {
        let so_far = search.clone();
        let read = store.scan_for(account.uuid(), move |tx| {
            let Some(segment) = segments::find(tx, account, segment)? else { return db::Result::Ok(None) };
            let (mut search, mut looked) = (so_far.clone(), 0);
            while !search.is_over(most) && looked < READ_ROWS_MAX {
                stretch(tx, account, &segment, most, now, &mut search)?;
                looked += STRETCH_ROWS_MAX;
            }
            Ok(Some(search))
        });
        match read.await? {
            Some(further) => search = further,
            None => return Ok(None),
        }
    }
    Ok(Some(search.contacts()))
}

/// Searches the next stretch of the account's contacts.
fn stretch(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    segment: &Segment,
    most: usize,
    now: Timestamp,
    search: &mut Search,
) -> db::Result<()> {
    let Some(after) = search.next else { return Ok(()) };
    let mut end = Query::new("SELECT id FROM contacts WHERE account_id = ");
    end.bind(account).push(" AND id > ").bind(after);
    end.push(" ORDER BY id LIMIT 1 OFFSET ").bind(STRETCH_ROWS_MAX - 1);
    let end: Option<Uuid> = tx.run(&end, db::only)?.pop();

    let room = most.saturating_sub(search.found.len());
    let mut query = Query::new("SELECT c.id, c.name FROM contacts c WHERE c.account_id = ");
    query.bind(account).push(" AND c.id > ").bind(after);
    if let Some(end) = end {
        query.push(" AND c.id <= ").bind(end);
    }
    query.push(" AND ");
    segments::condition(tx, segment, &mut query, now);
    query.push(" ORDER BY c.id LIMIT ").bind(room as i64);
    let found = tx.run(&query, |row| Ok(Target { contact: row.next()?, name: row.next()? }))?;
    search.found.extend(found);
    search.next = end;
    Ok(())
}
