//! Deleting an account: nothing of it is left anywhere, and nothing of others is touched.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use frontdesk_e2e::{App, Client, Engine, Tenant, came_true, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::app_scene::{Browser, PASSWORD, member};
use crate::bookings::{Calendar, booking};
use crate::forms::{form, visitor};
use crate::inbox_scene::{ANN, Inbox, reply};
use crate::people::{add, field, tag, walk};
use crate::shapes::text;
use crate::uploads::{sending, upload};

on_every_engine! {
    everything_of_an_account_is_deleted_and_nothing_of_others,
    an_account_is_deleted_only_by_its_name,
    a_deletion_that_is_killed_goes_on_and_nobody_resumes_the_account,
    an_account_is_deleted_while_its_customers_and_its_work_go_on,
    an_account_of_a_stopped_server_is_deleted,
}

const MIA: &str = "mia@example.com";
const OWN: &str = "own@example.com";

const SQLITE_TABLES: &str = "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND (c.name = 'account_id' OR (t.name = 'accounts' AND c.name = 'id'))";
const POSTGRES_TABLES: &str =
    "SELECT table_name::text FROM information_schema.columns WHERE table_schema = current_schema()
    AND (column_name = 'account_id' OR (table_name = 'accounts' AND column_name = 'id'))";

/// Every table that has rows with this id as their account, read behind the server's back.
fn tables_with(app: &App, account: &str) -> Vec<String> {
    let column = |table: &str| if table == "accounts" { "id" } else { "account_id" };
    let found: Vec<(String, i64)> = if let Some(path) = app.database().strip_prefix("sqlite:") {
        let database = rusqlite::Connection::open(path).unwrap();
        let mut tables = database.prepare(SQLITE_TABLES).unwrap();
        let names: Vec<String> =
            tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let id = account.replace('-', "");
        let count = |name: String| {
            let sql = format!("SELECT count(*) FROM {name} WHERE {} = unhex('{id}')", column(&name));
            let rows = database.query_row(&sql, [], |row| row.get(0)).unwrap();
            (name, rows)
        };
        names.into_iter().map(count).collect()
    } else {
        let mut database = Postgres::connect(app.database(), NoTls).unwrap();
        let names: Vec<String> =
            database.query(POSTGRES_TABLES, &[]).unwrap().iter().map(|row| row.get(0)).collect();
        let count = |name: String| {
            let sql = format!("SELECT count(*) FROM {name} WHERE {} = '{account}'", column(&name));
            let rows = database.query_one(&sql, &[]).unwrap().get(0);
            (name, rows)
        };
        names.into_iter().map(count).collect()
    };
    assert!(found.len() > 50, "{found:?}");
    found.into_iter().filter(|(_, rows)| *rows > 0).map(|(name, _)| name).collect()
}

/// Puts a row into almost everything that an account has.
#[track_caller]
fn furnish(app: &App, tenant: &Tenant) {
    let client = &tenant.client;
    let (vip, plan) = (tag(client, "vip"), field(client, "Plan", "text"));
    let body =
        json!({ "name": "Zebulon Qwxz", "tag_ids": [vip], "custom_fields": { plan.as_str(): "gold" } });
    let contact = add(client, body);
    client.post(&format!("/contacts/{contact}/notes"), json!({ "body": "a note" })).expect(201);
    client.post("/deals", json!({ "title": "Chairs", "contact_id": contact })).expect(201);
    client.post("/inquiries", json!({ "message": "Hello" })).expect(201);
    let rules = json!([{ "field": "name", "op": "is_set" }]);
    client.post("/segments", json!({ "name": "All", "rules": rules })).expect(201);
    client.post("/webhooks", json!({ "url": "https://hooks.example/x", "enabled": true })).expect(201);
    client.post("/canned-replies", json!({ "shortcut": "hi", "body": "Hello" })).expect(201);
    let assistant = client.post("/assistants", json!({ "name": "Robin" })).expect(201).id();
    client.post("/instructions", json!({ "title": "Be kind", "body": "Always." })).expect(201);
    client.post("/memories", json!({ "content": "Ripe in May.", "contact_id": contact })).expect(201);
    let trigger =
        json!({ "name": "Hook", "kind": "webhook", "assistant_id": assistant, "goal": "Say hello." });
    client.post("/triggers", trigger).expect(201);
    upload(client, "a.pdf", "application/pdf", &vec![7; 400_000]);
    Calendar::connect(app, tenant).tell("BOOKING_CREATED", booking("chair-1"));
    for number in 0..30 {
        add(client, json!({ "name": format!("Person {number} Qwxz") }));
    }
}

/// The name of an account, as the operator sees it.
#[track_caller]
fn name_of(app: &App, account: &str) -> Option<String> {
    let accounts = app.cli(&["account", "list"]);
    let found = accounts.as_array().unwrap().iter().find(|one| one["id"] == account).cloned();
    found.map(|one| text(&one["name"]).to_owned())
}

