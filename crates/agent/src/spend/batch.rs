//! Settles and reserves many calls of one account in one transaction.
//!
//! The month's row is updated once, by the sum of the whole batch, and only if the budget admits all of it. So the
//! row is locked only from that update to the commit, not from the first call of the batch.

use std::collections::BTreeMap;
use std::sync::Arc;

use frontdesk_db::{self as db, Dialect, List, Query, Tx};
use frontdesk_kernel::ids::AssistantId;
use frontdesk_models::MicroUsd;
use frontdesk_platform::By;
use frontdesk_platform::accounts::Account;

use super::budget::{Budget, budget_of};
use super::ledger::{ADD_TO_DAY, OPEN_MONTH, RESERVE, Reservation, SETTLE, Settlement, warn};

frontdesk_db::statements! {
    ADD_TO_MONTH = "INSERT INTO ai_months (account_id, month, spent_micros, reserved_micros, warned) VALUES ($1, $2, $3, $4, false)
        ON CONFLICT (account_id, month) DO UPDATE SET spent_micros = ai_months.spent_micros + excluded.spent_micros,
        reserved_micros = ai_months.reserved_micros + excluded.reserved_micros";
    ADD_WITHIN = "UPDATE ai_months SET spent_micros = spent_micros + $3, reserved_micros = reserved_micros + $4
        WHERE account_id = $1 AND month = $2 AND ($5 = false OR spent_micros + reserved_micros + $3 + $4 <= $6)
        RETURNING spent_micros, reserved_micros, warned";
    SET_WARNED = "UPDATE ai_months SET warned = true WHERE account_id = $1 AND month = $2";
}

/// Finds each call by its key. A plain join may scan all open calls of the account instead.
const SETTLE_MANY: &str = "UPDATE ai_calls c SET state = 'settled', cost_micros = v.cost, tokens_in = v.tokens_in, tokens_out = v.tokens_out
    FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[]) AS v (id, cost, tokens_in, tokens_out)
    CROSS JOIN LATERAL (SELECT ctid FROM ai_calls WHERE account_id = $1 AND id = v.id LIMIT 1) AS place
    WHERE c.ctid = place.ctid AND c.state = 'reserved'";
const RESERVE_MANY: &str = "INSERT INTO ai_calls (account_id, id, run_id, assistant_id, model, month, day, state, reserved_micros, cost_micros,
    tokens_in, tokens_out) SELECT $1, v.id, v.run_id, v.assistant_id, v.model, v.month, v.day, 'reserved', v.worst, 0, 0, 0
    FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::bigint[])
        AS v (id, run_id, assistant_id, model, month, day, worst)";
pub(super) const POSTGRES_STATEMENTS: &[(&str, &str)] =
    &[("spend::SETTLE_MANY", SETTLE_MANY), ("spend::RESERVE_MANY", RESERVE_MANY)];

/// A call that was made.
#[derive(Clone, Debug)]
pub(crate) struct MadeCall {
    pub(crate) reservation: Arc<Reservation>,
    /// None when the outcome is unknown. The call then counts at its worst case.
    pub(crate) settlement: Option<Settlement>,
}

impl MadeCall {
    pub(crate) fn cost(&self) -> MicroUsd {
        self.settlement.map_or(self.reservation.worst, |told| told.cost)
    }

    /// Input and output tokens.
    pub(crate) fn tokens(&self) -> (i64, i64) {
        self.settlement.map_or((0, 0), |told| (told.tokens_in as i64, told.tokens_out as i64))
    }
}

/// Why a batch was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BatchError {
    #[error("the budget does not admit all calls of the batch")]
    NoRoom,
    #[error(transparent)]
    Store(#[from] db::Error),
}

/// Settles and reserves calls. After an error, the transaction is rolled back and nothing is stored.
pub(crate) fn write(
    tx: &mut Tx<'_>,
    by: &By,
    account: &Account,
    made: &[&MadeCall],
    reserved: &[&Reservation],
) -> Result<(), BatchError> {
    settle_calls(tx, by, made)?;
    insert_calls(tx, by, reserved)?;
    add_to_days(tx, by, made)?;
    add_to_months(tx, by, account, made, reserved)
}

fn micros(amount: MicroUsd) -> i64 {
    amount.micros() as i64
}

fn settle_calls(tx: &mut Tx<'_>, by: &By, made: &[&MadeCall]) -> db::Result<()> {
    if made.is_empty() {
        return Ok(());
    }
    if tx.dialect() == Dialect::Sqlite {
        for call in made {
            let (tokens_in, tokens_out) = call.tokens();
            let id = call.reservation.id;
            tx.execute(SETTLE, &[&by.account, &id, &micros(call.cost()), &tokens_in, &tokens_out])?
                .exactly(1)?;
        }
        return Ok(());
    }
    let params: &[&dyn db::Param] = &[
        &by.account,
        &List(made.iter().map(|call| call.reservation.id).collect()),
        &List(made.iter().map(|call| micros(call.cost())).collect()),
        &List(made.iter().map(|call| call.tokens().0).collect()),
        &List(made.iter().map(|call| call.tokens().1).collect()),
    ];
    tx.execute(SETTLE_MANY, params)?.exactly(made.len() as u64)
}

