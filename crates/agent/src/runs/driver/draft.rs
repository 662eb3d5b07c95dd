//! A run that a worker holds: its computed state, and the part of it that is not stored yet.
//!
//! Steps are pure, so a worker computes them ahead and stores several at once: the model's reply, the result of a
//! read-only tool and the reservation of the next call are one write. The write is batched with those of other runs
//! (see `step_writer`) and succeeds only if nothing has changed the run since it was read. Otherwise the worker
//! applies the same inputs again in its own transaction, to the stored state.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db as db;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::events::{self, NewEvent};

use super::super::advance::{LEASE, Next, add_active_time, advance_all};
use super::super::ending::{self, End};
use super::super::event_types::{self, RunEventData};
use super::super::row::{self, written};
use super::super::step::{Effect, Input, Logged, step};
use super::scene::Scene;
use super::step_writer::ComputedStep;
use super::{Agent, spending};
use crate::spend::{MadeCall, Reservation};

/// A step is stored with at least this much of the lease left, so that the next model call and tool call fit into it.
const LEASE_LEFT_MIN: Duration = Duration::from_secs(45);

pub(super) struct Draft {
    pub(super) scene: Arc<Scene>,
    unsaved: Unsaved,
    /// The assistant and the account have just been read.
    is_current: bool,
    /// The last batched write failed for this run, so the next reservation gets its own transaction.
    pub(super) is_alone: bool,
}

/// The steps computed since the run was last stored.
#[derive(Clone, Default)]
struct Unsaved {
    inputs: Vec<Input>,
    logged: Vec<Logged>,
    made: Option<MadeCall>,
    begins: bool,
}

/// The outcome of storing a draft.
pub(super) enum Stored {
    AsComputed,
    /// Another transaction changed the run. Holds the next action, or None when the run is over or this worker has
    /// lost it.
    Changed(Option<Next>),
}

impl Draft {
    /// A draft of a run as it is stored.
    pub(super) fn new(scene: Arc<Scene>) -> Self {
        Self { scene, unsaved: Unsaved::default(), is_current: true, is_alone: false }
    }

    /// Takes an input and returns the next action. A run that waits, pauses or fails is stored at once.
    pub(super) async fn then(&mut self, agent: &Agent, input: Input) -> db::Result<Option<Next>> {
        match Next::of(&self.compute(input, agent.now())?) {
            Some(next) => Ok(Some(next)),
            None => self.store_alone(agent).await,
        }
    }

    /// Marks the run as begun with the next write.
    pub(super) fn begins(&mut self) {
        self.unsaved.begins = true;
    }

    /// Settles a model call with the next write.
    pub(super) fn paid(&mut self, made: MadeCall) {
        let run = &mut Arc::make_mut(&mut self.scene).row.run;
        let (tokens_in, tokens_out) = made.tokens();
        run.cost_usd += made.cost().usd();
        run.tokens_in += tokens_in;
        run.tokens_out += tokens_out;
        self.unsaved.made = Some(made);
    }

