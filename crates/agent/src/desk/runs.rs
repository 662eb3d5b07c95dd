//! Runs by status, and the dearest ones.

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_kernel::{Date, Scope};
use frontdesk_platform::{By, Caller, Error as PlatformError, Route, accounts};
use frontdesk_web::{Data, Failure, List, Problems, Query as Given, Result, filters, resource};

use crate::ids::RunId;
use crate::runs::{self, Run, RunStatus};
use crate::spend::{self, DayRange, Period};

/// Default and maximum number of the dearest runs.
const DEAREST_DEFAULT: i64 = 10;
const DEAREST_MAX: i64 = 50;
/// Candidates among which the dearest runs are looked for, and how many one statement reads. Some are no runs.
const CANDIDATES_MAX: i64 = 1_000;
const CANDIDATES_READ: usize = 100;

filters! {
    /// Which runs to count.
    pub struct CountFilters {
        pub assistant_id: Option<AssistantId>,
    }
}

filters! {
    /// Which runs to compare by their cost.
    pub struct DearestFilters {
        /// The first day; the first of this month when left out.
        pub from: Option<Date>,
        /// The last day; today when left out.
        pub to: Option<Date>,
        /// 1 to 50; defaults to 10.
        pub limit: Option<i64>,
    }
}

resource! {
    /// Runs that are not over, by status.
    #[derive(Default)]
    pub struct ActiveRunCounts {
        pub queued: i64,
        pub running: i64,
        pub waiting: i64,
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/runs/counts", "countRuns", counts)
            .scope(Scope::RunsRead)
            .summary("Count the runs that are not over"),
        Route::get("/spend/runs", "listDearestRuns", dearest)
            .scope(Scope::AiUsage)
            .summary("List the dearest runs")
            .notes("By what their model calls cost from `from` to `to`, the dearest first. Also needs the scope `runs:read`."),
    ]
}

async fn counts(caller: Caller, Given(filters): Given<CountFilters>) -> Result<Data<ActiveRunCounts>> {
    let counted =
        caller.scan(move |tx, by| count(tx, by.account, filters.assistant_id).map_err(PlatformError::from));
    counted.await.map(Data)
}

fn count(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    assistant: Option<AssistantId>,
) -> db::Result<ActiveRunCounts> {
    let mut query = Query::new("SELECT status, count(*) FROM runs WHERE account_id = ");
    query.bind(account).push(" AND status IN ('queued', 'running', 'waiting')");
    if let Some(assistant) = assistant {
        query.push(" AND assistant_id = ").bind(assistant);
    }
    query.push(" GROUP BY status");
    let mut counts = ActiveRunCounts::default();
    for (status, count) in tx.run(&query, |row| Ok((row.next::<RunStatus>()?, row.next::<i64>()?)))? {
        match status {
            RunStatus::Queued => counts.queued = count,
            RunStatus::Running => counts.running = count,
            RunStatus::Waiting => counts.waiting = count,
            RunStatus::Succeeded | RunStatus::Failed | RunStatus::Cancelled => {}
        }
    }
    Ok(counts)
}

async fn dearest(caller: Caller, Given(filters): Given<DearestFilters>) -> Result<List<Run>> {
    caller.need(Scope::RunsRead)?;
    let limit = filters.limit.unwrap_or(DEAREST_DEFAULT);
    if !(1..=DEAREST_MAX).contains(&limit) {
        let wrong = format!("must be from 1 to {DEAREST_MAX}");
        return Err(Failure::validation(Problems::one("limit", wrong)));
    }
    let days = DayRange::read(filters.from, filters.to)?;
    let runs = caller.scan(move |tx, by| find_dearest(tx, by, &days, limit as usize)).await?;
    Ok(List::all(runs))
}

fn find_dearest(
    tx: &mut ReadTx<'_>,
    by: &By,
    days: &DayRange,
    limit: usize,
) -> std::result::Result<Vec<Run>, PlatformError> {
    let account = accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?;
    let (from, to) = days.resolve(&Period::at(by.now, &account.timezone));
    let candidates: Vec<RunId> = spend::dearest(tx, by.account, &from, &to, CANDIDATES_MAX)?;
    let mut found = Vec::new();
    for part in candidates.chunks(CANDIDATES_READ) {
        found.extend(runs::find_many(tx, by.account, part)?);
        if found.len() >= limit {
            break;
        }
    }
    found.sort_by(|a, b| b.cost_usd.total_cmp(&a.cost_usd).then(b.id.cmp(&a.id)));
    found.truncate(limit);
    Ok(found)
}
