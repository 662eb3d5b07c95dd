//! Servers of the previous version go on while a migration runs. So a migration does nothing that breaks their statements,
//! and nothing that holds a lock on a large table for longer than a moment.

use std::collections::BTreeSet;

use super::super::steps::{Step, batch_of, steps};
use super::super::{MIGRATIONS, Migration};
use crate::dialect::Dialect;

/// Earlier migrations were released, are on every database, and never run beside servers again.
const CHECKED_AFTER: i64 = 73;
/// Tables with few rows: some for each account, none for each contact, message or event. A plain index or a change of all
/// rows takes a moment there.
const SMALL_TABLES: [&str; 14] = [
    "accounts",
    "api_keys",
    "assistants",
    "booking_sources",
    "broadcasts",
    "canned_replies",
    "connections",
    "custom_fields",
    "forms",
    "members",
    "pipelines",
    "settings",
    "tags",
    "webhook_endpoints",
];

/// What is wrong with a migration.
fn faults((version, text): Migration) -> Vec<String> {
    let mut made = BTreeSet::new();
    let mut found = Vec::new();
    for step in steps(Dialect::Postgres, text) {
        match step {
            Step::Whole(text) => {
                let statements = text.split(';').map(plain).filter(|statement| !statement.is_empty());
                found.extend(statements.filter_map(|statement| fault(&statement, &mut made)));
            }
            Step::Index(text) => found.extend(index_fault(&plain(&text))),
            Step::Batch(text) => found.extend(batch_fault(&text)),
        }
    }
    found.into_iter().map(|fault| format!("migration {version}: {fault}")).collect()
}

/// One space between words.
fn plain(statement: &str) -> String {
    statement.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is wrong with a statement of a step that is one transaction. Notes the tables that it makes.
fn fault(statement: &str, made: &mut BTreeSet<String>) -> Option<String> {
    let words: Vec<&str> = statement.split([' ', '(', ',']).filter(|word| !word.is_empty()).collect();
    let told = |why: &str| Some(format!("{why}: {statement}"));
    let is_quick =
        |table: &str, made: &BTreeSet<String>| SMALL_TABLES.contains(&table) || made.contains(table);
    match words[..] {
        ["CREATE", "TABLE", "IF", "NOT", "EXISTS", table, ..]
        | ["CREATE", "UNLOGGED", "TABLE", table, ..]
        | ["CREATE", "TABLE", table, ..] => {
            made.insert(table.to_owned());
            None
        }
        ["CREATE", "INDEX", _, "ON", table, ..] if is_quick(table, made) => None,
        ["CREATE", "UNIQUE", "INDEX", _, "ON", table, ..] if made.contains(table) => None,
        ["CREATE", "UNIQUE", ..] => told("old servers may write rows that break a new unique index"),
        ["CREATE", "INDEX", ..] => told("an index of a large table is built in a step `-- @index`"),
        ["ALTER", "TABLE", table, ..] if made.contains(table) => None,
        ["ALTER", "TABLE", table, "SET", ..] if SMALL_TABLES.contains(&table) => None,
        ["ALTER", "TABLE", _, "SET", parameter, ..] if parameter.starts_with(char::is_lowercase) => None,
        ["ALTER", "TABLE", _, "ADD", "COLUMN", ref column @ ..] => match column_fault(statement, column) {
            Some(why) => told(why),
            None => None,
        },
        // The lock is short, and no statement names an index.
        ["DROP", "INDEX", ..] => None,
        ["UPDATE", table, ..] | ["DELETE", "FROM", table, ..] | ["INSERT", "INTO", table, ..]
            if is_quick(table, made) =>
        {
            None
        }
        ["UPDATE" | "DELETE" | "INSERT" | "WITH", ..] => {
            told("rows of a large table are changed in a step `-- @batch`")
        }
        _ => told("old servers may still use what this changes; leave it to the release after next"),
    }
}

/// An old server inserts rows without naming the column.
fn column_fault(statement: &str, column: &[&str]) -> Option<&'static str> {
    let has = |word: &str| column.contains(&word);
    if statement.matches("ADD COLUMN").count() > 1 {
        return Some("one column is added by a statement");
    }
    if has("REFERENCES") || has("UNIQUE") || has("PRIMARY") || has("GENERATED") || has("CHECK") {
        return Some("old servers write rows without this column, and all rows would be read under a lock");
    }
    if has("NOT") && has("NULL") && !has("DEFAULT") && !has("EXISTS") {
        return Some("old servers write rows without this column: it has a default or may be null");
    }
    let default = statement.split_once(" DEFAULT ").map_or("", |(_, default)| default);
    default.contains('(').then_some("a default that is computed writes every row under a lock")
}