    fn compute(&mut self, input: Input, now: Timestamp) -> db::Result<Effect> {
        let scene = Arc::make_mut(&mut self.scene);
        add_active_time(&mut scene.row, now);
        let (machine, mut effects) =
            step(std::mem::take(&mut scene.row.machine), input.clone(), &scene.rules);
        scene.row.run.updated_at = now;
        scene.row.run.tick_count = machine.ticks;
        scene.row.machine = machine;
        self.unsaved.inputs.push(input);
        let last = effects.pop().ok_or(db::Error::Decode("effect"))?;
        self.unsaved.logged.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Log(logged) => Some(logged),
            _ => None,
        }));
        Ok(last)
    }

    pub(super) fn is_stored(&self) -> bool {
        self.unsaved.inputs.is_empty() && self.unsaved.made.is_none()
    }

    /// Stores the computed steps, so that another transaction can act on the run.
    pub(super) async fn store(&mut self, agent: &Agent) -> db::Result<Stored> {
        if self.is_stored() || self.write(agent, None).await? {
            return Ok(Stored::AsComputed);
        }
        Ok(Stored::Changed(self.store_alone(agent).await?))
    }

    /// Stores the computed steps together with the reservation of the next call. Returns false, and stores nothing,
    /// when the run has changed or there is no room for the call.
    pub(super) async fn store_reserving(
        &mut self,
        agent: &Agent,
        reservation: &Arc<Reservation>,
    ) -> db::Result<bool> {
        self.write(agent, Some(reservation)).await
    }

    async fn write(&mut self, agent: &Agent, reserved: Option<&Arc<Reservation>>) -> db::Result<bool> {
        let scene = Arc::make_mut(&mut self.scene);
        // A sub-run spends from the row of its root, which other runs change too.
        if scene.row.root != scene.row.run.id {
            return Ok(false);
        }
        let now = agent.now();
        if scene.row.due_at.is_none_or(|due| due < now + LEASE_LEFT_MIN) {
            scene.row.due_at = Some(now + LEASE);
        }
        let begun = if self.unsaved.begins {
            Some(NewEvent::new(event_types::STARTED, &RunEventData { run: &scene.row.run })?)
        } else {
            None
        };
        let step = self.computed(self.unsaved.logged.clone(), reserved, begun)?;
        let is_stored = agent.step_writer.store(step).await?;
        if is_stored {
            Arc::make_mut(&mut self.scene).row.version += 1;
            self.unsaved = Unsaved::default();
        }
        Ok(is_stored)
    }

    /// Finishes a root run without a conversation. Returns false, and stores nothing, for other runs and when the run
    /// has changed.
    pub(super) async fn store_finished(&mut self, agent: &Agent, text: &str) -> db::Result<bool> {
        let run = &self.scene.row.run;
        if self.scene.row.root != run.id || run.conversation_id.is_some() || self.unsaved.begins {
            return Ok(false);
        }
        let mut finished = Self::new(self.scene.clone());
        finished.unsaved = self.unsaved.clone();
        let row = &mut Arc::make_mut(&mut finished.scene).row;
        let (_, logged) = ending::close(row, &End::Succeeded(text.to_owned()), agent.now())?;
        let told = NewEvent::new(event_types::FINISHED, &RunEventData { run: &row.run })?;
        let logged = finished.unsaved.logged.iter().cloned().chain([logged]).collect();
        agent.step_writer.store(finished.computed(logged, None, Some(told))?).await
    }

    fn computed(
        &self,
        logged: Vec<Logged>,
        reserved: Option<&Arc<Reservation>>,
        event: Option<NewEvent>,
    ) -> db::Result<ComputedStep> {
        let row = &self.scene.row;
        Ok(ComputedStep {
            job: self.scene.job,
            assistant: row.run.assistant_id,
            principal: self.scene.principal.clone(),
            account: self.scene.account.clone(),
            version: row.version,
            status: row.run.status,
            result: row.run.result.clone(),
            ticks: row.machine.ticks,
            machine: written(&row.machine)?,
            due_at: row.due_at,
            lease: row.lease,
            finished_at: row.run.finished_at,
            updated_at: row.run.updated_at,
            logged,
            made: self.unsaved.made.clone(),
            reserved: reserved.cloned(),
            event,
        })
    }

    /// Applies the inputs again in its own transaction and returns the next action. A model call is settled even when
    /// this worker has lost the run.
    pub(super) async fn store_alone(&mut self, agent: &Agent) -> db::Result<Option<Next>> {
        let unsaved = std::mem::take(&mut self.unsaved);
        let (scene, by) = (self.scene.clone(), self.scene.by(agent));
        let committed = agent.server.store.write(move |tx| {
            let job = scene.job;
            // Lock the run first, as everywhere, and read it again after settling, so that its events include the
            // cost.
            row::hold(tx, job.account, job.run)?;
            if let Some(made) = &unsaved.made {
                spending::settle(tx, &by, &scene, made)?;
            }
            let Some(held) = row::hold_leased(tx, job.account, job.run, job.lease)? else { return Ok(None) };
            if unsaved.inputs.is_empty() {
                return Ok(None);
            }
            if unsaved.begins && !held.machine.begun {
                events::write(tx, &by, event_types::STARTED, &RunEventData { run: &held.run })?;
            }
            advance_all(tx, &by, held, unsaved.inputs.clone(), &scene.rules)
        });
        let next = committed.await?;
        self.reloaded(agent, next).await
    }

    /// Reads the run again after another transaction changed it. Returns `next`, or None when this worker has lost
    /// the run.
    pub(super) async fn reloaded(&mut self, agent: &Agent, next: Option<Next>) -> db::Result<Option<Next>> {
        if next.is_none() {
            return Ok(None);
        }
        match agent.scene(&self.scene.job).await? {
            Some(scene) => {
                self.scene = scene;
                self.is_current = true;
                Ok(next)
            }
            None => Ok(None),
        }
    }

    /// Marks the assistant and the account as out of date, because they may have changed.
    pub(super) fn ages(&mut self) {
        self.is_current = false;
    }

    /// Reads the assistant and the account again, unless they have just been read. Returns false when one of them is
    /// gone.
    pub(super) async fn refresh(&mut self, agent: &Agent) -> db::Result<bool> {
        if std::mem::take(&mut self.is_current) {
            return Ok(true);
        }
        let row = &self.scene.row;
        let Some(briefing) = agent.briefing(row.account, row.run.assistant_id).await? else {
            return Ok(false);
        };
        Arc::make_mut(&mut self.scene).brief(briefing);
        Ok(true)
    }
}
