//! What must be so when the faults are over and nothing waits any more.

mod agent;
mod broadcast;
mod budget;
mod crm;
mod deliveries;
mod inbox;

use std::collections::HashMap;

use serde_json::Value;

use crate::caller::Caller;
use crate::dice::Dice;
use crate::ledger::{Entries, Ledger};
use crate::report::Report;
use crate::scene::Scene;

/// What a check looks at.
pub(crate) struct Check<'a> {
    scene: &'a Scene<'a>,
    entries: &'a Entries,
    caller: Caller<'a>,
    report: &'a mut Report,
}

type Outcome = Result<(), String>;
type Compare = fn(&mut Check<'_>) -> Outcome;

const CHECKS: [(&str, Compare); 8] = [
    ("contacts", crm::contacts),
    ("deals", crm::deals),
    ("messages", inbox::messages),
    ("the broadcast", broadcast::recipients),
    ("runs", agent::runs),
    ("triggers", agent::triggers),
    ("webhooks", deliveries::events),
    ("budgets", budget::reads),
];

pub(crate) fn all(scene: &Scene<'_>, ledger: &Ledger, report: &mut Report) {
    let entries = ledger.entries();
    for why in &entries.unacknowledged {
        report.problem(format!("a request was not acknowledged: {why}"));
    }
    for misfit in scene.outside.misfits() {
        report.problem(misfit);
    }
    for (name, check) in CHECKS {
        let caller = scene.caller(&Dice::new(2), Some(&scene.key));
        let mut subject = Check { scene, entries: &entries, caller, report };
        if let Err(why) = check(&mut subject) {
            report.problem(format!("{name} could not be checked: {why}"));
        }
    }
}

/// A text field; empty if there is none.
fn field<'v>(row: &'v Value, name: &str) -> &'v str {
    row[name].as_str().unwrap_or_default()
}

/// The rows by one of their fields. Ids are unique already.
fn by<'v>(rows: &'v [Value], name: &str) -> HashMap<&'v str, &'v Value> {
    rows.iter().map(|row| (field(row, name), row)).collect()
}
