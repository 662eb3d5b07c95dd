//! The names of fields in files: their order, and what to say of one that is none.

use toml::Table;

use crate::error::{Error, Result};

/// The fields of `assistant.toml`, in the order in which they are written. `instructions` is the list of files.
pub(super) const SETTINGS: &[&str] = &[
    "name",
    "enabled",
    "color",
    "model",
    "temperature",
    "history_limit",
    "targets",
    "default_handoff_user_id",
    "transcribe_media",
    "handle_voice",
    "handle_images",
    "voice_replies",
    "voice_provider",
    "voice_id",
    "gated_tools",
    "unconfined_tools",
    INSTRUCTIONS,
    "tool_access",
    "delegation",
    "schedule",
];
pub(super) const INSTRUCTIONS: &str = "instructions";
/// The field of the settings that is a file of its own.
pub(super) const PROMPT: &str = "system_prompt";

/// The fields of a trigger, in the order in which they are written.
pub(super) const TRIGGER: &[&str] = &[
    "name",
    "kind",
    "enabled",
    "goal",
    "period",
    "send_time",
    "day_of_week",
    "day_of_month",
    "run_at",
    "event_key",
    "audience_type",
    "contact_id",
    "segment_id",
    "max_targets",
    "respect_quiet_hours",
];

const DELEGATION: &[&str] = &["enabled", "allowed_tools", "max_children_per_run", "max_cost_usd"];
const SCHEDULE: &[&str] = &["mode", "hours"];
const HOURS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// How many letters a name may differ in to be meant.
const SLIPS_MAX: usize = 3;

/// Refuses fields of a table that are none.
pub(super) fn check(place: &str, table: &Table, known: &[&str]) -> Result<()> {
    let Some(strange) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    Err(unknown(place, "field", strange, known))
}

/// Refuses fields of the settings that are none, in their tables too.
pub(super) fn check_settings(place: &str, settings: &Table) -> Result<()> {
    check(place, settings, SETTINGS)?;
    let below = |name: &str| settings.get(name).and_then(toml::Value::as_table);
    if let Some(delegation) = below("delegation") {
        check(&format!("{place}: delegation"), delegation, DELEGATION)?;
    }
    if let Some(schedule) = below("schedule") {
        check(&format!("{place}: schedule"), schedule, SCHEDULE)?;
        if let Some(hours) = schedule.get("hours").and_then(toml::Value::as_table) {
            check(&format!("{place}: schedule.hours"), hours, HOURS)?;
        }
    }
    let access = below("tool_access").into_iter().flat_map(|access| access.keys());
    check_tools(&format!("{place}: tool_access"), access.map(String::as_str))
}

/// Refuses ids of tools that do not exist.
pub(super) fn check_tools<'t>(place: &str, mut ids: impl Iterator<Item = &'t str>) -> Result<()> {
    let tools: Vec<&str> = frontdesk_agent::tools::all().iter().map(|tool| tool.id).collect();
    match ids.find(|id| !tools.contains(id)) {
        Some(strange) => Err(unknown(place, "tool", strange, &tools)),
        None => Ok(()),
    }
}

fn unknown(place: &str, noun: &str, strange: &str, known: &[&str]) -> Error {
    Error::Invalid(match nearest(strange, known) {
        Some(near) => format!("{place}: there is no {noun} {strange:?}. Did you mean {near:?}?"),
        None => format!("{place}: there is no {noun} {strange:?}. There are {}", known.join(", ")),
    })
}

/// The name that was probably meant.
fn nearest<'k>(strange: &str, known: &[&'k str]) -> Option<&'k str> {
    let lower = strange.to_lowercase().replace('-', "_");
    let near = known.iter().map(|name| (slips(&lower, name), *name)).min()?;
    (near.0 <= SLIPS_MAX.min(near.1.len() / 2)).then_some(near.1)
}

/// How many letters were added, left out, exchanged or swapped with the next one.
fn slips(given: &str, meant: &str) -> usize {
    let (given, meant): (Vec<char>, Vec<char>) = (given.chars().collect(), meant.chars().collect());
    if given.len().abs_diff(meant.len()) > SLIPS_MAX {
        return usize::MAX;
    }
    let mut rows = vec![(0..=meant.len()).collect::<Vec<_>>()];
    for (i, letter) in given.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in meant.iter().enumerate() {
            let mut least =
                (rows[i][j] + usize::from(letter != other)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == meant[j - 1] && given[i - 1] == *other {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[given.len()][meant.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_field_names_the_nearest_one() {
        for (strange, near) in [
            ("modle", Some("model")),
            ("Model", Some("model")),
            ("history-limit", Some("history_limit")),
            ("gated_tool", Some("gated_tools")),
            ("temprature", Some("temperature")),
            ("xyzzy", None),
            ("", None),
            (&"x".repeat(100_000), None),
        ] {
            assert_eq!(nearest(strange, SETTINGS), near, "{strange:.20}");
        }
    }

    #[test]
    fn fields_of_tables_are_checked_too() {
        let refused =
            |text: &str| check_settings("assistant.toml", &text.parse().unwrap()).unwrap_err().to_string();
        assert!(refused("[delegation]\nenable = true").contains("\"enabled\"?"));
        assert!(refused("[schedule]\nmode = 'custom_hours'\n[schedule.hours]\nmonday = []").contains("mon"));
        assert!(refused("[tool_access]\nserch_contacts = true").contains("\"search_contacts\"?"));
        assert!(refused("[tool_acces]").contains("\"tool_access\"?"));
    }
}
