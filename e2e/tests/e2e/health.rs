//! Health that tells the truth: a server that cannot store anything says so, and recovers by itself.

use frontdesk_e2e::{App, Client, Engine, Response, came_true, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    alone the_doctor_reports_pending_migrations_and_applies_none,
    alone the_doctor_compares_the_clocks_and_commits,
}

/// Enough for the doctor to be content, little enough to fill at once.
const DISK_MEBIBYTES: u32 = 128;
/// Far more contacts than fit into what SQLite has allocated before the disk is full.
const CONTACTS_MAX: usize = 20_000;

/// Demands a 503 that says when to come back.
#[track_caller]
fn refused(response: Response) {
    let response = response.expect(503);
    let said = response.error("internal");
    assert!(text(&said["message"]).contains("again"), "{said}");
    let seconds: u64 = response.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert!((1..=60).contains(&seconds), "{seconds}");
}

fn is_ready(app: &App) -> bool {
    let response = app.anonymous().vendors().get("/readyz");
    assert!(matches!(response.status, 200 | 503), "{} {}", response.status, response.text);
    response.status == 200
}

fn ann() -> Value {
    json!({ "name": "Ann", "company": "x".repeat(190) })
}

/// Creates contacts until one is refused; returns those that were not.
fn create_until_refused(client: &Client) -> Vec<String> {
    let mut made = Vec::new();
    for _ in 0..CONTACTS_MAX {
        let response = client.post("/contacts", ann());
        if response.status != 201 {
            refused(response);
            return made;
        }
        made.push(response.id());
    }
    panic!("the disk never filled up");
}

fn doctor(app: &App) -> (Option<i32>, Value) {
    let outcome = app.run(&["doctor", "--listen", "127.0.0.1:0", "--json"]);
    (outcome.code, outcome.json())
}

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name} in {report}"))
}

#[test]
fn on_a_full_disk_writes_get_503_until_there_is_room() {
    let app = App::start(Engine::Sqlite).small_disk(DISK_MEBIBYTES).ready();
    let client = app.tenant().client;
    let mut made = vec![client.post("/contacts", ann()).expect(201).id()];
    assert!(is_ready(&app), "it was not ready at first");
    assert_eq!(doctor(&app).1["ok"], true, "{}", doctor(&app).1);

    app.fill_disk();
    made.extend(create_until_refused(&client));
    assert!(came_true(|| !is_ready(&app)), "it is ready, and stores nothing");
    for _ in 0..5 {
        refused(client.post("/contacts", ann()));
        assert!(!is_ready(&app), "it is ready, and stores nothing");
    }
    // What can be read is still read, and a server that is alive says so.
    client.get("/contacts").expect(200);
    app.anonymous().vendors().get("/healthz").expect(200);
    let (code, report) = doctor(&app);
    assert_eq!((code, &report["ok"]), (Some(1), &json!(false)), "{report}");
    let writes = check(&report, "writes");
    assert_eq!(writes["status"], "failed", "{report}");
    assert!(text(&writes["message"]).contains("room"), "{writes}");

    app.free_disk();
    assert!(came_true(|| is_ready(&app)), "it has room and is not ready: {}", app.logs());
    made.push(client.post("/contacts", ann()).expect(201).id());
    assert_eq!(doctor(&app).0, Some(0));
    let found: Vec<String> =
        walk(&client, "/contacts").iter().rev().map(|contact| text(&contact["id"]).to_owned()).collect();
    assert_eq!(found, made, "what was acknowledged is there, and nothing else");
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

#[test]
fn a_postgresql_without_room_gets_503_until_there_is_some() {
    let app = App::start(Engine::Postgres).alone().ready();
    let client = app.tenant().client;
    let mut database = Postgres::connect(app.database(), NoTls).unwrap();
    // What PostgreSQL says when a table cannot grow: `disk_full`.
    let full = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON contacts FOR EACH ROW EXECUTE FUNCTION full_disk()";
    assert!(is_ready(&app), "it was not ready at first");
    database.batch_execute(full).unwrap();
    for _ in 0..3 {
        refused(client.post("/contacts", ann()));
    }
    assert!(came_true(|| !is_ready(&app)), "it is ready, and stores nothing");
    database.batch_execute("DROP TRIGGER full_disk ON contacts").unwrap();
    assert!(came_true(|| is_ready(&app)), "it has room and is not ready");
    client.post("/contacts", ann()).expect(201);
}

#[test]
fn a_read_only_postgresql_gets_503_until_it_takes_writes() {
    let app = App::start(Engine::Postgres).alone().ready();
    let client = app.tenant().client;
    let mut database = Postgres::connect(app.database(), NoTls).unwrap();
    let name: String = database.query_one("SELECT current_database()", &[]).unwrap().get(0);
    let mut set_read_only = |on: &str| {
        let set = format!("ALTER DATABASE {name} SET default_transaction_read_only = {on}");
        // A transaction of its own may always set this, whatever the sessions after it may do.
        database.batch_execute("SET default_transaction_read_only = off").unwrap();
        database.batch_execute(&set).unwrap();
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        database.query_one(cut, &[]).unwrap();
    };
    set_read_only("on");
    assert!(came_true(|| !is_ready(&app)), "it is ready, and stores nothing");
    refused(client.post("/contacts", ann()));
    let (code, report) = doctor(&app);
    assert_eq!(code, Some(1), "{report}");
    assert!(text(&check(&report, "writes")["message"]).contains("replica"), "{report}");
    set_read_only("off");
    assert!(came_true(|| is_ready(&app)), "it takes writes and is not ready");
    client.post("/contacts", ann()).expect(201);
}

fn the_doctor_reports_pending_migrations_and_applies_none(engine: Engine) {
    let app = App::start(engine).unstarted();
    match engine {
        Engine::Sqlite => {
            let path = app.database().strip_prefix("sqlite:").expect("a file");
            std::fs::File::create(path).expect("an empty database");
        }
        // A database that is empty is there already.
        Engine::Postgres | Engine::PostgresRedis => {}
    }
    for _ in 0..2 {
        let (code, report) = doctor(&app);
        let migrations = check(&report, "migrations");
        assert_eq!((code, &migrations["status"]), (Some(0), &json!("warning")), "{report}");
        assert!(text(&migrations["message"]).contains("frontdesk serve"), "{migrations}");
    }
    app.restart();
    let (code, report) = doctor(&app);
    assert_eq!(code, Some(0), "{report}");
    assert!(!report.to_string().contains("migrations"), "{report}");
}

fn the_doctor_compares_the_clocks_and_commits(app: App) {
    let (code, report) = doctor(&app);
    assert_eq!(code, Some(0), "{report}");
    for name in ["configuration", "database", "statements", "writes", "clock", "secret key"] {
        assert_ne!(check(&report, name)["status"], "failed", "{report}");
    }
    assert!(text(&check(&report, "writes")["message"]).contains("committed"), "{report}");
    if app.engine() == Engine::Sqlite {
        assert!(text(&check(&report, "disk")["message"]).contains("MiB free"), "{report}");
    } else {
        assert!(text(&check(&report, "clock")["message"]).contains("database"), "{report}");
    }
}
