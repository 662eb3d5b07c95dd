//! The ledger: model calls, and their sums by month and by day. This module handles one call at a time; see `batch`
//! for many.

use std::collections::BTreeSet;
use std::time::Duration;

use frontdesk_db::{self as db, Query, ReadTx, Tx};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_models::MicroUsd;
use frontdesk_platform::accounts::Account;
use frontdesk_platform::{By, events};

use super::budget::{Budget, Period, budget_of};
use super::event_types::{self, BudgetWarning, BudgetWarningEventData};
use crate::ids::RunId;

frontdesk_db::statements! {
    OPEN_MONTH = "INSERT INTO ai_months (account_id, month, spent_micros, reserved_micros, warned) VALUES ($1, $2, 0, 0, false)
        ON CONFLICT (account_id, month) DO NOTHING";
    MONTH = "SELECT spent_micros, reserved_micros, warned FROM ai_months WHERE account_id = $1 AND month = $2";
    SET_MONTH = "UPDATE ai_months SET spent_micros = $3, reserved_micros = $4, warned = $5 WHERE account_id = $1 AND month = $2";
    RESERVE = "INSERT INTO ai_calls (account_id, id, run_id, assistant_id, model, month, day, state, reserved_micros, cost_micros,
        tokens_in, tokens_out) VALUES ($1, $2, $3, $4, $5, $6, $7, 'reserved', $8, 0, 0, 0)";
    FIND = "SELECT assistant_id, model, month, day, reserved_micros FROM ai_calls WHERE account_id = $1 AND id = $2 AND state = 'reserved'";
    SETTLE = "UPDATE ai_calls SET state = 'settled', cost_micros = $3, tokens_in = $4, tokens_out = $5
        WHERE account_id = $1 AND id = $2 AND state = 'reserved'";
    LOST = "SELECT id, reserved_micros FROM ai_calls WHERE account_id = $1 AND run_id = $2 AND state = 'reserved' ORDER BY id";
    STALE = "SELECT account_id, id, run_id, reserved_micros FROM ai_calls WHERE state = 'reserved' AND id < $1 LIMIT $2";
    ADD_TO_DAY = "INSERT INTO ai_days (account_id, day, model, assistant_id, calls, tokens_in, tokens_out, cost_micros)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account_id, day, model, assistant_id) DO UPDATE SET
        calls = ai_days.calls + excluded.calls, tokens_in = ai_days.tokens_in + excluded.tokens_in,
        tokens_out = ai_days.tokens_out + excluded.tokens_out, cost_micros = ai_days.cost_micros + excluded.cost_micros";
}

/// A call that stays reserved for longer than this has lost its worker, and no worker resumes its run.
const CALL_AGE_MAX: Duration = Duration::from_hours(1);

/// Marks the id of a model call.
pub enum Call {}
pub type CallId = Id<Call>;

/// A call that is to be made.
#[derive(Clone, Debug)]
pub struct Reservation {
    pub id: CallId,
    pub run: RunId,
    pub assistant: AssistantId,
    pub model: String,
    /// The maximum cost.
    pub worst: MicroUsd,
    /// The month and the day in which it counts.
    pub period: Period,
}

/// The actual cost and tokens of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub cost: MicroUsd,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

/// A call that has been reserved for longer than any call takes.
#[derive(Clone, Copy, Debug)]
pub struct StaleCall {
    pub account: AccountId,
    pub id: CallId,
    pub run: RunId,
    pub micros: i64,
}

struct Month {
    spent: i64,
    reserved: i64,
    warned: bool,
}

fn month(tx: &mut ReadTx<'_>, account: AccountId, month: &str) -> db::Result<Option<Month>> {
    tx.find(MONTH, &[&account, &month], read_month)
}

fn read_month(row: &mut db::Row<'_>) -> db::Result<Month> {
    Ok(Month { spent: row.next()?, reserved: row.next()?, warned: row.next()? })
}

/// Reads the month's row and locks it until the transaction ends.
fn hold_month(tx: &mut Tx<'_>, account: AccountId, month: &str) -> db::Result<Month> {
    let _there_already_is_fine = tx.execute(OPEN_MONTH, &[&account, &month])?;
    tx.find_to_change(MONTH, &[&account, &month], read_month)?.ok_or(db::Error::Decode("month"))
}

fn budget(account: &Account, month: &Month) -> Budget {
    let micros = |micros: i64| MicroUsd::from_micros(micros.max(0).unsigned_abs());
    Budget { limit: budget_of(account), spent: micros(month.spent), reserved: micros(month.reserved) }
}

/// Whether the account has spent this month's budget.
pub fn is_exhausted(tx: &mut ReadTx<'_>, account: &Account, now: Timestamp) -> db::Result<bool> {
    if budget_of(account).is_none() {
        return Ok(false);
    }
    let period = Period::at(now, &account.timezone);
    let found =
        month(tx, account.id, &period.month)?.unwrap_or(Month { spent: 0, reserved: 0, warned: false });
    Ok(budget(account, &found).is_exhausted())
}

