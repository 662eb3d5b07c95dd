//! Stores steps of many runs in one transaction.
//!
//! A step that arrives during a transaction waits for the next one, together with the other steps of its assistant.
//! On PostgreSQL, a transaction has one statement per table, whatever the number of its steps. A lone step is written
//! at once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use frontdesk_db::{self as db, Dialect, List, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::accounts::Account;
use frontdesk_platform::events::{self, NewEvent};
use frontdesk_platform::{By, Principal, ServerContext};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::super::event;
use super::super::status::RunStatus;
use super::super::step::Logged;
use super::Job;
use crate::ids::RunId;
use crate::spend::batch::{self, BatchError};
use crate::spend::{MadeCall, Reservation};

/// Maximum steps that one transaction stores.
const STEPS_MAX: usize = 128;

frontdesk_db::statements! {
    /// Stores a step, unless the run was changed, another worker holds it, or it would exceed its cost limit.
    SAVE_STEP = "UPDATE runs SET status = $5, result = $6, tick_count = $7, machine = $8, cost_micros = cost_micros + $9, tokens_in = tokens_in + $10,
        tokens_out = tokens_out + $11, tree_spent_micros = tree_spent_micros + $12, due_at = CASE WHEN due_at > $13 THEN due_at ELSE $13 END,
        lease = $14, finished_at = $15, updated_at = $16, version = version + 1
        WHERE account_id = $1 AND id = $2 AND lease = $3 AND version = $4 AND status = 'running'
        AND ($12 <= 0 OR tree_spent_micros + $12 <= tree_limit_micros)";
}

/// Finds each run by its key. A plain join may scan all active runs of the account once per step: the planner's
/// statistics may date from a moment when there were almost none.
const SAVE_STEPS: &str = "UPDATE runs r SET status = v.status, result = v.result, tick_count = v.ticks, machine = v.machine,
    cost_micros = r.cost_micros + v.cost, tokens_in = r.tokens_in + v.tokens_in, tokens_out = r.tokens_out + v.tokens_out,
    tree_spent_micros = r.tree_spent_micros + v.tree, due_at = CASE WHEN r.due_at > v.due_at THEN r.due_at ELSE v.due_at END,
    lease = v.next_lease, finished_at = v.finished_at, updated_at = v.updated_at, version = r.version + 1
    FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[],
        $12::bigint[], $13::timestamptz[], $14::uuid[], $15::timestamptz[], $16::timestamptz[])
        AS v (id, lease, version, status, result, ticks, machine, cost, tokens_in, tokens_out, tree, due_at, next_lease, finished_at, updated_at)
    CROSS JOIN LATERAL (SELECT ctid FROM runs WHERE account_id = $1 AND id = v.id LIMIT 1) AS place
    WHERE r.ctid = place.ctid AND r.lease = v.lease AND r.version = v.version AND r.status = 'running'
    AND (v.tree <= 0 OR r.tree_spent_micros + v.tree <= r.tree_limit_micros) RETURNING r.id";
pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[("runs::SAVE_STEPS", SAVE_STEPS)];

/// The next state of a run, with everything that is written together with it.
pub(super) struct ComputedStep {
    pub(super) job: Job,
    pub(super) assistant: AssistantId,
    pub(super) principal: Principal,
    pub(super) account: Arc<Account>,
    /// The version of the run that this was computed from.
    pub(super) version: i64,
    pub(super) status: RunStatus,
    pub(super) result: Option<String>,
    pub(super) ticks: i64,
    /// As JSON.
    pub(super) machine: String,
    pub(super) due_at: Option<Timestamp>,
    pub(super) lease: Option<Uuid>,
    pub(super) finished_at: Option<Timestamp>,
    pub(super) updated_at: Timestamp,
    pub(super) logged: Vec<Logged>,
    pub(super) made: Option<MadeCall>,
    pub(super) reserved: Option<Arc<Reservation>>,
    pub(super) event: Option<NewEvent>,
}

impl ComputedStep {
    fn cost(&self) -> i64 {
        self.made.as_ref().map_or(0, |made| made.cost().micros() as i64)
    }

    fn tokens(&self) -> (i64, i64) {
        self.made.as_ref().map_or((0, 0), MadeCall::tokens)
    }

    /// The change to the run's spent amount, which includes reservations.
    fn tree_micros(&self) -> i64 {
        let reserved = self.reserved.as_ref().map_or(0, |call| call.worst.micros() as i64);
        let freed = self.made.as_ref().map_or(0, |made| made.reservation.worst.micros() as i64);
        reserved + self.cost() - freed
    }
}

/// The steps of one assistant for one member are stored together.
type Group = (AccountId, AssistantId, UserId);

struct WaitingStep {
    step: Arc<ComputedStep>,
    /// True when it was stored.
    told: oneshot::Sender<db::Result<bool>>,
}

/// Queues steps and stores them. Clones share the queues.
#[derive(Clone)]
pub(super) struct StepWriter {
    server: ServerContext,
    /// A group is present while its transactions are in progress.
    waiting: Arc<Mutex<HashMap<Group, Vec<WaitingStep>>>>,
}

impl StepWriter {
    pub(super) fn new(server: ServerContext) -> Self {
        Self { server, waiting: Arc::default() }
    }

