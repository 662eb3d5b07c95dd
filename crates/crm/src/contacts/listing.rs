//! Listing contacts.

use frontdesk_db::ReadTx;
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
            let source = match filters.tag_id {
                Some(tag) => Source::tagged(&wanted, tag),
                None => Source::all(&wanted),
            };
            let query = source.select(tx, &wanted)?;
            Ok(tx.run(&query, read)?)
        }
    }
}
