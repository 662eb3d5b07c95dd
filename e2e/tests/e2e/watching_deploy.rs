//! The dashboard for Grafana and the rules for Prometheus, compared with what the server shows and what is documented.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use frontdesk_e2e::{App, on_sqlite};
use serde_json::Value;

use crate::watching_metrics::{documented, repository};

on_sqlite! {
    the_dashboard_asks_for_metrics_that_exist,
    every_rule_says_what_to_do_and_asks_for_metrics_that_exist,
}

const RULES: &str = "deploy/alerts.yaml";
/// Metrics that the dashboard leaves out, in the order of the alphabet.
const NOT_DRAWN: [&str; 15] = [
    "frontdesk_backup_last_size_bytes",
    "frontdesk_backups_total",
    "frontdesk_build_info",
    "frontdesk_db_reads_total",
    "frontdesk_db_replica_lag_seconds",
    "frontdesk_db_replica_refusals_total",
    "frontdesk_db_replica_used",
    "frontdesk_disk_size_bytes",
    "frontdesk_file_bytes_total",
    "frontdesk_file_call_duration_seconds",
    "frontdesk_file_calls_total",
    "frontdesk_mails_declined_total",
    "frontdesk_mails_total",
    "frontdesk_store_queue_jobs_max",
    "process_start_time_seconds",
];

/// The names of our metrics in an expression, without what a histogram adds.
fn metrics(expression: &str) -> BTreeSet<String> {
    let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let ours = words.filter(|word| word.starts_with("frontdesk_") || word.starts_with("process_"));
    let known = documented();
    let bare = |word: &str| {
        let of = |end| {
            word.strip_suffix(end).filter(|base| known.get(*base).is_some_and(|kind| kind == "histogram"))
        };
        of("_bucket").or_else(|| of("_sum")).or_else(|| of("_count")).unwrap_or(word).to_owned()
    };
    ours.map(bare).collect()
}

#[track_caller]
fn check(expression: &str) {
    let (known, used) = (documented(), metrics(expression));
    assert!(!used.is_empty() || expression.contains("up{"), "{expression} asks for nothing of ours");
    for name in used {
        assert!(known.contains_key(&name), "{name} is not a metric: {expression}");
    }
    for [open, close] in [['(', ')'], ['{', '}'], ['[', ']']] {
        assert_eq!(expression.matches(open).count(), expression.matches(close).count(), "{expression}");
    }
}

fn the_dashboard_asks_for_metrics_that_exist(_app: App) {
    let text = fs::read_to_string(repository().join("deploy/grafana-dashboard.json")).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let (mut ids, mut asked, mut taken) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for panel in panels {
        assert!(ids.insert(panel["id"].as_u64().expect("an id")), "an id is used twice");
        let place = |key: &str| panel["gridPos"][key].as_u64().expect("a place");
        for (x, y) in (place("x")..place("x") + place("w"))
            .flat_map(|x| (place("y")..place("y") + place("h")).map(move |y| (x, y)))
        {
            assert!(x < 24 && taken.insert((x, y)), "{} covers another panel", panel["title"]);
        }
        if panel["type"] == "row" {
            continue;
        }
        for target in panel["targets"].as_array().expect("targets") {
            let expression = target["expr"].as_str().expect("an expression");
            check(expression);
            asked.extend(metrics(expression));
        }
    }
    let unseen: Vec<String> = documented().into_keys().filter(|name| !asked.contains(name)).collect();
    assert_eq!(unseen, NOT_DRAWN);
}

/// The rules of the file, each with its keys. The file keeps to one form, which is read strictly.
fn rules(text: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut rules: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let (mut alert, mut block) = (String::new(), None::<String>);
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        assert!(!line.contains('\t') && indent % 2 == 0, "{line:?}");
        let line = line.trim();
        if let Some(name) = line.strip_prefix("- alert: ") {
            (alert, block) = (name.to_owned(), None);
            assert!(indent == 6 && rules.insert(alert.clone(), BTreeMap::new()).is_none(), "{line:?}");
            continue;
        }
        if let Some(key) = &block
            && indent >= 10
        {
            let text = rules.get_mut(&alert).and_then(|rule| rule.get_mut(key)).expect("the rule");
            text.push_str(line);
            text.push(' ');
            continue;
        }
        block = None;
        if alert.is_empty() {
            assert!(["groups:", "- name: frontdesk", "rules:"].contains(&line), "{line:?}");
            continue;
        }
        assert!(indent == 8 || indent == 10, "{line:?}");
        let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{line:?} has no key"));
        let value = value.trim();
        if value == "|" {
            block = Some(key.to_owned());
        } else if let Some(quoted) = value.strip_prefix('"') {
            let inner = quoted.strip_suffix('"').unwrap_or_else(|| panic!("{line:?} is not closed"));
            assert!(!inner.contains(['"', '\\']), "{line:?}");
        } else {
            assert!(
                !value.contains(": ") && !value.starts_with(['{', '[', '*', '&', '`', '%', '@']),
                "{line:?}"
            );
        }
        let value = if block.is_some() { String::new() } else { value.trim_matches('"').to_owned() };
        assert!(rules.get_mut(&alert).expect("the rule").insert(key.to_owned(), value).is_none(), "{line:?}");
    }
    rules
}

fn every_rule_says_what_to_do_and_asks_for_metrics_that_exist(_app: App) {
    let text = fs::read_to_string(repository().join(RULES)).expect("the rules");
    let page = fs::read_to_string(repository().join("docs/operating.md")).expect("the page");
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchors: BTreeSet<String> = headings
        .map(|line| {
            let kept = line.trim_start_matches('#').trim().to_lowercase();
            kept.chars()
                .filter(|c| c.is_alphanumeric() || " -".contains(*c))
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect();
    let rules = rules(&text);
    assert!(rules.len() >= 12, "{rules:#?}");
    for (name, rule) in &rules {
        check(&rule["expr"]);
        assert!(["page", "ticket"].contains(&rule["severity"].as_str()), "{name}");
        for key in ["summary", "description"] {
            assert!(rule[key].len() > 20, "{name} has no {key}");
        }
        let anchor = rule["runbook"].strip_prefix("docs/operating.md#").unwrap_or_else(|| panic!("{name}"));
        assert!(anchors.contains(anchor), "{name}: docs/operating.md has no section {anchor}");
    }
    // Prometheus' own check, where it is installed.
    if let Ok(checked) =
        Command::new("promtool").args(["check", "rules"]).arg(repository().join(RULES)).output()
    {
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}
