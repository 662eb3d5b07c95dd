//! The routes of runs.

use frontdesk_kernel::Scope;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, List, Listing, Path, Result};
use http::StatusCode;

use super::event::{self, RunEvent, RunEventFilters};
use super::run::{MISSING, NewRun, Run, RunFilters};
use super::{row, start};
use crate::ids::RunId;

/// Units that starting a run takes from an API key's budget.
const START_UNITS: u32 = 10;

pub fn routes() -> Vec<Route> {
    const START: &[StatusCode] = &[StatusCode::NOT_FOUND, StatusCode::UNPROCESSABLE_ENTITY];
    let (read, start) = (Scope::RunsRead, Scope::RunsStart);
    let routes = vec![
        Route::get("/runs", "listRuns", list).scope(read).summary("List runs"),
        Route::post("/runs", "startRun", start_run)
            .scope(start)
            .units(START_UNITS)
            .accepted()
            .idempotent()
            .fails(START)
            .summary("Start a run")
            .notes(
                "The assistant works on the goal in the background; follow it with GET /runs/{id} or \
                 `run.finished`. A run about a contact or a conversation can send messages on the account's \
                 channels. A disabled assistant is a 422 with the reason `assistant_disabled`, a spent budget \
                 one with `ai_budget_exhausted`.",
            ),
        Route::get("/runs/{id}", "getRun", get).scope(read).summary("Get a run"),
        Route::get("/runs/{id}/events", "listRunEvents", list_events)
            .scope(read)
            .summary("List a run's steps")
            .notes("Every step, newest first: model calls with their cost, tools with their arguments and results, asks."),
        Route::post("/runs/{id}/cancel", "cancelRun", cancel)
            .scope(start)
            .fails(&[StatusCode::CONFLICT])
            .summary("Cancel a run")
            .notes("Cancels its sub-runs and pending asks too. A run that has ended is a 409."),
    ];
    routes.into_iter().map(|route| route.tag("Runs")).collect()
}

async fn list(caller: Caller, listing: Listing<RunFilters>) -> Result<List<Run>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows = caller
        .scan(move |tx, by| row::list(tx, by.account, &filters, &asked).map_err(PlatformError::from))
        .await?;
    Ok(page.finish(rows, |run| run.id.uuid()))
}

async fn start_run(caller: Caller, Body(new): Body<NewRun>) -> Result<Data<Run>> {
    caller.write(move |tx, by| start(tx, by, &new)).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<RunId>) -> Result<Data<Run>> {
    caller.read(move |tx, by| row::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn list_events(
    caller: Caller,
    Path(id): Path<RunId>,
    listing: Listing<RunEventFilters>,
) -> Result<List<RunEvent>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows = caller
        .scan(move |tx, by| {
            row::find(tx, by.account, id)?.ok_or(MISSING)?;
            event::list(tx, by.account, id, &filters, &asked).map_err(PlatformError::from)
        })
        .await?;
    Ok(page.finish(rows, |event| event.id.uuid()))
}

async fn cancel(caller: Caller, Path(id): Path<RunId>) -> Result<Data<Run>> {
    caller.write(move |tx, by| super::cancel::cancel(tx, by, id)).await.map(Data)
}
