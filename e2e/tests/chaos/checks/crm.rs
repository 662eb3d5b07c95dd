//! Contacts, notes and deals: each that was acknowledged is there once, as it was acknowledged last, and no other.

use std::collections::HashMap;

use super::{Check, Outcome, by, field};
use crate::scene::{QUIET, WRITTEN_TO};

pub(super) fn contacts(check: &mut Check<'_>) -> Outcome {
    let (rows, report) = (check.caller.walk("/contacts")?, &mut *check.report);
    let stored = by(&rows, "id");
    for known in &check.entries.contacts {
        let found = stored.get(known.id.as_str()).map(|row| field(row, "name"));
        report.demand(found == Some(known.name.as_str()), || {
            format!("the contact {} is {found:?} and not {}", known.id, known.name)
        });
    }
    let wanted = check.entries.contacts.len() + WRITTEN_TO + QUIET + check.scene.recipients.len();
    report.demand(rows.len() == wanted, || format!("{} contacts are stored, not {wanted}", rows.len()));
    report.checked("contacts", wanted);
    let mut noted: HashMap<&str, Vec<&str>> = HashMap::new();
    for note in &check.entries.notes {
        noted.entry(&note.contact).or_default().push(&note.body);
    }
    for (contact, bodies) in noted {
        let rows = check.caller.walk(&format!("/contacts/{contact}/notes"))?;
        let found: Vec<&str> = rows.iter().rev().map(|row| field(row, "body")).collect();
        check.report.demand(found == bodies, || format!("notes of {contact} are {found:?}, not {bodies:?}"));
    }
    check.report.checked("notes", check.entries.notes.len());
    Ok(())
}

pub(super) fn deals(check: &mut Check<'_>) -> Outcome {
    let rows = check.caller.walk("/deals")?;
    let stored = by(&rows, "id");
    for known in &check.entries.deals {
        let found = stored.get(known.id.as_str()).map(|row| (field(row, "title"), field(row, "stage_id")));
        check.report.demand(found == Some((known.title.as_str(), known.stage.as_str())), || {
            format!("the deal {known:?} is {found:?}")
        });
    }
    let wanted = check.entries.deals.len();
    check.report.demand(rows.len() == wanted, || format!("{} deals are stored, not {wanted}", rows.len()));
    check.report.checked("deals", wanted);
    Ok(())
}
