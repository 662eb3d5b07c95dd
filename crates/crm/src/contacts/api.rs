//! The routes of contacts.

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_platform::draft::whole;
use frontdesk_platform::{By, Caller, Route};
use frontdesk_web::{Body, Data, Deleted, Draft, InvalidBody, List, Listing, Path, Problems, Result, input};
use http::StatusCode;

use super::contact::{
    Contact, ContactError, ContactId, ContactPatch, FieldValues, MISSING, MergeContact, NewContact, TagIds,
};
use super::dependents::Dependents;
use super::opt_out::SOURCE_API;
use super::{ContactFilters, OptOut};
use super::{bulk, ops};
use crate::tags::TagId;

input! {
    /// Tags to add.
    pub struct AddTags {
        /// Tags of this account.
        pub tag_ids: TagIds,
    }
}

pub fn routes(dependents: Dependents) -> Vec<Route> {
    const NAMED: &[StatusCode] = &[StatusCode::NOT_FOUND];
    const SAME: &[StatusCode] = &[StatusCode::UNPROCESSABLE_ENTITY];
    const DUPLICATE: &[StatusCode] = &[StatusCode::CONFLICT];
    const CREATE: &[StatusCode] = &[StatusCode::CONFLICT, StatusCode::PAYMENT_REQUIRED];
    let routes = vec![
        Route::get("/contacts", "listContacts", list)
            .scope(Scope::ContactsRead)
            .fails(NAMED)
            .summary("List contacts")
            .notes("A `segment_id` that is not the account's is a 404."),
        Route::post("/contacts", "createContact", create)
            .scope(Scope::ContactsWrite)
            .created()
            .idempotent()
            .fails(CREATE)
            .summary("Create a contact")
            .notes(
                "A phone number that already belongs to a contact is a 409 with that contact's id in \
                 `details`, however the number is formatted.",
            ),
        Route::get("/contacts/{id}", "getContact", get).scope(Scope::ContactsRead).summary("Get a contact"),
        Route::patch("/contacts/{id}", "updateContact", patch)
            .scope(Scope::ContactsWrite)
            .fails(DUPLICATE)
            .summary("Update a contact"),
        Route::delete("/contacts/{id}", "deleteContact", move |caller: Caller, id: Path<ContactId>| {
            erase(caller, id, dependents)
        })
        .scope(Scope::ContactsWrite)
        .summary("Erase a contact")
        .notes(
            "Permanently erases the contact with its conversations, messages, notes and media. \
             Queued messages are not sent. Deals, inquiries and bookings stay, without a contact. \
             Earlier events stay until their retention ends.",
        ),
        Route::post(
            "/contacts/{id}/merge",
            "mergeContact",
            move |caller: Caller, id: Path<ContactId>, body: Body<MergeContact>| {
                merge(caller, id, body, dependents)
            },
        )
        .scope(Scope::ContactsWrite)
        .fails(SAME)
        .summary("Merge another contact into this one")
        .notes(
            "Moves everything of the other contact into this one, which keeps its own fields and \
             takes over the other's where its own are empty. Tags and identities are combined, it \
             is opted out if either was, and the other's number belongs to it from now on. Of two \
             conversations on one connection the more recent one stays open and the other is \
             closed. The other contact is deleted, without a `contact.deleted` event. Merging a \
             contact into itself is a 422 with the reason `same_contact`.",
        ),
        Route::post("/contacts/{id}/tags", "addContactTags", add_tags)
            .scope(Scope::ContactsWrite)
            .summary("Add tags to a contact"),
        Route::delete("/contacts/{id}/tags/{tag_id}", "removeContactTag", remove_tag)
            .scope(Scope::ContactsWrite)
            .summary("Remove a tag from a contact"),
        Route::get("/contacts/{id}/opt-out", "getContactOptOut", get_opt_out)
            .scope(Scope::ContactsRead)
            .summary("Get a contact's opt-out"),
        Route::put("/contacts/{id}/opt-out", "optOutContact", put_opt_out)
            .scope(Scope::ContactsWrite)
            .summary("Opt a contact out of broadcasts"),
        Route::delete("/contacts/{id}/opt-out", "optInContact", delete_opt_out)
            .scope(Scope::ContactsWrite)
            .summary("Opt a contact in to broadcasts again"),
    ];
    routes.into_iter().chain(bulk::routes()).map(|route| route.tag("Contacts")).collect()
}

async fn list(caller: Caller, listing: Listing<ContactFilters>) -> Result<List<Contact>> {
    let Listing { filters, page } = listing;
    let slow = filters.is_slow();
    let asked = page.clone();
    let find = move |tx: &mut ReadTx<'_>, by: &By| super::list(tx, by, &filters, &asked);
    let rows = if slow { caller.scan(find).await? } else { caller.read(find).await? };
    Ok(page.finish(rows, |contact| contact.id.uuid()))
}

async fn create(caller: Caller, Draft(new): Draft<NewContact>) -> Result<Data<Contact>> {
    let new = whole(&caller, new, references).await?;
    caller.write(move |tx, by| super::create(tx, by, &new)).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<ContactId>) -> Result<Data<Contact>> {
    caller.read(move |tx, by| super::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<ContactId>,
    Draft(patch): Draft<ContactPatch>,
) -> Result<Data<Contact>> {
    let patch = whole(&caller, patch, references).await?;
    caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
}

async fn erase(caller: Caller, Path(id): Path<ContactId>, dependents: Dependents) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| super::erase(tx, by, id, dependents)).await?;
    Ok(Data(Deleted::new(id)))
}

async fn merge(
    caller: Caller,
    Path(id): Path<ContactId>,
    Body(wanted): Body<MergeContact>,
    dependents: Dependents,
) -> Result<Data<Contact>> {
    caller.write(move |tx, by| super::merge(tx, by, id, wanted.contact_id, dependents)).await.map(Data)
}

/// Checks the tags and fields of a body: all of them must belong to the account.
fn references(
    tx: &mut ReadTx<'_>,
    by: &By,
    rough: &InvalidBody,
) -> std::result::Result<Problems, ContactError> {
    let (tags, values) = (rough.field::<TagIds>("tag_ids"), rough.field::<FieldValues>("custom_fields"));
    match ops::check(tx, by, tags.as_ref().map(|tags| tags.0.as_slice()), values.as_ref()) {
        Err(ContactError::Invalid(found)) => Ok(found),
        Err(error) => Err(error),
        Ok(_) => Ok(Problems::new()),
    }
}

async fn add_tags(
    caller: Caller,
    Path(id): Path<ContactId>,
    Body(wanted): Body<AddTags>,
) -> Result<Data<Contact>> {
    caller.write(move |tx, by| super::tag(tx, by, id, &wanted.tag_ids.0)).await.map(Data)
}

async fn remove_tag(caller: Caller, Path((id, tag)): Path<(ContactId, TagId)>) -> Result<Data<Contact>> {
    caller.write(move |tx, by| super::untag(tx, by, id, tag)).await.map(Data)
}

async fn get_opt_out(caller: Caller, Path(id): Path<ContactId>) -> Result<Data<OptOut>> {
    caller.read(move |tx, by| super::opt_out_of(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn put_opt_out(caller: Caller, Path(id): Path<ContactId>) -> Result<Data<OptOut>> {
    caller.write(move |tx, by| super::opt_out(tx, by, id, SOURCE_API)).await.map(Data)
}

async fn delete_opt_out(caller: Caller, Path(id): Path<ContactId>) -> Result<Data<OptOut>> {
    caller.write(move |tx, by| super::opt_in(tx, by, id)).await.map(Data)
}
