//! Reads and writes the rows of runs.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_inbox::conversations::ConversationId;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::listing::newest_first;
use frontdesk_platform::notices;
use frontdesk_web::Page;
use uuid::Uuid;

use super::machine::Machine;
use super::run::{Run, RunFilters};
use super::sql::{self, all, columns};
use super::status::{Origin, RunStatus};
use super::topics::queue_of;
use crate::asks;
use crate::ids::{RunId, TriggerId};

const MICROS_PER_USD: f64 = 1e6;

/// A run with all of its engine state.
#[derive(Clone, Debug)]
pub(crate) struct RunRow {
    pub(crate) account: AccountId,
    pub(crate) run: Run,
    pub(crate) root: RunId,
    pub(crate) origin: Origin,
    /// Its input comes from outside, such as a customer's message, so its tools reach only its contact and conversation.
    pub(crate) confined: bool,
    /// The tools that a sub-run was given. None for those of its assistant.
    pub(crate) tools: Option<Vec<String>>,
    /// The member to whom its writes are attributed.
    pub(crate) author: UserId,
    pub(crate) tree_children: i64,
    pub(crate) machine: Machine,
    pub(crate) replied: bool,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) lease: Option<Uuid>,
}

/// A run to insert.
pub(crate) struct NewRow {
    pub(crate) id: RunId,
    pub(crate) assistant: AssistantId,
    pub(crate) trigger: Option<TriggerId>,
    pub(crate) parent: Option<RunId>,
    pub(crate) root: RunId,
    pub(crate) contact: Option<ContactId>,
    pub(crate) conversation: Option<ConversationId>,
    pub(crate) origin: Origin,
    pub(crate) confined: bool,
    pub(crate) goal: String,
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) author: UserId,
    pub(crate) tree_limit_micros: i64,
    pub(crate) machine: Machine,
    pub(crate) due_at: Timestamp,
}

/// Whether a customer waits for a run. Runs of triggers are never among them, so that hundreds of them do not delay the
/// runs that answer customers. `sql::is_answer_sql` is the same rule in SQL.
fn is_answer(confined: bool, trigger: Option<TriggerId>) -> bool {
    confined && trigger.is_none()
}

impl RunRow {
    /// The queue of the worker that drives it.
    pub(crate) fn queue(&self) -> db::Topic {
        queue_of(is_answer(self.confined, self.run.trigger_id))
    }

    /// Whether the worker with this lease still holds it.
    pub(crate) fn is_leased(&self, lease: Uuid) -> bool {
        self.lease == Some(lease) && self.run.status == RunStatus::Running
    }

    /// Whether a customer waits for it.
    pub(crate) fn is_answer(&self) -> bool {
        is_answer(self.confined, self.run.trigger_id)
    }
}

impl NewRow {
    /// The queue of the worker that drives it.
    pub(crate) fn queue(&self) -> db::Topic {
        queue_of(is_answer(self.confined, self.trigger))
    }

    /// The row of a run that is inserted as claimed, for its worker.
    pub(crate) fn claimed(
        &self,
        account: AccountId,
        lease: Uuid,
        due_at: Timestamp,
        now: Timestamp,
    ) -> RunRow {
        let run = Run { status: RunStatus::Running, started_at: Some(now), ..self.queued(now) };
        RunRow {
            account,
            run,
            root: self.root,
            origin: self.origin,
            confined: self.confined,
            tools: self.tools.clone(),
            author: self.author,
            tree_children: 0,
            machine: self.machine.clone(),
            replied: false,
            due_at: Some(due_at),
            lease: Some(lease),
        }
    }

    /// The run as it is queued.
    pub(crate) fn queued(&self, now: Timestamp) -> Run {
        Run {
            id: self.id,
            assistant_id: self.assistant,
            trigger_id: self.trigger,
            parent_run_id: self.parent,
            contact_id: self.contact,
            conversation_id: self.conversation,
            goal: self.goal.clone(),
            status: RunStatus::Queued,
            result: None,
            error: None,
            cost_usd: 0.0,
            tokens_in: 0,
            tokens_out: 0,
            tick_count: 0,
            pending_asks: Vec::new(),
            started_at: None,
            finished_at: None,
            created_at: self.id.created_at(),
            updated_at: now,
        }
    }
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: RunId) -> db::Result<Option<Run>> {
    tx.plan_by_index()?;
    let found = tx.find(sql::FIND, &[&account, &id], read)?;
    let mut runs: Vec<Run> = found.into_iter().collect();
    attach_asks(tx, account, &mut runs)?;
    Ok(runs.pop())
}

