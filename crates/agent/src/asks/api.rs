//! The routes of asks.

use frontdesk_kernel::Scope;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, List, Listing, Path, Result};
use http::StatusCode;

use super::ask::{Ask, AskAnswer, AskFilters, MISSING};
use crate::ids::AskId;

pub fn routes() -> Vec<Route> {
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
                 pending is a 409.",
            ),
    ];
    routes.into_iter().map(|route| route.tag("Asks")).collect()
}

async fn list(caller: Caller, listing: Listing<AskFilters>) -> Result<List<Ask>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows = caller
        .scan(move |tx, by| super::list(tx, by.account, &filters, &asked).map_err(PlatformError::from))
        .await?;
    Ok(page.finish(rows, |ask| ask.id.uuid()))
}

async fn get(caller: Caller, Path(id): Path<AskId>) -> Result<Data<Ask>> {
    caller.read(move |tx, by| super::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn answer(caller: Caller, Path(id): Path<AskId>, Body(given): Body<AskAnswer>) -> Result<Data<Ask>> {
    caller.write(move |tx, by| super::answer(tx, by, id, &given)).await.map(Data)
}
