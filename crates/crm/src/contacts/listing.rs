//! Listing contacts.

use frontdesk_db::ReadTx;
use frontdesk_platform::By;
use frontdesk_web::Page;

use super::contact::{Contact, ContactError};
use super::labels::{self, Spread};
use super::search::{self, Needle};
use super::source::{ContactFilters, Source, Wanted, read};

/// A page of contacts, newest first. A contact beyond the page's limit has no tags and custom fields; it only
/// shows that there are more.
pub fn list(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Vec<Contact>, ContactError> {
    labels::expect(tx, by.account)?;
    let mut contacts = bare(tx, by, filters, page)?;
    let spread = if filters.leave_gaps() { Spread::Apart } else { Spread::Together };
    let shown = contacts.len().min(page.limit as usize);
    labels::complete(tx, by.account, &mut contacts[..shown], spread)?;
    Ok(contacts)
}

/// The same page without tags and custom fields.
pub(crate) fn bare(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    page: &Page,
) -> Result<Vec<Contact>, ContactError> {
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