/// Several runs, oldest first.
pub fn find_many(tx: &mut ReadTx<'_>, account: AccountId, ids: &[RunId]) -> db::Result<Vec<Run>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Query::new(concat!("SELECT ", columns!(), " FROM runs WHERE account_id = "));
    query.bind(account).push(" AND id IN ").bind_list(ids).push(" ORDER BY id");
    let mut runs = tx.run(&query, read)?;
    attach_asks(tx, account, &mut runs)?;
    Ok(runs)
}

/// The account that a run belongs to, for the command line.
pub fn account_of(tx: &mut ReadTx<'_>, id: RunId) -> db::Result<Option<AccountId>> {
    tx.find(sql::FIND_ANYWHERE, &[&id], db::only)
}

pub fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &RunFilters,
    page: &Page,
) -> db::Result<Vec<Run>> {
    let mut query = Query::new(concat!("SELECT ", columns!(), " FROM runs WHERE account_id = "));
    query.bind(account);
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(assistant) = filters.assistant_id {
        query.push(" AND assistant_id = ").bind(assistant);
    }
    if let Some(trigger) = filters.trigger_id {
        query.push(" AND trigger_id = ").bind(trigger);
    }
    if let Some(contact) = filters.contact_id {
        query.push(" AND contact_id = ").bind(contact);
    }
    if let Some(conversation) = filters.conversation_id {
        query.push(" AND conversation_id = ").bind(conversation);
    }
    if let Some(parent) = filters.parent_run_id {
        query.push(" AND parent_run_id = ").bind(parent);
    }
    newest_first(&mut query, page);
    let mut runs = tx.run(&query, read)?;
    attach_asks(tx, account, &mut runs)?;
    Ok(runs)
}

/// The last runs of an account, for the command line.
pub fn recent(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    status: Option<RunStatus>,
    most: i64,
) -> db::Result<Vec<Run>> {
    let mut query = Query::new(concat!("SELECT ", columns!(), " FROM runs WHERE account_id = "));
    query.bind(account);
    if let Some(status) = status {
        query.push(" AND status = ").bind(status);
    }
    query.push(" ORDER BY id DESC LIMIT ").bind(most);
    let mut runs = tx.run(&query, read)?;
    attach_asks(tx, account, &mut runs)?;
    Ok(runs)
}

/// Fills the `pending_asks` of runs.
fn attach_asks(tx: &mut ReadTx<'_>, account: AccountId, runs: &mut [Run]) -> db::Result<()> {
    let ids: Vec<RunId> = runs.iter().filter(|run| !run.status.is_over()).map(|run| run.id).collect();
    for row in asks::pending_of(tx, account, &ids)? {
        for run in
            runs.iter_mut().filter(|run| Some(run.id) == row.ask.run_id || Some(run.id) == row.raised_by)
        {
            run.pending_asks.push(row.ask.clone());
        }
    }
    Ok(())
}

/// Reads a run with its engine state, without a lock.
pub(crate) fn look(tx: &mut ReadTx<'_>, account: AccountId, id: RunId) -> db::Result<Option<RunRow>> {
    tx.find(sql::HOLD, &[&account, &id], |row| read_row(row, account))
}

/// Reads several runs with their engine state, oldest first, without locks.
pub(crate) fn look_many(tx: &mut ReadTx<'_>, account: AccountId, ids: &[RunId]) -> db::Result<Vec<RunRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Query::new(all!());
    query.bind(account).push(" AND id IN ").bind_list(ids).push(" ORDER BY id");
    tx.run(&query, |row| read_row(row, account))
}

/// Reads a run and locks it until the transaction ends.
pub(crate) fn hold(tx: &mut Tx<'_>, account: AccountId, id: RunId) -> db::Result<Option<RunRow>> {
    tx.find_to_change(sql::HOLD, &[&account, &id], |row| read_row(row, account))
}

/// Reads several runs and locks them in this order until the transaction ends.
pub(crate) fn hold_each(
    tx: &mut Tx<'_>,
    account: AccountId,
    ids: &[RunId],
) -> db::Result<Vec<Option<RunRow>>> {
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&account as &dyn db::Param, id]).collect();
    tx.find_each_locked(sql::HOLD, db::FOR_UPDATE, &rows, |row| read_row(row, account))
}

/// Reads and locks a run, if this worker still holds it.
pub(crate) fn hold_leased(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: RunId,
    lease: Uuid,
) -> db::Result<Option<RunRow>> {
    Ok(hold(tx, account, id)?.filter(|row| row.is_leased(lease)))
}

/// Reads and locks the runs of a conversation that began in this way and are not over.
pub(crate) fn hold_of_conversation(
    tx: &mut Tx<'_>,
    account: AccountId,
    conversation: ConversationId,
    origin: Origin,
) -> db::Result<Vec<RunRow>> {
    let params: &[&dyn db::Param] = &[&account, &conversation, &origin];
    let found = tx.query(sql::OF_CONVERSATION, params, |row| read_row(row, account))?;
    let mut held = Vec::with_capacity(found.len());
    for row in found {
        held.extend(hold(tx, account, row.run.id)?.filter(|row| !row.run.status.is_over()));
    }
    Ok(held)
}

