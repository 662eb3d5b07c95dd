//! Visitors get a token, and may give their name and email.

use frontdesk_crm::contacts::{self, Person, Policy};
use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::{Email, Text};
use frontdesk_platform::By;
use frontdesk_platform::public_endpoint::PublicResponse;
use frontdesk_web::{Reply, Result, data_bytes, input, resource};
use http::StatusCode;

use super::chat_request::ChatRequest;
use super::limits::Action;
use super::token::{Visitor, VisitorId};
use crate::connections::{ConnectionId, StoredConnection};
use crate::identities;

pub(super) const NAME_CHARS_MAX: usize = 200;

input! {
    /// A visitor's name and email.
    struct NewVisitor {
        name: Option<Text<NAME_CHARS_MAX>>,
        email: Option<Email>,
    }
}

resource! {
    /// A visitor and their token.
    struct Welcome {
        visitor_id: VisitorId,
        /// The bearer token for all requests of the visitor. It is valid for a year, on this connection.
        token: String,
    }
}

/// Creates a visitor. Nothing is stored.
pub(super) fn create(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    chat.admit(Action::Arrive)?;
    chat.connected()?;
    let new: NewVisitor = chat.body()?;
    let id: VisitorId = chat.server.recorder.next(chat.request.now);
    let visitor = Visitor { id, name: new.name.map(Text::into_string), email: new.email };
    let token = chat.tokens().issue(chat.connection.id(), &visitor);
    Ok(Reply::new(StatusCode::CREATED, data_bytes(&Welcome { visitor_id: id, token })).into())
}

/// The channel's id of a visitor.
pub(super) fn person(visitor: VisitorId) -> String {
    visitor.to_string()
}

/// Stores a visitor's email before their message: the one given now or, the first time, the one in their
/// token. Their name is stored with the message itself.
pub(super) async fn note_email(
    chat: &ChatRequest<'_>,
    visitor: &Visitor,
    name: Option<&str>,
    given: Option<Email>,
) -> db::Result<()> {
    let (connection, recorder, now) =
        (chat.connection.clone(), chat.server.recorder.clone(), chat.request.now);
    let (account, connection_id, person) = (connection.account, connection.id(), person(visitor.id));
    let known = {
        let person = person.clone();
        chat.server.store.read(move |tx| identities::find(tx, account, connection_id, &person)).await?
    };
    let email = if known.is_some() { given } else { given.or_else(|| visitor.email.clone()) };
    let (Some(email), name) = (email, name.map(ToOwned::to_owned)) else { return Ok(()) };
    chat.server
        .store
        .write(move |tx| {
            introduce(tx, &By::system(account, now, &recorder), &connection, &person, name.as_deref(), &email)
        })
        .await
}

/// Visitors always get their own contact. An email is only a claim, and a conversation is shown only to its owner.
fn introduce(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    person: &str,
    name: Option<&str>,
    email: &Email,
) -> db::Result<()> {
    let connection_id: ConnectionId = connection.id();
    let details = Person { email: Some(email.clone()), ..Person::default() };
    if let Some(contact) = identities::find(tx, by.account, connection_id, person)? {
        return contacts::fill_in(tx, by, contact, &details, Policy::VISITOR.known_by);
    }
    let details = Person { name: name.and_then(contacts::name_of), ..details };
    let met = contacts::find_or_create(tx, by, &details, Policy::VISITOR)?;
    let contact = met.ok_or(db::Error::Decode("contact"))?;
    identities::remember(tx, by.account, connection_id, person, contact)?;
    if identities::find(tx, by.account, connection_id, person)? != Some(contact) {
        // Another message of the same visitor has stored them in the meantime.
        return Err(tx.again());
    }
    Ok(())
}
