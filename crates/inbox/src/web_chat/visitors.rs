//! Visitors get a token. They may give their name and email, and a website may prove which of its users they
//! are.

use frontdesk_crm::contacts::{self, Person, Policy};
use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::{Email, Text};
use frontdesk_platform::public_endpoint::PublicResponse;
use frontdesk_platform::{By, store_failure};
use frontdesk_web::{Failure, Problems, Reply, Result, data_bytes, input, resource};
use http::StatusCode;

use super::chat_request::ChatRequest;
use super::limits::Action;
use super::token::{SignedUser, Visitor, VisitorId};
use crate::connections::{ConnectionId, StoredConnection};
use crate::identities;

pub(super) const NAME_CHARS_MAX: usize = 200;
const USER_ID_CHARS_MAX: usize = 200;
/// HMAC-SHA256 in hexadecimal.
const USER_HASH_CHARS_MAX: usize = 64;

input! {
    /// A visitor's name and email.
    struct NewVisitor {
        name: Option<Text<NAME_CHARS_MAX>>,
        email: Option<Email>,
        /// The website's own id of the visitor.
        user_id: Option<Text<USER_ID_CHARS_MAX>>,
        /// The signature of `user_id`, which the website makes on its server: HMAC-SHA256 with the identity secret of the
        /// connection, in hexadecimal.
        user_hash: Option<Text<USER_HASH_CHARS_MAX>>,
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

/// Creates a visitor. Nothing is stored, unless a visitor who has written turns out to be a user of the
/// website.
pub(super) async fn create(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    chat.admit(Action::Arrive)?;
    chat.connected()?;
    let new: NewVisitor = chat.body()?;
    let user = signed_user(chat, new.user_id, new.user_hash)?;
    let id: VisitorId = chat.server.recorder.next(chat.request.now);
    let visitor = Visitor { id, name: new.name.map(Text::into_string), email: new.email, user };
    if visitor.user.is_some()
        && let Some(before) = chat.known_visitor().filter(|before| before.user.is_none())
    {
        carry_over(chat, &before, &visitor).await.map_err(|error| store_failure(&error))?;
    }
    let token = chat.tokens().issue(chat.connection.id(), &visitor);
    Ok(Reply::new(StatusCode::CREATED, data_bytes(&Welcome { visitor_id: id, token })).into())
}

/// The user whom the website names, if its signature is right. An id without a signature is refused: it would
/// show somebody else's conversation.
fn signed_user(
    chat: &ChatRequest<'_>,
    id: Option<Text<USER_ID_CHARS_MAX>>,
    hash: Option<Text<USER_HASH_CHARS_MAX>>,
) -> Result<Option<SignedUser>> {
    let user = match (id, hash) {
        (None, None) => return Ok(None),
        (Some(id), Some(hash)) => SignedUser { id: id.into_string(), hash: hash.into_string() },
        (Some(_), None) => {
            let why = "is required with user_id: its HMAC-SHA256 with the identity secret, in hexadecimal";
            return Err(Failure::validation(Problems::one("user_hash", why)));
        }
        (None, Some(_)) => {
            return Err(Failure::validation(Problems::one("user_id", "is required with user_hash")));
        }
    };
    if chat.is_signed(&user) {
        return Ok(Some(user));
    }
    let message = if chat.identity_secret().is_none() {
        "This chat has no identity secret. Create one in the dashboard, and sign user_id with it."
    } else {
        "user_hash is not the signature of user_id. Compute HMAC-SHA256 of user_id with the identity secret of this chat, on \
         your server, and send it in hexadecimal."
    };
    Err(Failure::forbidden("identity", message))
}

/// The channel's id of a visitor. That of a website's user is the same in all of their browsers.
pub(super) fn person(visitor: &Visitor) -> String {
    match &visitor.user {
        Some(user) => format!("user:{}", user.id),
        None => visitor.id.to_string(),
    }
}

/// Gives what a visitor wrote before they were known to the website's user. A user who has a conversation
/// keeps it.
async fn carry_over(chat: &ChatRequest<'_>, before: &Visitor, user: &Visitor) -> db::Result<()> {
    let (account, connection) = (chat.connection.account, chat.connection.id());
    let (before, user) = (person(before), person(user));
    let wrote = chat.server.store.read(move |tx| identities::find(tx, account, connection, &before)).await?;
    let Some(contact) = wrote else { return Ok(()) };
    let link = move |tx: &mut Tx<'_>| identities::remember(tx, account, connection, &user, contact);
    chat.server.store.write(link).await
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
    let (account, connection_id, person) = (connection.account, connection.id(), person(visitor));
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
