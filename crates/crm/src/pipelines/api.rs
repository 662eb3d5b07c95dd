//! The routes of pipelines and their stages.

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_platform::draft::whole;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, Deleted, Draft, InvalidBody, List, Path, Problems, Result};
use http::StatusCode;

use super::ops::order_problems;
use super::{
    MISSING, NewPipeline, NewStage, Pipeline, PipelineId, PipelinePatch, Stage, StageId, StageIds, StagePatch,
};

pub fn routes() -> Vec<Route> {
    const FULL: &[StatusCode] = &[StatusCode::UNPROCESSABLE_ENTITY];
    const IN_USE: &[StatusCode] = &[StatusCode::CONFLICT];
    let routes = vec![
        Route::get("/pipelines", "listPipelines", list)
            .scope(Scope::DealsRead)
            .summary("List pipelines")
            .notes("Newest first. The oldest is the default for new deals."),
        Route::post("/pipelines", "createPipeline", create)
            .scope(Scope::DealsWrite)
            .created()
            .fails(FULL)
            .summary("Create a pipeline"),
        Route::get("/pipelines/{id}", "getPipeline", get).scope(Scope::DealsRead).summary("Get a pipeline"),
        Route::patch("/pipelines/{id}", "updatePipeline", patch)
            .scope(Scope::DealsWrite)
            .summary("Rename a pipeline or reorder its stages"),
        Route::delete("/pipelines/{id}", "deletePipeline", delete)
            .scope(Scope::DealsWrite)
            .fails(IN_USE)
            .summary("Delete a pipeline")
            .notes("A pipeline with deals, and the account's last one, cannot be deleted."),
        Route::post("/pipelines/{id}/stages", "createStage", add_stage)
            .scope(Scope::DealsWrite)
            .created()
            .fails(FULL)
            .summary("Add a stage to a pipeline"),
        Route::patch("/pipelines/{id}/stages/{stage_id}", "updateStage", patch_stage)
            .scope(Scope::DealsWrite)
            .summary("Update or move a stage"),
        Route::delete("/pipelines/{id}/stages/{stage_id}", "deleteStage", delete_stage)
            .scope(Scope::DealsWrite)
            .fails(IN_USE)
            .summary("Delete a stage")
            .notes("A stage with deals, and a pipeline's last one, cannot be deleted."),
    ];
    routes.into_iter().map(|route| route.tag("Pipelines")).collect()
}

async fn list(caller: Caller) -> Result<List<Pipeline>> {
    let find = |tx: &mut ReadTx<'_>, by: &By| super::list(tx, by.account).map_err(PlatformError::from);
    caller.read(find).await.map(List::all)
}

async fn create(caller: Caller, Body(new): Body<NewPipeline>) -> Result<Data<Pipeline>> {
    caller.write(move |tx, by| super::create(tx, by, &new)).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<PipelineId>) -> Result<Data<Pipeline>> {
    caller.read(move |tx, by| super::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<PipelineId>,
    Draft(patch): Draft<PipelinePatch>,
) -> Result<Data<Pipeline>> {
    let patch = whole(&caller, patch, move |tx, by, rough| look_at_order(tx, by, id, rough)).await?;
    caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
}

/// Checks the order of stages in a body that has other problems.
fn look_at_order(
    tx: &mut ReadTx<'_>,
    by: &By,
    id: PipelineId,
    rough: &InvalidBody,
) -> std::result::Result<Problems, PlatformError> {
    let (order, pipeline) = (rough.field::<StageIds>("stage_ids"), super::find(tx, by.account, id)?);
    Ok(order
        .zip(pipeline)
        .map_or_else(Problems::new, |(order, pipeline)| order_problems(&order.0, &pipeline.stages)))
}

async fn delete(caller: Caller, Path(id): Path<PipelineId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
}

async fn add_stage(
    caller: Caller,
    Path(pipeline): Path<PipelineId>,
    Body(new): Body<NewStage>,
) -> Result<Data<Stage>> {
    caller.write(move |tx, by| super::add_stage(tx, by, pipeline, &new)).await.map(Data)
}

async fn patch_stage(
    caller: Caller,
    Path((pipeline, id)): Path<(PipelineId, StageId)>,
    Body(patch): Body<StagePatch>,
) -> Result<Data<Stage>> {
    caller.write(move |tx, by| super::patch_stage(tx, by, pipeline, id, &patch)).await.map(Data)
}

async fn delete_stage(
    caller: Caller,
    Path((pipeline, id)): Path<(PipelineId, StageId)>,
) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| super::delete_stage(tx, by, pipeline, id)).await.map(Data)
}
