//! The routes of asks.

use frontdesk_kernel::Scope;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, List, Listing, Path, Result};
use http::StatusCode;

use super::carry_out;
use crate::asks::{self, Ask, AskAnswer, AskFilters, AskKind, AskStatus, Decision, MISSING};
use crate::held_calls;
use crate::ids::AskId;
use crate::tools::{self, ToolSpec};

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/asks", "listAsks", list).scope(Scope::AsksRead).summary("List asks"),
        Route::get("/asks/{id}", "getAsk", get).scope(Scope::AsksRead).summary("Get an ask"),
        Route::post("/asks/{id}/answer", "answerAsk", answer)
            .scope(Scope::AsksAnswer)
            .units(2)
            .idempotent()
            .fails(&[StatusCode::CONFLICT])
            .summary("Answer an ask")
            .notes(
                "An approval takes a `decision` and optionally a `note` to the assistant. A question takes an \
                 `answer`, or the decision `decline`. The run continues at once. An ask that is no longer \
                 pending is a 409. Approving needs the scope of the operation that the tool calls: without \
                 it, the response is a 403 with the reason `scope`. The approval of a program's ask carries out what it \
                 asked for, as its key: if that is refused, the response is that refusal, and the ask still waits.",
            ),
    ];
    routes.into_iter().map(|route| route.tag("Asks")).collect()
}

async fn list(caller: Caller, listing: Listing<AskFilters>) -> Result<List<Ask>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows = caller
        .scan(move |tx, by| asks::list(tx, by.account, &filters, &asked).map_err(PlatformError::from))
        .await?;
    Ok(page.finish(rows, |ask| ask.id.uuid()))
}

async fn get(caller: Caller, Path(id): Path<AskId>) -> Result<Data<Ask>> {
    caller.read(move |tx, by| asks::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

/// Approving a tool's use needs the scope of the tool's operation, because the approver decides that it is carried out.
async fn answer(caller: Caller, Path(id): Path<AskId>, Body(given): Body<AskAnswer>) -> Result<Data<Ask>> {
    let held =
        caller.read(move |tx, by| held_calls::look(tx, by.account, id).map_err(PlatformError::from)).await?;
    if let Some(held) = held {
        return match super::status_of(AskKind::Approval, &given)? {
            AskStatus::Approved => carry_out::approve(&caller, id, &given, held).await.map(Data),
            _ => caller.write(move |tx, by| carry_out::decline(tx, by, id, &given)).await.map(Data),
        };
    }
    if given.decision == Some(Decision::Approve) {
        let ask = caller.read(move |tx, by| asks::find(tx, by.account, id)?.ok_or(MISSING)).await?;
        let tool = ask.tool.as_deref().and_then(tools::find);
        tool.and_then(ToolSpec::scope).map_or(Ok(()), |scope| caller.need(scope))?;
    }
    caller.write(move |tx, by| super::answer(tx, by, id, &given)).await.map(Data)
}
