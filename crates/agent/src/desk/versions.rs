//! Versions of an assistant: listed, compared and restored.

use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Data, List, Listing, Path, Result};
use http::StatusCode;

use crate::assistants::{self, Assistant, AssistantVersion, AssistantVersionDetail, VersionId, versions};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/assistants/{id}/versions", "listAssistantVersions", list)
            .scope(Scope::AssistantsRead)
            .summary("List the versions of an assistant"),
        Route::get("/assistants/{id}/versions/{version_id}", "getAssistantVersion", get)
            .scope(Scope::AssistantsRead)
            .summary("Get a version of an assistant"),
        Route::post("/assistants/{id}/versions/{version_id}/restore", "restoreAssistantVersion", restore)
            .scope(Scope::AssistantsWrite)
            .fails(&[StatusCode::UNPROCESSABLE_ENTITY])
            .summary("Make an assistant what it was")
            .notes("Members, personal numbers, instructions and tools that are gone are left out."),
    ]
}

async fn list(
    caller: Caller,
    Path(id): Path<AssistantId>,
    listing: Listing<()>,
) -> Result<List<AssistantVersion>> {
    let asked = listing.page.clone();
    let rows = caller
        .read(move |tx, by| {
            assistants::find(tx, by.account, id)?.ok_or(assistants::MISSING)?;
            versions::list(tx, by.account, id, &asked).map_err(PlatformError::from)
        })
        .await?;
    Ok(listing.page.finish(rows, |version| version.id.uuid()))
}

async fn get(
    caller: Caller,
    Path((id, version)): Path<(AssistantId, VersionId)>,
) -> Result<Data<AssistantVersionDetail>> {
    let found =
        caller.read(move |tx, by| versions::find(tx, by.account, id, version)?.ok_or(versions::NO_VERSION));
    found.await.map(Data)
}

async fn restore(
    caller: Caller,
    Path((id, version)): Path<(AssistantId, VersionId)>,
) -> Result<Data<Assistant>> {
    caller.write(move |tx, by| versions::restore(tx, by, id, version)).await.map(Data)
}
