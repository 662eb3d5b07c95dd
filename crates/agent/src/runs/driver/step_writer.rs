//! Stores the steps of runs, several in one transaction.
//!
//! Steps that arrive during a transaction of their account wait for the next one and share it: each of them changes the
//! month's sums, whose row is locked until the commit. If a shared transaction fails, each step gets its own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use frontdesk_db::{self as db, Query, Store, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use tokio::sync::oneshot;

use super::super::advance::{ActiveRun, advance};
use super::super::run::Run;
use super::super::step::Input;
use super::super::{row, sql as run_sql};
use super::Agent;
use super::step_context::StepContext;
use crate::ids::RunId;
use crate::spend::{self, MadeCall, Reservation};

/// Maximum steps that one transaction stores.
const STEPS_MAX: usize = 128;

const NO_BUDGET: &str = "This month's AI budget is spent, or too little is left of it for the next call of the model. \
                         Raise it with `frontdesk account set ID --ai-budget USD`, or wait for the next month.";
const NO_TREE_BUDGET: &str =
    "The run reached what it may cost, with its sub-runs. Raise delegation.max_cost_usd of the assistant.";

/// Inputs of a run, with the model calls that are settled and reserved in the same transaction.
pub(super) struct Step {
    pub(super) context: Arc<StepContext>,
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
    pub(super) fn new(agent: &Agent, context: &Arc<StepContext>) -> Self {
        let (context, by) = (context.clone(), context.by(agent));
        Self { context, by, inputs: Vec::new(), made: None, wanted: None, is_failure: false }
    }

    /// Root runs of an account share transactions. A step that changes rows of other runs has its own queue, because it
    /// could deadlock with them.
    fn queue(&self) -> Queue {
        let row = &self.context.row;
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
                batch.sort_by_key(|waiting| waiting.step.context.row.run.id);
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
    let ids: Vec<RunId> = steps.iter().map(|step| step.context.row.run.id).collect();
    let rows = row::hold_each(tx, by.account, &ids)?;
    let made: Vec<&MadeCall> = steps.iter().filter_map(|step| step.made.as_ref()).collect();
    let mut is_settled = spend::mark_settled(tx, by, &made)?.into_iter();
    let (mut stored, mut settled) = (Vec::with_capacity(steps.len()), Vec::with_capacity(made.len()));
    for (step, mut row) in steps.iter().zip(rows) {
        if let Some(made) = step.made.as_ref().filter(|_| is_settled.next() == Some(true)) {
            charge(tx, &step.by, &step.context, made)?;
            if let Some(row) = &mut row {
                add_cost(&mut row.run, made);
            }
            settled.push(made);
        }
        let active = match row.filter(|row| row.is_leased(step.context.job.lease)) {
            Some(row) => advance(tx, &step.by, row, inputs(step), &step.context.rules)?,
            None => None,
        };
        stored.push(StoredStep { active, refusal: None });
    }
    // The sums of the month come last, because other transactions wait for their lock.
    book(tx, steps, &settled, &mut stored)?;
    Ok(stored)
}

/// The inputs of a step. A run that has begun is not changed by being resumed.
fn inputs(step: &Step) -> Vec<Input> {
    if step.inputs.is_empty() { vec![Input::Resumed] } else { step.inputs.clone() }
}

/// Adds the cost of a settled call to its run, and frees what its reservation left over.
pub(super) fn charge(tx: &mut Tx<'_>, by: &By, context: &StepContext, made: &MadeCall) -> db::Result<()> {
    let (cost, worst) = (made.cost().micros() as i64, made.reservation.worst.micros() as i64);
    let (tokens_in, tokens_out) = made.tokens();
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(context.job.run),
        Box::new(cost),
        Box::new(tokens_in),
        Box::new(tokens_out),
    ];
    tx.execute_along(Query::whole(run_sql::ADD_COST, params))?;
    free(tx, by, context, worst - cost)
}

/// Adds the cost of a call to a run in memory.
fn add_cost(run: &mut Run, made: &MadeCall) {
    let (tokens_in, tokens_out) = made.tokens();
    run.cost_usd += made.cost().usd();
    run.tokens_in += tokens_in;
    run.tokens_out += tokens_out;
}

fn free(tx: &mut Tx<'_>, by: &By, context: &StepContext, micros: i64) -> db::Result<()> {
    let params: Vec<db::OwnedParam> =
        vec![Box::new(by.account), Box::new(context.row.root), Box::new(micros)];
    tx.execute_along(Query::whole(run_sql::UNSPEND, params))
}

/// Books settled calls of one account, and reserves the wanted calls of the steps whose runs go on.
fn book(
    tx: &mut Tx<'_>,
    steps: &[Arc<Step>],
    settled: &[&MadeCall],
    stored: &mut [StoredStep],
) -> db::Result<()> {
    let Some(Step { by, context, .. }) = steps.first().map(|step| &**step) else { return Ok(()) };
    let is_active =
        |(step, stored): &(&Arc<Step>, &mut StoredStep)| stored.active.is_some() && step.wanted.is_some();
    let mut wanted: Vec<(&Arc<Step>, &mut StoredStep)> = steps.iter().zip(stored).filter(is_active).collect();
    let worst: Vec<i64> =
        wanted.iter().filter_map(|(step, _)| Some(step.wanted.as_ref()?.worst.micros() as i64)).collect();
    let rows: Vec<[&dyn db::Param; 3]> = (wanted.iter().zip(&worst))
        .map(|((step, _), worst)| [&by.account as &dyn db::Param, &step.context.row.root, worst])
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
    let is_reserved = spend::book(tx, by, &context.account, settled, &calls)?;
    for (((step, stored), call), is_reserved) in wanted.into_iter().zip(calls).zip(is_reserved) {
        if !is_reserved {
            stored.refusal = Some(NO_BUDGET);
            free(tx, by, &step.context, call.worst.micros() as i64)?;
        }
    }
    Ok(())
}
