//! Private notes on conversations. They are never sent to the customer.

use frontdesk_crm::notes::{self, About, BODY_CHARS_MAX, Note, NoteFilters};
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Scope, Text};
use frontdesk_platform::draft;
use frontdesk_platform::{By, Caller, Error, Route, members};
use frontdesk_web::{Data, Draft, Failure, Items, List, Listing, Path, Problems, Result, input};

use super::conversation::{ConversationId, MISSING};
use super::{find, find_to_change};

/// Maximum members that one note may mention.
const MENTIONS_MAX: usize = 50;
const MENTIONED: &str = "mentioned_user_ids";

input! {
    /// A private note to be written about a conversation.
    pub struct NewConversationNote {
        pub body: Text<BODY_CHARS_MAX>,
        /// Members of the account whom the note mentions. The event `note.created` names them.
        pub mentioned_user_ids: Option<Items<UserId, MENTIONS_MAX>>,
    }
}

/// Why a note was not written.
#[derive(Debug, thiserror::Error)]
enum NoteError {
    #[error(transparent)]
    Platform(#[from] Error),
    #[error("some members do not exist")]
    Invalid(Problems),
}

impl From<db::Error> for NoteError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<NoteError> for Failure {
    fn from(error: NoteError) -> Self {
        match error {
            NoteError::Platform(error) => error.into(),
            NoteError::Invalid(problems) => Self::validation(problems),
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/conversations/{id}/notes", "listConversationNotes", list)
            .scope(Scope::ConversationsRead)
            .summary("List a conversation's private notes"),
        Route::post("/conversations/{id}/notes", "createConversationNote", create)
            .scope(Scope::ConversationsWrite)
            .created()
            .idempotent()
            .summary("Write a private note about a conversation")
            .notes("The customer never sees it. `note.created` names the members whom it mentions."),
    ]
}

async fn list(
    caller: Caller,
    Path(id): Path<ConversationId>,
    listing: Listing<NoteFilters>,
) -> Result<List<Note>> {
    let asked = listing.page.clone();
    let rows = caller
        .read(move |tx, by| {
            find(tx, by.account, id)?.ok_or(MISSING)?;
            notes::list(tx, by.account, About::Conversation(id), &asked)
        })
        .await?;
    Ok(listing.page.finish(rows, |note| note.id.uuid()))
}

async fn create(
    caller: Caller,
    Path(id): Path<ConversationId>,
    Draft(body): Draft<NewConversationNote>,
) -> Result<Data<Note>> {
    let new = draft::whole(&caller, body, |tx, by, rough| {
        strangers(tx, by.account, rough.items::<UserId>(MENTIONED)).map_err(Error::from)
    })
    .await?;
    caller.write(move |tx, by| write(tx, by, id, &new)).await.map(Data)
}

fn write(
    tx: &mut Tx<'_>,
    by: &By,
    id: ConversationId,
    new: &NewConversationNote,
) -> std::result::Result<Note, NoteError> {
    find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let mentioned = new.mentioned_user_ids.as_ref().map_or(&[][..], |ids| &ids.0);
    let strangers = strangers(tx, by.account, mentioned.iter().copied().enumerate())?;
    if !strangers.is_empty() {
        return Err(NoteError::Invalid(strangers));
    }
    Ok(notes::write(tx, by, About::Conversation(id), new.body.as_str(), mentioned)?)
}

/// The problems of mentions: each one that is not an active member of the account.
fn strangers(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    mentioned: impl IntoIterator<Item = (usize, UserId)>,
) -> db::Result<Problems> {
    let mut problems = Problems::new();
    for (at, user) in mentioned {
        if !members::is_active(tx, account, user)? {
            problems.add(format!("{MENTIONED}.{at}"), "must be an active member of the account");
        }
    }
    Ok(problems)
}
