//! Changes of stages, under the lock of their pipeline's row, so that positions never clash.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_platform::By;
use frontdesk_web::{Deleted, Given};

use super::ops::locked;
use super::sql::{DELETE_STAGE, STAGE_HAS_DEALS, TOUCH, UPDATE_STAGE};
use super::stage_rows::{insert, renumber};
use super::{
    MISSING, NO_STAGE, NewStage, PROBABILITY_DEFAULT, Pipeline, PipelineError, PipelineId, STAGES_MAX, Stage,
    StageId, StagePatch,
};

pub fn add_stage(
    tx: &mut Tx<'_>,
    by: &By,
    pipeline: PipelineId,
    new: &NewStage,
) -> Result<Stage, PipelineError> {
    let mut pipeline = locked(tx, by.account, pipeline)?.ok_or(MISSING)?;
    if pipeline.stages.len() >= STAGES_MAX {
        return Err(PipelineError::TooManyStages);
    }
    let end = pipeline.stages.len();
    let at = new.position.map_or(end, |position| end.min(position.0 as usize));
    let stage = Stage {
        id: by.new_id(),
        name: new.name.as_str().to_owned(),
        position: at as i64,
        probability: new.probability.map_or(PROBABILITY_DEFAULT, |given| given.0),
    };
    insert(tx, by, pipeline.id, &stage)?;
    pipeline.stages.insert(at, stage.clone());
    renumber(tx, by, &mut pipeline.stages)?;
    touch(tx, by, &pipeline)?;
    Ok(stage)
}

pub fn patch_stage(
    tx: &mut Tx<'_>,
    by: &By,
    pipeline: PipelineId,
    id: StageId,
    patch: &StagePatch,
) -> Result<Stage, PipelineError> {
    let mut pipeline = locked(tx, by.account, pipeline)?.ok_or(MISSING)?;
    let at = pipeline.stages.iter().position(|stage| stage.id == id).ok_or(NO_STAGE)?;
    let before = pipeline.stages.remove(at);
    let mut stage = before.clone();
    if let Given::Value(name) = &patch.name {
        name.as_str().clone_into(&mut stage.name);
    }
    if let Given::Value(probability) = patch.probability {
        stage.probability = probability.0;
    }
    let place = match patch.position {
        Given::Value(position) => pipeline.stages.len().min(position.0 as usize),
        Given::Absent => at,
    };
    let mut changed = (&stage.name, stage.probability) != (&before.name, before.probability);
    if changed {
        tx.execute(UPDATE_STAGE, &[&by.account, &id, &stage.name, &stage.probability])?.exactly(1)?;
    }
    pipeline.stages.insert(place, stage);
    changed |= renumber(tx, by, &mut pipeline.stages)?;
    if changed {
        touch(tx, by, &pipeline)?;
    }
    Ok(pipeline.stages.swap_remove(place))
}

/// Deletes a stage, unless it has deals or is the last one.
pub fn delete_stage(
    tx: &mut Tx<'_>,
    by: &By,
    pipeline: PipelineId,
    id: StageId,
) -> Result<Deleted, PipelineError> {
    let mut pipeline = locked(tx, by.account, pipeline)?.ok_or(MISSING)?;
    let at = pipeline.stages.iter().position(|stage| stage.id == id).ok_or(NO_STAGE)?;
    if tx.find(STAGE_HAS_DEALS, &[&by.account, &id], only::<uuid::Uuid>)?.is_some() {
        return Err(PipelineError::HasDeals("stage"));
    }
    pipeline.stages.remove(at);
    if pipeline.stages.is_empty() {
        return Err(PipelineError::LastStage);
    }
    tx.execute(DELETE_STAGE, &[&by.account, &id])?.exactly(1)?;
    renumber(tx, by, &mut pipeline.stages)?;
    touch(tx, by, &pipeline)?;
    Ok(Deleted::new(id))
}

fn touch(tx: &mut Tx<'_>, by: &By, pipeline: &Pipeline) -> db::Result<()> {
    tx.execute(TOUCH, &[&by.account, &pipeline.id, &by.now])?.exactly(1)
}
