//! Advances a stored run: the only place that stores a step. The step, its timeline entries and the run's next state
//! commit in one transaction.

use std::time::Duration;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::{By, events};

use super::ending::{self, End};
use super::event_types::{self, RunEventData};
use super::machine::Call;
use super::row::{self, RunRow};
use super::status::{Act, Origin, RunStatus};
use super::step::{Effect, Input, Rules, step};
use super::{event, rules};
use crate::assistants;

/// How long a worker holds a run without renewing its lease.
pub(crate) const LEASE: Duration = Duration::from_mins(1);
/// A step leaves at least this much of the lease, so that the next model call and tool call fit into it. It renews only
/// a shorter lease, because `due_at` is indexed.
const LEASE_LEFT_MIN: Duration = Duration::from_secs(45);

/// What a worker does next.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    CallModel,
    UseTool(Call),
    RaiseAsk(Call),
    /// Send the final text to the customer whom the run answers.
    Reply(String),
}

impl Next {
    /// The next action of a run after this effect. None when the run stops, temporarily or for good.
    pub(crate) fn of(effect: &Effect, row: &RunRow) -> Option<Self> {
        match effect {
            Effect::CallModel => Some(Self::CallModel),
            Effect::UseTool(call) => Some(Self::UseTool(call.clone())),
            Effect::RaiseAsk(call) => Some(Self::RaiseAsk(call.clone())),
            Effect::Finish(text) if row.origin == Origin::Conversation => Some(Self::Reply(text.clone())),
            Effect::Finish(_) | Effect::Log(_) | Effect::Wait | Effect::Pause(_) | Effect::Fail(_) => None,
        }
    }
}

/// A stored run that its worker continues.
#[derive(Clone, Debug)]
pub(crate) struct ActiveRun {
    pub(crate) row: RunRow,
    pub(crate) next: Next,
}

/// Takes steps of a run that this worker holds and that this transaction has locked. The worker has already carried out
/// the effects in between, so only the last effect counts, unless an earlier one fails or pauses the run. Returns None
/// when the run waits, pauses or is over.
pub(crate) fn advance(
    tx: &mut Tx<'_>,
    by: &By,
    mut row: RunRow,
    inputs: Vec<Input>,
    rules: &Rules,
) -> db::Result<Option<ActiveRun>> {
    if !row.machine.begun {
        events::write(tx, by, event_types::STARTED, &RunEventData { run: &row.run })?;
    }
    let mut last = Effect::Wait;
    for input in inputs {
        last = take(tx, by, &mut row, input, rules)?;
        if matches!(last, Effect::Fail(_) | Effect::Pause(_)) {
            break;
        }
    }
    if let Some(next) = Next::of(&last, &row) {
        if row.due_at.is_none_or(|due| due < by.now + LEASE_LEFT_MIN) {
            row.due_at = Some(by.now + LEASE);
        }
        row::save(tx, &mut row, by.now)?;
        return Ok(Some(ActiveRun { row, next }));
    }
    match last {
        Effect::Pause(pause) => release(tx, by, &mut row, Act::Queue, Some(pause))?,
        Effect::Fail(error) => drop(ending::end(tx, by, row, End::Failed(error))?),
        Effect::Finish(text) => drop(ending::end(tx, by, row, End::Succeeded(text))?),
        _ => release(tx, by, &mut row, Act::Wait, None)?,
    }
    Ok(None)
}

/// Applies an input to a run, without storing it. The last of the effects says how the run continues.
pub(crate) fn apply(row: &mut RunRow, input: Input, rules: &Rules, now: Timestamp) -> Vec<Effect> {
    row.machine.active_millis += (now.millis() - row.run.updated_at.millis()).max(0);
    row.run.updated_at = now;
    let (machine, effects) = step(std::mem::take(&mut row.machine), input, rules);
    row.machine = machine;
    effects
}

/// Gives a run an input that it waits for, and queues the run. If a worker holds the run, it sees the input at its
/// next step.
pub(crate) fn resume(tx: &mut Tx<'_>, by: &By, mut row: RunRow, input: Input) -> db::Result<()> {
    let assistant = assistants::find(tx, by.account, row.run.assistant_id)?;
    let unconfined = assistants::unconfined_tools(tx, by.account, row.run.assistant_id)?;
    let rules = assistant.map(|assistant| rules::of(&assistant, &unconfined, &row)).unwrap_or_default();
    // Only the time with a worker is active time.
    if row.run.status != RunStatus::Running {
        row.run.updated_at = by.now;
    }
    let effect = take(tx, by, &mut row, input, &rules)?;
    match effect {
        Effect::Fail(error) => {
            ending::end(tx, by, row, End::Failed(error))?;
            Ok(())
        }
        Effect::Wait => row::save(tx, &mut row, by.now),
        _ if row.run.status == RunStatus::Waiting => {
            release(tx, by, &mut row, Act::Queue, Some(Duration::ZERO))
        }
        _ => row::save(tx, &mut row, by.now),
    }
}

/// Applies an input, writes its timeline entries, and returns the last effect.
fn take(tx: &mut Tx<'_>, by: &By, row: &mut RunRow, input: Input, rules: &Rules) -> db::Result<Effect> {
    let mut effects = apply(row, input, rules, by.now);
    let last = effects.pop().ok_or(db::Error::Decode("effect"))?;
    for effect in effects {
        if let Effect::Log(logged) = effect {
            event::log(tx, by, row.run.id, &logged)?;
        }
    }
    Ok(last)
}

/// Releases a run. A worker claims it again when it is due, or once it gets an input.
fn release(tx: &mut Tx<'_>, by: &By, row: &mut RunRow, act: Act, due_in: Option<Duration>) -> db::Result<()> {
    row.run.status = row.run.status.after(act).map_err(|_| db::Error::Decode("status"))?;
    row.due_at = due_in.map(|pause| by.now + pause);
    row.lease = None;
    row::save(tx, row, by.now)?;
    if due_in.is_some() {
        tx.wake_about(row.queue(), by.account.uuid());
    }
    Ok(())
}