/// Reserves a call. Returns false, and reserves nothing, when its worst case does not fit into the budget.
pub fn reserve(tx: &mut Tx<'_>, by: &By, account: &Account, call: &Reservation) -> db::Result<bool> {
    let Period { month, day } = &call.period;
    let held = hold_month(tx, by.account, month)?;
    if !budget(account, &held).admits(call.worst) {
        return Ok(false);
    }
    let worst = call.worst.micros() as i64;
    let reserved = held.reserved.saturating_add(worst);
    tx.execute(SET_MONTH, &[&by.account, month, &held.spent, &reserved, &held.warned])?.exactly(1)?;
    let params: &[&dyn db::Param] =
        &[&by.account, &call.id, &call.run, &call.assistant, &call.model, month, day, &worst];
    tx.execute(RESERVE, params)?.exactly(1)?;
    Ok(true)
}

struct Reserved {
    assistant: AssistantId,
    model: String,
    month: String,
    day: String,
    micros: i64,
}

/// Settles a reserved call, and warns the account when most of its budget is spent. Returns the reserved amount minus
/// the cost, in micro-dollars. It is negative when a provider charged more than the worst case.
pub fn settle(
    tx: &mut Tx<'_>,
    by: &By,
    account: &Account,
    call: CallId,
    settlement: Option<&Settlement>,
) -> db::Result<Option<i64>> {
    let found = tx.find_to_change(FIND, &[&by.account, &call], |row| {
        Ok(Reserved {
            assistant: row.next()?,
            model: row.next()?,
            month: row.next()?,
            day: row.next()?,
            micros: row.next()?,
        })
    })?;
    let Some(call_row) = found else { return Ok(None) };
    let (cost, tokens_in, tokens_out) = match settlement {
        Some(told) => (told.cost.micros() as i64, told.tokens_in as i64, told.tokens_out as i64),
        None => (call_row.micros, 0, 0),
    };
    tx.execute(SETTLE, &[&by.account, &call, &cost, &tokens_in, &tokens_out])?.exactly(1)?;
    let day: &[&dyn db::Param] = &[
        &by.account,
        &call_row.day,
        &call_row.model,
        &call_row.assistant,
        &1_i64,
        &tokens_in,
        &tokens_out,
        &cost,
    ];
    tx.execute(ADD_TO_DAY, day)?.exactly(1)?;
    let mut held = hold_month(tx, by.account, &call_row.month)?;
    held.spent = held.spent.saturating_add(cost);
    held.reserved = held.reserved.saturating_sub(call_row.micros);
    let now = budget(account, &held);
    if now.is_nearly_spent() && !held.warned {
        held.warned = true;
        warn(tx, by, &call_row.month, &now)?;
    }
    tx.execute(SET_MONTH, &[&by.account, &call_row.month, &held.spent, &held.reserved, &held.warned])?
        .exactly(1)?;
    Ok(Some(call_row.micros - cost))
}

/// Settles a run's calls with an unknown outcome, at their reserved amounts. Returns the total in micro-dollars.
pub fn settle_lost(tx: &mut Tx<'_>, by: &By, account: &Account, run: RunId) -> db::Result<i64> {
    let lost = tx.query(LOST, &[&by.account, &run], |row| Ok((row.next::<CallId>()?, row.next::<i64>()?)))?;
    let mut total = 0;
    for (call, micros) in lost {
        settle(tx, by, account, call, None)?;
        total += micros;
    }
    Ok(total)
}

/// Which of these runs have calls with an unknown outcome.
pub fn with_lost_calls(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    runs: &[RunId],
) -> db::Result<BTreeSet<RunId>> {
    if runs.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut query = Query::new("SELECT run_id FROM ai_calls WHERE account_id = ");
    query.bind(account).push(" AND state = 'reserved' AND run_id IN ").bind_list(runs);
    Ok(tx.run(&query, db::only)?.into_iter().collect())
}

/// Calls of all accounts whose outcome will never be known.
pub fn stale(tx: &mut ReadTx<'_>, now: Timestamp, most: i64) -> db::Result<Vec<StaleCall>> {
    let before: CallId = Id::first_at(now - CALL_AGE_MAX);
    tx.query(STALE, &[&before, &most], |row| {
        Ok(StaleCall { account: row.next()?, id: row.next()?, run: row.next()?, micros: row.next()? })
    })
}

pub(super) fn warn(tx: &mut Tx<'_>, by: &By, month: &str, budget: &Budget) -> db::Result<()> {
    let Some(limit) = budget.limit else { return Ok(()) };
    let warning =
        BudgetWarning { month: month.to_owned(), spent_usd: budget.spent.usd(), budget_usd: limit.usd() };
    events::write(tx, by, event_types::WARNING, &BudgetWarningEventData { budget: &warning })?;
    Ok(())
}
