//! Copies and backups of an installation with many contacts, each with a conversation of five messages, a run and two
//! deliveries, and one in ten with a file. `make moves` has a hundred thousand contacts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use frontdesk_e2e::{App, Client, Engine, Sink, came_true, on_every_engine, on_sqlite};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, says};
use crate::backups::{Files, elsewhere};
use crate::inbox_scene::{self, Inbox};
use crate::people::add;
use crate::uploads::upload;
use crate::webhooks_scene::PRIVATE_TARGETS;

on_sqlite! {
    many_rows_of_every_kind_move_to_the_other_engine_and_back,
}

on_every_engine! {
    a_backup_of_many_rows_under_load_is_restored_as_it_was,
}

/// How many contacts there are. `make moves` sets it.
const CONTACTS: &str = "FRONTDESK_TEST_MOVE_CONTACTS";
const CONTACTS_USUAL: u64 = 200;
const MESSAGES_OF_EACH: u64 = 5;
const DELIVERIES_OF_EACH: u64 = 2;
/// One contact in so many has a file.
const FILE_EVERY: u64 = 10;
const FILE_BYTES: u32 = 3_000;
const WRITERS: usize = 4;
/// Writes are measured for so long before a backup begins.
const CALM: Duration = Duration::from_secs(2);

/// Copies of a table's first row.
struct Copies {
    table: &'static str,
    /// How many there are for each contact.
    of_each: u64,
    /// Or for how many contacts there is one.
    every: u64,
    /// The columns that differ, as SQL. `{n}` is the number of a copy, from 0; `{TABLE}` is the id of the copy with that
    /// number, and `{TABLE/5}` that of one in five.
    changes: &'static [(&'static str, &'static str)],
}

impl Copies {
    const fn one(table: &'static str, changes: &'static [(&'static str, &'static str)]) -> Self {
        Self { table, of_each: 1, every: 1, changes }
    }
}

const COPIES: &[Copies] = &[
    Copies::one(
        "contacts",
        &[
            ("id", "{contacts}"),
            ("seq", "-1 - {n}"),
            ("name", "'Customer ' || {n}"),
            ("name_order", "'customer ' || {n}"),
            ("phone", "'+1650' || (1000000 + {n})"),
            ("phone_key", "'1650' || (1000000 + {n})"),
        ],
    ),
    Copies::one("conversations", &[("id", "{conversations}"), ("contact_id", "{contacts}")]),
    Copies {
        of_each: MESSAGES_OF_EACH,
        ..Copies::one(
            "messages",
            &[
                ("id", "{messages}"),
                ("conversation_id", "{conversations/5}"),
                ("channel_message_id", "'many.' || {n}"),
                ("text", "'Message ' || {n} || ' about an Aubergine'"),
            ],
        )
    },
    Copies::one(
        "runs",
        &[
            ("id", "{runs}"),
            ("root_run_id", "{runs}"),
            ("contact_id", "{contacts}"),
            ("goal", "'Goal ' || {n}"),
        ],
    ),
    Copies::one("run_events", &[("id", "{run_events}"), ("run_id", "{runs}")]),
    Copies::one("events", &[("id", "{events}")]),
    Copies {
        of_each: DELIVERIES_OF_EACH,
        ..Copies::one("deliveries", &[("id", "{deliveries}"), ("event_id", "{events/2}")])
    },
    Copies { every: FILE_EVERY, ..Copies::one("media", &[("id", "{media}")]) },
    Copies { every: FILE_EVERY, ..Copies::one("media_chunks", &[("media_id", "{media}")]) },
];

fn contacts() -> u64 {
    std::env::var(CONTACTS).map_or(CONTACTS_USUAL, |text| text.parse().expect("a number of contacts"))
}

/// An id of SQLite: of a time in 2020, so that it is older than all others.
fn id_of(table: &str, number: &str) -> String {
    let kind = COPIES.iter().position(|copies| copies.table == table).expect("one of the tables");
    format!(
        "unhex(printf('%012X', 1577836800000 + {number} / 1000) || '7{kind:03X}' || '8000' || printf('%012X', {number}))"
    )
}

