//! GET /ai/usage.

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route, accounts};
use frontdesk_web::{Data, Query, Result};

use super::budget::Period;
use super::days::DayRange;
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
    let days = DayRange::read(filters.from, filters.to)?;
    caller.scan(move |tx, by| sum(tx, by, &days)).await.map(Data)
}

fn sum(tx: &mut ReadTx<'_>, by: &By, days: &DayRange) -> std::result::Result<AiUsage, PlatformError> {
    let account = accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?;
    let today = Period::at(by.now, &account.timezone);
    let (from, to) = days.resolve(&today);
    Ok(usage::of_days(tx, &account, &from, &to, &today)?)
}
