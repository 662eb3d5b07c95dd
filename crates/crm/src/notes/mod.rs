//! Notes: what people write down about a contact, an inquiry or a conversation. A note is attributed to the member who
//! wrote it, or to the member behind the key or assistant that did, and never changes.
//!
//! Conversations belong to the crate above, which checks and holds them and has their routes.

mod api;
mod sql;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, ConversationId, UserId};
use frontdesk_kernel::{Id, Scope, Text, Timestamp};
use frontdesk_platform::events;
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use frontdesk_platform::listing::newest_first;
use frontdesk_platform::{By, Caller, Error, Route, event_types};
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Body, Data, List, Listing, Page, Path, Result as WebResult, filters, input, resource};

use crate::contacts::{self, ContactId, Dependent};
use crate::inquiries::{self, InquiryId};
pub use sql::STATEMENTS;
use sql::{ERASE, ERASE_CONVERSATION, FIND, INSERT, REPOINT};

/// The longest note.
pub const BODY_CHARS_MAX: usize = 10_000;

pub type NoteId = Id<Note>;

resource! {
    /// A note about a contact, an inquiry or a conversation.
    pub struct Note {
        pub id: NoteId,
        /// The contact it is about; left out of other notes.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub contact_id: Option<ContactId>,
        /// The inquiry it is about; left out of other notes.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub inquiry_id: Option<InquiryId>,
        /// The conversation it is about; left out of other notes.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub conversation_id: Option<ConversationId>,
        pub body: String,
        /// The member who wrote it, or the member behind the key or assistant that did.
        pub author_user_id: UserId,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new note.
    pub struct NewNote {
        pub body: Text<BODY_CHARS_MAX>,
    }
}

filters! {
    /// Notes are listed without filters.
    pub struct NoteFilters {}
}

resource! {
    /// The `data` of an event about a note.
    pub struct NoteEventData<'e> {
        pub note: &'e Note,
        /// The members whom a note on a conversation mentions; left out when there are none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub mentioned_user_ids: Vec<UserId>,
    }
}

event_types! {
    pub CREATED: NoteEventData<'static> = "note.created",
        "A note was written.",
        NoteEventData { note: &Note::example(), mentioned_user_ids: Vec::new() };
}

impl Example for Note {
    fn example() -> Self {
        Self {
            id: example::id(),
            contact_id: Some(example::id()),
            inquiry_id: None,
            conversation_id: None,
            body: "Prefers mornings.".into(),
            author_user_id: example::id(),
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}

/// The subject of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Contact(ContactId),
    Inquiry(InquiryId),
    /// Its own crate checks and holds it.
    Conversation(ConversationId),
}

impl About {
    /// Fails if the account has no such subject.
    fn check(self, tx: &mut ReadTx<'_>, account: AccountId) -> Result<(), Error> {
        let (exists, missing) = match self {
            Self::Contact(id) => (contacts::exists(tx, account, id)?, Error::Missing("contact")),
            Self::Inquiry(id) => (inquiries::exists(tx, account, id)?, inquiries::MISSING),
            Self::Conversation(_) => return Ok(()),
        };
        if exists { Ok(()) } else { Err(missing) }
    }

    /// The same, and locks a contact, so that it is not erased before the note is written.
    fn hold(self, tx: &mut Tx<'_>, account: AccountId) -> Result<(), Error> {
        match self {
            Self::Contact(id) if !contacts::hold(tx, account, id)? => Err(Error::Missing("contact")),
            Self::Contact(_) | Self::Conversation(_) => Ok(()),
            Self::Inquiry(_) => self.check(tx, account),
        }
    }

    fn contact(self) -> Option<ContactId> {
        if let Self::Contact(id) = self { Some(id) } else { None }
    }

    fn inquiry(self) -> Option<InquiryId> {
        if let Self::Inquiry(id) = self { Some(id) } else { None }
    }

    fn conversation(self) -> Option<ConversationId> {
        if let Self::Conversation(id) = self { Some(id) } else { None }
    }
}

/// The notes about contacts.
pub struct ContactRows;

impl Dependent for ContactRows {
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
        let _any_number_is_fine = tx.execute(ERASE, &[&by.account, &contact])?;
        Ok(())
    }

    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
        let _any_number_is_fine = tx.execute(REPOINT, &[&by.account, &from, &into])?;
        Ok(())
    }
}