/// Inserts a run that waits to be claimed.
pub(crate) fn insert(tx: &mut Tx<'_>, account: AccountId, new: &NewRow, now: Timestamp) -> db::Result<()> {
    insert_as(tx, account, new, RunStatus::Queued, new.due_at, None, now)
}

/// Inserts a run that its worker has already claimed.
pub(crate) fn insert_claimed(
    tx: &mut Tx<'_>,
    account: AccountId,
    new: &NewRow,
    lease: Uuid,
    leased_until: Timestamp,
    now: Timestamp,
) -> db::Result<()> {
    insert_as(tx, account, new, RunStatus::Running, leased_until, Some(lease), now)
}

fn insert_as(
    tx: &mut Tx<'_>,
    account: AccountId,
    new: &NewRow,
    status: RunStatus,
    due_at: Timestamp,
    lease: Option<Uuid>,
    now: Timestamp,
) -> db::Result<()> {
    let (tools, machine) = (new.tools.as_ref().map(written).transpose()?, written(&new.machine)?);
    let params: Vec<db::OwnedParam> = vec![
        Box::new(account),
        Box::new(new.id),
        Box::new(new.assistant),
        Box::new(new.trigger),
        Box::new(new.parent),
        Box::new(new.root),
        Box::new(new.contact),
        Box::new(new.conversation),
        Box::new(new.origin),
        Box::new(new.confined),
        Box::new(new.goal.clone()),
        Box::new(tools),
        Box::new(new.author),
        Box::new(status),
        Box::new(new.tree_limit_micros),
        Box::new(machine),
        Box::new(due_at),
        Box::new(lease),
        Box::new(lease.map(|_| now)),
        Box::new(now),
    ];
    // A trigger starts hundreds of runs at once, so PostgreSQL gets the inserts without a round trip each.
    tx.insert_along(Query::whole(sql::INSERT, params))
}

/// Saves the engine's changes to a run that this transaction has locked, and tells open dashboards. PostgreSQL gets them
/// with the next statement.
pub(crate) fn save(tx: &mut Tx<'_>, row: &mut RunRow, now: Timestamp) -> db::Result<()> {
    row.run.updated_at = now;
    row.run.tick_count = row.machine.ticks;
    notices::changed(tx, row.account, notices::RUNS, Some(row.run.id.uuid()));
    let params: Vec<db::OwnedParam> = vec![
        Box::new(row.account),
        Box::new(row.run.id),
        Box::new(row.run.status),
        Box::new(row.run.result.clone()),
        Box::new(row.run.error.clone()),
        Box::new(row.run.tick_count),
        Box::new(row.tree_children),
        Box::new(written(&row.machine)?),
        Box::new(row.replied),
        Box::new(row.due_at),
        Box::new(row.lease),
        Box::new(row.run.finished_at),
        Box::new(row.run.updated_at),
    ];
    tx.execute_along(Query::whole(sql::SAVE, params))
}

/// Serializes a value as JSON. JSON escapes a NUL character that a model may write, so PostgreSQL can store it.
fn written(value: &impl serde::Serialize) -> db::Result<String> {
    serde_json::to_string(value).map_err(|_| db::Error::Decode("run"))
}

fn read(row: &mut Row<'_>) -> db::Result<Run> {
    let id: RunId = row.next()?;
    Ok(Run {
        id,
        assistant_id: row.next()?,
        trigger_id: row.next()?,
        parent_run_id: row.next()?,
        contact_id: row.next()?,
        conversation_id: row.next()?,
        goal: row.next()?,
        status: row.next()?,
        result: row.next()?,
        error: row.next()?,
        cost_usd: row.next::<i64>()? as f64 / MICROS_PER_USD,
        tokens_in: row.next()?,
        tokens_out: row.next()?,
        tick_count: row.next()?,
        pending_asks: Vec::new(),
        started_at: row.next()?,
        finished_at: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

fn read_row(row: &mut Row<'_>, account: AccountId) -> db::Result<RunRow> {
    let wrong = || db::Error::Decode("run");
    let run = read(row)?;
    let (root, origin, confined) = (row.next()?, row.next()?, row.next()?);
    let tools: Option<String> = row.next()?;
    let (author, tree_children) = (row.next()?, row.next()?);
    let machine: String = row.next()?;
    Ok(RunRow {
        account,
        run,
        root,
        origin,
        confined,
        tools: tools.map(|tools| serde_json::from_str(&tools).map_err(|_| wrong())).transpose()?,
        author,
        tree_children,
        machine: serde_json::from_str(&machine).map_err(|_| wrong())?,
        replied: row.next()?,
        due_at: row.next()?,
        lease: row.next()?,
    })
}