    /// Stores a step. Returns false, and stores nothing, when the run has changed or the account has no budget for
    /// the step.
    pub(super) async fn store(&self, step: ComputedStep) -> db::Result<bool> {
        let (told, outcome) = oneshot::channel();
        let group = group_of(&step);
        let waiting = WaitingStep { step: Arc::new(step), told };
        let is_first = match self.lock().entry(group) {
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
            tokio::spawn(self.clone().work(group));
        }
        outcome.await.unwrap_or(Err(db::Error::Closed))
    }

    async fn work(self, group: Group) {
        let _free_after_a_panic = Turn { writer: self.clone(), group };
        while let Some(batch) = self.next(group) {
            let steps: Vec<Arc<ComputedStep>> = batch.iter().map(|waiting| waiting.step.clone()).collect();
            let now = (self.server.clock)();
            let by = By::new(&steps[0].principal, now, &self.server.recorder);
            let written = self.server.store.write(move |tx| write(tx, &by, &steps)).await;
            for (index, waiting) in batch.into_iter().enumerate() {
                let outcome = match &written {
                    Ok(stored) => Ok(stored[index]),
                    // Each step is then retried by itself.
                    Err(BatchError::NoRoom | BatchError::Store(db::Error::Touched { .. })) => Ok(false),
                    Err(BatchError::Store(error)) => Err(error.clone()),
                };
                let _gone_is_fine = waiting.told.send(outcome);
            }
        }
    }

    /// Takes the next steps of a group. Returns None, and frees the group, when there are none.
    fn next(&self, group: Group) -> Option<Vec<WaitingStep>> {
        let mut all = self.lock();
        match all.get_mut(&group) {
            Some(waiting) if !waiting.is_empty() => {
                let rest = waiting.split_off(waiting.len().min(STEPS_MAX));
                Some(std::mem::replace(waiting, rest))
            }
            _ => {
                all.remove(&group);
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Group, Vec<WaitingStep>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that stores the steps of a group. If it panics, those who wait get an error, and the next step starts another
/// task.
struct Turn {
    writer: StepWriter,
    group: Group,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.writer.lock().remove(&self.group);
        }
    }
}

fn group_of(step: &ComputedStep) -> Group {
    (step.job.account, step.assistant, step.principal.author)
}

/// Writes steps. Returns for each whether it was stored.
fn write(tx: &mut Tx<'_>, by: &By, steps: &[Arc<ComputedStep>]) -> Result<Vec<bool>, BatchError> {
    let stored = save(tx, by, steps)?;
    let held: Vec<&ComputedStep> =
        steps.iter().zip(&stored).filter(|(_, is_stored)| **is_stored).map(|(step, _)| &**step).collect();
    let Some(last) = held.last() else { return Ok(stored) };
    let logged: Vec<(RunId, &Logged)> =
        held.iter().flat_map(|step| step.logged.iter().map(|logged| (step.job.run, logged))).collect();
    event::log_many(tx, by, &logged)?;
    let told: Vec<&NewEvent> = held.iter().filter_map(|step| step.event.as_ref()).collect();
    events::write_many(tx, by, &told)?;
    let made: Vec<&MadeCall> = held.iter().filter_map(|step| step.made.as_ref()).collect();
    let reserved: Vec<&Reservation> = held.iter().filter_map(|step| step.reserved.as_deref()).collect();
    // Update the month's row last, because other transactions wait for its lock.
    batch::write(tx, by, &last.account, &made, &reserved)?;
    Ok(stored)
}

fn save(tx: &mut Tx<'_>, by: &By, steps: &[Arc<ComputedStep>]) -> db::Result<Vec<bool>> {
    if tx.dialect() == Dialect::Postgres {
        let saved = save_together(tx, by, steps)?;
        return Ok(steps.iter().map(|step| saved.contains(&step.job.run)).collect());
    }
    steps
        .iter()
        .map(|step| {
            let (tokens_in, tokens_out) = step.tokens();
            let params: &[&dyn db::Param] = &[
                &by.account,
                &step.job.run,
                &step.job.lease,
                &step.version,
                &step.status,
                &step.result,
                &step.ticks,
                &step.machine,
                &step.cost(),
                &tokens_in,
                &tokens_out,
                &step.tree_micros(),
                &step.due_at,
                &step.lease,
                &step.finished_at,
                &step.updated_at,
            ];
            Ok(tx.execute(SAVE_STEP, params)?.any())
        })
        .collect()
}

fn save_together(tx: &mut Tx<'_>, by: &By, steps: &[Arc<ComputedStep>]) -> db::Result<Vec<RunId>> {
    fn each<'s, T>(steps: &'s [Arc<ComputedStep>], of: impl Fn(&'s ComputedStep) -> T) -> List<T> {
        List(steps.iter().map(|step| of(step)).collect())
    }
    let params: &[&dyn db::Param] = &[
        &by.account,
        &each(steps, |step| step.job.run),
        &each(steps, |step| step.job.lease),
        &each(steps, |step| step.version),
        &each(steps, |step| step.status),
        &each(steps, |step| step.result.as_deref()),
        &each(steps, |step| step.ticks),
        &each(steps, |step| step.machine.as_str()),
        &each(steps, ComputedStep::cost),
        &each(steps, |step| step.tokens().0),
        &each(steps, |step| step.tokens().1),
        &each(steps, ComputedStep::tree_micros),
        &each(steps, |step| step.due_at),
        &each(steps, |step| step.lease),
        &each(steps, |step| step.finished_at),
        &each(steps, |step| step.updated_at),
    ];
    tx.plan_anew()?;
    tx.query(SAVE_STEPS, params, db::only)
}
