//! The ledger: model calls, and their sums by month and by day.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use frontdesk_db::{self as db, Query, ReadTx, Tx};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_models::MicroUsd;
use frontdesk_platform::accounts::Account;
use frontdesk_platform::mails::{self, MailKind, NewMail};
use frontdesk_platform::{By, events};
use serde_json::json;

use super::budget::{Budget, Period, budget_of};
use super::event_types::{self, BudgetWarning, BudgetWarningEventData};
use super::sql;
use crate::ids::RunId;

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

/// A call that was made.
#[derive(Clone, Debug)]
pub struct MadeCall {
    pub reservation: Arc<Reservation>,
    /// None when the outcome is unknown. The call then counts at its worst case.
    pub settlement: Option<Settlement>,
}

impl MadeCall {
    pub fn cost(&self) -> MicroUsd {
        self.settlement.map_or(self.reservation.worst, |settlement| settlement.cost)
    }

    /// Input and output tokens.
    pub fn tokens(&self) -> (i64, i64) {
        let count = |settlement: Settlement| (settlement.tokens_in as i64, settlement.tokens_out as i64);
        self.settlement.map_or((0, 0), count)
    }
}

struct Month {
    spent: i64,
    reserved: i64,
    warned: bool,
}

fn month(tx: &mut ReadTx<'_>, account: AccountId, month: &str) -> db::Result<Option<Month>> {
    tx.find(sql::MONTH, &[&account, &month], read_month)
}

fn read_month(row: &mut db::Row<'_>) -> db::Result<Month> {
    Ok(Month { spent: row.next()?, reserved: row.next()?, warned: row.next()? })
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
    Ok(book(tx, by, account, &[], &[call])? == [true])
}

/// Settles a call. Returns false when it was settled before.
pub fn settle(tx: &mut Tx<'_>, by: &By, account: &Account, call: &MadeCall) -> db::Result<bool> {
    let is_settled = mark_settled(tx, by, &[call])? == [true];
    if is_settled {
        book(tx, by, account, &[call], &[])?;
    }
    Ok(is_settled)
}

/// Marks calls as settled. Returns for each whether it was still reserved. The caller must [`book`] those calls in the
/// same transaction.
pub fn mark_settled(tx: &mut Tx<'_>, by: &By, calls: &[&MadeCall]) -> db::Result<Vec<bool>> {
    let amounts: Vec<_> = calls.iter().map(|call| (micros(call.cost()), call.tokens())).collect();
    let rows: Vec<[&dyn db::Param; 5]> = (calls.iter().zip(&amounts))
        .map(|(call, (cost, (tokens_in, tokens_out)))| {
            [&by.account as &dyn db::Param, &call.reservation.id, cost, tokens_in, tokens_out]
        })
        .collect();
    Ok(tx.execute_each(sql::SETTLE, &rows)?.into_iter().map(db::Touched::any).collect())
}

/// Adds settled calls to their days and months, and reserves calls while the budget has room for their worst case.
/// Returns for each of `wanted` whether it was reserved. Warns the account when most of its budget is spent.
///
/// Days and months are locked in the order of their keys, months last, so that two transactions do not deadlock.
pub fn book(
    tx: &mut Tx<'_>,
    by: &By,
    account: &Account,
    settled: &[&MadeCall],
    wanted: &[&Reservation],
) -> db::Result<Vec<bool>> {
    add_to_days(tx, by, settled)?;
    let mut months = hold_months(tx, by, settled, wanted)?;
    let missing = || db::Error::Decode("month");
    for call in settled {
        let held = months.get_mut(call.reservation.period.month.as_str()).ok_or_else(missing)?;
        held.spent = held.spent.saturating_add(micros(call.cost()));
        held.reserved = held.reserved.saturating_sub(micros(call.reservation.worst));
    }
    let mut is_reserved = Vec::with_capacity(wanted.len());
    for call in wanted {
        let held = months.get_mut(call.period.month.as_str()).ok_or_else(missing)?;
        let is_admitted = budget(account, held).admits(call.worst);
        if is_admitted {
            held.reserved = held.reserved.saturating_add(micros(call.worst));
            insert(tx, by, call)?;
        } else {
            tell_exhausted(tx, by, &budget(account, held))?;
        }
        is_reserved.push(is_admitted);
    }
    for (month, mut held) in months {
        let now = budget(account, &held);
        if now.is_nearly_spent() && !held.warned {
            held.warned = true;
            warn(tx, by, month, &now)?;
        }
        let params: Vec<db::OwnedParam> = vec![
            Box::new(by.account),
            Box::new(month.to_owned()),
            Box::new(held.spent),
            Box::new(held.reserved),
            Box::new(held.warned),
        ];
        tx.execute_along(Query::whole(sql::SET_MONTH, params))?;
    }
    Ok(is_reserved)
}

fn micros(amount: MicroUsd) -> i64 {
    amount.micros() as i64
}

