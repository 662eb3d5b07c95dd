//! Operations of pipelines.

use std::collections::HashSet;
use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::events::Recorder;
use frontdesk_platform::export::{Exported, ExportedRows, line};
use frontdesk_web::{Deleted, Given, Problems};

use super::sql::{COUNT, DELETE, FIND, HAS_DEALS, INSERT, LIST, LOCK_ALL, OLDEST, RENAME, WITHOUT};
use super::stage_rows;
use super::{
    FIRST_NAME, MISSING, NewPipeline, PIPELINES_MAX, PROBABILITY_DEFAULT, Pipeline, PipelineError,
    PipelineId, PipelinePatch, Stage, StageId, USUAL_STAGES,
};
use crate::quota::TooMany;

/// An arbitrary number, the same for every server, that no other lock uses.
const DEFAULTS_LOCK: i64 = 0x6672_6f6e_7470_6970;

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewPipeline) -> Result<Pipeline, PipelineError> {
    let count = tx.find(COUNT, &[&by.account], only)?.unwrap_or(0);
    TooMany::check("pipelines", count, PIPELINES_MAX)?;
    let Some(given) = &new.stages else { return Ok(write(tx, by, new.name.as_str(), &USUAL_STAGES)?) };
    let stages: Vec<(&str, i64)> = given
        .0
        .iter()
        .map(|stage| (stage.name.as_str(), stage.probability.map_or(PROBABILITY_DEFAULT, |given| given.0)))
        .collect();
    Ok(write(tx, by, new.name.as_str(), &stages)?)
}

fn write(tx: &mut Tx<'_>, by: &By, name: &str, stages: &[(&str, i64)]) -> db::Result<Pipeline> {
    let id: PipelineId = by.new_id();
    tx.execute(INSERT, &[&by.account, &id, &name, &by.now])?.exactly(1)?;
    let mut written = Vec::with_capacity(stages.len());
    for (position, (name, probability)) in (0..).zip(stages) {
        let stage = Stage { id: by.new_id(), name: (*name).to_owned(), position, probability: *probability };
        stage_rows::insert(tx, by, id, &stage)?;
        written.push(stage);
    }
    Ok(Pipeline {
        id,
        name: name.to_owned(),
        stages: written,
        created_at: id.created_at(),
        updated_at: by.now,
    })
}

/// Creates an account's first pipeline, unless it has one.
pub fn ensure_default(
    tx: &mut Tx<'_>,
    account: AccountId,
    now: Timestamp,
    recorder: &Arc<Recorder>,
) -> db::Result<()> {
    if oldest(tx, account)?.is_some() {
        return Ok(());
    }
    write(tx, &By::system(account, now, recorder), FIRST_NAME, &USUAL_STAGES)?;
    Ok(())
}

/// Creates the first pipeline of every account that was created before pipelines existed. If several servers
/// start at once, one of them does this.
pub fn ensure_defaults(tx: &mut Tx<'_>, now: Timestamp, recorder: &Arc<Recorder>) -> db::Result<()> {
    if !tx.try_lock(DEFAULTS_LOCK)? {
        return Ok(());
    }
    for account in tx.query(WITHOUT, &[], only)? {
        ensure_default(tx, account, now, recorder)?;
    }
    Ok(())
}

pub fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    id: PipelineId,
    patch: &PipelinePatch,
) -> Result<Pipeline, PipelineError> {
    let mut pipeline = locked(tx, by.account, id)?.ok_or(MISSING)?;
    let mut changed = false;
    if let Given::Value(order) = &patch.stage_ids {
        let problems = order_problems(&order.0, &pipeline.stages);
        if !problems.is_empty() {
            return Err(PipelineError::Invalid(problems));
        }
        let place = |stage: &Stage| order.0.iter().position(|id| *id == stage.id);
        pipeline.stages.sort_by_key(place);
        changed |= stage_rows::renumber(tx, by, &mut pipeline.stages)?;
    }
    if let Given::Value(name) = &patch.name
        && name.as_str() != pipeline.name
    {
        name.as_str().clone_into(&mut pipeline.name);
        changed = true;
    }
    if changed {
        pipeline.updated_at = by.now;
        tx.execute(RENAME, &[&by.account, &id, &pipeline.name, &by.now])?.exactly(1)?;
    }
    Ok(pipeline)
}

