//! `frontdesk servers`: which servers there are, what they do, and which has died.

use frontdesk_e2e::{App, Engine, came_true, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::inbound_scene::{Inbox, start};
use crate::shapes::{has_fields, text};

on_every_engine! {
    alone a_server_is_listed_until_it_stops,
}

on_shared_stores! {
    alone a_dead_server_is_shown_until_it_is_forgotten,
    alone claimed_jobs_and_requests_are_shown,
}

const SERVER: &str = "id status version role host process_id address started_at last_beat_at seconds_since_last_beat \
    clock_ahead_ms load leases";

fn servers(app: &App) -> Vec<Value> {
    app.cli(&["servers"]).as_array().expect("a list").clone()
}

#[track_caller]
fn doctor(app: &App) -> Vec<String> {
    let report = app.cli(&["doctor", "--listen", "127.0.0.1:0"]);
    let checks = report["checks"].as_array().expect("checks").iter();
    checks
        .filter(|check| check["name"] == "servers")
        .map(|check| text(&check["message"]).to_owned())
        .collect()
}

fn a_server_is_listed_until_it_stops(engine: Engine) {
    let app = App::start(engine).env("FRONTDESK_DRAIN_SECONDS", "300").unstarted();
    app.cli(&["init", "--account", "Acme"]);
    assert_eq!(servers(&app), Vec::<Value>::new());
    let said = app.run(&["servers"]).expect_success().out;
    assert!(said.contains("No server runs"), "{said}");
    app.restart();
    let address = app.base().trim_start_matches("http://").to_owned();
    assert!(came_true(|| servers(&app)[0]["address"] == address.as_str()), "{:?}", servers(&app));
    let listed = servers(&app);
    assert_eq!(listed.len(), 1, "{listed:?}");
    let server = &listed[0];
    has_fields(server, SERVER);
    assert_eq!((&server["status"], &server["role"]), (&json!("serving"), &json!("all")));
    assert_eq!(server["version"], env!("CARGO_PKG_VERSION"));
    assert!(server["process_id"].as_u64().is_some_and(|id| id > 0) && !text(&server["host"]).is_empty());
    assert_eq!(server["clock_ahead_ms"], 0);
    let table = app.run(&["servers"]).expect_success().out;
    assert!(table.contains("REQUESTS/MIN") && table.contains(&address) && table.contains("right"), "{table}");
    assert!(doctor(&app)[0].contains("1 runs"), "{:?}", doctor(&app));
    app.terminate();
    assert!(came_true(|| servers(&app)[0]["status"] == "draining"), "{:?}", servers(&app));
    app.terminate();
    assert!(app.ended().success());
    assert_eq!(servers(&app), Vec::<Value>::new());
}

fn a_dead_server_is_shown_until_it_is_forgotten(engine: Engine) {
    let app = App::start(engine).env("FRONTDESK_ROLE", "api").alone().ready();
    assert!(doctor(&app)[0].contains("--role worker"), "{:?}", doctor(&app));
    let worker = app.second_server_with(&[("FRONTDESK_ROLE", "worker")]);
    let with_role = |role: &str| servers(&app).into_iter().find(|server| server["role"] == role);
    assert_eq!(with_role("worker").expect("it is listed")["status"], "serving");
    assert!(doctor(&app)[0].contains("2 run"), "{:?}", doctor(&app));
    worker.kill();
    assert!(came_true(|| with_role("worker").expect("it stays")["status"] == "dead"), "{:?}", servers(&app));
    let dead = with_role("worker").expect("it stays");
    assert!(dead["seconds_since_last_beat"].as_i64().is_some_and(|seconds| seconds >= 10), "{dead}");
    assert_eq!(with_role("api").expect("it serves")["status"], "serving");
    assert!(doctor(&app).iter().any(|problem| problem.contains("1 died")), "{:?}", doctor(&app));
    let mut database = postgres::Client::connect(app.database(), postgres::NoTls).expect("PostgreSQL");
    let aged = "UPDATE servers SET seen_at = seen_at - interval '2 hours' WHERE report LIKE '%\"worker\"%'";
    assert_eq!(database.execute(aged, &[]).expect("a change"), 1);
    assert!(came_true(|| with_role("worker").is_none()), "{:?}", servers(&app));
}

fn claimed_jobs_and_requests_are_shown(engine: Engine) {
    let inbox = Inbox::of(start(engine).alone());
    let (account, graph) = (inbox.tenant.account.id.clone(), inbox.vendors.graph_url());
    inbox.connect("whatsapp", &account, &graph, &[]);
    inbox.vendors.faults(json!([{ "on": "send", "kind": "delay", "millis": 20_000 }]));
    for number in 0..3 {
        let to = json!({ "phone": format!("+1650555{number:04}") });
        let hello = json!({ "type": "template", "to": to, "template": { "name": "hello_world" } });
        inbox.client.post("/messages", hello).expect(201);
    }
    let is_shown = || {
        let server = &servers(&inbox.app)[0];
        let sends: u64 =
            server["leases"].as_object().expect("kinds").values().filter_map(Value::as_u64).sum();
        sends >= 3
            && server["load"]["jobs_at_work"].as_u64().is_some_and(|jobs| jobs >= 3)
            && server["load"]["requests_last_minute"].as_u64().is_some_and(|requests| requests >= 3)
    };
    assert!(came_true(is_shown), "{:?}", servers(&inbox.app));
    inbox.vendors.faults(json!([]));
}
