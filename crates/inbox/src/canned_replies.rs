//! Canned replies: texts that members insert by a shortcut. The client that inserts them fills in
//! placeholders such as `{{contact.name}}`. A shortcut is unique in its account, regardless of case.

use frontdesk_crm::quota::TooMany;
use frontdesk_db::{self as db, Row, Tx, only};
use frontdesk_kernel::{Id, Scope, Text, Timestamp};
use frontdesk_platform::{By, Caller, Error as PlatformError, Route};
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Body, Data, Deleted, Failure, Given, List, Path, Result as WebResult, input, resource};
use http::StatusCode;

/// Maximum canned replies of an account.
const REPLIES_MAX: i64 = 1_000;
const SHORTCUT_CHARS_MAX: usize = 50;
/// As long as the longest message.
const BODY_CHARS_MAX: usize = 4_096;

frontdesk_db::statements! {
    LIST = "SELECT id, shortcut, body, updated_at FROM canned_replies WHERE account_id = $1 ORDER BY id DESC";
    FIND = "SELECT id, shortcut, body, updated_at FROM canned_replies WHERE account_id = $1 AND id = $2";
    COUNT = "SELECT count(*) FROM canned_replies WHERE account_id = $1";
    INSERT = "INSERT INTO canned_replies (account_id, id, shortcut, shortcut_key, body, updated_at) VALUES ($1, $2, $3, $4, $5, $6)";
    UPDATE = "UPDATE canned_replies SET shortcut = $3, shortcut_key = $4, body = $5, updated_at = $6 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM canned_replies WHERE account_id = $1 AND id = $2";
}

pub type CannedReplyId = Id<CannedReply>;

resource! {
    /// A text that members insert by its shortcut.
    pub struct CannedReply {
        pub id: CannedReplyId,
        /// What members type to find it.
        pub shortcut: String,
        /// The text. Placeholders such as `{{contact.name}}` are filled in by the client.
        pub body: String,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

impl Example for CannedReply {
    fn example() -> Self {
        Self {
            id: example::id(),
            shortcut: "hours".into(),
            body: "Hello {{contact.name}}, we are open from 9:00 to 17:30.".into(),
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}

input! {
    /// A canned reply to be made.
    pub struct NewCannedReply {
        /// Unique in the account, regardless of case.
        pub shortcut: Text<SHORTCUT_CHARS_MAX>,
        /// May hold placeholders such as `{{contact.name}}`.
        pub body: Text<BODY_CHARS_MAX>,
    }
}

input! {
    /// What to change of a canned reply.
    pub struct CannedReplyPatch {
        pub shortcut: Given<Text<SHORTCUT_CHARS_MAX>>,
        pub body: Given<Text<BODY_CHARS_MAX>>,
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CannedReplyError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("another canned reply has this shortcut")]
    ShortcutTaken,
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

impl From<db::Error> for CannedReplyError {
    fn from(error: db::Error) -> Self {
        if error.is_constraint("canned_replies_shortcut_key") {
            Self::ShortcutTaken
        } else {
            Self::Platform(error.into())
        }
    }
}

impl From<CannedReplyError> for Failure {
    fn from(error: CannedReplyError) -> Self {
        match error {
            CannedReplyError::Platform(error) => error.into(),
            CannedReplyError::ShortcutTaken => Self::conflict(
                "Another canned reply of this account has this shortcut. Choose another, or change that one.",
            ),
            CannedReplyError::TooMany(error) => error.into(),
        }
    }
}

const MISSING: PlatformError = PlatformError::Missing("canned reply");

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewCannedReply) -> Result<CannedReply, CannedReplyError> {
    let count = tx.find(COUNT, &[&by.account], only)?.unwrap_or(0);
    TooMany::check("canned replies", count, REPLIES_MAX)?;
    let id: CannedReplyId = by.new_id();
    let key = new.shortcut.as_str().to_lowercase();
    tx.execute(INSERT, &[&by.account, &id, &new.shortcut, &key, &new.body, &by.now])?.exactly(1)?;
    Ok(CannedReply {
        id,
        shortcut: new.shortcut.as_str().to_owned(),
        body: new.body.as_str().to_owned(),
        created_at: id.created_at(),
        updated_at: by.now,
    })
}

pub fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    id: CannedReplyId,
    patch: &CannedReplyPatch,
) -> Result<CannedReply, CannedReplyError> {
    let reply = tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    let shortcut = patch.shortcut.as_ref().into_option().map_or(reply.shortcut.as_str(), Text::as_str);
    let body = patch.body.as_ref().into_option().map_or(reply.body.as_str(), Text::as_str);
    if (shortcut, body) == (reply.shortcut.as_str(), reply.body.as_str()) {
        return Ok(reply);
    }
    tx.execute(UPDATE, &[&by.account, &id, &shortcut, &shortcut.to_lowercase(), &body, &by.now])?
        .exactly(1)?;
    Ok(CannedReply {
        shortcut: shortcut.to_owned(),
        body: body.to_owned(),
        updated_at: by.now,
        ..reply.clone()
    })
}

pub fn delete(tx: &mut Tx<'_>, by: &By, id: CannedReplyId) -> Result<Deleted, CannedReplyError> {
    if tx.execute(DELETE, &[&by.account, &id])?.any() { Ok(Deleted::new(id)) } else { Err(MISSING.into()) }
}

fn read(row: &mut Row<'_>) -> db::Result<CannedReply> {
    let id: CannedReplyId = row.next()?;
    Ok(CannedReply {
        id,
        shortcut: row.next()?,
        body: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

pub fn routes() -> Vec<Route> {
    let (reads, writes) = (Scope::ConversationsRead, Scope::ConversationsWrite);
    let routes = vec![
        Route::get("/canned-replies", "listCannedReplies", api::list)
            .scope(reads)
            .summary("List canned replies"),
        Route::post("/canned-replies", "createCannedReply", api::create)
            .scope(writes)
            .created()
            .idempotent()
            .summary("Create a canned reply")
            .fails(&[StatusCode::CONFLICT, StatusCode::UNPROCESSABLE_ENTITY]),
        Route::patch("/canned-replies/{id}", "updateCannedReply", api::patch)
            .scope(writes)
            .summary("Update a canned reply")
            .fails(&[StatusCode::CONFLICT]),
        Route::delete("/canned-replies/{id}", "deleteCannedReply", api::delete)
            .scope(writes)
            .summary("Delete a canned reply"),
    ];
    routes.into_iter().map(|route| route.tag("Canned replies")).collect()
}

mod api {
    use super::{
        Body, Caller, CannedReply, CannedReplyId, CannedReplyPatch, Data, Deleted, LIST, List,
        NewCannedReply, Path, PlatformError, WebResult, read,
    };

    pub(super) async fn list(caller: Caller) -> WebResult<List<CannedReply>> {
        let rows =
            caller.read(|tx, by| tx.query(LIST, &[&by.account], read).map_err(PlatformError::from)).await?;
        Ok(List::all(rows))
    }

    pub(super) async fn create(
        caller: Caller,
        Body(new): Body<NewCannedReply>,
    ) -> WebResult<Data<CannedReply>> {
        caller.write(move |tx, by| super::create(tx, by, &new)).await.map(Data)
    }

    pub(super) async fn patch(
        caller: Caller,
        Path(id): Path<CannedReplyId>,
        Body(patch): Body<CannedReplyPatch>,
    ) -> WebResult<Data<CannedReply>> {
        caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
    }

    pub(super) async fn delete(caller: Caller, Path(id): Path<CannedReplyId>) -> WebResult<Data<Deleted>> {
        caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
    }
}
