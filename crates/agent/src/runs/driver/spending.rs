//! Pays for model calls: reserves the worst case before a call, and settles the actual cost after it.

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_models::MicroUsd;
use frontdesk_platform::By;

use super::super::advance::advance;
use super::super::row;
use super::super::step::Input;
use super::Agent;
use super::scene::Scene;
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

/// Reserves a call. Returns false when this worker has lost the run, or when a budget has no room for the call, which
/// ends the run.
pub(super) async fn reserve(
    agent: &Agent,
    scene: &Arc<Scene>,
    reservation: &Arc<Reservation>,
) -> db::Result<bool> {
    let (scene, by, reservation) = (scene.clone(), scene.by(agent), reservation.clone());
    let reserved = agent.server.store.write(move |tx| {
        let job = scene.job;
        let Some(held) = row::hold_leased(tx, job.account, job.run, job.lease)? else { return Ok(false) };
        let tree: &[&dyn db::Param] = &[&job.account, &held.root, &(reservation.worst.micros() as i64)];
        if !tx.execute(row::SPEND, tree)?.any() {
            let stop = Input::Stopped { error: NO_TREE_BUDGET.to_owned() };
            advance(tx, &by, held, stop, &scene.rules)?;
            return Ok(false);
        }
        if !spend::reserve(tx, &by, &scene.account, &reservation)? {
            tx.execute(row::UNSPEND, tree)?.exactly(1)?;
            let stop = Input::Stopped { error: NO_BUDGET.to_owned() };
            advance(tx, &by, held, stop, &scene.rules)?;
            return Ok(false);
        }
        db::Result::Ok(true)
    });
    reserved.await
}

/// Settles a call of a run in the transaction that stores its outcome. Locks the run first, as everywhere.
pub(super) fn settle_alone(tx: &mut Tx<'_>, by: &By, scene: &Scene, made: &MadeCall) -> db::Result<()> {
    row::hold(tx, by.account, scene.job.run)?;
    settle(tx, by, scene, made)
}

/// Settles a call of a run that this transaction has locked.
pub(super) fn settle(tx: &mut Tx<'_>, by: &By, scene: &Scene, made: &MadeCall) -> db::Result<()> {
    let call = made.reservation.id;
    let settled = spend::settle(tx, by, &scene.account, call, made.settlement.as_ref())?;
    let Some(left) = settled else { return Ok(()) };
    tx.execute(row::UNSPEND, &[&by.account, &scene.row.root, &left])?.exactly(1)?;
    let cost = made.reservation.worst.micros() as i64 - left;
    let (tokens_in, tokens_out) = made.tokens();
    let params: &[&dyn db::Param] = &[&by.account, &scene.job.run, &cost, &tokens_in, &tokens_out];
    tx.execute(row::ADD_COST, params)?.exactly(1)
}
