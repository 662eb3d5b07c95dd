//! Webhooks: every event arrived at every endpoint that subscribes to it, under its id and with the same contents each time.

use std::collections::HashSet;

use super::{Check, Outcome, field};
use crate::outside::{ALL, SOME};
use crate::scene::SOME_EVENTS;

pub(super) fn events(check: &mut Check<'_>) -> Outcome {
    let mut rows = check.caller.walk("/events")?;
    // Newest first: what comes after the first one was written while the endpoints were there.
    let first = rows.iter().position(|row| row["event_id"] == check.scene.first_event.as_str());
    rows.truncate(first.ok_or("the first event is lost")?);
    for (path, types) in [(ALL, &[][..]), (SOME, &SOME_EVENTS[..])] {
        let arrivals = check.scene.outside.arrivals(path);
        let is_wanted = |event_type: &str| types.is_empty() || types.contains(&event_type);
        let wanted: HashSet<&str> = rows
            .iter()
            .filter(|row| is_wanted(field(row, "event_type")))
            .map(|row| field(row, "event_id"))
            .collect();
        let missing: Vec<_> = wanted.iter().filter(|id| !arrivals.contains_key(**id)).take(3).collect();
        check
            .report
            .demand(missing.is_empty(), || format!("events never came to {path}, such as {missing:?}"));
        for (id, arrived) in &arrivals {
            check
                .report
                .demand(wanted.contains(id.as_str()), || format!("{path} got {id}, which is no event"));
            check.report.demand(!arrived.has_changed, || format!("{path} got {id} with different contents"));
        }
        let times: usize = arrivals.values().map(|arrived| arrived.times).sum();
        let (all, again) = if path == ALL {
            ("events at the endpoint of all", "  that came again")
        } else {
            ("events at the endpoint of some", "  that came again")
        };
        check.report.checked(all, wanted.len());
        check.report.checked(again, times.saturating_sub(arrivals.len()));
    }
    Ok(())
}
