//! The routes of inquiries. Their notes are with the other notes.

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, List, Listing, Path, Result};

use super::inquiry::{Inquiry, InquiryId, InquiryPatch, MISSING, NewInquiry};
use super::ops::InquiryFilters;

pub fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/inquiries", "listInquiries", list).scope(Scope::InquiriesRead).summary("List inquiries"),
        Route::post("/inquiries", "createInquiry", submit)
            .scope(Scope::InquiriesWrite)
            .created()
            .idempotent()
            .summary("Submit an inquiry")
            .notes(
                "Its contact is found by phone, then by email, or created. Existing data of a contact \
                 is kept; missing data is filled in. If the contact limit is reached, the inquiry is \
                 stored without a contact.",
            ),
        Route::get("/inquiries/{id}", "getInquiry", get)
            .scope(Scope::InquiriesRead)
            .summary("Get an inquiry"),
        Route::patch("/inquiries/{id}", "updateInquiry", patch)
            .scope(Scope::InquiriesWrite)
            .summary("Change an inquiry's status"),
    ];
    routes.into_iter().map(|route| route.tag("Inquiries")).collect()
}

async fn list(caller: Caller, listing: Listing<InquiryFilters>) -> Result<List<Inquiry>> {
    let Listing { filters, page } = listing;
    let (slow, asked) = (filters.is_slow(), page.clone());
    let find = move |tx: &mut ReadTx<'_>, by: &By| {
        super::list(tx, by.account, &filters, &asked).map_err(PlatformError::from)
    };
    let rows = if slow { caller.scan(find).await? } else { caller.read(find).await? };
    Ok(page.finish(rows, |inquiry| inquiry.id.uuid()))
}

async fn submit(caller: Caller, Body(new): Body<NewInquiry>) -> Result<Data<Inquiry>> {
    caller.write(move |tx, by| super::submit(tx, by, &new)).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<InquiryId>) -> Result<Data<Inquiry>> {
    caller.read(move |tx, by| super::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<InquiryId>,
    Body(patch): Body<InquiryPatch>,
) -> Result<Data<Inquiry>> {
    caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
}
