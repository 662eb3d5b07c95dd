//! Statements and row mapping of triggers.

use frontdesk_agent::ids::TriggerId;
use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Dialect, List, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::listing::newest_first;
use frontdesk_web::Page;
use uuid::Uuid;

use crate::trigger::{Trigger, TriggerFilters};

const MINUTE_MILLIS: i64 = 60_000;

/// The columns that [`read`] maps.
macro_rules! columns {
    () => {
        "id, assistant_id, name, enabled, kind, goal, period, send_time, day_of_week, day_of_month, run_at, event_key, audience_type, \
         contact_id, segment_id, max_targets, respect_quiet_hours, last_fired_at, last_error, updated_at"
    };
}

/// The columns that [`read_row`] maps.
macro_rules! all {
    () => {
        concat!("SELECT account_id, ", columns!(), ", next_fire_at, fired_for FROM triggers")
    };
}

frontdesk_db::statements! {
    FIND = concat!("SELECT ", columns!(), " FROM triggers WHERE account_id = $1 AND id = $2");
    HOLD = concat!(all!(), " WHERE account_id = $1 AND id = $2");
    HOLD_LEASED = concat!(all!(), " WHERE account_id = $1 AND id = $2 AND lease = $3");
    BY_TOKEN = "SELECT account_id, id, enabled FROM triggers WHERE token_hash = $1";
    HAS_TOKEN = "SELECT id FROM triggers WHERE account_id = $1 AND id = $2 AND token_hash = $3";
    COUNT = "SELECT count(*) FROM triggers WHERE account_id = $1";
    INSERT = "INSERT INTO triggers (account_id, id, assistant_id, name, enabled, kind, goal, period, send_time, day_of_week, day_of_month, run_at,
        event_key, audience_type, contact_id, segment_id, max_targets, respect_quiet_hours, updated_at, next_fire_at, due_at, token_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $20, $21)";
    /// A firing that is under way finds its lease gone, and starts over with the changed trigger.
    UPDATE = "UPDATE triggers SET assistant_id = $3, name = $4, enabled = $5, kind = $6, goal = $7, period = $8, send_time = $9, day_of_week = $10,
        day_of_month = $11, run_at = $12, event_key = $13, audience_type = $14, contact_id = $15, segment_id = $16, max_targets = $17,
        respect_quiet_hours = $18, updated_at = $19, next_fire_at = $20, due_at = $20, lease = NULL WHERE account_id = $1 AND id = $2";
    SET_TOKEN = "UPDATE triggers SET token_hash = $3, updated_at = $4 WHERE account_id = $1 AND id = $2";
    DROP_TOKEN = "UPDATE triggers SET token_hash = NULL WHERE account_id = $1 AND id = $2";
    SET_ERROR = "UPDATE triggers SET last_error = $3 WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM triggers WHERE account_id = $1 AND id = $2";
    FIRED = "UPDATE triggers SET last_fired_at = $3, last_error = $4, fired_for = $5, next_fire_at = $6, due_at = $6, lease = NULL, faults = 0
        WHERE account_id = $1 AND id = $2";
    MOVE = "UPDATE triggers SET next_fire_at = $3, due_at = $4, lease = NULL WHERE account_id = $1 AND id = $2";
    NOTE = "UPDATE triggers SET last_fired_at = $3, last_error = $4 WHERE account_id = $1 AND id = $2";
    /// Servers' clocks differ, so a call of the previous minute counts toward the latest minute. If it is even earlier, the
    /// clock was set back, and its minute begins anew.
    COUNT_CALL = "UPDATE triggers SET calls = CASE WHEN calls_minute BETWEEN $3 AND $3 + 1 THEN calls + 1 ELSE 1 END,
        calls_minute = CASE WHEN calls_minute = $3 + 1 THEN calls_minute ELSE $3 END
        WHERE account_id = $1 AND id = $2 AND (calls_minute NOT BETWEEN $3 AND $3 + 1 OR calls < $4)";
}

/// Locks claimed triggers in the order of their keys, so that servers never deadlock.
const HOLD_ALL: &str = "SELECT t.account_id, t.id, assistant_id, name, enabled, kind, goal, period, send_time, day_of_week, day_of_month, run_at,
        event_key, audience_type, contact_id, segment_id, max_targets, respect_quiet_hours, last_fired_at, last_error, updated_at, next_fire_at, fired_for
    FROM unnest($1::uuid[], $2::uuid[]) AS k (account_id, id)
    JOIN triggers t ON t.account_id = k.account_id AND t.id = k.id AND t.lease = $3 ORDER BY t.account_id, t.id FOR UPDATE OF t";
pub(crate) const POSTGRES_STATEMENTS: &[(&str, &str)] = &[("triggers::HOLD_ALL", HOLD_ALL)];

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
    tx.find(FIND, &[&account, &id], read)
}

