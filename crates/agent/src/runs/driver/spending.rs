//! Pays for model calls: reserves the worst case before a call, and settles the actual cost after it.

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_models::MicroUsd;
use frontdesk_platform::By;

use super::super::advance::advance;
use super::super::row;
use super::super::step::Input;
use super::Agent;
use super::step_context::StepContext;
use super::step_writer::{Step, StoredStep, charge};
use crate::spend::{self, CallId, MadeCall, Period, Reservation};

/// Builds the reservation for a model call of a run.
pub(super) fn reservation(
    agent: &Agent,
    context: &StepContext,
    model: &str,
    worst: MicroUsd,
) -> Arc<Reservation> {
    let now = agent.now();
    let id: CallId = agent.server.recorder.next(now);
    Arc::new(Reservation {
        id,
        run: context.job.run,
        assistant: context.assistant.id,
        model: model.to_owned(),
        worst,
        period: Period::at(now, &context.account.timezone),
    })
}

/// Reserves a call of a run that is stored. Returns false when this worker has lost the run, or when a budget has no
/// room for the call, which ends the run.
pub(super) async fn reserve(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Arc<Reservation>,
) -> db::Result<bool> {
    let step = Step { wanted: Some(call.clone()), ..Step::new(agent, context) };
    let StoredStep { active, refusal } = agent.step_writer.store(step).await?;
    let Some(error) = refusal else { return Ok(active.is_some()) };
    spend::count_refused();
    let stopped = agent.commit(context, move |tx, by, held, context| {
        let input = Input::Stopped { error: error.to_owned() };
        advance(tx, by, held, vec![input], &context.rules)
    });
    stopped.await?;
    Ok(false)
}

/// Settles a call of a run. Locks the run first, as everywhere.
pub(super) fn settle(tx: &mut Tx<'_>, by: &By, context: &StepContext, made: &MadeCall) -> db::Result<()> {
    row::hold(tx, by.account, context.job.run)?;
    if spend::settle(tx, by, &context.account, made)? {
        charge(tx, by, context, made)?;
    }
    Ok(())
}
