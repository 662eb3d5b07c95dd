//! Budgets: no request of a minute is counted twice or not at all, except in a minute in which Redis was away, or did not
//! respond to a server in time, which the server logs.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::{Check, Outcome};
use crate::ledger::Counted;
use crate::scene::SMALL_BUDGET;

const MINUTE: u64 = 60;
/// A request may have been counted so long before its response came.
const UNDER_WAY: Duration = Duration::from_secs(2);
/// Servers may notice this late that Redis is back.
const NOTICED_WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
struct Minute {
    served: usize,
    refused: usize,
    unknown: usize,
    left: HashSet<u64>,
    is_exempt: bool,
}

pub(super) fn reads(check: &mut Check<'_>) -> Outcome {
    let mut minutes: BTreeMap<u64, Minute> = BTreeMap::new();
    // Requests without a response since the last one that had one: of its minute, or of the next.
    let (mut last, mut unknown) = (None, 0);
    for read in &check.entries.reads {
        let (reset, left) = match read.outcome {
            Counted::Served { reset, remaining } => (reset, Some(remaining)),
            Counted::Refused { reset } => (reset, None),
            Counted::Unknown => {
                unknown += 1;
                if let Some(reset) = last {
                    minutes.entry(reset).or_default().unknown += 1;
                }
                continue;
            }
        };
        let minute = minutes.entry(reset).or_default();
        if last != Some(reset) {
            minute.unknown += unknown;
        }
        (last, unknown) = (Some(reset), 0);
        match left {
            Some(left) => {
                minute.served += 1;
                minute.left.insert(left);
            }
            None => minute.refused += 1,
        }
        let away = &check.report.faults.redis_away;
        minute.is_exempt |=
            away.iter().any(|(gone, back)| read.at + UNDER_WAY > *gone && read.at < *back + NOTICED_WITHIN);
    }
    if minutes.is_empty() {
        return Err("no request was counted".to_owned());
    }
    for second in check.scene.cluster.without_redis() {
        // A server counts in PostgreSQL for a second before it tries again, which may be the next minute.
        for second in [second, second + 1] {
            if let Some(minute) = minutes.get_mut(&((second / MINUTE + 1) * MINUTE)) {
                minute.is_exempt = true;
            }
        }
    }
    let exact: Vec<(&u64, &Minute)> = minutes.iter().filter(|(_, minute)| !minute.is_exempt).collect();
    for (reset, minute) in &exact {
        check.report.demand(minute.left.len() == minute.served, || {
            format!(
                "in the minute until {reset}, {} requests left {} numbers of units",
                minute.served,
                minute.left.len()
            )
        });
        let lowest = minute.left.iter().min().copied().unwrap_or(SMALL_BUDGET);
        let counted = (SMALL_BUDGET - lowest) as usize;
        check.report.demand(counted <= minute.served + minute.unknown, || {
            format!("in the minute until {reset}, {counted} units were taken: {minute:?}")
        });
        let is_early = minute.refused > 0 && minute.served + minute.unknown < SMALL_BUDGET as usize;
        check.report.demand(!is_early, || {
            format!(
                "in the minute until {reset}, requests were refused before the budget was used: {minute:?}"
            )
        });
    }
    check
        .report
        .checked("requests counted against a budget", exact.iter().map(|(_, minute)| minute.served).sum());
    Ok(())
}