/// A trigger, not locked.
pub(crate) fn look(tx: &mut ReadTx<'_>, account: AccountId, id: TriggerId) -> db::Result<Option<TriggerRow>> {
    tx.find(HOLD, &[&account, &id], read_row)
}

/// A trigger, locked until the transaction ends.
pub(crate) fn hold(tx: &mut Tx<'_>, account: AccountId, id: TriggerId) -> db::Result<Option<TriggerRow>> {
    tx.find_to_change(HOLD, &[&account, &id], read_row)
}

/// The claimed triggers that still have this lease, locked until the transaction ends.
pub(crate) fn hold_leased(
    tx: &mut Tx<'_>,
    claimed: &[(AccountId, TriggerId)],
    lease: Uuid,
) -> db::Result<Vec<TriggerRow>> {
    if tx.dialect() == Dialect::Postgres {
        let (accounts, ids) = claimed.iter().copied().unzip();
        tx.plan_by_index()?;
        return tx.query(
            HOLD_ALL,
            &[&List::<AccountId>(accounts), &List::<TriggerId>(ids), &lease],
            read_row,
        );
    }
    let mut held = Vec::with_capacity(claimed.len());
    for (account, id) in claimed {
        held.extend(tx.find(HOLD_LEASED, &[account, id, &lease], read_row)?);
    }
    Ok(held)
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

pub(crate) fn count(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<i64> {
    Ok(tx.find(COUNT, &[&account], only)?.unwrap_or(0))
}

/// Stores a new trigger.
pub(crate) fn insert(tx: &mut Tx<'_>, row: &TriggerRow, token_hash: Option<&[u8; 32]>) -> db::Result<()> {
    let token = token_hash.map(|hash| hash.to_vec());
    write(tx, INSERT, row, &[&row.next_fire_at, &token])
}

/// Writes the changes of a trigger that this transaction has locked.
pub(crate) fn update(tx: &mut Tx<'_>, row: &TriggerRow) -> db::Result<()> {
    write(tx, UPDATE, row, &[&row.next_fire_at])
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

/// Records that a locked trigger has fired for its due time, and when it is due next.
pub(crate) fn fired(
    tx: &mut Tx<'_>,
    row: &TriggerRow,
    now: Timestamp,
    error: Option<&str>,
    next: Option<Timestamp>,
) -> db::Result<()> {
    let params: Vec<db::OwnedParam> = vec![
        Box::new(row.account),
        Box::new(row.trigger.id),
        Box::new(now),
        Box::new(error.map(ToOwned::to_owned)),
        Box::new(row.next_fire_at),
        Box::new(next),
    ];
    tx.execute_along(Query::whole(FIRED, params))
}

/// Moves a locked trigger to another due time, or postpones its current one.
pub(crate) fn move_to(
    tx: &mut Tx<'_>,
    row: &TriggerRow,
    next: Option<Timestamp>,
    due_at: Option<Timestamp>,
) -> db::Result<()> {
    let params: Vec<db::OwnedParam> =
        vec![Box::new(row.account), Box::new(row.trigger.id), Box::new(next), Box::new(due_at)];
    tx.execute_along(Query::whole(MOVE, params))
}

/// Records that a locked trigger has fired for something other than a due time.
pub(crate) fn note(
    tx: &mut Tx<'_>,
    row: &mut TriggerRow,
    now: Timestamp,
    error: Option<&str>,
) -> db::Result<()> {
    let trigger = &mut row.trigger;
    trigger.last_fired_at = Some(now);
    trigger.last_error = error.map(ToOwned::to_owned);
    tx.execute(NOTE, &[&row.account, &trigger.id, &trigger.last_fired_at, &trigger.last_error])?.exactly(1)
}

/// Counts a call of a locked trigger's address. Returns false when the minute's calls are used up.
pub(crate) fn count_call(tx: &mut Tx<'_>, row: &TriggerRow, now: Timestamp, most: i64) -> db::Result<bool> {
    let minute = now.millis().div_euclid(MINUTE_MILLIS);
    Ok(tx.execute(COUNT_CALL, &[&row.account, &row.trigger.id, &minute, &most])?.any())
}

/// Locks contacts of an account, so that they are neither erased nor merged before this transaction ends. Contacts that
/// no longer exist are left out.
pub(crate) fn hold_contacts(
    tx: &mut Tx<'_>,
    account: AccountId,
    contacts: &[ContactId],
) -> db::Result<Vec<ContactId>> {
    if contacts.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Query::new("SELECT id FROM contacts WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(contacts).push(" ORDER BY id");
    if tx.dialect() == Dialect::Postgres {
        query.push(" FOR SHARE");
    }
    tx.run(&query, only)
}

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