/// What the API shows.
fn lists(client: &Client) -> Vec<Vec<Value>> {
    let paths = [
        "/contacts",
        "/deals",
        "/events",
        "/conversations",
        "/assistants",
        "/memories",
        "/triggers",
        "/tags",
    ];
    paths.iter().map(|path| walk(client, path)).collect()
}

/// Whether a side file of SQLite has these letters in its index.
fn index_has(app: &App, extension: &str, table: &str, letters: &str) -> bool {
    let Some(path) = app.database().strip_prefix("sqlite:") else { return false };
    let file = rusqlite::Connection::open(format!("{path}.{extension}")).unwrap();
    let query = format!(
        "SELECT EXISTS (SELECT 1 FROM {table}_data WHERE instr(block, CAST('{letters}' AS BLOB)) > 0)"
    );
    file.query_row(&query, [], |row| row.get(0)).unwrap()
}

/// How many contacts SQLite's index has with this part of their text.
fn indexed(app: &App, part: &str) -> i64 {
    let path = app.database().strip_prefix("sqlite:").expect("SQLite");
    let file = rusqlite::Connection::open(format!("{path}.search")).unwrap();
    let query = format!("SELECT count(*) FROM contact_texts WHERE text LIKE '%{part}%'");
    file.query_row(&query, [], |row| row.get(0)).unwrap()
}

fn everything_of_an_account_is_deleted_and_nothing_of_others(inbox: Inbox) {
    let (app, ours) = (&inbox.app, &inbox.tenant);
    let is_sqlite = app.engine() == Engine::Sqlite;
    let theirs = app.tenant();
    furnish(app, ours);
    furnish(app, &theirs);
    let conversation = inbox.hears(ANN, "My word is xkjqv.");
    let file = upload(&ours.client, "a.png", "image/png", b"a picture");
    inbox.sends(sending(&conversation, "image", &file));
    inbox.sends(reply(text(&conversation["id"]), "It is yxkjqv."));
    inbox.settle();
    // Mia's login was made in our account, and she is a member of theirs too. The other member is only ours.
    member(app, &ours.account, MIA, "agent");
    let hers = member(app, &theirs.account, MIA, "agent");
    member(app, &ours.account, OWN, "agent");
    let own = Browser::new(app).sign_in(OWN);
    assert!(own.is_in());
    let (_, form_path) = form(app, ours, &[]);
    let (_, their_form) = form(app, &theirs, &[]);
    let chat_path = format!("/channels/web_chat/{}/config", inbox.connect("web_chat"));
    visitor(app).get(&chat_path).expect(200);
    let before = lists(&theirs.client);
    let id = ours.account.id.clone();
    let name = name_of(app, &id).unwrap();
    let has = tables_with(app, &id);
    assert!(has.len() > 30, "{} tables: {has:?}", has.len());
    if is_sqlite {
        assert!(came_true(|| indexed(app, "ebulon") == 2));
        assert!(came_true(|| index_has(app, "message_search", "message_search", "kjq")));
    }

    let deleted = app.cli(&["account", "delete", &id, "--yes-delete", &name]);
    assert_eq!((&deleted["name"], &deleted["logins_kept"]), (&json!(name), &json!(1)), "{deleted}");
    let counts = deleted["tables"].as_object().unwrap();
    assert!(counts["contacts"].as_u64().unwrap() > 30, "{deleted}");
    assert!(counts["media_chunks"].as_u64().unwrap() > 0, "{deleted}");
    let sum: u64 = counts.values().map(|rows| rows.as_u64().unwrap()).sum();
    assert!(sum > 150 && deleted["rows"].as_u64().unwrap() >= sum, "{deleted}");

    // What is left is the login of a person who belongs to the other account too.
    assert_eq!(tables_with(app, &id), ["logins"]);
    assert_eq!(name_of(app, &id), None);
    assert!(!index_has(app, "message_search", "message_search", "kjq"), "a message's text");
    if is_sqlite {
        assert_eq!(indexed(app, "ebulon"), 1, "the other account's contact alone");
    }
    // Nobody gets in.
    ours.client.get("/contacts").expect(401);
    assert!(!own.is_in());
    Browser::new(app).try_sign_in(OWN, PASSWORD).expect(401);
    visitor(app).post(&form_path, json!({ "name": "Ann" })).expect(404);
    visitor(app).get(&chat_path).expect(404);
    // Others go on.
    assert_eq!(lists(&theirs.client), before);
    let mia = Browser::new(app).sign_in(MIA);
    assert_eq!(mia.get("/session").expect(200).data()["user"]["id"], hers);
    visitor(app).post(&their_form, json!({ "name": "Ann" })).expect(201);
    let found = theirs.client.get("/contacts?q=zebulon").expect(200);
    assert_eq!(found.data().as_array().unwrap().len(), 1);
    let said = app.run(&["account", "delete", &id, "--yes-delete", &name]).expect_failure();
    assert!(said.contains("there is no account"), "{said}");
}

