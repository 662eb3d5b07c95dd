//! A run that a worker holds: its state after all inputs so far, and the inputs that are not stored yet.
//!
//! Steps are pure, so a worker computes them ahead to know what to do next, and stores several at once: the model's
//! reply, the result of a read-only tool and the reservation of the next call are one write. `advance` takes the same
//! inputs on the stored run, and the worker continues from what it returns.

use std::sync::Arc;

use frontdesk_db as db;

use super::super::advance::{ActiveRun, Next, apply};
use super::super::step::{Effect, Input};
use super::Agent;
use super::step_context::StepContext;
use super::step_writer::{Step, StoredStep};
use crate::spend::{self, MadeCall, Reservation};

pub(super) struct HeldRun {
    pub(super) context: Arc<StepContext>,
    /// Inputs, and the model call that led to the first of them, that are not stored yet.
    inputs: Vec<Input>,
    made: Option<MadeCall>,
}

impl HeldRun {
    /// A run as it is stored.
    pub(super) fn new(context: Arc<StepContext>) -> Self {
        Self { context, inputs: Vec::new(), made: None }
    }

    /// Takes an input and returns the next action. A step without a next action is stored at once.
    pub(super) async fn take(&mut self, agent: &Agent, input: Input) -> db::Result<Option<Next>> {
        let StepContext { row, rules, .. } = Arc::make_mut(&mut self.context);
        let effects = apply(row, input.clone(), rules, agent.now());
        self.inputs.push(input);
        let last = effects.last().ok_or(db::Error::Decode("effect"))?;
        if let Some(next) = Next::of(last, row) {
            return Ok(Some(next));
        }
        let is_failure = matches!(last, Effect::Fail(_));
        let step = Step { is_failure, ..self.step(agent, None) };
        let stored = agent.step_writer.store(step).await?;
        Ok(self.continue_with(stored.active))
    }

    /// Settles a model call with the next write.
    pub(super) fn settle_later(&mut self, made: MadeCall) {
        self.made = Some(made);
    }

    pub(super) fn is_stored(&self) -> bool {
        self.inputs.is_empty() && self.made.is_none()
    }

    /// Stores all inputs and returns the next action. It is the same as before, unless the stored run was changed
    /// meanwhile, and None when this worker has lost the run. A model call is settled in any case.
    pub(super) async fn store(&mut self, agent: &Agent) -> db::Result<Option<Next>> {
        let stored = agent.step_writer.store(self.step(agent, None)).await?;
        Ok(self.continue_with(stored.active))
    }

    /// As [`HeldRun::store`], and reserves a call, unless the run stops. Returns the error for the run when a budget
    /// has no room for the call.
    pub(super) async fn store_reserving(
        &mut self,
        agent: &Agent,
        call: Arc<Reservation>,
    ) -> db::Result<Result<Option<Next>, &'static str>> {
        let StoredStep { active, refusal } = agent.step_writer.store(self.step(agent, Some(call))).await?;
        let next = self.continue_with(active);
        if refusal.is_some() {
            spend::count_refused();
        }
        Ok(refusal.map_or(Ok(next), Err))
    }

    fn step(&mut self, agent: &Agent, wanted: Option<Arc<Reservation>>) -> Step {
        let (inputs, made) = (std::mem::take(&mut self.inputs), self.made.take());
        Step { inputs, made, wanted, ..Step::new(agent, &self.context) }
    }

    /// Takes over what another transaction of this worker has stored, and returns the next action.
    pub(super) fn continue_with(&mut self, stored: Option<ActiveRun>) -> Option<Next> {
        let ActiveRun { row, next } = stored?;
        Arc::make_mut(&mut self.context).row = row;
        Some(next)
    }

    /// Reads the assistant and the account again. Returns false when one of them is gone.
    pub(super) async fn refresh(&mut self, agent: &Agent) -> db::Result<bool> {
        let row = &self.context.row;
        let Some(loaded) = agent.load_assistant(row.account, row.run.assistant_id).await? else {
            return Ok(false);
        };
        Arc::make_mut(&mut self.context).replace_assistant(loaded);
        Ok(true)
    }
}
