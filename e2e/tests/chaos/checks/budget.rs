//! Budgets: no request of a minute is counted twice or not at all, except in a minute in which Redis was away, or did not
//! respond to a server in time, which the server logs. At least one minute, after the faults, has no such exception.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::{Check, Outcome};
use crate::ledger::{Counted, Read};
use crate::report::Report;
use crate::scene::{SMALL_BUDGET, TINY_BUDGET};

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
    let mut minutes = minutes(&check.entries.reads, |read| {
        let away = &check.report.faults.redis_away;
        away.iter().any(|(gone, back)| read.at + UNDER_WAY > *gone && read.at < *back + NOTICED_WITHIN)
    });
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
    minutes.retain(|_, minute| !minute.is_exempt);
    compare(check.report, "requests counted against a budget", &minutes, SMALL_BUDGET);
    let quiet = self::minutes(&check.entries.quiet_reads, |_| false);
    if quiet.is_empty() {
        return Err("after the faults, Redis missed the time of some server in every minute".to_owned());
    }
    compare(check.report, "requests counted when nothing was broken", &quiet, TINY_BUDGET);
    Ok(())
}

/// Groups requests by the end of the minute that they were counted in.
fn minutes(reads: &[Read], is_exempt: impl Fn(&Read) -> bool) -> BTreeMap<u64, Minute> {
    let mut minutes: BTreeMap<u64, Minute> = BTreeMap::new();
    // Requests without a response since the last one that had one: of its minute, or of the next.
    let (mut last, mut unknown) = (None, 0);
    for read in reads {
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
        minute.is_exempt |= is_exempt(read);
    }
    minutes
}

fn compare(report: &mut Report, what: &'static str, minutes: &BTreeMap<u64, Minute>, budget: u64) {
    for (reset, minute) in minutes {
        report.demand(minute.left.len() == minute.served, || {
            format!(
                "in the minute until {reset}, {} requests left {} numbers of units",
                minute.served,
                minute.left.len()
            )
        });
        let lowest = minute.left.iter().min().copied().unwrap_or(budget);
        let counted = (budget - lowest) as usize;
        report.demand(counted <= minute.served + minute.unknown, || {
            format!("in the minute until {reset}, {counted} units were taken: {minute:?}")
        });
        let is_early = minute.refused > 0 && minute.served + minute.unknown < budget as usize;
        report.demand(!is_early, || {
            format!(
                "in the minute until {reset}, requests were refused before the budget was used: {minute:?}"
            )
        });
    }
    report.checked(what, minutes.values().map(|minute| minute.served).sum());
}
