//! GET /ai/usage.

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route, accounts};
use frontdesk_web::{Data, Failure, Problems, Query, Result};

use super::budget::Period;
use super::usage::{self, AiUsage, UsageFilters};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/ai/usage", "getAiUsage", get)
            .scope(Scope::AiUsage)
            .units(2)
            .tag("AI usage")
            .summary("Get the cost of models")
            .notes("From `from` to `to`, both included; this month when they are left out. Days are in the account's timezone."),
    ]
}

async fn get(caller: Caller, Query(filters): Query<UsageFilters>) -> Result<Data<AiUsage>> {
    let (from, to) = (filters.from.map(|day| day.to_string()), filters.to.map(|day| day.to_string()));
    if let (Some(from), Some(to)) = (&from, &to)
        && from > to
    {
        return Err(Failure::validation(Problems::one("to", "must not be before from")));
    }
    caller.scan(move |tx, by| sum(tx, by, from.as_deref(), to.as_deref())).await.map(Data)
}

fn sum(
    tx: &mut ReadTx<'_>,
    by: &By,
    from: Option<&str>,
    to: Option<&str>,
) -> std::result::Result<AiUsage, PlatformError> {
    let account = accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?;
    let today = Period::at(by.now, &account.timezone);
    let first = today.first_day();
    let to = to.unwrap_or(&today.day);
    // Without `from`, a range that ends before this month starts on the first day of the month that it ends in.
    let from = match from {
        Some(from) => from.to_owned(),
        None if to < first.as_str() => format!("{}-01", &to[..7]),
        None => first,
    };
    Ok(usage::of_days(tx, &account, &from, to, &today)?)
}