/// The SQL of a column, with the ids of copies in the place of their names.
fn expression(sql: &str) -> String {
    let sql = sql.replace("{n}", "copy.n");
    let sql = COPIES.iter().fold(sql, |sql, Copies { table, .. }| {
        sql.replace(&format!("{{{table}}}"), &id_of(table, "copy.n"))
            .replace(&format!("{{{table}/2}}"), &id_of(table, "(copy.n / 2)"))
            .replace(&format!("{{{table}/5}}"), &id_of(table, "(copy.n / 5)"))
    });
    assert!(!sql.contains('{'), "{sql}");
    sql
}

/// Writes the copies into a SQLite database without a server. Returns how many rows they are.
fn multiply(app: &App, contacts: u64) -> u64 {
    let path = app.database().strip_prefix("sqlite:").expect("SQLite");
    let mut database = rusqlite::Connection::open(path).expect("a database");
    let tx = database.transaction().expect("a transaction");
    let mut rows = 0;
    for Copies { table, of_each, every, changes } in COPIES {
        let names: Vec<String> = tx
            .prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .expect("the columns");
        let values: Vec<String> = names
            .iter()
            .map(|name| {
                let changed = changes.iter().find(|(changed, _)| changed == name);
                changed.map_or_else(|| format!("source.{name}"), |(_, sql)| expression(sql))
            })
            .collect();
        let count = contacts * of_each / every;
        let made = tx
            .execute(
                &format!(
                    "WITH RECURSIVE copy(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM copy WHERE n < {count} - 1)
                    INSERT INTO {table} ({}) SELECT {} FROM copy CROSS JOIN (SELECT * FROM {table} LIMIT 1) source",
                    names.join(", "),
                    values.join(", ")
                ),
                [],
            )
            .unwrap_or_else(|error| panic!("{table}: {error}"));
        assert_eq!(made as u64, count, "{table} has no row to copy");
        rows += count;
    }
    tx.commit().expect("a commit");
    rows
}

/// A stopped SQLite installation with everything of one contact, and with copies of it for many others.
fn many() -> (Desk, u64) {
    let sink = Sink::start();
    let start = inbox_scene::start(Engine::Sqlite).env(PRIVATE_TARGETS, "true").args(&["--no-demo"]).alone();
    let desk = Desk::of(Inbox::of(start));
    let client = &desk.client;
    client.post("/webhooks", json!({ "url": sink.url("/hook"), "event_types": [] })).expect(201);
    desk.script(json!([says("Done.")]));
    desk.becomes(&desk.starts(json!({})), "succeeded");
    desk.inbox.hears(inbox_scene::ANN, "Is it ripe?");
    let file: Vec<u8> = (0..FILE_BYTES).map(|at| (at * 31 % 251) as u8).collect();
    upload(client, "chair.pdf", "application/pdf", &file);
    desk.inbox.advance(1);
    desk.inbox.app.stop();
    let rows = multiply(&desk.inbox.app, contacts());
    (desk, rows)
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    println!("{what}: {:.1} s", began.elapsed().as_secs_f64());
    done
}

fn count(client: &Client, query: &str) -> usize {
    client.get(query).expect(200).data().as_array().expect("a list").len()
}

/// Moves an installation to a new database of an engine, and finds all of it there.
#[track_caller]
fn moved(from: &App, engine: Engine, rows: u64) -> App {
    let place = elsewhere(engine);
    let arguments = ["copy", "--from", from.database(), "--to", place.database()];
    let copied = timed(&format!("copied to {engine:?} and compared"), || place.cli(&arguments));
    assert_eq!(copied["identical"], true, "{copied}");
    let tables = copied["tables"].as_array().expect("tables");
    let copied: u64 = tables.iter().filter_map(|table| table["rows"].as_u64()).sum();
    assert!(copied >= rows, "{copied} of {rows} rows");
    place
}

