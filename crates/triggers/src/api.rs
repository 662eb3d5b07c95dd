//! The routes of triggers.

use frontdesk_agent::ids::TriggerId;
use frontdesk_crm::token;
use frontdesk_kernel::Scope;
use frontdesk_platform::draft::whole;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, Deleted, Draft, List, Listing, Path, Result};
use http::StatusCode;

use crate::calls::{self, TriggerCall};
use crate::input::{NewTrigger, TriggerPatch};
use crate::preview::{self, TriggerPreview};
use crate::trigger::{
    FiredTrigger, IssuedTrigger, MISSING, RotatedTrigger, Trigger, TriggerError, TriggerFilters, TriggerKind,
};
use crate::{hook, manual, ops, row};

/// What these requests cost of a key's budget, in units.
const PREVIEW_UNITS: u32 = 2;
const RUN_UNITS: u32 = 10;

pub(crate) fn routes() -> Vec<Route> {
    const NAMED: &[StatusCode] = &[StatusCode::NOT_FOUND, StatusCode::UNPROCESSABLE_ENTITY];
    const UNPROCESSABLE: &[StatusCode] = &[StatusCode::UNPROCESSABLE_ENTITY];
    const FIRE: &[StatusCode] = &[StatusCode::CONFLICT, StatusCode::UNPROCESSABLE_ENTITY];
    let (read, write) = (Scope::AssistantsRead, Scope::AssistantsWrite);
    let routes = vec![
        Route::get("/triggers", "listTriggers", list).scope(read).summary("List triggers"),
        Route::post("/triggers", "createTrigger", create)
            .scope(write)
            .created()
            .idempotent()
            .sealed()
            .fails(NAMED)
            .summary("Create a trigger")
            .notes(
                "It is disabled unless `enabled` is true. For the kind `webhook`, `webhook_url` is the \
                 address that fires it; it is shown once.",
            ),
        Route::get("/triggers/{id}", "getTrigger", get).scope(read).summary("Get a trigger"),
        Route::patch("/triggers/{id}", "updateTrigger", patch)
            .scope(write)
            .summary("Update a trigger")
            .notes(
                "A change of the schedule applies to the next firing at once. A trigger whose kind becomes \
                 `webhook` gets its address from `POST /triggers/{id}/token`.",
            ),
        Route::delete("/triggers/{id}", "deleteTrigger", delete)
            .scope(write)
            .summary("Delete a trigger")
            .notes("Its running runs continue."),
        Route::post("/triggers/{id}/token", "rotateTriggerToken", rotate)
            .scope(write)
            .fails(UNPROCESSABLE)
            .summary("Issue a new address for a webhook trigger")
            .notes("The old address is invalid at once. The new one is shown once."),
        Route::get("/triggers/{id}/calls", "listTriggerCalls", list_calls)
            .scope(read)
            .fails(UNPROCESSABLE)
            .summary("List the last calls of a webhook trigger's address")
            .notes(
                "Newest first, the newest 50 of the last 30 days. Calls that are refused or repeated in the \
                 same way within a minute are one row of each server, whose `count` says how many they are; \
                 they appear after a few seconds.",
            ),
        Route::post("/triggers/{id}/preview", "previewTrigger", preview)
            .scope(read)
            .units(PREVIEW_UNITS)
            .summary("Preview a firing")
            .notes("Returns what a firing would do now, without firing."),
        Route::post("/triggers/{id}/run", "runTrigger", fire)
            .scope(Scope::RunsStart)
            .units(RUN_UNITS)
            .accepted()
            .idempotent()
            .fails(FIRE)
            .summary("Fire a trigger now")
            .notes(
                "Fires whether or not the trigger is enabled, at any hour. Its schedule does not change. A \
                 disabled assistant is a 422 with the reason `assistant_disabled`, a spent budget one with \
                 `ai_budget_exhausted`, a model that the operator does not allow one with `over_operator_limit`. If the audience is empty, `runs` is empty and `last_error` says why.",
            ),
    ];
    routes.into_iter().map(|route| route.tag("Triggers")).collect()
}

async fn list(caller: Caller, listing: Listing<TriggerFilters>) -> Result<List<Trigger>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let find =
        caller.read(move |tx, by| row::list(tx, by.account, &filters, &asked).map_err(PlatformError::from));
    Ok(page.finish(find.await?, |trigger| trigger.id.uuid()))
}

#[expect(clippy::disallowed_methods, reason = "a secret")]
async fn create(caller: Caller, Body(new): Body<NewTrigger>) -> Result<Data<IssuedTrigger>> {
    let token = token::mint(&rand::random());
    let (hash, url) = (hook::hash(&token), hook::url(&caller.services().base_url, &token));
    caller
        .write(move |tx, by| {
            let trigger = ops::create(tx, by, &new, &hash)?;
            let webhook_url = (trigger.kind == TriggerKind::Webhook).then(|| url.clone());
            Ok::<_, TriggerError>(IssuedTrigger { trigger, webhook_url })
        })
        .await
        .map(Data)
}

async fn get(caller: Caller, Path(id): Path<TriggerId>) -> Result<Data<Trigger>> {
    caller.read(move |tx, by| row::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<TriggerId>,
    Draft(patch): Draft<TriggerPatch>,
) -> Result<Data<Trigger>> {
    let patch = whole(&caller, patch, move |tx, by, rough| ops::check_invalid(tx, by, id, rough)).await?;
    caller.write(move |tx, by| ops::patch(tx, by, id, &patch)).await.map(Data)
}

async fn delete(caller: Caller, Path(id): Path<TriggerId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| ops::delete(tx, by, id)).await.map(Data)
}

#[expect(clippy::disallowed_methods, reason = "a secret")]
async fn rotate(caller: Caller, Path(id): Path<TriggerId>) -> Result<Data<RotatedTrigger>> {
    let token = token::mint(&rand::random());
    let (hash, webhook_url) = (hook::hash(&token), hook::url(&caller.services().base_url, &token));
    let trigger = caller.write(move |tx, by| ops::rotate(tx, by, id, &hash)).await?;
    Ok(Data(RotatedTrigger { trigger, webhook_url }))
}

async fn list_calls(caller: Caller, Path(id): Path<TriggerId>) -> Result<List<TriggerCall>> {
    caller.read(move |tx, by| calls::list(tx, by.account, id)).await.map(List::all)
}

async fn preview(caller: Caller, Path(id): Path<TriggerId>) -> Result<Data<TriggerPreview>> {
    caller.scan(move |tx, by| preview::preview(tx, by, id)).await.map(Data)
}

async fn fire(caller: Caller, Path(id): Path<TriggerId>) -> Result<Data<FiredTrigger>> {
    let found = caller.scan(move |tx, by| manual::search(tx, by, id)).await?;
    caller.write(move |tx, by| manual::fire(tx, by, id, found.as_ref())).await.map(Data)
}
