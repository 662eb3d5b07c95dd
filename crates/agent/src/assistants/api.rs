//! The routes of assistants.

use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::draft::whole;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, Draft, List, Listing, Path, Result};
use http::StatusCode;

use super::assistant::{Assistant, AssistantTool, MISSING};
use super::input::{AssistantPatch, NewAssistant, ToolSettings};
use super::instructions::{self, BoundInstructions};
use super::{ops, references, row, tool_settings};
use crate::instructions::Instruction;

pub fn routes() -> Vec<Route> {
    const NAMED: &[StatusCode] = &[StatusCode::NOT_FOUND, StatusCode::UNPROCESSABLE_ENTITY];
    let (read, write) = (Scope::AssistantsRead, Scope::AssistantsWrite);
    let routes = vec![
        Route::get("/assistants", "listAssistants", list).scope(read).summary("List assistants"),
        Route::post("/assistants", "createAssistant", create)
            .scope(write)
            .created()
            .idempotent()
            .fails(NAMED)
            .summary("Create an assistant")
            .notes("Every field but the name has a default."),
        Route::get("/assistants/{id}", "getAssistant", get).scope(read).summary("Get an assistant"),
        Route::patch("/assistants/{id}", "updateAssistant", patch).scope(write).summary("Update an assistant"),
        Route::get("/assistants/{id}/instructions", "listAssistantInstructions", list_instructions)
            .scope(read)
            .summary("List an assistant's instructions")
            .notes("In the order in which the assistant follows them."),
        Route::put("/assistants/{id}/instructions", "setAssistantInstructions", set_instructions)
            .scope(write)
            .summary("Set an assistant's instructions")
            .notes("Replaces them. The order is kept."),
        Route::get("/assistants/{id}/tools", "listAssistantTools", list_tools)
            .scope(read)
            .summary("List an assistant's tools")
            .notes(
                "Every tool of the catalogue, with whether this assistant has it, whether a person must approve it, and \
                 whether it is unconfined.",
            ),
        Route::put("/assistants/{id}/tools", "setAssistantTools", set_tools)
            .scope(write)
            .summary("Set an assistant's tools")
            .notes(
                "Replaces them. A run that a customer's message, an event or a webhook started is confined: its tools \
                 reach only the contact that it is about. `tool_access` switches a tool on or off and never changes \
                 that. A tool in `unconfined_tools` reaches the whole account in such a run too.",
            ),
    ];
    routes.into_iter().map(|route| route.tag("Assistants")).collect()
}

async fn list(caller: Caller, listing: Listing<()>) -> Result<List<Assistant>> {
    let asked = listing.page.clone();
    let rows =
        caller.read(move |tx, by| row::list(tx, by.account, &asked).map_err(PlatformError::from)).await?;
    Ok(listing.page.finish(rows, |assistant| assistant.id.uuid()))
}

async fn create(caller: Caller, Draft(new): Draft<NewAssistant>) -> Result<Data<Assistant>> {
    let new = whole(&caller, new, references::look).await?;
    caller.write(move |tx, by| ops::create(tx, by, &new)).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<AssistantId>) -> Result<Data<Assistant>> {
    caller.read(move |tx, by| row::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<AssistantId>,
    Draft(patch): Draft<AssistantPatch>,
) -> Result<Data<Assistant>> {
    let patch = whole(&caller, patch, references::look).await?;
    caller.write(move |tx, by| ops::patch(tx, by, id, &patch)).await.map(Data)
}

async fn list_instructions(caller: Caller, Path(id): Path<AssistantId>) -> Result<List<Instruction>> {
    let rows = caller
        .read(move |tx, by| {
            row::find(tx, by.account, id)?.ok_or(MISSING)?;
            instructions::bound(tx, by.account, id).map_err(PlatformError::from)
        })
        .await?;
    Ok(List::all(rows))
}

async fn set_instructions(
    caller: Caller,
    Path(id): Path<AssistantId>,
    Body(wanted): Body<BoundInstructions>,
) -> Result<List<Instruction>> {
    let rows =
        caller.write(move |tx, by| ops::set_instructions(tx, by, id, &wanted.instruction_ids.0)).await?;
    Ok(List::all(rows))
}

async fn list_tools(caller: Caller, Path(id): Path<AssistantId>) -> Result<List<AssistantTool>> {
    let tools = caller
        .read(move |tx, by| {
            let assistant = row::find(tx, by.account, id)?.ok_or(MISSING)?;
            let unconfined = row::unconfined_tools(tx, by.account, id)?;
            std::result::Result::<_, PlatformError>::Ok(tool_settings::of(&assistant, &unconfined))
        })
        .await?;
    Ok(List::all(tools))
}

async fn set_tools(
    caller: Caller,
    Path(id): Path<AssistantId>,
    Body(settings): Body<ToolSettings>,
) -> Result<List<AssistantTool>> {
    let tools = caller.write(move |tx, by| ops::set_tools(tx, by, id, &settings)).await?;
    Ok(List::all(tools))
}
