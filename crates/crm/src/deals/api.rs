//! The routes of deals.

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, Deleted, List, Listing, Path, Result};
use http::StatusCode;

use super::deal::{CloseDeal, Deal, DealId, DealPatch, MISSING, MoveDeal, NewDeal};
use super::listing::DealFilters;

pub fn routes() -> Vec<Route> {
    const NAMED: &[StatusCode] = &[StatusCode::NOT_FOUND, StatusCode::UNPROCESSABLE_ENTITY];
    const MOVES: &[StatusCode] = &[StatusCode::CONFLICT, StatusCode::UNPROCESSABLE_ENTITY];
    const STATE: &[StatusCode] = &[StatusCode::CONFLICT];
    let routes = vec![
        Route::get("/deals", "listDeals", list).scope(Scope::DealsRead).summary("List deals"),
        Route::post("/deals", "createDeal", create)
            .scope(Scope::DealsWrite)
            .created()
            .idempotent()
            .fails(NAMED)
            .summary("Create a deal")
            .notes(
                "A stage that is not in the given pipeline is a 422 with the reason \
                 `stage_not_in_pipeline`.",
            ),
        Route::get("/deals/{id}", "getDeal", get).scope(Scope::DealsRead).summary("Get a deal"),
        Route::patch("/deals/{id}", "updateDeal", patch)
            .scope(Scope::DealsWrite)
            .fails(MOVES)
            .summary("Update a deal")
            .notes(
                "A `stage_id` moves the deal under the rules of `POST /deals/{id}/move`, and sends \
                 `deal.stage_changed`.",
            ),
        Route::delete("/deals/{id}", "deleteDeal", delete).scope(Scope::DealsWrite).summary("Delete a deal"),
        Route::post("/deals/{id}/move", "moveDeal", move_deal)
            .scope(Scope::DealsWrite)
            .fails(MOVES)
            .summary("Move a deal to another stage")
            .notes(
                "A closed deal cannot be moved (409). A stage of another pipeline is a 422 with the \
                 reason `stage_not_in_pipeline`. A move to the current stage changes nothing and sends \
                 no event.",
            ),
        Route::post("/deals/{id}/close", "closeDeal", close)
            .scope(Scope::DealsWrite)
            .fails(STATE)
            .summary("Close a deal as won or lost"),
        Route::post("/deals/{id}/reopen", "reopenDeal", reopen)
            .scope(Scope::DealsWrite)
            .fails(STATE)
            .summary("Reopen a closed deal")
            .notes("Reopens it in the stage in which it was closed."),
    ];
    routes.into_iter().map(|route| route.tag("Deals")).collect()
}

async fn list(caller: Caller, listing: Listing<DealFilters>) -> Result<List<Deal>> {
    let Listing { filters, page } = listing;
    let (slow, asked) = (filters.is_slow(), page.clone());
    let find = move |tx: &mut ReadTx<'_>, by: &By| {
        super::list(tx, by.account, &filters, &asked).map_err(PlatformError::from)
    };
    let rows = if slow { caller.scan(find).await? } else { caller.read(find).await? };
    Ok(page.finish(rows, |deal| deal.id.uuid()))
}

async fn create(caller: Caller, Body(new): Body<NewDeal>) -> Result<Data<Deal>> {
    caller.write(move |tx, by| super::create(tx, by, &new)).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<DealId>) -> Result<Data<Deal>> {
    caller.read(move |tx, by| super::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(caller: Caller, Path(id): Path<DealId>, Body(patch): Body<DealPatch>) -> Result<Data<Deal>> {
    caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
}

async fn delete(caller: Caller, Path(id): Path<DealId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
}

async fn move_deal(
    caller: Caller,
    Path(id): Path<DealId>,
    Body(wanted): Body<MoveDeal>,
) -> Result<Data<Deal>> {
    caller.write(move |tx, by| super::move_to(tx, by, id, wanted.stage_id)).await.map(Data)
}

async fn close(caller: Caller, Path(id): Path<DealId>, Body(wanted): Body<CloseDeal>) -> Result<Data<Deal>> {
    caller.write(move |tx, by| super::close(tx, by, id, &wanted)).await.map(Data)
}

async fn reopen(caller: Caller, Path(id): Path<DealId>) -> Result<Data<Deal>> {
    caller.write(move |tx, by| super::reopen(tx, by, id)).await.map(Data)
}
