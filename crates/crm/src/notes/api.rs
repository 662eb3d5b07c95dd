//! The routes of notes.

use super::{
    About, Body, Caller, ContactId, Data, InquiryId, List, Listing, NewNote, Note, NoteFilters, Path,
    WebResult,
};

pub(super) async fn of_contact(
    caller: Caller,
    Path(contact): Path<ContactId>,
    listing: Listing<NoteFilters>,
) -> WebResult<List<Note>> {
    list(caller, About::Contact(contact), listing).await
}

pub(super) async fn about_contact(
    caller: Caller,
    Path(contact): Path<ContactId>,
    Body(new): Body<NewNote>,
) -> WebResult<Data<Note>> {
    create(caller, About::Contact(contact), new).await
}

pub(super) async fn of_inquiry(
    caller: Caller,
    Path(inquiry): Path<InquiryId>,
    listing: Listing<NoteFilters>,
) -> WebResult<List<Note>> {
    list(caller, About::Inquiry(inquiry), listing).await
}

pub(super) async fn about_inquiry(
    caller: Caller,
    Path(inquiry): Path<InquiryId>,
    Body(new): Body<NewNote>,
) -> WebResult<Data<Note>> {
    create(caller, About::Inquiry(inquiry), new).await
}

async fn list(caller: Caller, about: About, listing: Listing<NoteFilters>) -> WebResult<List<Note>> {
    let page = listing.page.clone();
    let rows = caller.read(move |tx, by| super::list(tx, by.account, about, &page)).await?;
    Ok(listing.page.finish(rows, |note| note.id.uuid()))
}

async fn create(caller: Caller, about: About, new: NewNote) -> WebResult<Data<Note>> {
    caller.write(move |tx, by| super::create(tx, by, about, &new)).await.map(Data)
}