/// Why a list of stages is not a complete order of these stages.
pub(super) fn order_problems(order: &[StageId], stages: &[Stage]) -> Problems {
    let mut problems = Problems::new();
    let mut seen = HashSet::new();
    for (at, id) in order.iter().enumerate() {
        if !stages.iter().any(|stage| stage.id == *id) {
            problems.add(format!("stage_ids.{at}"), "must be a stage of this pipeline");
        } else if !seen.insert(id) {
            problems.add(format!("stage_ids.{at}"), "must not be named twice");
        }
    }
    if problems.is_empty() && seen.len() != stages.len() {
        problems.add("stage_ids", "must name every stage of the pipeline");
    }
    problems
}

/// Deletes a pipeline, unless it has deals or is the last one.
pub fn delete(tx: &mut Tx<'_>, by: &By, id: PipelineId) -> Result<Deleted, PipelineError> {
    // All of them are locked, so that of two concurrent deletes the second sees that it is deleting the last
    // one.
    tx.find_to_change(LOCK_ALL, &[&by.account], only::<PipelineId>)?;
    tx.find(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    if tx.find(HAS_DEALS, &[&by.account, &id], only::<uuid::Uuid>)?.is_some() {
        return Err(PipelineError::HasDeals("pipeline"));
    }
    if tx.find(COUNT, &[&by.account], only::<i64>)? == Some(1) {
        return Err(PipelineError::LastPipeline);
    }
    match tx.execute(DELETE, &[&by.account, &id]) {
        Err(error) if error.is_constraint("deals_stage_fkey") => Err(PipelineError::HasDeals("pipeline")),
        deleted => {
            deleted?.exactly(1)?;
            Ok(Deleted::new(id))
        }
    }
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: PipelineId) -> db::Result<Option<Pipeline>> {
    let Some(mut pipeline) = tx.find(FIND, &[&account, &id], read)? else { return Ok(None) };
    pipeline.stages = stage_rows::of_pipeline(tx, account, id)?;
    Ok(Some(pipeline))
}

pub fn exists(tx: &mut ReadTx<'_>, account: AccountId, id: PipelineId) -> db::Result<bool> {
    Ok(tx.find(FIND, &[&account, &id], read)?.is_some())
}

/// The pipeline, locked: its stages do not change until the transaction ends.
pub(super) fn locked(tx: &mut Tx<'_>, account: AccountId, id: PipelineId) -> db::Result<Option<Pipeline>> {
    let Some(mut pipeline) = tx.find_to_change(FIND, &[&account, &id], read)? else { return Ok(None) };
    pipeline.stages = stage_rows::of_pipeline(tx, account, id)?;
    Ok(Some(pipeline))
}

/// Every pipeline, newest first, with its stages.
pub fn list(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<Pipeline>> {
    let mut pipelines = tx.query(LIST, &[&account], read)?;
    let mut stages = stage_rows::by_pipeline(tx, account)?;
    for pipeline in &mut pipelines {
        pipeline.stages = stages.remove(&pipeline.id).unwrap_or_default();
    }
    Ok(pipelines)
}

/// The account's oldest pipeline, the default for deals.
pub fn oldest(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Option<PipelineId>> {
    tx.find(OLDEST, &[&account], only)
}

/// Pipelines with their stages. An account has few.
pub(crate) const EXPORTED: &[&dyn Exported] =
    &[&ExportedRows::found("pipelines", &["pipelines", "stages"], |tx, account, ids| {
        let found = ids.iter().map(|id| find(tx, account, PipelineId::from_uuid(*id)));
        found.filter_map(db::Result::transpose).map(|pipeline| line(&pipeline?)).collect()
    })];

fn read(row: &mut Row<'_>) -> db::Result<Pipeline> {
    let id: PipelineId = row.next()?;
    Ok(Pipeline {
        id,
        name: row.next()?,
        stages: Vec::new(),
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}
