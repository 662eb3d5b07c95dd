//! The routes of memories.

use frontdesk_kernel::Scope;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, Deleted, List, Listing, Path, Result};
use http::StatusCode;

use super::{Memory, MemoryFilters, MemoryId, NewMemory};

pub fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/memories", "listMemories", list)
            .scope(Scope::AssistantsRead)
            .summary("List memories")
            .notes("`q` matches the beginnings of words."),
        Route::post("/memories", "createMemory", create)
            .scope(Scope::AssistantsWrite)
            .created()
            .idempotent()
            .fails(&[StatusCode::NOT_FOUND])
            .summary("Write a memory"),
        Route::delete("/memories/{id}", "deleteMemory", delete)
            .scope(Scope::AssistantsWrite)
            .summary("Delete a memory"),
    ];
    routes.into_iter().map(|route| route.tag("Memories")).collect()
}

async fn list(caller: Caller, listing: Listing<MemoryFilters>) -> Result<List<Memory>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows =
        caller.scan(move |tx, by| super::list(tx, by, &filters, &asked).map_err(PlatformError::from)).await?;
    Ok(page.finish(rows, |memory| memory.id.uuid()))
}

async fn create(caller: Caller, Body(new): Body<NewMemory>) -> Result<Data<Memory>> {
    caller.write(move |tx, by| super::create(tx, by, &new)).await.map(Data)
}

async fn delete(caller: Caller, Path(id): Path<MemoryId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
}
