//! The rows of stages.

use std::collections::HashMap;

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;

use super::sql::{
    FIRST_STAGE, INSERT_STAGE, LOCATE_STAGE, PLACE_STAGE, STAGES_OF_ACCOUNT, STAGES_OF_PIPELINE,
};
use super::{PipelineId, Stage, StageId};

pub(super) fn insert(tx: &mut Tx<'_>, by: &By, pipeline: PipelineId, stage: &Stage) -> db::Result<()> {
    let params: &[&dyn db::Param] =
        &[&by.account, &stage.id, &pipeline, &stage.name, &stage.position, &stage.probability];
    tx.execute(INSERT_STAGE, params)?.exactly(1)
}

/// Sets the positions of stages to their order; true if any changed.
pub(super) fn renumber(tx: &mut Tx<'_>, by: &By, stages: &mut [Stage]) -> db::Result<bool> {
    let mut changed = false;
    for (position, stage) in (0..).zip(stages.iter_mut()) {
        if stage.position != position {
            stage.position = position;
            tx.execute(PLACE_STAGE, &[&by.account, &stage.id, &position])?.exactly(1)?;
            changed = true;
        }
    }
    Ok(changed)
}

pub(super) fn of_pipeline(tx: &mut ReadTx<'_>, account: AccountId, id: PipelineId) -> db::Result<Vec<Stage>> {
    tx.query(STAGES_OF_PIPELINE, &[&account, &id], read)
}

pub(super) fn by_pipeline(
    tx: &mut ReadTx<'_>,
    account: AccountId,
) -> db::Result<HashMap<PipelineId, Vec<Stage>>> {
    let mut found: HashMap<PipelineId, Vec<Stage>> = HashMap::new();
    for (pipeline, stage) in tx.query(STAGES_OF_ACCOUNT, &[&account], |row| Ok((row.next()?, read(row)?)))? {
        found.entry(pipeline).or_default().push(stage);
    }
    Ok(found)
}

/// The pipeline of a stage; none if the account has no such stage.
pub fn find_stage(tx: &mut ReadTx<'_>, account: AccountId, id: StageId) -> db::Result<Option<PipelineId>> {
    tx.find(LOCATE_STAGE, &[&account, &id], only)
}

/// The stage that deals begin in.
pub fn first_stage(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    pipeline: PipelineId,
) -> db::Result<Option<StageId>> {
    tx.find(FIRST_STAGE, &[&account, &pipeline], only)
}

fn read(row: &mut Row<'_>) -> db::Result<Stage> {
    Ok(Stage { id: row.next()?, name: row.next()?, position: row.next()?, probability: row.next()? })
}