/// Reads the rows of the calls' months and locks them until the transaction ends.
fn hold_months<'c>(
    tx: &mut Tx<'_>,
    by: &By,
    settled: &[&'c MadeCall],
    wanted: &[&'c Reservation],
) -> db::Result<BTreeMap<&'c str, Month>> {
    let periods =
        settled.iter().map(|call| &call.reservation.period).chain(wanted.iter().map(|call| &call.period));
    let months: BTreeSet<&'c str> = periods.map(|period| period.month.as_str()).collect();
    let mut held = BTreeMap::new();
    for month in months {
        let opened: Vec<db::OwnedParam> = vec![Box::new(by.account), Box::new(month.to_owned())];
        tx.execute_along(Query::whole(sql::OPEN_MONTH, opened))?;
        let found = tx.find_to_change(sql::MONTH, &[&by.account, &month], read_month)?;
        held.insert(month, found.ok_or(db::Error::Decode("month"))?);
    }
    Ok(held)
}

fn insert(tx: &mut Tx<'_>, by: &By, call: &Reservation) -> db::Result<()> {
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(call.id),
        Box::new(call.run),
        Box::new(call.assistant),
        Box::new(call.model.clone()),
        Box::new(call.period.month.clone()),
        Box::new(call.period.day.clone()),
        Box::new(micros(call.worst)),
    ];
    tx.insert_along(Query::whole(sql::RESERVE, params))
}

#[derive(Clone, Copy, Default)]
struct DaySum {
    calls: i64,
    tokens_in: i64,
    tokens_out: i64,
    cost: i64,
}

fn add_to_days(tx: &mut Tx<'_>, by: &By, settled: &[&MadeCall]) -> db::Result<()> {
    let mut days: BTreeMap<(&str, &str, AssistantId), DaySum> = BTreeMap::new();
    for call in settled {
        let (tokens_in, tokens_out) = call.tokens();
        let Reservation { period, model, assistant, .. } = &*call.reservation;
        let sum = days.entry((&period.day, model, *assistant)).or_default();
        sum.calls += 1;
        sum.tokens_in += tokens_in;
        sum.tokens_out += tokens_out;
        sum.cost += micros(call.cost());
    }
    for ((day, model, assistant), sum) in days {
        let params: Vec<db::OwnedParam> = vec![
            Box::new(by.account),
            Box::new(day.to_owned()),
            Box::new(model.to_owned()),
            Box::new(assistant),
            Box::new(sum.calls),
            Box::new(sum.tokens_in),
            Box::new(sum.tokens_out),
            Box::new(sum.cost),
        ];
        tx.execute_along(Query::whole(sql::ADD_TO_DAY, params))?;
    }
    Ok(())
}

/// Settles a run's calls with an unknown outcome, at their reserved amounts. Returns the total in micro-dollars.
pub fn settle_lost(tx: &mut Tx<'_>, by: &By, account: &Account, run: RunId) -> db::Result<i64> {
    let mut total = 0;
    for (_, call) in tx.query(sql::LOST, &[&by.account, &run], read_open)? {
        settle(tx, by, account, &call)?;
        total += micros(call.cost());
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
pub fn stale(tx: &mut ReadTx<'_>, now: Timestamp, most: i64) -> db::Result<Vec<(AccountId, MadeCall)>> {
    let before: CallId = Id::first_at(now - CALL_AGE_MAX);
    tx.query(sql::STALE, &[&before, &most], read_open)
}

/// A call without an outcome, and its account.
fn read_open(row: &mut db::Row<'_>) -> db::Result<(AccountId, MadeCall)> {
    let account = row.next()?;
    let reservation = Reservation {
        id: row.next()?,
        run: row.next()?,
        assistant: row.next()?,
        model: row.next()?,
        period: Period { month: row.next()?, day: row.next()? },
        worst: MicroUsd::from_micros(row.next::<i64>()?.max(0).unsigned_abs()),
    };
    Ok((account, MadeCall { reservation: Arc::new(reservation), settlement: None }))
}

fn warn(tx: &mut Tx<'_>, by: &By, month: &str, budget: &Budget) -> db::Result<()> {
    let Some(limit) = budget.limit else { return Ok(()) };
    let warning =
        BudgetWarning { month: month.to_owned(), spent_usd: budget.spent.usd(), budget_usd: limit.usd() };
    events::write(tx, by, event_types::WARNING, &BudgetWarningEventData { budget: &warning })?;
    Ok(())
}

/// Mails the account's managers, once a day, that assistants do no more.
fn tell_exhausted(tx: &mut Tx<'_>, by: &By, budget: &Budget) -> db::Result<()> {
    let Some(limit) = budget.limit else { return Ok(()) };
    let mail = NewMail {
        detail: Some(json!({ "spent_usd": budget.spent.usd(), "budget_usd": limit.usd() }).to_string()),
        ..NewMail::for_managers(by.account, MailKind::BudgetExhausted, by.account.uuid())
    };
    mails::queue_for_managers(tx, by.ids(), &mail, by.now)
}
