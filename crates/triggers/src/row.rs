//! Reads and writes the rows of triggers.

use std::collections::BTreeSet;

use frontdesk_agent::ids::TriggerId;
use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_platform::export::{Columns, ExportedRows, line};
use frontdesk_platform::listing::newest_first;
use frontdesk_platform::notices;
use frontdesk_web::Page;
use uuid::Uuid;

use crate::sql::{self, columns};
use crate::trigger::{Trigger, TriggerFilters};

/// The topic that wakes the worker of triggers that are due.
pub(crate) const DUE: db::Topic = "triggers";
const MINUTE_MILLIS: i64 = 60_000;

/// A trigger with its scheduling state.
#[derive(Clone, Debug)]
pub(crate) struct TriggerRow {
    pub(crate) account: AccountId,
    pub(crate) trigger: Trigger,
    /// The next due time, or one that has passed and has not fired yet.
    pub(crate) next_fire_at: Option<Timestamp>,
    /// The last due time that the trigger fired for.
    pub(crate) fired_for: Option<Timestamp>,
}

pub(crate) fn find(tx: &mut ReadTx<'_>, account: AccountId, id: TriggerId) -> db::Result<Option<Trigger>> {
    tx.find(sql::FIND, &[&account, &id], read)
}

/// A trigger, not locked.
pub(crate) fn find_row(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: TriggerId,
) -> db::Result<Option<TriggerRow>> {
    tx.find(sql::HOLD, &[&account, &id], read_row)
}

/// A trigger, locked until the transaction ends.
pub(crate) fn hold(tx: &mut Tx<'_>, account: AccountId, id: TriggerId) -> db::Result<Option<TriggerRow>> {
    tx.find_to_change(sql::HOLD, &[&account, &id], read_row)
}

/// The claimed triggers that still have this lease, locked until the transaction ends. `claimed` is in the order of its
/// keys, so that servers never deadlock.
pub(crate) fn hold_leased(
    tx: &mut Tx<'_>,
    claimed: &[(AccountId, TriggerId)],
    lease: Uuid,
) -> db::Result<Vec<TriggerRow>> {
    let rows: Vec<[&dyn db::Param; 3]> =
        claimed.iter().map(|(account, id)| [account as &dyn db::Param, id, &lease]).collect();
    tx.plan_by_index()?;
    let held = tx.find_each_locked(sql::HOLD_LEASED, db::FOR_UPDATE, &rows, read_row)?;
    Ok(held.into_iter().flatten().collect())
}

pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &TriggerFilters,
    page: &Page,
) -> db::Result<Vec<Trigger>> {
    let mut query = Query::new(concat!("SELECT ", columns!(), " FROM triggers WHERE account_id = "));
    query.bind(account);
    if let Some(assistant) = filters.assistant_id {
        query.push(" AND assistant_id = ").bind(assistant);
    }
    if let Some(kind) = filters.kind {
        query.push(" AND kind = ").bind(kind);
    }
    if let Some(enabled) = filters.enabled {
        query.push(" AND enabled = ").bind(enabled);
    }
    newest_first(&mut query, page);
    tx.run(&query, read)
}

/// The triggers of an assistant, oldest first.
pub(crate) fn of_assistant(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    assistant: AssistantId,
) -> db::Result<Vec<Trigger>> {
    tx.query(sql::OF_ASSISTANT, &[&account, &assistant], read)
}

