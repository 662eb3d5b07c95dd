//! The routes of the instruction library.

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, Deleted, List, Listing, Path, Result};

use super::{Instruction, InstructionFilters, InstructionId, InstructionPatch, MISSING, NewInstruction};

pub fn routes() -> Vec<Route> {
    let (read, write) = (Scope::AssistantsRead, Scope::AssistantsWrite);
    let routes = vec![
        Route::get("/instructions", "listInstructions", list)
            .scope(read)
            .summary("List the instruction library"),
        Route::post("/instructions", "createInstruction", create)
            .scope(write)
            .created()
            .idempotent()
            .summary("Add an instruction to the library"),
        Route::get("/instructions/{id}", "getInstruction", get).scope(read).summary("Get an instruction"),
        Route::patch("/instructions/{id}", "updateInstruction", patch)
            .scope(write)
            .summary("Update an instruction"),
        Route::delete("/instructions/{id}", "deleteInstruction", delete)
            .scope(write)
            .summary("Delete an instruction")
            .notes("It is removed from all assistants."),
    ];
    routes.into_iter().map(|route| route.tag("Instructions")).collect()
}

async fn list(caller: Caller, listing: Listing<InstructionFilters>) -> Result<List<Instruction>> {
    let Listing { filters, page } = listing;
    let (slow, asked) = (filters.q.is_some(), page.clone());
    let find = move |tx: &mut ReadTx<'_>, by: &By| {
        super::list(tx, by.account, &filters, &asked).map_err(PlatformError::from)
    };
    let rows = if slow { caller.scan(find).await? } else { caller.read(find).await? };
    Ok(page.finish(rows, |instruction| instruction.id.uuid()))
}

async fn create(caller: Caller, Body(new): Body<NewInstruction>) -> Result<Data<Instruction>> {
    caller.write(move |tx, by| super::create(tx, by, &new)).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<InstructionId>) -> Result<Data<Instruction>> {
    caller.read(move |tx, by| super::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<InstructionId>,
    Body(patch): Body<InstructionPatch>,
) -> Result<Data<Instruction>> {
    caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
}

async fn delete(caller: Caller, Path(id): Path<InstructionId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
}
