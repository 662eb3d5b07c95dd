//! The cost of models, from the sums by day.

use std::collections::BTreeMap;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::Date;
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_models::MicroUsd;
use frontdesk_platform::accounts::Account;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{filters, resource};

use super::budget::{Period, budget_of};
use super::sql;

const MICROS_PER_USD: f64 = 1e6;

filters! {
    /// Which days to sum.
    pub struct UsageFilters {
        /// The first day; the first of this month when left out.
        pub from: Option<Date>,
        /// The last day; today when left out.
        pub to: Option<Date>,
    }
}

resource! {
    /// The cost of models. Days and months are in the account's timezone.
    pub struct AiUsage {
        pub from: String,
        pub to: String,
        /// The cost from `from` to `to`.
        pub spent_usd: f64,
        /// The monthly budget; null for none.
        pub budget_usd: Option<f64>,
        /// The rest of this month's budget; null without a budget.
        pub remaining_usd: Option<f64>,
        pub calls: i64,
        pub tokens_in: i64,
        pub tokens_out: i64,
        pub by_day: Vec<DayUsage>,
        pub by_model: Vec<ModelUsage>,
        pub by_assistant: Vec<AssistantUsage>,
    }
}

resource! {
    /// The cost of a day.
    pub struct DayUsage {
        pub date: String,
        pub spent_usd: f64,
        pub calls: i64,
        pub tokens_in: i64,
        pub tokens_out: i64,
    }
}

resource! {
    /// The cost of a model.
    pub struct ModelUsage {
        pub model: String,
        pub spent_usd: f64,
        pub calls: i64,
        pub tokens_in: i64,
        pub tokens_out: i64,
    }
}

resource! {
    /// The cost of an assistant.
    pub struct AssistantUsage {
        pub assistant_id: AssistantId,
        pub spent_usd: f64,
        pub calls: i64,
        pub tokens_in: i64,
        pub tokens_out: i64,
    }
}

/// A sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    calls: i64,
    tokens_in: i64,
    tokens_out: i64,
    micros: i64,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.micros += other.micros;
    }

    fn usd(self) -> f64 {
        self.micros as f64 / MICROS_PER_USD
    }
}

/// Sums the days from `from` to `to`.
pub(super) fn of_days(
    tx: &mut ReadTx<'_>,
    account: &Account,
    from: &str,
    to: &str,
    today: &Period,
) -> db::Result<AiUsage> {
    let rows = tx.query(sql::DAYS, &[&account.id, &from, &to], |row| {
        let (day, model, assistant): (String, String, AssistantId) = (row.next()?, row.next()?, row.next()?);
        let sum =
            Sum { calls: row.next()?, tokens_in: row.next()?, tokens_out: row.next()?, micros: row.next()? };
        Ok((day, model, assistant, sum))
    })?;
    let mut total = Sum::default();
    let (mut days, mut models, mut assistants) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (day, model, assistant, sum) in rows {
        total.add(sum);
        days.entry(day).or_insert_with(Sum::default).add(sum);
        models.entry(model).or_insert_with(Sum::default).add(sum);
        assistants.entry(assistant).or_insert_with(Sum::default).add(sum);
    }
    let budget = budget_of(account);
    let spent = spent_this_month(tx, account.id, today)?;
    let remaining = budget.map(|budget| (budget.micros() as i64 - spent).max(0) as f64 / MICROS_PER_USD);
    Ok(AiUsage {
        from: from.to_owned(),
        to: to.to_owned(),
        spent_usd: total.usd(),
        budget_usd: budget.map(MicroUsd::usd),
        remaining_usd: remaining,
        calls: total.calls,
        tokens_in: total.tokens_in,
        tokens_out: total.tokens_out,
        by_day: days
            .into_iter()
            .map(|(date, sum)| DayUsage {
                date,
                spent_usd: sum.usd(),
                calls: sum.calls,
                tokens_in: sum.tokens_in,
                tokens_out: sum.tokens_out,
            })
            .collect(),
        by_model: models
            .into_iter()
            .map(|(model, sum)| ModelUsage {
                model,
                spent_usd: sum.usd(),
                calls: sum.calls,
                tokens_in: sum.tokens_in,
                tokens_out: sum.tokens_out,
            })
            .collect(),
        by_assistant: assistants
            .into_iter()
            .map(|(assistant_id, sum)| AssistantUsage {
                assistant_id,
                spent_usd: sum.usd(),
                calls: sum.calls,
                tokens_in: sum.tokens_in,
                tokens_out: sum.tokens_out,
            })
            .collect(),
    })
}

fn spent_this_month(tx: &mut ReadTx<'_>, account: AccountId, today: &Period) -> db::Result<i64> {
    Ok(tx.find(sql::SPENT, &[&account, &today.month], db::only)?.unwrap_or(0))
}

impl Example for AiUsage {
    fn example() -> Self {
        let (spent_usd, calls, tokens_in, tokens_out) = (1.25, 42, 310_000, 9_000);
        Self {
            from: "2026-01-01".into(),
            to: "2026-01-31".into(),
            spent_usd,
            budget_usd: Some(50.0),
            remaining_usd: Some(48.75),
            calls,
            tokens_in,
            tokens_out,
            by_day: vec![DayUsage { date: "2026-01-31".into(), spent_usd, calls, tokens_in, tokens_out }],
            by_model: vec![ModelUsage {
                model: "gpt-5-mini".into(),
                spent_usd,
                calls,
                tokens_in,
                tokens_out,
            }],
            by_assistant: vec![AssistantUsage {
                assistant_id: example::id(),
                spent_usd,
                calls,
                tokens_in,
                tokens_out,
            }],
        }
    }
}
