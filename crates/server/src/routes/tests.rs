//! Every statement in the sources is listed, so that it is prepared on every engine.

use std::collections::HashSet;

use super::*;

#[test]
fn both_engines_are_asked_something() {
    let (sqlite, postgres) = (statements(Dialect::Sqlite), statements(Dialect::Postgres));
    assert!(!sqlite.is_empty() && postgres.len() > sqlite.len());
}

/// SQL constants that are not complete statements of a server: the beginnings of lists with filters,
/// which a walk over all filters tests; statements that run once, while a database is opened; and the
/// doctor's own.
const NOT_PREPARED: &[&str] = &[
    "crates/crm/src/deals/sql.rs SELECT",
    "crates/platform/src/webhooks/deliveries.rs SELECT",
    "crates/db/src/postgres/connect.rs STANDBY",
    "crates/db/src/sqlite/search.rs KNOWN_BY",
    "crates/db/src/sqlite/connection.rs UNIQUE_INDEXES",
    "crates/server/src/doctor/checks.rs VERSION",
    "crates/server/src/doctor/checks.rs DATABASE_TIME",
];

#[test]
fn every_constant_of_sql_is_prepared() {
    let prepared: HashSet<String> = [Dialect::Sqlite, Dialect::Postgres]
        .into_iter()
        .flat_map(statements)
        .map(|(_, sql)| one_line(sql))
        .collect();
    let (mut found, mut missing) = (0, Vec::new());
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in sources(&root.join("crates")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (name, sql) in constants(code) {
            found += 1;
            let place = format!("{} {name}", file.strip_prefix(&root).unwrap().display());
            let is_asked_once = place.starts_with("crates/db/src/migrate");
            if !prepared.contains(&one_line(&sql))
                && !is_asked_once
                && !NOT_PREPARED.contains(&place.as_str())
            {
                missing.push(place);
            }
        }
    }
    assert!(found > 30, "only {found} constants were found");
    assert_eq!(missing, Vec::<String>::new(), "list them in STATEMENTS of their slice");
}

fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every source file below a directory, except tests.
fn sources(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    found
}

/// The constants that are SQL literals, by name.
fn constants(code: &str) -> Vec<(&str, String)> {
    const VERBS: [&str; 5] = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];
    let declared = code.split("const ").skip(1).filter_map(|rest| {
        let (name, value) = rest.split_once(": &str =")?;
        let literal = value.trim_start().strip_prefix('"')?;
        let sql = literal.split_once("\";")?.0.replace("\\\"", "\"");
        let is_sql = VERBS.iter().any(|verb| sql.starts_with(verb));
        (is_sql && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')).then_some((name, sql))
    });
    declared.collect()
}
