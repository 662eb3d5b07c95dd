//! The routes of canned replies.

use frontdesk_kernel::Scope;
use frontdesk_platform::draft;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Data, Deleted, Draft, InvalidBody, List, Path, Result};
use http::StatusCode;

use super::reply::{CannedReply, CannedReplyId, CannedReplyPatch, NewCannedReply};
use super::{files, ops};
use crate::media::{Links, MediaId};

pub fn routes() -> Vec<Route> {
    let (reads, writes) = (Scope::ConversationsRead, Scope::ConversationsWrite);
    let routes = vec![
        Route::get("/canned-replies", "listCannedReplies", list)
            .scope(reads)
            .summary("List canned replies"),
        Route::post("/canned-replies", "createCannedReply", create)
            .scope(writes)
            .created()
            .idempotent()
            .summary("Create a canned reply")
            .fails(&[StatusCode::CONFLICT, StatusCode::UNPROCESSABLE_ENTITY]),
        Route::patch("/canned-replies/{id}", "updateCannedReply", patch)
            .scope(writes)
            .summary("Update a canned reply")
            .notes("`media_ids` replaces all files. A file that no canned reply and no message has is deleted after 7 days.")
            .fails(&[StatusCode::CONFLICT]),
        Route::delete("/canned-replies/{id}", "deleteCannedReply", delete)
            .scope(writes)
            .summary("Delete a canned reply"),
    ];
    routes.into_iter().map(|route| route.tag("Canned replies")).collect()
}

async fn list(caller: Caller) -> Result<List<CannedReply>> {
    let links = Links::of(caller.services());
    let rows = caller.read(move |tx, by| ops::list(tx, by, &links).map_err(PlatformError::from)).await?;
    Ok(List::all(rows))
}

async fn create(caller: Caller, Draft(body): Draft<NewCannedReply>) -> Result<Data<CannedReply>> {
    let new = whole(&caller, body).await?;
    let links = Links::of(caller.services());
    caller.write(move |tx, by| ops::create(tx, by, &links, &new)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<CannedReplyId>,
    Draft(body): Draft<CannedReplyPatch>,
) -> Result<Data<CannedReply>> {
    let patch = whole(&caller, body).await?;
    let links = Links::of(caller.services());
    caller.write(move |tx, by| ops::patch(tx, by, &links, id, &patch)).await.map(Data)
}

async fn delete(caller: Caller, Path(id): Path<CannedReplyId>) -> Result<Data<Deleted>> {
    let links = Links::of(caller.services());
    caller.write(move |tx, by| ops::delete(tx, by, &links, id)).await.map(Data)
}

/// The body, or all its problems, including uploads that do not exist.
async fn whole<T>(caller: &Caller, body: std::result::Result<T, InvalidBody>) -> Result<T> {
    draft::whole(caller, body, |tx, by, rough| {
        let ids = rough.items::<MediaId>(files::FIELD);
        files::unavailable(tx, by.account, ids, by.now).map_err(PlatformError::from)
    })
    .await
}
