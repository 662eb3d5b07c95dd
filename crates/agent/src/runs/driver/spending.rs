//! Pays for model calls: reserves the worst case before a call, and settles the actual cost after it.

use std::sync::Arc;

use frontdesk_db::{self as db, Query, Tx};
use frontdesk_models::MicroUsd;
use frontdesk_platform::By;

use super::super::advance::advance;
use super::super::row;
use super::super::run::Run;
use super::super::sql as run_sql;
use super::super::step::Input;
use super::Agent;
use super::scene::Scene;
use super::step_writer::{Step, StoredStep};
use crate::spend::{self, CallId, MadeCall, Period, Reservation};

const NO_BUDGET: &str = "This month's AI budget is spent, or too little is left of it for the next call of the model. \
                         Raise it with `frontdesk account set ID --ai-budget USD`, or wait for the next month.";
const NO_TREE_BUDGET: &str =
    "The run reached what it may cost, with its sub-runs. Raise delegation.max_cost_usd of the assistant.";

/// Builds the reservation for a model call of a run.
pub(super) fn reservation(agent: &Agent, scene: &Scene, model: &str, worst: MicroUsd) -> Arc<Reservation> {
    let now = agent.now();
    let id: CallId = agent.server.recorder.next(now);
    Arc::new(Reservation {
        id,
        run: scene.job.run,
        assistant: scene.assistant.id,
        model: model.to_owned(),
        worst,
        period: Period::at(now, &scene.account.timezone),
    })
}

/// Reserves a call of a run that is stored. Returns false when this worker has lost the run, or when a budget has no
/// room for the call, which ends the run.
pub(super) async fn reserve(agent: &Agent, scene: &Arc<Scene>, call: &Arc<Reservation>) -> db::Result<bool> {
    let step = Step { wanted: Some(call.clone()), ..Step::new(agent, scene) };
    let StoredStep { active, refusal } = agent.step_writer.store(step).await?;
    let Some(error) = refusal else { return Ok(active.is_some()) };
    let stopped = agent.commit(scene, move |tx, by, held, scene| {
        let input = Input::Stopped { error: error.to_owned() };
        advance(tx, by, held, vec![input], &scene.rules)
    });
    stopped.await?;
    Ok(false)
}

/// Settles a call of a run. Locks the run first, as everywhere.
pub(super) fn settle(tx: &mut Tx<'_>, by: &By, scene: &Scene, made: &MadeCall) -> db::Result<()> {
    row::hold(tx, by.account, scene.job.run)?;
    if spend::settle(tx, by, &scene.account, made)? {
        charge(tx, by, scene, made)?;
    }
    Ok(())
}

/// Adds the cost of a settled call to its run, and frees what its reservation left over.
pub(super) fn charge(tx: &mut Tx<'_>, by: &By, scene: &Scene, made: &MadeCall) -> db::Result<()> {
    let (cost, worst) = (made.cost().micros() as i64, made.reservation.worst.micros() as i64);
    let (tokens_in, tokens_out) = made.tokens();
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(scene.job.run),
        Box::new(cost),
        Box::new(tokens_in),
        Box::new(tokens_out),
    ];
    tx.execute_along(Query::whole(run_sql::ADD_COST, params))?;
    free(tx, by, scene, worst - cost)
}

/// Adds the cost of a call to a run in memory.
pub(super) fn add_cost(run: &mut Run, made: &MadeCall) {
    let (tokens_in, tokens_out) = made.tokens();
    run.cost_usd += made.cost().usd();
    run.tokens_in += tokens_in;
    run.tokens_out += tokens_out;
}

fn free(tx: &mut Tx<'_>, by: &By, scene: &Scene, micros: i64) -> db::Result<()> {
    let params: Vec<db::OwnedParam> = vec![Box::new(by.account), Box::new(scene.row.root), Box::new(micros)];
    tx.execute_along(Query::whole(run_sql::UNSPEND, params))
}

/// Books settled calls of one account, and reserves the wanted calls of the steps whose runs go on.
pub(super) fn book(
    tx: &mut Tx<'_>,
    steps: &[Arc<Step>],
    settled: &[&MadeCall],
    stored: &mut [StoredStep],
) -> db::Result<()> {
    let Some(Step { by, scene, .. }) = steps.first().map(|step| &**step) else { return Ok(()) };
    let is_active =
        |(step, stored): &(&Arc<Step>, &mut StoredStep)| stored.active.is_some() && step.wanted.is_some();
    let mut wanted: Vec<(&Arc<Step>, &mut StoredStep)> = steps.iter().zip(stored).filter(is_active).collect();
    let worst: Vec<i64> =
        wanted.iter().filter_map(|(step, _)| Some(step.wanted.as_ref()?.worst.micros() as i64)).collect();
    let rows: Vec<[&dyn db::Param; 3]> = (wanted.iter().zip(&worst))
        .map(|((step, _), worst)| [&by.account as &dyn db::Param, &step.scene.row.root, worst])
        .collect();
    let mut has_room = tx.execute_each(run_sql::SPEND, &rows)?.into_iter().map(db::Touched::any);
    wanted.retain_mut(|(_, stored)| {
        let has_room = has_room.next() == Some(true);
        if !has_room {
            stored.refusal = Some(NO_TREE_BUDGET);
        }
        has_room
    });
    let calls: Vec<&Reservation> = wanted.iter().filter_map(|(step, _)| step.wanted.as_deref()).collect();
    let is_reserved = spend::book(tx, by, &scene.account, settled, &calls)?;
    for (((step, stored), call), is_reserved) in wanted.into_iter().zip(calls).zip(is_reserved) {
        if !is_reserved {
            stored.refusal = Some(NO_BUDGET);
            free(tx, by, &step.scene, call.worst.micros() as i64)?;
        }
    }
    Ok(())
}