fn an_account_is_deleted_only_by_its_name(app: App) {
    let tenant = app.tenant();
    let id = &tenant.account.id;
    add(&tenant.client, json!({ "name": "Ada" }));
    app.cli(&["account", "set", id, "--name", "Acme & Söhne"]);
    let said = app.run(&["account", "delete", id]).expect_failure();
    assert!(said.contains("--yes-delete") && said.contains("Acme & Söhne"), "{said}");
    for wrong in ["", "yes", "Acme", "acme & söhne"] {
        let said = app.run(&["account", "delete", id, "--yes-delete", wrong]).expect_failure();
        assert!(said.contains("nothing was deleted"), "{said}");
    }
    let said = app.run_at_terminal(&["account", "delete", id], "no\n");
    assert!(said.code != Some(0) && said.out.contains("nothing was deleted"), "{said:?}");
    assert_eq!(walk(&tenant.client, "/contacts").len(), 1, "it was touched");
    let typed = app.run_at_terminal(&["account", "delete", id], "Acme & Söhne\n");
    assert!(typed.code == Some(0) && typed.out.contains("No table has a row"), "{typed:?}");
    assert_eq!(tables_with(&app, id), Vec::<String>::new());
    let nothing = crate::shapes::NOTHING;
    let said = app.run(&["account", "delete", nothing, "--yes-delete", "x"]).expect_failure();
    assert!(said.contains("there is no account"), "{said}");
    assert_eq!(app.run(&["account", "delete"]).code, Some(2));
}

fn a_deletion_that_is_killed_goes_on_and_nobody_resumes_the_account(app: App) {
    let (tenant, other) = (app.tenant(), app.tenant());
    furnish(&app, &tenant);
    furnish(&app, &other);
    let before = lists(&other.client);
    let id = &tenant.account.id;
    let name = name_of(&app, id).unwrap();
    let arguments = ["account", "delete", id, "--yes-delete", &name];
    let kill_after = |millis| {
        let mut killed = app.begin(&arguments);
        thread::sleep(Duration::from_millis(millis));
        killed.kill().expect("it runs or has run");
        killed.wait().expect("it ended");
        tables_with(&app, id).iter().any(|table| table == "account_deletions")
    };
    // A server runs, so the command waits after it has begun.
    assert!(came_true(|| kill_after(200)));
    tenant.client.get("/contacts").expect(401);
    let said = app.run(&["account", "resume", id]).expect_failure();
    assert!(said.contains("is being deleted"), "{said}");
    app.stop();
    // Nobody is waited for any more.
    let mut killed = 0;
    for millis in [30, 50, 70, 90, 120, 150, 200, 300] {
        killed += usize::from(kill_after(millis));
    }
    assert!(killed > 0);
    let last = app.run(&arguments);
    assert!(last.code == Some(0) || last.err.contains("there is no account"), "{}", last.err);
    assert_eq!(tables_with(&app, id), Vec::<String>::new());
    app.restart();
    assert_eq!(lists(&other.client), before);
}

fn an_account_is_deleted_while_its_customers_and_its_work_go_on(inbox: Inbox) {
    let (app, tenant) = (&inbox.app, &inbox.tenant);
    furnish(app, tenant);
    inbox.hears(ANN, "Hello");
    let (_, path) = form(app, tenant, &[]);
    let id = &tenant.account.id;
    let name = name_of(app, id).unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for worker in 0..3 {
            let (client, visitor, path, is_over) = (tenant.client.clone(), visitor(app), &path, &is_over);
            scope.spawn(move || {
                let mut number = 0;
                while !is_over.load(Ordering::Relaxed) {
                    number += 1;
                    let body = json!({ "name": format!("Worker {worker} {number}") });
                    let statuses =
                        [client.post("/contacts", body.clone()).status, visitor.post(path, body).status];
                    let is_expected = |status: &u16| [201, 401, 403, 404, 429].contains(status);
                    assert!(statuses.iter().all(is_expected), "{statuses:?}");
                }
            });
        }
        let deleted = app.run(&["account", "delete", id, "--yes-delete", &name]);
        is_over.store(true, Ordering::Relaxed);
        deleted.expect_success();
    });
    assert_eq!(tables_with(app, id), Vec::<String>::new());
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

fn an_account_of_a_stopped_server_is_deleted(engine: Engine) {
    let app = App::start(engine).alone().ready();
    let (tenant, other) = (app.tenant(), app.tenant());
    furnish(&app, &tenant);
    add(&other.client, json!({ "name": "Ada" }));
    member(&app, &tenant.account, OWN, "agent");
    app.stop();
    let id = &tenant.account.id;
    let name = name_of(&app, id).unwrap();
    app.cli(&["account", "delete", id, "--yes-delete", &name]);
    assert_eq!(tables_with(&app, id), Vec::<String>::new());
    app.restart();
    tenant.client.get("/contacts").expect(401);
    assert_eq!(walk(&other.client, "/contacts").len(), 1);
    assert!(other.client.get("/contacts?q=qwxz").expect(200).data().as_array().unwrap().is_empty());
}
