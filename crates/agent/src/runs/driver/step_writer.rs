//! Stores the steps of runs, several in one transaction.
//!
//! Steps that arrive during a transaction of their account wait for the next one and share it: each of them changes the
//! month's sums, whose row is locked until the commit. If a shared transaction fails, each step gets its own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use frontdesk_db::{self as db, Store, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use tokio::sync::oneshot;

use super::super::advance::{ActiveRun, advance};
use super::super::row;
use super::super::step::Input;
use super::scene::Scene;
use super::{Agent, spending};
use crate::ids::RunId;
use crate::spend::{self, MadeCall, Reservation};

/// Maximum steps that one transaction stores.
const STEPS_MAX: usize = 128;

/// Inputs of a run, with the model calls that are settled and reserved in the same transaction.
pub(super) struct Step {
    pub(super) scene: Arc<Scene>,
    pub(super) by: By,
    pub(super) inputs: Vec<Input>,
    pub(super) made: Option<MadeCall>,
    /// Reserved, if the run goes on and both budgets have room for it.
    pub(super) wanted: Option<Arc<Reservation>>,
    /// The run fails, so that rows of its asks, sub-runs and conversation change too.
    pub(super) is_failure: bool,
}

/// A stored step.
pub(super) struct StoredStep {
    /// None when the run waits, pauses or is over, and when this worker has lost it.
    pub(super) active: Option<ActiveRun>,
    /// Why the wanted call was not reserved.
    pub(super) refusal: Option<&'static str>,
}

impl Step {
    /// A step without inputs.
    pub(super) fn new(agent: &Agent, scene: &Arc<Scene>) -> Self {
        let (scene, by) = (scene.clone(), scene.by(agent));
        Self { scene, by, inputs: Vec::new(), made: None, wanted: None, is_failure: false }
    }

    /// Root runs of an account share transactions. A step that changes rows of other runs has its own queue, because it
    /// could deadlock with them.
    fn queue(&self) -> Queue {
        let row = &self.scene.row;
        let is_alone = self.is_failure || row.root != row.run.id;
        (row.account, is_alone.then_some(row.run.id))
    }
}

type Queue = (AccountId, Option<RunId>);

struct WaitingStep {
    step: Arc<Step>,
    outcome: oneshot::Sender<db::Result<StoredStep>>,
}

/// Queues steps and stores them. Clones share the queues.
#[derive(Clone)]
pub(super) struct StepWriter {
    store: Store,
    /// A queue is present while its transactions are in progress.
    waiting: Arc<Mutex<HashMap<Queue, Vec<WaitingStep>>>>,
}

impl StepWriter {
    pub(super) fn new(store: Store) -> Self {
        Self { store, waiting: Arc::default() }
    }

    /// Stores a step.
    pub(super) async fn store(&self, step: Step) -> db::Result<StoredStep> {
        let (sender, outcome) = oneshot::channel();
        let queue = step.queue();
        let waiting = WaitingStep { step: Arc::new(step), outcome: sender };
        let is_first = match self.lock().entry(queue) {
            Entry::Occupied(mut steps) => {
                steps.get_mut().push(waiting);
                false
            }
            Entry::Vacant(free) => {
                free.insert(vec![waiting]);
                true
            }
        };
        if is_first {
            tokio::spawn(self.clone().work(queue));
        }
        outcome.await.unwrap_or(Err(db::Error::Closed))
    }

    async fn work(self, queue: Queue) {
        let _removed_after_a_panic = Turn { writer: self.clone(), queue };
        while let Some(batch) = self.next(queue) {
            let steps: Vec<Arc<Step>> = batch.iter().map(|waiting| waiting.step.clone()).collect();
            match self.write(steps).await {
                Ok(stored) => {
                    for (waiting, stored) in batch.into_iter().zip(stored) {
                        // A worker that is gone needs no outcome.
                        let _ = waiting.outcome.send(Ok(stored));
                    }
                }
                Err(error) => self.write_each(batch, error).await,
            }
        }
    }

    /// Stores the steps of a transaction that failed, each in its own. A lone step has failed for good.
    async fn write_each(&self, batch: Vec<WaitingStep>, error: db::Error) {
        let is_alone = batch.len() == 1;
        for waiting in batch {
            let outcome = if is_alone {
                Err(error.clone())
            } else {
                let written = self.write(vec![waiting.step]).await;
                written.and_then(|mut stored| stored.pop().ok_or(db::Error::Decode("step")))
            };
            let _ = waiting.outcome.send(outcome);
        }
    }

    async fn write(&self, steps: Vec<Arc<Step>>) -> db::Result<Vec<StoredStep>> {
        self.store.write(move |tx| write(tx, &steps)).await
    }

    /// Takes the next steps of a queue. Returns None, and removes the queue, when there are none.
    fn next(&self, queue: Queue) -> Option<Vec<WaitingStep>> {
        let mut all = self.lock();
        match all.get_mut(&queue) {
            Some(waiting) if !waiting.is_empty() => {
                let rest = waiting.split_off(waiting.len().min(STEPS_MAX));
                let mut batch = std::mem::replace(waiting, rest);
                // Runs are locked in the order of their ids.
                batch.sort_by_key(|waiting| waiting.step.scene.row.run.id);
                Some(batch)
            }
            _ => {
                all.remove(&queue);
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Queue, Vec<WaitingStep>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that stores the steps of a queue. If it panics, those who wait get an error, and the next step starts
/// another task.
struct Turn {
    writer: StepWriter,
    queue: Queue,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.writer.lock().remove(&self.queue);
        }
    }
}

/// Stores steps of one account.
fn write(tx: &mut Tx<'_>, steps: &[Arc<Step>]) -> db::Result<Vec<StoredStep>> {
    let Some(Step { by, .. }) = steps.first().map(|step| &**step) else { return Ok(Vec::new()) };
    let ids: Vec<RunId> = steps.iter().map(|step| step.scene.row.run.id).collect();
    let rows = row::hold_each(tx, by.account, &ids)?;
    let made: Vec<&MadeCall> = steps.iter().filter_map(|step| step.made.as_ref()).collect();
    let mut is_settled = spend::mark_settled(tx, by, &made)?.into_iter();
    let (mut stored, mut settled) = (Vec::with_capacity(steps.len()), Vec::with_capacity(made.len()));
    for (step, mut row) in steps.iter().zip(rows) {
        if let Some(made) = step.made.as_ref().filter(|_| is_settled.next() == Some(true)) {
            spending::charge(tx, &step.by, &step.scene, made)?;
            if let Some(row) = &mut row {
                spending::add_cost(&mut row.run, made);
            }
            settled.push(made);
        }
        let active = match row.filter(|row| row.is_leased(step.scene.job.lease)) {
            Some(row) => advance(tx, &step.by, row, inputs(step), &step.scene.rules)?,
            None => None,
        };
        stored.push(StoredStep { active, refusal: None });
    }
    // The sums of the month come last, because other transactions wait for their lock.
    spending::book(tx, steps, &settled, &mut stored)?;
    Ok(stored)
}

/// The inputs of a step. A run that has begun is not changed by being resumed.
fn inputs(step: &Step) -> Vec<Input> {
    if step.inputs.is_empty() { vec![Input::Resumed] } else { step.inputs.clone() }
}
