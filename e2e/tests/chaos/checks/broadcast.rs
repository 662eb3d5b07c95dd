//! The broadcast: everybody was called at most once, nobody was left out, and the counts are the recipients'.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use super::inbox::unheard_is_possible;
use super::{Check, Outcome, field};

pub(super) fn recipients(check: &mut Check<'_>) -> Outcome {
    let broadcasts = check.caller.walk("/broadcasts")?;
    check.report.demand(broadcasts.len() == 1, || format!("{} broadcasts, not 1", broadcasts.len()));
    let broadcast = broadcasts.first().ok_or("there is none")?;
    let rows = check.caller.walk(&format!("/broadcasts/{}/recipients", field(broadcast, "id")))?;
    let mut called: HashMap<String, usize> = HashMap::new();
    for taken in check.scene.outside.taken().iter().filter(|taken| taken.text.is_none()) {
        *called.entry(format!("+{}", taken.to)).or_default() += 1;
    }
    for (phone, times) in called.iter().filter(|(_, times)| **times > 1) {
        check.report.problem(format!("{phone} was called {times} times by the broadcast"));
    }
    let wanted: HashSet<&str> = check.scene.recipients.iter().map(String::as_str).collect();
    let found: HashSet<&str> = rows.iter().map(|row| field(row, "phone")).collect();
    check.report.demand(found == wanted && rows.len() == wanted.len(), || {
        format!("{} recipients are stored, {} of {} people", rows.len(), found.len(), wanted.len())
    });
    let (mut reached, mut unheard) = (0, 0);
    for row in &rows {
        if called.contains_key(field(row, "phone")) {
            reached += 1;
            check.report.demand(row["status"] == "delivered", || format!("was called: {row}"));
        } else {
            unheard += 1;
            let is_doubted = row["status"] == "failed" && row["error"]["reason"] == "unknown_outcome";
            check.report.demand(is_doubted, || format!("was left uncalled: {row}"));
        }
    }
    let counts = json!({ "total": rows.len(), "sent": reached, "delivered": reached, "read": 0, "replied": 0,
        "failed": unheard });
    check.report.demand(broadcast["counts"] == counts, || {
        format!("the broadcast counts {}, not {counts}", broadcast["counts"])
    });
    check
        .report
        .demand(broadcast["status"] == "sent", || format!("the broadcast is {}", broadcast["status"]));
    unheard_is_possible(check, unheard, "recipients");
    check.report.checked("recipients of the broadcast", rows.len());
    check.report.checked("  that failed, as their call may have begun", unheard);
    Ok(())
}
