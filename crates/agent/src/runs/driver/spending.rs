//! Paying for calls of models: the worst case is reserved before, and what it cost is settled after.

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_models::MicroUsd;
use frontdesk_platform::By;

use super::super::advance::advance;
use super::super::row;
use super::super::step::Input;
use super::Agent;
use super::scene::Scene;
use crate::spend::{self, CallId, Reservation, Settlement};

const NO_BUDGET: &str = "This month's AI budget is spent, or too little is left of it for the next call of the model. \
                         Raise it with `frontdesk account set ID --ai-budget USD`, or wait for the next month.";
const NO_TREE_BUDGET: &str =
    "The run reached what it may cost, with its sub-runs. Raise delegation.max_cost_usd of the assistant.";

/// A call that is paid for, whatever it comes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paid {
    pub(super) call: CallId,
    pub(super) worst: MicroUsd,
}

/// Reserves a call. None when the run is over, because this worker lost it or because there is no money for the call.
pub(super) async fn reserve(
    agent: &Agent,
    scene: &Arc<Scene>,
    model: &str,
    worst: MicroUsd,
) -> db::Result<Option<Paid>> {
    let call: CallId = agent.server.recorder.next(agent.now());
    let (scene, by, model) = (scene.clone(), scene.by(agent), model.to_owned());
    let reserved = agent.server.store.write(move |tx| {
        let job = scene.job;
        let Some(held) = row::hold_leased(tx, job.account, job.run, job.lease)? else { return Ok(false) };
        let tree: &[&dyn db::Param] = &[&job.account, &held.root, &(worst.micros() as i64)];
        if !tx.execute(row::SPEND, tree)?.any() {
            let stop = Input::Stopped { error: NO_TREE_BUDGET.to_owned() };
            advance(tx, &by, held, stop, &scene.rules)?;
            return Ok(false);
        }
        let reservation = Reservation {
            id: call,
            run: job.run,
            assistant: scene.assistant.id,
            model: model.clone(),
            worst,
        };
        if !spend::reserve(tx, &by, &scene.account, &reservation)? {
            tx.execute(row::UNSPEND, tree)?.exactly(1)?;
            let stop = Input::Stopped { error: NO_BUDGET.to_owned() };
            advance(tx, &by, held, stop, &scene.rules)?;
            return Ok(false);
        }
        db::Result::Ok(true)
    });
    Ok(reserved.await?.then_some(Paid { call, worst }))
}

/// Settles a call, in the transaction that stores what came of it. Without a settlement it counts at its worst case.
pub(super) fn settle(
    tx: &mut Tx<'_>,
    by: &By,
    scene: &Scene,
    paid: Paid,
    settlement: Option<&Settlement>,
) -> db::Result<()> {
    let Some(left) = spend::settle(tx, by, &scene.account, paid.call, settlement)? else { return Ok(()) };
    tx.execute(row::UNSPEND, &[&by.account, &scene.row.root, &left])?.exactly(1)?;
    let cost = paid.worst.micros() as i64 - left;
    let (tokens_in, tokens_out) =
        settlement.map_or((0, 0), |told| (told.tokens_in as i64, told.tokens_out as i64));
    let params: &[&dyn db::Param] = &[&by.account, &scene.job.run, &cost, &tokens_in, &tokens_out];
    tx.execute(row::ADD_COST, params)?.exactly(1)
}