fn insert_calls(tx: &mut Tx<'_>, by: &By, reserved: &[&Reservation]) -> db::Result<()> {
    if reserved.is_empty() {
        return Ok(());
    }
    if tx.dialect() == Dialect::Sqlite {
        let worst: Vec<i64> = reserved.iter().map(|call| micros(call.worst)).collect();
        let rows: Vec<[&dyn db::Param; 8]> = (reserved.iter().zip(&worst))
            .map(|(call, worst)| {
                let Reservation { id, run, assistant, model, period, .. } = call;
                [&by.account as &dyn db::Param, id, run, assistant, model, &period.month, &period.day, worst]
            })
            .collect();
        return tx.insert_each(RESERVE, &rows);
    }
    let texts = |of: fn(&Reservation) -> &str| -> Vec<String> {
        reserved.iter().map(|call| of(call).to_owned()).collect()
    };
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(List(reserved.iter().map(|call| call.id).collect::<Vec<_>>())),
        Box::new(List(reserved.iter().map(|call| call.run).collect::<Vec<_>>())),
        Box::new(List(reserved.iter().map(|call| call.assistant).collect::<Vec<_>>())),
        Box::new(List(texts(|call| &call.model))),
        Box::new(List(texts(|call| &call.period.month))),
        Box::new(List(texts(|call| &call.period.day))),
        Box::new(List(reserved.iter().map(|call| micros(call.worst)).collect::<Vec<_>>())),
    ];
    tx.execute_along(Query::whole(RESERVE_MANY, params))
}

#[derive(Clone, Copy, Default)]
struct DaySum {
    calls: i64,
    tokens_in: i64,
    tokens_out: i64,
    cost: i64,
}

/// Updates days in the order of their keys, so that two batches do not deadlock.
fn add_to_days(tx: &mut Tx<'_>, by: &By, made: &[&MadeCall]) -> db::Result<()> {
    let mut days: BTreeMap<(&str, &str, AssistantId), DaySum> = BTreeMap::new();
    for call in made {
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
        tx.execute_along(Query::whole(ADD_TO_DAY, params))?;
    }
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct MonthSum {
    spent: i64,
    reserved: i64,
    has_reservations: bool,
}

fn add_to_months(
    tx: &mut Tx<'_>,
    by: &By,
    account: &Account,
    made: &[&MadeCall],
    reserved: &[&Reservation],
) -> Result<(), BatchError> {
    let mut months: BTreeMap<&str, MonthSum> = BTreeMap::new();
    for call in made {
        let sum = months.entry(&call.reservation.period.month).or_default();
        sum.spent += micros(call.cost());
        sum.reserved -= micros(call.reservation.worst);
    }
    for call in reserved {
        let sum = months.entry(&call.period.month).or_default();
        sum.reserved += micros(call.worst);
        sum.has_reservations = true;
    }
    for (month, sum) in months {
        match budget_of(account) {
            None => add_to_month(tx, by, month, sum)?,
            Some(limit) => add_within(tx, by, month, sum, limit)?,
        }
    }
    Ok(())
}

/// Without a budget, nothing depends on the new sums.
fn add_to_month(tx: &mut Tx<'_>, by: &By, month: &str, sum: MonthSum) -> db::Result<()> {
    let params: Vec<db::OwnedParam> =
        vec![Box::new(by.account), Box::new(month.to_owned()), Box::new(sum.spent), Box::new(sum.reserved)];
    tx.execute_along(Query::whole(ADD_TO_MONTH, params))
}

fn add_within(
    tx: &mut Tx<'_>,
    by: &By,
    month: &str,
    sum: MonthSum,
    limit: MicroUsd,
) -> Result<(), BatchError> {
    let opened: Vec<db::OwnedParam> = vec![Box::new(by.account), Box::new(month.to_owned())];
    tx.execute_along(Query::whole(OPEN_MONTH, opened))?;
    let params: &[&dyn db::Param] =
        &[&by.account, &month, &sum.spent, &sum.reserved, &sum.has_reservations, &micros(limit)];
    let read = |row: &mut db::Row<'_>| Ok((row.next::<i64>()?, row.next::<i64>()?, row.next::<bool>()?));
    let Some((spent, reserved, is_warned)) = tx.find(ADD_WITHIN, params, read)? else {
        return Err(BatchError::NoRoom);
    };
    let amount = |micros: i64| MicroUsd::from_micros(micros.max(0).unsigned_abs());
    let budget = Budget { limit: Some(limit), spent: amount(spent), reserved: amount(reserved) };
    if budget.is_nearly_spent() && !is_warned {
        tx.execute(SET_WARNED, &[&by.account, &month])?.exactly(1)?;
        warn(tx, by, month, &budget)?;
    }
    Ok(())
}