fn many_rows_of_every_kind_move_to_the_other_engine_and_back(_: Engine) {
    let (desk, rows) = many();
    println!("{} contacts, {rows} rows", contacts());
    let there = moved(&desk.inbox.app, Engine::Postgres, rows);
    let back = moved(&there, Engine::Sqlite, rows);
    back.restart();
    let client = back.anonymous().with_key(&desk.inbox.tenant.key.secret);
    assert_eq!(count(&client, "/runs?limit=100"), 100);
    assert!(came_true(|| count(&client, "/contacts?q=customer%20123") > 0));
    assert!(came_true(|| count(&client, "/messages?q=aubergine&limit=100") == 100));
}

/// How long writes took, in milliseconds.
#[derive(Default)]
struct Writes {
    acknowledged: Vec<String>,
    millis: Vec<f64>,
}

impl Writes {
    /// The middle and nearly the longest of the times, which are forgotten.
    fn take_times(&mut self) -> String {
        let mut millis = std::mem::take(&mut self.millis);
        millis.sort_by(f64::total_cmp);
        let at = |share: f64| {
            millis.get(((millis.len() as f64 * share) as usize).min(millis.len().saturating_sub(1)))
        };
        let [middle, late] = [0.5, 0.99].map(|share| at(share).copied().unwrap_or(f64::NAN));
        format!("{} writes, p50 {middle:.1} ms, p99 {late:.1} ms", millis.len())
    }
}

fn a_backup_of_many_rows_under_load_is_restored_as_it_was(engine: Engine) {
    let (files, (desk, rows)) = (Files::new(), many());
    let there = (engine == Engine::Postgres).then(|| moved(&desk.inbox.app, engine, rows));
    let app = there.as_ref().unwrap_or(&desk.inbox.app);
    app.restart();
    let client = app.anonymous().with_key(&desk.inbox.tenant.key.secret);
    let (is_over, writes) = (AtomicBool::new(false), Mutex::new(Writes::default()));
    let (made, before) = thread::scope(|scope| {
        for worker in 0..WRITERS {
            let (client, is_over, writes) = (client.clone(), &is_over, &writes);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    let id = add(&client, json!({ "name": format!("Written by {worker}") }));
                    let mut writes = writes.lock().expect("writes");
                    writes.acknowledged.push(id);
                    writes.millis.push(began.elapsed().as_secs_f64() * 1e3);
                }
            });
        }
        let began = Instant::now();
        assert!(came_true(|| began.elapsed() > CALM));
        let before = {
            let mut writes = writes.lock().expect("writes");
            println!("{engine:?} before the backup: {}", writes.take_times());
            writes.acknowledged.clone()
        };
        let made = timed(&format!("{engine:?}: backed up"), || {
            app.run(&["backup", &files.path("many"), "--with-secret-key", "--json"])
        });
        println!("{engine:?} meanwhile: {}", writes.lock().expect("writes").take_times());
        is_over.store(true, Ordering::Relaxed);
        (made.expect_success().json(), before)
    });
    println!("{engine:?}: {} rows in {} bytes", made["rows"], made["bytes"]);
    app.stop();

    let place = elsewhere(engine);
    let restored = timed(&format!("{engine:?}: restored"), || {
        place.cli(&["restore", &files.path("many"), "--resume-sending"])
    });
    assert_eq!(restored["rows"], made["rows"]);
    assert!(restored["rows"].as_u64().is_some_and(|restored| restored >= rows), "{restored}");
    // Its tables have the same rows with the same hashes.
    let again = place.cli(&["backup", &files.path("again"), "--with-secret-key"]);
    let tables = |backup: &Value| backup["tables"].as_array().expect("tables").clone();
    for (made, again) in tables(&made).iter().zip(&tables(&again)) {
        assert_eq!(made, again);
    }
    place.restart();
    let client = place.anonymous().with_key(&desk.inbox.tenant.key.secret);
    for id in &before {
        client.get(&format!("/contacts/{id}")).expect(200);
    }
}
