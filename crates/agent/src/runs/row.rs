//! Statements and row mapping of runs.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_inbox::conversations::ConversationId;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::listing::newest_first;
use frontdesk_web::Page;
use uuid::Uuid;

use super::machine::Machine;
use super::queue_of;
use super::run::{Run, RunFilters};
use super::status::{Origin, RunStatus};
use crate::asks;
use crate::ids::{RunId, TriggerId};

const MICROS_PER_USD: f64 = 1e6;

/// The columns that [`read`] maps.
macro_rules! columns {
    () => {
        "id, assistant_id, trigger_id, parent_run_id, contact_id, conversation_id, goal, status, result, error, cost_micros, tokens_in, \
         tokens_out, tick_count, started_at, finished_at, updated_at"
    };
}

/// The columns that [`read_row`] maps.
macro_rules! all {
    () => {
        concat!(
            "SELECT ",
            columns!(),
            ", root_run_id, origin, confined, tools, author_user_id, tree_children, machine, replied, due_at, lease FROM runs WHERE account_id = "
        )
    };
}

frontdesk_db::statements! {
    FIND = concat!("SELECT ", columns!(), " FROM runs WHERE account_id = $1 AND id = $2");
    FIND_ANYWHERE = "SELECT account_id FROM runs WHERE id = $1";
    HOLD = concat!(all!(), "$1 AND id = $2");
    OF_CONVERSATION = concat!(all!(), "$1 AND conversation_id = $2 AND origin = $3 AND status IN ('queued', 'running', 'waiting') ORDER BY id");
    OF_ASSISTANT = "SELECT id FROM runs WHERE account_id = $1 AND assistant_id = $2 AND status IN ('queued', 'running', 'waiting') ORDER BY id";
    CHILDREN = "SELECT id FROM runs WHERE account_id = $1 AND root_run_id = $2 AND parent_run_id = $3 AND status IN ('queued', 'running', 'waiting') ORDER BY id";
    INSERT = "INSERT INTO runs (account_id, id, assistant_id, trigger_id, parent_run_id, root_run_id, contact_id, conversation_id, origin, confined, goal, tools,
        author_user_id, status, cost_micros, tokens_in, tokens_out, tick_count, tree_children, tree_spent_micros, tree_limit_micros, machine, replied, due_at,
        lease, started_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, 0, 0, 0, 0, 0, $15, $16, false, $17, $18, $19, $20)";
    /// Servers of the previous version compare the version of a run.
    SAVE = "UPDATE runs SET status = $3, result = $4, error = $5, tick_count = $6, tree_children = $7, machine = $8, replied = $9, due_at = $10, lease = $11,
        finished_at = $12, updated_at = $13, version = version + 1 WHERE account_id = $1 AND id = $2";
    ADD_COST = "UPDATE runs SET cost_micros = cost_micros + $3, tokens_in = tokens_in + $4, tokens_out = tokens_out + $5 WHERE account_id = $1 AND id = $2";
    /// The spent amount of a tree includes the reservations of calls in progress.
    SPEND = "UPDATE runs SET tree_spent_micros = tree_spent_micros + $3 WHERE account_id = $1 AND id = $2 AND tree_spent_micros + $3 <= tree_limit_micros";
    UNSPEND = "UPDATE runs SET tree_spent_micros = tree_spent_micros - $3 WHERE account_id = $1 AND id = $2";
    RENEW = "UPDATE runs SET due_at = $4 WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'running'";
    IS_HELD = "SELECT id FROM runs WHERE account_id = $1 AND id = $2 AND lease = $3 AND status = 'running'";
    REPLIES = "SELECT count(*) FROM runs WHERE account_id = $1 AND conversation_id = $2 AND id >= $3 AND replied";
    FORGET_CONTACT = "UPDATE runs SET contact_id = NULL, conversation_id = NULL, goal = '', result = NULL, machine = '{}', version = version + 1 WHERE account_id = $1 AND contact_id = $2";
    MOVE_CONTACT = "UPDATE runs SET contact_id = $3, version = version + 1 WHERE account_id = $1 AND contact_id = $2";
    ACTIVE_OF_CONTACT = "SELECT id FROM runs WHERE account_id = $1 AND contact_id = $2 AND status IN ('queued', 'running', 'waiting') ORDER BY id";
    FORGET_EVENTS = "DELETE FROM run_events WHERE account_id = $1 AND run_id IN (SELECT id FROM runs WHERE account_id = $1 AND contact_id = $2)";
}

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
/// runs that answer customers. `is_answer_sql` is the same rule in SQL.
fn is_answer(confined: bool, trigger: Option<TriggerId>) -> bool {
    confined && trigger.is_none()
}

/// The rule of `is_answer` in SQL.
macro_rules! is_answer_sql {
    () => {
        "(confined AND trigger_id IS NULL)"
    };
}
pub(super) use is_answer_sql;

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
    let found = tx.find(FIND, &[&account, &id], read)?;
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
    tx.find(FIND_ANYWHERE, &[&id], db::only)
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
        for run in runs.iter_mut().filter(|run| run.id == row.ask.run_id || run.id == row.raised_by) {
            run.pending_asks.push(row.ask.clone());
        }
    }
    Ok(())
}

/// Reads a run with its engine state, without a lock.
pub(crate) fn look(tx: &mut ReadTx<'_>, account: AccountId, id: RunId) -> db::Result<Option<RunRow>> {
    tx.find(HOLD, &[&account, &id], |row| read_row(row, account))
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
    tx.find_to_change(HOLD, &[&account, &id], |row| read_row(row, account))
}

/// Reads several runs and locks them in this order until the transaction ends.
pub(crate) fn hold_each(
    tx: &mut Tx<'_>,
    account: AccountId,
    ids: &[RunId],
) -> db::Result<Vec<Option<RunRow>>> {
    let rows: Vec<[&dyn db::Param; 2]> = ids.iter().map(|id| [&account as &dyn db::Param, id]).collect();
    tx.find_each_locked(HOLD, db::FOR_UPDATE, &rows, |row| read_row(row, account))
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
    let found = tx.query(OF_CONVERSATION, params, |row| read_row(row, account))?;
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
    tx.insert_along(Query::whole(INSERT, params))
}

/// Saves the engine's changes to a run that this transaction has locked. PostgreSQL gets them with the next statement.
pub(crate) fn save(tx: &mut Tx<'_>, row: &mut RunRow, now: Timestamp) -> db::Result<()> {
    row.run.updated_at = now;
    row.run.tick_count = row.machine.ticks;
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
    tx.execute_along(Query::whole(SAVE, params))
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
