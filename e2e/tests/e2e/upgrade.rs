//! An upgrade from the binary of an earlier commit, and the way back.
//!
//! `scripts/upgrade` names the older binary. It is another program, so these tests are not part of the usual ones.

use std::env;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use frontdesk_e2e::{App, Client, Engine, Server, Tenant, Unsure, came_true};
use serde_json::{Value, json};

use crate::people::walk;
use crate::shapes::text;

/// The variable with the path of the older binary.
const OLD: &str = "FRONTDESK_TEST_OLD_BINARY";
/// How an older program ends its message about a newer database.
const UNKNOWN: &str = "use a newer frontdesk";
const WRITERS: usize = 3;
const PAUSE: Duration = Duration::from_millis(20);

fn old_binary() -> PathBuf {
    env::var_os(OLD).unwrap_or_else(|| panic!("{OLD} is not set: run `make upgrade`")).into()
}

/// A server of the older version on an empty database, an account, and a client of it.
#[track_caller]
fn old_server(engine: Engine) -> (App, Server, Tenant) {
    let app = App::start(engine).args(&["--no-demo"]).unstarted();
    app.run_program(Some(&old_binary()));
    let old = app.second_server();
    let account = app.account_with(&["--rate-limit", "1000000"]);
    let key = app.key_with(&account, &["--all-scopes"]);
    let client = app.client(&key).at(&old);
    (app, old, Tenant { account, key, client })
}

/// What an older program finds: what is stored of each kind, by id.
#[track_caller]
fn stored(client: &Client) -> Vec<Vec<String>> {
    let ids = |path: &str| {
        let mut ids: Vec<String> = walk(client, path).iter().map(|row| text(&row["id"]).to_owned()).collect();
        ids.sort();
        ids
    };
    ["/contacts", "/deals", "/tags", "/assistants", "/conversations"].map(ids).to_vec()
}

/// One of each kind.
#[track_caller]
fn make_some(client: &Client, name: &str) {
    let tag = client.post("/tags", json!({ "name": name })).expect(201).id();
    let contact = client.post("/contacts", json!({ "name": name, "tag_ids": [tag] })).expect(201).id();
    client.post(&format!("/contacts/{contact}/notes"), json!({ "body": name })).expect(201);
    client.post("/deals", json!({ "title": name, "contact_id": contact })).expect(201);
    client.post("/assistants", json!({ "name": name })).expect(201);
}

/// Starts the older program again on a database that a newer one has used. It serves all of it if the newer one has changed
/// nothing of the tables; otherwise it refuses to start, says why, and changes nothing.
#[track_caller]
fn back(app: &App, new: Server, client: &Client) {
    let before = stored(&client.at(&new));
    let version = |app: &App| app.run(&["doctor", "--json"]).out;
    assert!(new.stop().success());
    app.run_program(Some(&old_binary()));
    let is_known = !version(app).contains(UNKNOWN);
    match app.try_second_server_with(&[]) {
        Ok(old) => {
            assert!(is_known, "it serves a database that it says it does not know");
            assert_eq!(stored(&client.at(&old)), before);
            make_some(&client.at(&old), "back");
        }
        Err(why) => {
            assert!(!is_known, "it did not start: {why}");
            assert!(why.contains(UNKNOWN), "{why}");
            app.run_program(None);
            let new = app.second_server();
            assert_eq!(stored(&client.at(&new)), before);
        }
    }
}

#[test]
#[ignore = "needs the binary of an earlier commit: run `make upgrade`"]
fn servers_of_the_previous_version_serve_while_a_new_one_migrates_on_postgres() {
    upgrade_under_load(Engine::Postgres);
}

#[test]
#[ignore = "needs the binary of an earlier commit: run `make upgrade`"]
fn servers_of_the_previous_version_serve_while_a_new_one_migrates_on_postgres_and_redis() {
    upgrade_under_load(Engine::PostgresRedis);
}

#[track_caller]
fn upgrade_under_load(engine: Engine) {
    let (app, old, tenant) = old_server(engine);
    make_some(&tenant.client, "before");
    let (both, over) = (Mutex::new(vec![old.base()]), AtomicBool::new(false));
    let (made, refused) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let new = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (both, over, made, refused, key) = (&both, &over, &made, &refused, &tenant.key);
            scope.spawn(move || {
                let mut number = 0;
                while !over.load(Ordering::Relaxed) {
                    number += 1;
                    let name = format!("{writer}-{number}");
                    let bases = both.lock().unwrap().clone();
                    let caller = Unsure::new(&bases[number % bases.len()], key);
                    match caller.post("/contacts", &json!({ "name": name }), &name) {
                        Some(response) if response.status == 201 => made.lock().unwrap().push(response.id()),
                        Some(response) => refused.lock().unwrap().push(response.text),
                        None => refused.lock().unwrap().push("no response".to_owned()),
                    }
                    sleep(PAUSE);
                }
            });
        }
        let more = |many: usize| {
            let enough = made.lock().unwrap().len() + many;
            came_true(|| made.lock().unwrap().len() >= enough || !refused.lock().unwrap().is_empty())
        };
        // Also if something below panics: otherwise the writers would go on for ever.
        let _over = Over(&over);
        let went = more(30);
        app.run_program(None);
        let new = app.second_server();
        make_some(&tenant.client.at(&new), "beside");
        make_some(&tenant.client, "beside-too");
        both.lock().unwrap().push(new.base());
        let went = went && more(60);
        *both.lock().unwrap() = vec![new.base()];
        // As behind a proxy, nothing is sent to the old one any more when it is asked to end.
        let went = went && more(30);
        assert!(old.stop().success());
        assert!(went && more(30), "too little happened");
        new
    });
    let refused = refused.into_inner().unwrap();
    assert!(refused.is_empty(), "{} requests failed, such as {}", refused.len(), refused[0]);
    let client = tenant.client.at(&new);
    let contacts: Vec<Value> = walk(&client, "/contacts");
    let made = made.into_inner().unwrap();
    assert_eq!(contacts.len(), made.len() + 3);
    assert!(made.iter().all(|id| contacts.iter().any(|row| row["id"] == id.as_str())), "a contact is lost");
    back(&app, new, &client);
}

/// Says that it is over, however its owner ends.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs the binary of an earlier commit: run `make upgrade`"]
fn a_database_of_the_previous_version_is_upgraded_on_sqlite() {
    let (app, old, tenant) = old_server(Engine::Sqlite);
    make_some(&tenant.client, "before");
    let before = stored(&tenant.client);
    assert!(old.stop().success());
    app.run_program(None);
    let new = app.second_server();
    let client = tenant.client.at(&new);
    assert_eq!(stored(&client), before);
    make_some(&client, "after");
    back(&app, new, &client);
}