fn index_fault(statement: &str) -> Option<String> {
    let is_built_aside = statement.starts_with("CREATE INDEX CONCURRENTLY ");
    let is_unique = statement.starts_with("CREATE UNIQUE");
    (is_unique || !is_built_aside)
        .then(|| format!("an index step is one CREATE INDEX CONCURRENTLY: {statement}"))
}

fn batch_fault(text: &str) -> Option<String> {
    let (end, moves) = batch_of(text);
    let is_bounded = end.contains("LIMIT") && moves.contains("$2");
    (!is_bounded)
        .then(|| format!("a batch has a LIMIT, and moves only the rows up to its end: {}", plain(text)))
}

#[test]
fn new_migrations_do_nothing_that_servers_of_the_previous_version_would_notice() {
    let found: Vec<String> =
        MIGRATIONS.iter().filter(|(version, _)| *version > CHECKED_AFTER).copied().flat_map(faults).collect();
    assert_eq!(found, [""; 0], "see docs/decisions/migrations-in-steps.md");
}

#[test]
fn what_servers_of_the_previous_version_would_notice_is_found() {
    for wrong in [
        "ALTER TABLE contacts DROP COLUMN name;",
        "ALTER TABLE contacts RENAME COLUMN name TO label;",
        "ALTER TABLE contacts RENAME TO people;",
        "ALTER TABLE contacts ALTER COLUMN name SET NOT NULL;",
        "ALTER TABLE contacts ALTER COLUMN name TYPE varchar;",
        "ALTER TABLE contacts ADD COLUMN rank bigint NOT NULL;",
        "ALTER TABLE contacts ADD COLUMN rank bigint NOT NULL DEFAULT random();",
        "ALTER TABLE contacts ADD COLUMN owner_id uuid REFERENCES members (id);",
        "ALTER TABLE contacts ADD COLUMN a text, ADD COLUMN b text NOT NULL;",
        "ALTER TABLE contacts ADD CONSTRAINT named CHECK (name IS NOT NULL);",
        "CREATE INDEX contacts_rank ON contacts (rank);",
        "CREATE UNIQUE INDEX accounts_name ON accounts (name);",
        "DROP TABLE notes;",
        "UPDATE contacts SET name = '';",
        "DELETE FROM messages;",
        "LOCK TABLE contacts;",
        "-- @index\nCREATE INDEX contacts_rank ON contacts (rank);",
        "-- @index\nCREATE UNIQUE INDEX CONCURRENTLY contacts_rank ON contacts (rank);",
        "-- @batch\nSELECT max(id), count(*) FROM contacts;\nUPDATE contacts SET name = '' WHERE id > $1;",
    ] {
        assert_eq!(faults((1_000, wrong)).len(), 1, "{wrong}");
    }
}

#[test]
fn what_servers_of_the_previous_version_do_not_notice_is_allowed() {
    for right in [
        "CREATE TABLE ranks (\n  id bigint NOT NULL PRIMARY KEY\n);\nCREATE UNIQUE INDEX ranks_id ON ranks (id);\nINSERT INTO ranks VALUES (1);",
        "ALTER TABLE contacts ADD COLUMN rank bigint;",
        "ALTER TABLE contacts ADD COLUMN IF NOT EXISTS rank bigint;",
        "ALTER TABLE contacts ADD COLUMN rank bigint NOT NULL DEFAULT 0;",
        "ALTER TABLE contacts SET (fillfactor = 50);",
        "DROP INDEX contacts_rank;",
        "CREATE INDEX accounts_rank ON accounts (rank);\nUPDATE accounts SET rank = 1;",
        "-- @index\nCREATE INDEX CONCURRENTLY contacts_rank ON contacts (rank);",
        "-- @batch\nSELECT max(id), count(*) FROM (SELECT id FROM contacts WHERE id > $1 LIMIT 100) AS batch;\nUPDATE contacts SET rank = 1 WHERE id > $1 AND id <= $2;",
    ] {
        assert_eq!(faults((1_000, right)), [""; 0], "{right}");
    }
}
