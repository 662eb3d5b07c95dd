//! Runs and triggers: every run ended, its tool took effect once, and every due time and every call started one run.

use std::collections::HashMap;

use super::{Check, Outcome, by, field};

/// Costs are whole millionths of a dollar.
const MICROS: f64 = 1e6;

pub(super) fn runs(check: &mut Check<'_>) -> Outcome {
    let rows = check.caller.walk("/runs")?;
    let (stored, report) = (by(&rows, "id"), &mut *check.report);
    for row in &rows {
        report.demand(row["status"] == "succeeded", || format!("a run did not succeed: {row}"));
    }
    for run in &check.entries.runs {
        report.demand(stored.contains_key(run.id.as_str()), || format!("{run:?} is lost"));
    }
    let untriggered = rows.iter().filter(|row| row["trigger_id"].is_null()).count();
    report.demand(untriggered == check.entries.runs.len(), || {
        format!("{untriggered} runs are stored, not {}", check.entries.runs.len())
    });
    let mut facts: HashMap<String, usize> = HashMap::new();
    for memory in check.caller.walk("/memories")? {
        *facts.entry(field(&memory, "content").to_owned()).or_default() += 1;
    }
    for run in &check.entries.runs {
        let times = facts.remove(&run.fact);
        check.report.demand(times == Some(1), || format!("the tool of {run:?} took effect {times:?} times"));
    }
    check.report.demand(facts.is_empty(), || format!("nobody asked for the memories {facts:?}"));
    check.report.checked("runs", rows.len());
    check.report.checked("effects of their tools", check.entries.runs.len());
    let usage = check.caller.acknowledged(&crate::caller::Request::get("/api/v1/ai/usage"))?;
    let micros = |value: &serde_json::Value| (value.as_f64().unwrap_or_default() * MICROS).round() as i64;
    let spent = micros(&usage.json["data"]["spent_usd"]);
    let sum: i64 = rows.iter().map(|row| micros(&row["cost_usd"])).sum();
    check.report.demand(spent == sum, || format!("{spent} millionths were spent, but the runs cost {sum}"));
    check.report.checked("AI spend, in millionths of a dollar", sum as usize);
    Ok(())
}

pub(super) fn triggers(check: &mut Check<'_>) -> Outcome {
    let rows = check.caller.walk("/runs")?;
    let triggers = check.caller.walk("/triggers")?;
    let mut fired: HashMap<&str, Vec<&str>> = HashMap::new();
    for row in rows.iter().filter(|row| !row["trigger_id"].is_null()) {
        fired.entry(field(row, "trigger_id")).or_default().push(field(row, "id"));
    }
    for trigger in &triggers {
        let error = &trigger["last_error"];
        check.report.demand(error.is_null(), || format!("the trigger {trigger} has an error"));
    }
    for id in &check.entries.once_triggers {
        let times = fired.get(id.as_str()).map_or(0, Vec::len);
        check.report.demand(times == 1, || format!("the trigger {id} fired {times} times"));
    }
    // Two more are called by others and by events.
    let wanted = check.entries.once_triggers.len() + 2;
    check.report.demand(triggers.len() == wanted, || format!("{} triggers, not {wanted}", triggers.len()));
    let mut called = fired.get(check.scene.hook.1.as_str()).cloned().unwrap_or_default();
    let mut calls: Vec<&str> = check.entries.hook_runs.iter().map(String::as_str).collect();
    called.sort_unstable();
    calls.sort_unstable();
    check.report.demand(called == calls, || format!("{} calls started {} runs", calls.len(), called.len()));
    let moved = check.caller.walk("/events?event_type=deal.stage_changed")?.len();
    let times = fired.get(check.scene.deal_trigger.as_str()).map_or(0, Vec::len);
    check.report.demand(times == moved, || format!("{moved} deals moved and started {times} runs"));
    check.report.checked("triggers that were due once", check.entries.once_triggers.len());
    check.report.checked("calls of a trigger", calls.len());
    check.report.checked("events that fired a trigger", moved);
    Ok(())
}