pub(crate) fn count(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<i64> {
    Ok(tx.find(sql::COUNT, &[&account], only)?.unwrap_or(0))
}

/// Stores a new trigger.
pub(crate) fn insert(tx: &mut Tx<'_>, row: &TriggerRow, token_hash: Option<&[u8; 32]>) -> db::Result<()> {
    let token = token_hash.map(|hash| hash.to_vec());
    write(tx, sql::INSERT, row, &[&row.next_fire_at, &token])
}

/// Writes the changes of a trigger that this transaction has locked.
pub(crate) fn update(tx: &mut Tx<'_>, row: &TriggerRow) -> db::Result<()> {
    write(tx, sql::UPDATE, row, &[&row.next_fire_at])
}

fn write(tx: &mut Tx<'_>, statement: &str, row: &TriggerRow, more: &[&dyn db::Param]) -> db::Result<()> {
    let trigger = &row.trigger;
    let send_time = trigger.send_time.map(|time| time.to_string());
    let params: &[&dyn db::Param] = &[
        &row.account,
        &trigger.id,
        &trigger.assistant_id,
        &trigger.name,
        &trigger.enabled,
        &trigger.kind,
        &trigger.goal,
        &trigger.period,
        &send_time,
        &trigger.day_of_week,
        &trigger.day_of_month,
        &trigger.run_at,
        &trigger.event_key,
        &trigger.audience_type,
        &trigger.contact_id,
        &trigger.segment_id,
        &trigger.max_targets,
        &trigger.respect_quiet_hours,
        &trigger.updated_at,
    ];
    tx.execute(statement, &[params, more].concat())?.exactly(1)
}

/// Tells open dashboards that a trigger has fired or is due at another time.
fn announce(tx: &mut Tx<'_>, row: &TriggerRow) {
    notices::changed(tx, row.account, notices::TRIGGERS, Some(row.trigger.id.uuid()));
}

/// Records that a locked trigger has fired for its due time, and when it is due next.
pub(crate) fn record_due_firing(
    tx: &mut Tx<'_>,
    row: &TriggerRow,
    now: Timestamp,
    error: Option<&str>,
    next: Option<Timestamp>,
) -> db::Result<()> {
    announce(tx, row);
    let params: Vec<db::OwnedParam> = vec![
        Box::new(row.account),
        Box::new(row.trigger.id),
        Box::new(now),
        Box::new(error.map(ToOwned::to_owned)),
        Box::new(row.next_fire_at),
        Box::new(next),
    ];
    tx.execute_along(Query::whole(sql::RECORD_DUE_FIRING, params))
}

/// Moves a locked trigger to another due time, or postpones its current one.
pub(crate) fn reschedule(
    tx: &mut Tx<'_>,
    row: &TriggerRow,
    next: Option<Timestamp>,
    due_at: Option<Timestamp>,
) -> db::Result<()> {
    announce(tx, row);
    let params: Vec<db::OwnedParam> =
        vec![Box::new(row.account), Box::new(row.trigger.id), Box::new(next), Box::new(due_at)];
    tx.execute_along(Query::whole(sql::RESCHEDULE, params))
}

/// Records that a locked trigger has fired for something other than a due time.
pub(crate) fn record_firing(
    tx: &mut Tx<'_>,
    row: &mut TriggerRow,
    now: Timestamp,
    error: Option<&str>,
) -> db::Result<()> {
    announce(tx, row);
    let trigger = &mut row.trigger;
    trigger.last_fired_at = Some(now);
    trigger.last_error = error.map(ToOwned::to_owned);
    tx.execute(sql::RECORD_FIRING, &[&row.account, &trigger.id, &trigger.last_fired_at, &trigger.last_error])?
        .exactly(1)
}

/// Counts a call of a locked trigger's address. Returns false when the minute's calls are used up.
pub(crate) fn count_call(tx: &mut Tx<'_>, row: &TriggerRow, now: Timestamp, most: i64) -> db::Result<bool> {
    let minute = now.millis().div_euclid(MINUTE_MILLIS);
    Ok(tx.execute(sql::COUNT_CALL, &[&row.account, &row.trigger.id, &minute, &most])?.any())
}

/// Locks contacts of an account, so that they are neither erased nor merged before this transaction ends. Contacts that
/// no longer exist are left out. The result is sorted, and so are the locks, so that transactions do not deadlock.
pub(crate) fn hold_contacts(
    tx: &mut Tx<'_>,
    account: AccountId,
    contacts: &[ContactId],
) -> db::Result<Vec<ContactId>> {
    let sorted: BTreeSet<ContactId> = contacts.iter().copied().collect();
    let rows: Vec<[&dyn db::Param; 2]> = sorted.iter().map(|id| [&account as &dyn db::Param, id]).collect();
    let held = tx.find_each_locked(sql::HOLD_CONTACT, "FOR SHARE", &rows, only)?;
    Ok(held.into_iter().flatten().collect())
}

/// Triggers without the tokens of their addresses.
pub(crate) const EXPORTED: ExportedRows = ExportedRows::new(
    "triggers",
    &["triggers"],
    Columns {
        sql: "t.id, t.assistant_id, t.name, t.enabled, t.kind, t.goal, t.period, t.send_time, t.day_of_week, t.day_of_month, t.run_at,
            t.event_key, t.audience_type, t.contact_id, t.segment_id, t.max_targets, t.respect_quiet_hours, t.last_fired_at,
            t.last_error, t.updated_at",
        line: |row, _| line(&read(row)?),
    },
)
.of_contact("t.contact_id = {contact}");

fn read(row: &mut Row<'_>) -> db::Result<Trigger> {
    let id: TriggerId = row.next()?;
    Ok(Trigger {
        id,
        assistant_id: row.next()?,
        name: row.next()?,
        enabled: row.next()?,
        kind: row.next()?,
        goal: row.next()?,
        period: row.next()?,
        send_time: row
            .next::<Option<String>>()?
            .map(|time| time.parse().map_err(|_| db::Error::Decode("time of day")))
            .transpose()?,
        day_of_week: row.next()?,
        day_of_month: row.next()?,
        run_at: row.next()?,
        event_key: row.next()?,
        audience_type: row.next()?,
        contact_id: row.next()?,
        segment_id: row.next()?,
        max_targets: row.next()?,
        respect_quiet_hours: row.next()?,
        last_fired_at: row.next()?,
        last_error: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

fn read_row(row: &mut Row<'_>) -> db::Result<TriggerRow> {
    Ok(TriggerRow {
        account: row.next()?,
        trigger: read(row)?,
        next_fire_at: row.next()?,
        fired_for: row.next()?,
    })
}
