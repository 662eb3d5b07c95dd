//! Everything under the API's prefix, and all its statements.

use std::sync::Arc;

use frontdesk_agent::Trials;
use frontdesk_broadcasts::Recipients;
use frontdesk_crm::contacts::Dependents;
use frontdesk_crm::{bookings, deals, inquiries, notes};
use frontdesk_jobs::{Backlog, Statement};
use frontdesk_kernel::Ids;
use frontdesk_platform::events::{Catalogue, EventDeclaration, EventListener, Recorder};
use frontdesk_platform::export::Exports;
use frontdesk_platform::sealing::SealedColumn;
use frontdesk_platform::webhooks::Webhooks;
use frontdesk_platform::{PublicEndpoint, Route, Table};
use frontdesk_triggers::RefusedCalls;

/// Everything with rows about contacts, for erasing and merging them.
const DEPENDENTS: Dependents = &[
    &frontdesk_agent::ContactRows,
    &frontdesk_inbox::ContactRows,
    &frontdesk_broadcasts::ContactRows,
    &frontdesk_triggers::ContactRows,
    &notes::ContactRows,
    &deals::CONTACT_ROWS,
    &deals::ChangedContacts,
    &inquiries::CONTACT_ROWS,
    &bookings::CONTACT_ROWS,
];

/// The endpoints for visitors without a key.
pub(crate) fn public_endpoints(
    inbox: frontdesk_inbox::InboxState,
    refused: Arc<RefusedCalls>,
) -> Vec<PublicEndpoint> {
    [
        frontdesk_crm::public_endpoints(),
        frontdesk_inbox::public_endpoints(inbox),
        frontdesk_triggers::public_endpoints(refused),
        vec![frontdesk_app::mail::public_endpoint()],
    ]
    .concat()
}

/// The routes of every crate, to be described.
pub(crate) fn table() -> Table {
    table_with(&Trials::default())
}

/// The routes of every crate. Trials of assistants use the agent that `trials` gets.
pub(crate) fn table_with(trials: &Trials) -> Table {
    Table::new(declared(trials))
}

/// The same routes before they are a table.
pub(crate) fn declared(trials: &Trials) -> Vec<Route> {
    let routes = [
        frontdesk_platform::routes(&catalogue()),
        frontdesk_crm::routes(DEPENDENTS),
        frontdesk_inbox::routes(),
        frontdesk_broadcasts::routes(),
        frontdesk_agent::routes(),
        vec![frontdesk_agent::trial_route(trials)],
        frontdesk_triggers::routes(),
    ];
    routes.into_iter().flatten().collect()
}

/// The event types of every crate, to be looked up.
pub(crate) fn catalogue() -> Catalogue {
    Catalogue::new(event_types())
}

/// The event types of every crate.
pub(crate) fn event_types() -> Vec<EventDeclaration> {
    [
        frontdesk_crm::event_types(),
        frontdesk_inbox::event_types(),
        frontdesk_broadcasts::event_types(),
        frontdesk_agent::event_types(),
        frontdesk_platform::event_types(),
    ]
    .concat()
}

/// What exports contain, from every crate. Rows that refer to others come before those, so crates come before those that
/// they build on.
pub(crate) fn exports() -> Exports {
    [
        frontdesk_triggers::exports(),
        frontdesk_agent::exports(),
        frontdesk_broadcasts::exports(),
        frontdesk_inbox::exports(),
        frontdesk_crm::exports(),
        frontdesk_platform::exports(),
    ]
    .concat()
}

/// Generates the ids of this process, and passes every event to all listeners, in the order of this list.
pub(crate) fn recorder() -> Arc<Recorder> {
    let listeners: Vec<Arc<dyn EventListener>> = vec![
        Arc::new(Webhooks),
        Arc::new(Recipients),
        Arc::new(frontdesk_agent::Assistants),
        Arc::new(frontdesk_triggers::Triggers),
        Arc::new(frontdesk_app::push::Notifications),
        Arc::new(frontdesk_app::mail::Mails),
    ];
    Arc::new(Recorder::new(Ids::new(), listeners))
}

