//! What happened to a deal, and to all deals of a contact.

use frontdesk_platform::{Caller, Error};
use frontdesk_web::{List, Listing, Path, Result};

use crate::contacts::{self, ContactId};
use crate::deals::{self, DealChange, DealId};

pub(super) async fn of_deal(
    caller: Caller,
    Path(id): Path<DealId>,
    listing: Listing<()>,
) -> Result<List<DealChange>> {
    let page = listing.page.clone();
    let rows = caller.read(move |tx, by| {
        deals::find(tx, by.account, id)?.ok_or(Error::Missing("deal"))?;
        deals::list_changes(tx, by.account, id, &page).map_err(Error::from)
    });
    Ok(listing.page.finish(rows.await?, |change| change.id.uuid()))
}

pub(super) async fn of_contact(
    caller: Caller,
    Path(id): Path<ContactId>,
    listing: Listing<()>,
) -> Result<List<DealChange>> {
    let page = listing.page.clone();
    let rows = caller.scan(move |tx, by| {
        if !contacts::exists(tx, by.account, id)? {
            return Err(Error::Missing("contact"));
        }
        deals::list_changes_of_contact(tx, by.account, id, &page).map_err(Error::from)
    });
    Ok(listing.page.finish(rows.await?, |change| change.id.uuid()))
}
