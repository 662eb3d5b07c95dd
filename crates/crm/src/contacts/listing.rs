//! Listing contacts.

use frontdesk_db::{ReadTx, only};
use frontdesk_platform::By;
use frontdesk_web::Page;

use super::contact::{Contact, ContactError};
use super::labels;
use super::search::{self, Needle};
use super::source::{ContactFilters, ContactRow, Source, Wanted, read};

/// A page of contacts, newest first.
pub fn list(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Vec<Contact>, ContactError> {
    labels::expect(tx, by.account)?;
    let rows = bare(tx, by, filters, page)?;
    Ok(labels::complete(tx, by.account, rows)?)
}

/// A number of rows that may be larger than was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub count: i64,
    /// Whether there are more, which were not counted.
    pub is_more: bool,
}

impl Counted {
    /// What was counted by looking for one row more than `max`.
    pub fn up_to(max: i64, found: i64) -> Self {
        Self { count: found.min(max), is_more: found > max }
    }
}

/// Counting stops here, so it takes no longer as an account grows.
pub const COUNTED_MAX: i64 = 10_000;
/// The same for `q`, where each row is read to be checked.
const SEARCHED_MAX: i64 = 1_000;

/// How many contacts the filters find.
pub fn count(tx: &mut ReadTx<'_>, by: &By, filters: &ContactFilters) -> Result<Counted, ContactError> {
    if filters.q.is_some() {
        let rows = bare(tx, by, filters, &Page::inside(SEARCHED_MAX, None))?;
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
pub(crate) fn bare(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Vec<ContactRow>, ContactError> {
    let wanted = Wanted { by, filters, page };
    match filters.q.as_ref().map(|q| Needle::new(q.as_str())) {
        Some(None) => Ok(Vec::new()),
        Some(Some(needle)) => search::of(tx.dialect()).find(tx, &wanted, &needle),
        None => {
            let query = source(&wanted).select(tx, &wanted)?;
            Ok(tx.run(&query, read)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_more_than_the_maximum_is_not_counted_but_told() {
        assert_eq!(Counted::up_to(10, 9), Counted { count: 9, is_more: false });
        assert_eq!(Counted::up_to(10, 10), Counted { count: 10, is_more: false });
        assert_eq!(Counted::up_to(10, 11), Counted { count: 10, is_more: true });
    }
}