/// Every column that holds sealed values.
pub(crate) fn sealed_columns() -> Vec<SealedColumn> {
    [
        frontdesk_platform::sealed_columns(),
        frontdesk_crm::sealed_columns(),
        frontdesk_inbox::sealed_columns(),
        frontdesk_app::sealed_columns(),
    ]
    .concat()
}

/// Every statement that runs on SQLite, by name.
pub(crate) fn sqlite_statements() -> Vec<Statement> {
    [
        common_statements(),
        frontdesk_db::SQLITE_STATEMENTS.to_vec(),
        frontdesk_platform::sqlite_statements(),
        frontdesk_search::sqlite_statements(),
        frontdesk_inbox::sqlite_statements(),
    ]
    .concat()
}

/// Every statement that runs on PostgreSQL, by name.
pub(crate) fn postgres_statements() -> Vec<Statement> {
    [
        common_statements(),
        frontdesk_db::POSTGRES_STATEMENTS.to_vec(),
        frontdesk_platform::postgres_statements(),
        frontdesk_inbox::postgres_statements(),
        frontdesk_broadcasts::postgres_statements(),
        frontdesk_agent::postgres_statements(),
        frontdesk_triggers::postgres_statements(),
        frontdesk_app::postgres_statements(),
    ]
    .concat()
}

/// The jobs that wait, by kind.
pub(crate) fn backlogs() -> Vec<Backlog> {
    [
        frontdesk_platform::backlogs(),
        frontdesk_inbox::backlogs(),
        frontdesk_broadcasts::backlogs(),
        frontdesk_agent::backlogs(),
        frontdesk_triggers::backlogs(),
        frontdesk_app::backlogs(),
    ]
    .concat()
}

