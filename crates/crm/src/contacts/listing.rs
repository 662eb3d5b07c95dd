//! Listing contacts.

use std::cmp::Reverse;

use frontdesk_db::{ReadTx, only};
use frontdesk_platform::By;
use frontdesk_platform::listing::Counted;
use frontdesk_search::Needle;
use frontdesk_search::contacts::ContactSearch;
use frontdesk_web::Page;

use super::contact::{Contact, ContactError};
use super::labels;
use super::source::{COLUMNS, ContactFilters, ContactRow, Source, Wanted, read};

/// A page of contacts, newest first.
pub fn list(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Vec<Contact>, ContactError> {
    labels::expect(tx, by.account)?;
    let rows = rows(tx, by, filters, page)?;
    Ok(labels::complete(tx, by.account, rows)?)
}

/// Counting stops here, so it takes no longer as an account grows.
pub const COUNTED_MAX: i64 = 10_000;
/// The same for `q`, where each row is read to be checked.
const SEARCHED_MAX: i64 = 1_000;

/// How many contacts the filters find.
pub fn count(tx: &mut ReadTx<'_>, by: &By, filters: &ContactFilters) -> Result<Counted, ContactError> {
    if filters.q.is_some() {
        let rows = rows(tx, by, filters, &Page::inside(SEARCHED_MAX, None))?;
        return Ok(Counted::up_to(SEARCHED_MAX, rows.len() as i64));
    }
    let page = Page::inside(COUNTED_MAX, None);
    let wanted = Wanted { by, filters, page: &page };
    let query = source(&wanted).select(tx, &wanted)?.counted();
    let found = tx.run(&query, only)?.first().copied().unwrap_or(0);
    Ok(Counted::up_to(COUNTED_MAX, found))
}

/// Where contacts come from without `q`.
fn source(wanted: &Wanted<'_>) -> Source {
    match wanted.filters.tag_id {
        Some(tag) => Source::tagged(wanted, tag),
        None => Source::all(wanted),
    }
}

/// The rows of the same page.
pub(crate) fn rows(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Vec<ContactRow>, ContactError> {
    let wanted = Wanted { by, filters, page };
    match filters.q.as_ref().map(|q| Needle::new(q.as_str())) {
        Some(None) => Ok(Vec::new()),
        Some(Some(needle)) => search(tx, &wanted, &needle),
        None => {
            let query = source(&wanted).select(tx, &wanted)?;
            Ok(tx.run(&query, read)?)
        }
    }
}

/// Finds contacts by `q`. A contact may be found twice while the index lags behind.
fn search(
    tx: &mut ReadTx<'_>,
    wanted: &Wanted<'_>,
    needle: &Needle,
) -> Result<Vec<ContactRow>, ContactError> {
    let rows_max = wanted.page.fetch() as usize;
    let account = wanted.by.account;
    let search = ContactSearch { account, needle, columns: COLUMNS, before: wanted.page.before };
    let mut found: Vec<ContactRow> = Vec::new();
    for stage in search.stages(tx)? {
        let newer = found.len();
        for hits in stage {
            let source = Source { is_page: hits.is_exact, ..Source::new(hits.query, hits.order) };
            let query = source.select(tx, wanted)?;
            found.extend(tx.pick(&query, rows_max, |row| {
                let row = read(row)?;
                let is_hit = hits.is_exact || needle.is_in(&row.contact.search_text());
                Ok(is_hit.then_some(row))
            })?);
        }
        found[newer..].sort_unstable_by_key(|row| Reverse(row.contact.id));
        found.dedup_by_key(|row| row.contact.id);
        if found.len() >= rows_max {
            break;
        }
    }
    found.truncate(rows_max);
    Ok(found)
}