/// Erases the notes about a conversation.
pub fn erase_of_conversation(tx: &mut Tx<'_>, account: AccountId, id: ConversationId) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(ERASE_CONVERSATION, &[&account, &id])?;
    Ok(())
}

pub fn create(tx: &mut Tx<'_>, by: &By, about: About, new: &NewNote) -> Result<Note, Error> {
    about.hold(tx, by.account)?;
    Ok(write(tx, by, about, new.body.as_str(), &[])?)
}

/// Writes a note about something that this transaction holds. The event names the members whom it mentions.
pub fn write(tx: &mut Tx<'_>, by: &By, about: About, body: &str, mentioned: &[UserId]) -> db::Result<Note> {
    let (id, author): (NoteId, _) = (by.new_id(), by.author(tx)?);
    let note = Note {
        id,
        contact_id: about.contact(),
        inquiry_id: about.inquiry(),
        conversation_id: about.conversation(),
        body: body.to_owned(),
        author_user_id: author,
        created_at: id.created_at(),
        updated_at: by.now,
    };
    let params: &[&dyn db::Param] = &[
        &by.account,
        &id,
        &note.contact_id,
        &note.inquiry_id,
        &note.conversation_id,
        &note.body,
        &author,
        &by.now,
    ];
    tx.execute(INSERT, params)?.exactly(1)?;
    let data = NoteEventData { note: &note, mentioned_user_ids: mentioned.to_vec() };
    events::write(tx, by, CREATED, &data)?;
    Ok(note)
}

/// The notes with these ids, in their order.
pub fn find_all(tx: &mut ReadTx<'_>, account: AccountId, ids: &[NoteId]) -> db::Result<Vec<Option<Note>>> {
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&account as &dyn db::Param, id]).collect();
    tx.find_each(FIND, &rows, read)
}

pub fn list(tx: &mut ReadTx<'_>, account: AccountId, about: About, page: &Page) -> Result<Vec<Note>, Error> {
    about.check(tx, account)?;
    let mut query = Query::new(
        "SELECT id, contact_id, inquiry_id, conversation_id, body, author_user_id, updated_at FROM notes WHERE account_id = ",
    );
    query.bind(account);
    match about {
        About::Contact(id) => query.push(" AND contact_id = ").bind(id),
        About::Inquiry(id) => query.push(" AND inquiry_id = ").bind(id),
        About::Conversation(id) => query.push(" AND conversation_id = ").bind(id),
    };
    newest_first(&mut query, page);
    Ok(tx.run(&query, read)?)
}

/// Notes. Those about a contact include notes on its conversations and inquiries.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "notes",
    &["notes"],
    Columns {
        sql: "t.id, t.contact_id, t.inquiry_id, t.conversation_id, t.body, t.author_user_id, t.updated_at",
        line: |row, _| line(&read(row)?),
    },
)
.of_contact(
    "t.id IN (SELECT n.id FROM notes n WHERE n.account_id = {account} AND n.contact_id = {contact}
        UNION ALL SELECT n.id FROM inquiries i JOIN notes n ON n.account_id = i.account_id AND n.inquiry_id = i.id
            WHERE i.account_id = {account} AND i.contact_id = {contact}
        UNION ALL SELECT n.id FROM conversations v JOIN notes n ON n.account_id = v.account_id AND n.conversation_id = v.id
            WHERE v.account_id = {account} AND v.contact_id = {contact})",
)];

fn read(row: &mut Row<'_>) -> db::Result<Note> {
    let id: NoteId = row.next()?;
    Ok(Note {
        id,
        contact_id: row.next()?,
        inquiry_id: row.next()?,
        conversation_id: row.next()?,
        body: row.next()?,
        author_user_id: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

pub fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/contacts/{id}/notes", "listContactNotes", api::of_contact)
            .scope(Scope::ContactsRead)
            .summary("List a contact's notes"),
        Route::post("/contacts/{id}/notes", "createContactNote", api::about_contact)
            .scope(Scope::ContactsWrite)
            .created()
            .idempotent()
            .summary("Write a note about a contact"),
        Route::get("/inquiries/{id}/notes", "listInquiryNotes", api::of_inquiry)
            .scope(Scope::InquiriesRead)
            .summary("List an inquiry's notes"),
        Route::post("/inquiries/{id}/notes", "createInquiryNote", api::about_inquiry)
            .scope(Scope::InquiriesWrite)
            .created()
            .idempotent()
            .summary("Write a note about an inquiry"),
    ];
    routes.into_iter().map(|route| route.tag("Notes")).collect()
}
