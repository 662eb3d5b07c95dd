//! Notes: what people write down about a contact. A note is attributed to the member behind the key and never changes.

use frontdesk_db::{self as db, Query, Row, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Id, Scope, Text, Timestamp};
use frontdesk_platform::events::{self, EventType};
use frontdesk_platform::{By, Caller, Error};
use frontdesk_web::{
    Body, Data, List, Listing, Page, Path, Result as WebResult, Route, filters, input, resource,
};
use serde::Serialize;

use crate::contacts::{self, ContactId};

const BODY_CHARS_MAX: usize = 10_000;

frontdesk_db::statements! {
    INSERT = "INSERT INTO notes (account_id, id, contact_id, body, author_user_id, updated_at) VALUES ($1, $2, $3, $4, $5, $6)";
}

pub type NoteId = Id<Note>;

resource! {
    /// A note about a contact.
    pub struct Note {
        pub id: NoteId,
        pub contact_id: ContactId,
        pub body: String,
        /// The member to whom the writing key is attributed.
        pub author_user_id: UserId,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A note to be written.
    pub struct NewNote {
        pub body: Text<BODY_CHARS_MAX>,
    }
}

filters! {
    /// Notes are listed without filters.
    pub struct NoteFilters {}
}

#[derive(Serialize)]
struct NoteEvent<'a> {
    note: &'a Note,
}

const NO_CONTACT: Error = Error::Missing("contact");

pub fn create(tx: &mut Tx<'_>, by: &By, contact: ContactId, new: &NewNote) -> Result<Note, Error> {
    if !contacts::exists(tx, by.account, contact)? {
        return Err(NO_CONTACT);
    }
    let id: NoteId = by.new_id();
    tx.execute(INSERT, &[&by.account, &id, &contact, &new.body, &by.user, &by.now])?.exactly(1)?;
    let note = Note {
        id,
        contact_id: contact,
        body: new.body.as_str().to_owned(),
        author_user_id: by.user,
        created_at: id.created_at(),
        updated_at: by.now,
    };
    events::write(tx, by, EventType::NoteCreated, &NoteEvent { note: &note })?;
    Ok(note)
}

pub fn list(
    tx: &mut Tx<'_>,
    account: AccountId,
    contact: ContactId,
    page: &Page,
) -> Result<Vec<Note>, Error> {
    if !contacts::exists(tx, account, contact)? {
        return Err(NO_CONTACT);
    }
    let mut query =
        Query::new("SELECT id, contact_id, body, author_user_id, updated_at FROM notes WHERE account_id = ");
    query.bind(account).push(" AND contact_id = ").bind(contact);
    if let Some(before) = page.before {
        query.push(" AND id < ").bind(before);
    }
    query.push(" ORDER BY id DESC LIMIT ").bind(page.fetch());
    Ok(tx.run(&query, read)?)
}

fn read(row: &mut Row<'_>) -> db::Result<Note> {
    let id: NoteId = row.next()?;
    Ok(Note {
        id,
        contact_id: row.next()?,
        body: row.next()?,
        author_user_id: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/contacts/{id}/notes", api::list)
            .scope(Scope::ContactsRead)
            .tag("Notes")
            .summary("List a contact's notes"),
        Route::post("/contacts/{id}/notes", api::create)
            .scope(Scope::ContactsWrite)
            .created()
            .idempotent()
            .tag("Notes")
            .summary("Write a note about a contact"),
    ]
}

mod api {
    use super::{Body, Caller, ContactId, Data, List, Listing, NewNote, Note, NoteFilters, Path, WebResult};

    pub(super) async fn list(
        caller: Caller,
        Path(contact): Path<ContactId>,
        listing: Listing<NoteFilters>,
    ) -> WebResult<List<Note>> {
        let page = listing.page.clone();
        let rows = caller.read(move |tx, by| super::list(tx, by.account, contact, &page)).await?;
        Ok(listing.page.finish(rows, |note| note.id.uuid()))
    }

    pub(super) async fn create(
        caller: Caller,
        Path(contact): Path<ContactId>,
        Body(new): Body<NewNote>,
    ) -> WebResult<Data<Note>> {
        caller.write(move |tx, by| super::create(tx, by, contact, &new)).await.map(Data)
    }
}