/// The statements of both engines.
fn common_statements() -> Vec<Statement> {
    let mut statements = [
        frontdesk_db::copies::STATEMENTS.to_vec(),
        frontdesk_db::lease::STATEMENTS.to_vec(),
        frontdesk_db::heartbeat::STATEMENTS.to_vec(),
        frontdesk_platform::statements(),
        frontdesk_crm::statements(),
        frontdesk_inbox::statements(),
        frontdesk_broadcasts::statements(),
        frontdesk_agent::statements(),
        frontdesk_triggers::statements(),
        backlogs().into_iter().map(|backlog| backlog.statement).collect(),
        frontdesk_app::statements(),
    ]
    .concat();
    statements.extend(sealed_columns().iter().flat_map(SealedColumn::statements));
    statements
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Tables with rows of accounts that no export has, and why.
    const NOT_EXPORTED: &[(&str, &str)] = &[
        ("account_deletions", "that the account is being deleted; then it is not exported"),
        ("answerers", "the inbox's copy of what assistants say"),
        ("early_reports", "reports that wait for their messages, for a day"),
        ("erasures", "a queue: erased contacts whose messages are being deleted"),
        ("file_removals", "a queue"),
        ("first_contacts", "a count of the last day"),
        ("held_calls", "what approved asks carry out; the asks are exported"),
        ("idempotency", "responses that are stored for a day, which may hold secrets"),
        ("imported_rows", "which rows came from another system, for the next run of an import"),
        ("logins", "secrets of people: passwords and second factors"),
        ("mails", "a queue, and what became of the mails of the last month"),
        ("member_links", "secrets: one-time links"),
        ("memory_words", "an index of the memories"),
        ("message_queue", "a queue of the search index"),
        ("push_devices", "secrets: how to reach the browsers of members"),
        ("push_notifications", "a queue"),
        ("replays", "a queue: deliveries that are being made again"),
        ("sends", "a queue: messages that are being handed over"),
        ("sessions", "secrets: who is signed in"),
        ("template_syncs", "a queue"),
        ("transcriptions", "a queue"),
        ("trigger_events", "a queue"),
    ];

    /// The tables with an account, as the migrations create them.
    fn tables_of_accounts() -> Vec<String> {
        let migrations = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../db/migrations");
        let mut tables = std::collections::BTreeSet::from(["accounts".to_owned()]);
        for file in std::fs::read_dir(migrations).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            for table in text.split("CREATE TABLE ").skip(1) {
                let (name, rest) = table.split_once(" (").unwrap();
                let columns = rest.split_once(';').map_or(rest, |(columns, _)| columns);
                if columns.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "account_id")
                {
                    tables.insert(name.to_owned());
                }
            }
        }
        tables.into_iter().collect()
    }

    #[test]
    fn every_table_of_accounts_is_exported_or_says_why_not() {
        let exported: Vec<&str> = exports().iter().flat_map(|exported| exported.tables()).copied().collect();
        let tables = tables_of_accounts();
        assert!(tables.len() > 50, "{} tables were found", tables.len());
        for table in &tables {
            let is_listed = NOT_EXPORTED.iter().any(|(name, why)| name == table && !why.is_empty());
            let times = exported.iter().filter(|name| *name == table).count();
            assert_eq!(
                times,
                usize::from(!is_listed),
                "{table}: declare it as Exported in its slice, or list it in NOT_EXPORTED with the reason"
            );
        }
        for (name, _) in NOT_EXPORTED {
            assert!(tables.iter().any(|table| table == name), "{name} is gone");
        }
    }

    #[test]
    fn every_file_of_an_export_has_its_own_name_and_is_documented() {
        let document = include_str!("../../../docs/export.md");
        let mut names = HashSet::new();
        for exported in exports() {
            assert!(names.insert(exported.name()), "{} is twice", exported.name());
            let row = format!("| `{}.jsonl` |", exported.name());
            assert!(document.contains(&row), "docs/export.md has no row {row}");
        }
    }

    #[test]
    fn both_engines_are_asked_something() {
        let names =
            |statements: Vec<Statement>| statements.into_iter().map(|(name, _)| name).collect::<HashSet<_>>();
        let (sqlite, postgres) = (names(sqlite_statements()), names(postgres_statements()));
        assert!(sqlite.intersection(&postgres).next().is_some());
        assert!(
            sqlite.difference(&postgres).next().is_some() && postgres.difference(&sqlite).next().is_some()
        );
    }

    /// SQL constants that are not complete statements of a server: the beginnings of lists with filters,
    /// which a walk over all filters tests; statements that run once, while a database is opened; and the
    /// doctor's own.
    const NOT_PREPARED: &[&str] = &[
        "crates/agent/src/assistants/sql.rs VERSIONS",
        "crates/crm/src/deals/sql.rs SELECT",
        "crates/crm/src/desk/mod.rs NAMES",
        "crates/platform/src/webhooks/deliveries.rs SELECT",
        "crates/crm/src/deals/sql.rs SELECT_CHANGES",
        "crates/db/src/other_database.rs HAS_COLUMN",
        "crates/testdb/src/distributed.rs TABLES",
        "crates/testdb/src/distributed.rs INDEXES",
        "crates/testdb/src/distributed.rs TYPES",
        "crates/db/src/postgres/connect.rs STANDBY",
        "crates/db/src/postgres/connect.rs WRITABLE",
        "crates/db/src/postgres/connect.rs PRIMARY",
        "crates/db/src/store/replica/watcher.rs DATABASE",
        "crates/db/src/store/replica/watcher.rs SYSTEM",
        "crates/db/src/sqlite/connection.rs UNIQUE_INDEXES",
        "crates/server/src/doctor/checks.rs VERSION",
        "crates/server/src/doctor/checks.rs DATABASE_TIME",
    ];

    #[test]
    fn every_constant_of_sql_is_prepared() {
        let prepared: HashSet<String> = [sqlite_statements(), postgres_statements()]
            .into_iter()
            .flatten()
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
                // Migrations are asked once, and an import reads tables of another system.
                let is_asked_once = ["crates/db/src/migrate", "crates/server/src/import/chatwoot/"]
                    .iter()
                    .any(|start| place.starts_with(start));
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
}
