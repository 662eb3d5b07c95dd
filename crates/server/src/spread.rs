//! Tests that the tables of accounts can be spread over many databases by account: every statement about an account's rows
//! goes to one of them, and those that do not are listed with the reason.

mod lists;

use std::collections::BTreeSet;

use frontdesk_db::{DatabaseUrl, Options, Store};
use frontdesk_testdb::{Distributed, PostgresDatabase, Route};

use crate::routes;
use lists::{ACROSS, COPIED, LOOSE};

/// A database with every table of accounts spread. It is dropped with the first value.
fn spread() -> (PostgresDatabase, Distributed) {
    let database = PostgresDatabase::create();
    let url: DatabaseUrl = database.unencrypted_url().parse().expect("a URL");
    Store::open(&Options::new(url)).expect("migrations run").close();
    let copied: Vec<&str> = COPIED.iter().map(|(table, _)| *table).collect();
    let spread = Distributed::spread(&database.url(), &copied);
    (database, spread)
}

fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a statement names a table.
fn names(sql: &str, table: &str) -> bool {
    sql.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == table)
}

#[test]
fn every_statement_goes_to_one_account_or_says_why_not() {
    let (_database, mut spread) = spread();
    let tables: Vec<String> = spread.tables().map(str::to_owned).collect();
    let across: Vec<&str> = ACROSS.iter().flat_map(|across| across.statements).copied().collect();
    assert!(ACROSS.iter().all(|across| !across.why.is_empty()));
    let statements: BTreeSet<String> =
        routes::postgres_statements().into_iter().map(|(_, sql)| one_line(sql)).collect();
    let (mut one, mut used, mut wrong) = (0, BTreeSet::new(), Vec::new());
    for sql in statements.iter().filter(|sql| is_planned(sql)) {
        let listed = across.iter().find(|start| sql.starts_with(**start));
        match (spread.route(sql), listed) {
            // One that begins like a listed one may name its account.
            (Route::OneAccount, _) => one += 1,
            (Route::Anywhere, None) if !tables.iter().any(|table| names(sql, table)) => {}
            (Route::Many(_), Some(start)) => {
                used.insert(*start);
            }
            (route, listed) => wrong.push(format!("listed: {}, {route:?}: {sql}", listed.is_some())),
        }
    }
    let unused = across.iter().filter(|start| !used.contains(*start));
    wrong.extend(unused.map(|start| format!("nothing crosses accounts that begins with: {start}")));
    assert!(wrong.is_empty(), "{} statements:\n{}", wrong.len(), wrong.join("\n"));
    assert!(one > 450, "only {one} statements go to one account");
}

/// Whether PostgreSQL has a plan for it, which it has not for what begins transactions and changes settings.
fn is_planned(sql: &str) -> bool {
    ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "].iter().any(|verb| sql.starts_with(verb))
}

#[test]
fn unique_keys_without_the_account_are_known() {
    let (_database, spread) = spread();
    let known: BTreeSet<&str> = LOOSE.iter().map(|(index, _)| *index).collect();
    let found: BTreeSet<&str> = spread.loose().iter().map(String::as_str).collect();
    assert_eq!(found, known, "say in LOOSE why it may be unique within one place only");
}

#[test]
fn the_planner_tells_one_account_from_many() {
    let (_database, mut spread) = spread();
    let one = [
        "SELECT id FROM contacts WHERE account_id = $1 AND id = $2",
        "SELECT m.id FROM conversations c JOIN messages m ON m.account_id = c.account_id AND m.conversation_id = c.id
            WHERE c.account_id = $1",
        "SELECT id, (SELECT count(*) FROM notes n WHERE n.account_id = c.account_id AND n.contact_id = c.id)
            FROM contacts c WHERE account_id = $1",
        "UPDATE contacts SET name = $3 WHERE account_id = $1 AND id = $2",
        "DELETE FROM contacts WHERE account_id = $1",
        "INSERT INTO contact_tags (account_id, contact_id, tag_id) VALUES ($1, $2, $3)",
        "INSERT INTO contact_tags (account_id, contact_id, tag_id)
            SELECT account_id, id, $2 FROM contacts WHERE account_id = $1",
    ];
    for sql in one {
        assert_eq!(spread.route(sql), Route::OneAccount, "{sql}");
    }
    let many = [
        "SELECT id FROM contacts WHERE id = $1",
        "SELECT id FROM contacts WHERE account_id = ANY ($1)",
        "SELECT id FROM contacts WHERE account_id > $1",
        "SELECT m.id FROM conversations c JOIN messages m ON m.conversation_id = c.id WHERE c.account_id = $1",
        "SELECT m.id FROM conversations c JOIN messages m ON m.account_id = $2 AND m.conversation_id = c.id
            WHERE c.account_id = $1",
        "SELECT id, (SELECT count(*) FROM notes n WHERE n.contact_id = c.id) FROM contacts c WHERE account_id = $1",
        "UPDATE contacts SET name = $2 WHERE id = $1",
        "DELETE FROM contacts",
        "INSERT INTO contact_tags (account_id, contact_id, tag_id)
            SELECT $3, id, $2 FROM contacts WHERE account_id = $1",
        "INSERT INTO contact_tags (account_id, contact_id, tag_id) SELECT id, id, $2 FROM contacts WHERE account_id = $1",
    ];
    for sql in many {
        assert!(matches!(spread.route(sql), Route::Many(_)), "{sql}: {:?}", spread.route(sql));
    }
    assert_eq!(spread.route("SELECT 1"), Route::Anywhere);
    assert!(matches!(spread.route("SELECT nothing FROM contacts"), Route::Refused(_)));
}
