//! Starting, stopping and starting again.

use frontdesk_e2e::{App, Engine, Server, on_every_engine, on_shared_stores};
use serde_json::json;

use crate::inbox_scene::eventually;

on_every_engine! {
    demo the_first_start_prints_a_demo_key_that_works_and_later_ones_do_not,
    alone a_first_start_with_no_demo_makes_no_account,
    demo the_demo_account_writes_to_customers_of_the_sandbox,
    alone the_server_reports_health_and_readiness,
    alone a_server_ends_in_order_when_asked_to,
    alone acknowledged_writes_survive_a_kill,
}

on_shared_stores! {
    alone two_servers_share_one_database,
}

fn the_first_start_prints_a_demo_key_that_works_and_later_ones_do_not(app: App) {
    let printed = app.printed();
    let at = printed.find("frontdesk_live_").unwrap_or_else(|| panic!("no key in {printed}"));
    let demo = app.anonymous().with_key(&printed[at..at + 58]);
    let response = demo.get("/me").expect(200);
    assert_eq!(response.data()["account"]["name"], "Demo");
    assert_eq!(response.data()["scopes"].as_array().unwrap().len(), 21);
    assert!(!app.logs().contains("frontdesk_live_"), "the log shows a secret");
    app.restart();
    assert!(!app.printed().contains("frontdesk_live_"), "{}", app.printed());
    demo.get("/me").expect(200);
}

fn a_first_start_with_no_demo_makes_no_account(engine: Engine) {
    let app = App::start(engine).args(&["--no-demo"]).ready();
    assert!(!app.printed().contains("frontdesk_live_"), "{}", app.printed());
    assert_eq!(app.cli(&["account", "list"]), json!([]));
    let said = app.run(&["serve", "--demo", "--no-demo"]).expect_failure();
    assert!(said.contains("--no-demo"), "{said}");
}

fn the_demo_account_writes_to_customers_of_the_sandbox(app: App) {
    let printed = app.printed();
    let base = app.base();
    assert!(printed.contains(&format!("{base}/sandbox")), "{printed}");
    let after = |start: &str, end: char| {
        let (_, rest) = printed.split_once(start).unwrap_or_else(|| panic!("no {start} in {printed}"));
        rest.split(end).next().expect("the rest of the line").to_owned()
    };
    let demo = app.anonymous().with_key(&after("Bearer ", '\''));
    let vendors = app.anonymous().vendors();
    assert!(vendors.get("/sandbox").expect(200).text.contains("<html"), "the page of the sandbox");
    // The templates are read once the server answers.
    eventually("templates", || {
        demo.get("/templates").expect(200).data().as_array().filter(|all| !all.is_empty()).cloned()
    });
    let template = json!({ "type": "template", "to": { "phone": "+14155550123" }, "template": { "name": "hello_world" } });
    let sent = demo.post("/messages", template).expect(201);
    let id = sent.id();
    eventually("the message", || {
        let found = vendors.get("/sandbox/messages").expect(200);
        found.data().as_array().expect("a list").iter().find(|one| one["our_id"] == id.as_str()).cloned()
    });
    let channels = demo.get("/channels").expect(200);
    assert_eq!(
        (&channels.data()[0]["channel"], channels.data().as_array().map(Vec::len)),
        (&json!("whatsapp"), Some(1))
    );
}

fn the_server_reports_health_and_readiness(app: App) {
    let anyone = app.anonymous().vendors();
    anyone.get("/healthz").expect(200);
    anyone.get("/readyz").expect(200);
}

fn a_server_ends_in_order_when_asked_to(app: App) {
    app.tenant().client.get("/me").expect(200);
    let status = app.stop();
    assert!(status.success(), "{status}: {}", app.logs());
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

fn acknowledged_writes_survive_a_kill(app: App) {
    let client = app.tenant().client;
    let mut ids = Vec::new();
    for number in 0..20 {
        ids.push(client.post("/contacts", json!({ "name": format!("Ada {number}") })).expect(201).id());
    }
    app.kill();
    app.restart();
    for id in ids {
        client.get(&format!("/contacts/{id}")).expect(200);
    }
}

fn two_servers_share_one_database(app: App) {
    let second = app.second_server();
    let here = app.tenant().client;
    let there = here.at(&second);
    let id = here.post("/contacts", json!({ "name": "Ada" })).expect(201).id();
    there.patch(&format!("/contacts/{id}"), json!({ "name": "Eve" })).expect(200);
    assert_eq!(here.get(&format!("/contacts/{id}")).expect(200).data()["name"], "Eve");
    app.kill();
    assert_eq!(there.get(&format!("/contacts/{id}")).expect(200).data()["name"], "Eve");
}

#[test]
fn a_second_server_on_one_sqlite_file_refuses_and_says_why() {
    let app = App::start(Engine::Sqlite).alone().ready();
    let client = app.tenant().client;
    let refused = |started: Result<Server, String>| {
        let said = started.map(|server| server.base()).expect_err("it started");
        assert!(said.contains("frontdesk.db") && !said.contains("panicked"), "{said}");
    };
    refused(app.try_second_server());
    client.get("/me").expect(200);
    app.cli(&["account", "list"]);
    // The claim to the file dies with its server.
    app.kill();
    let second = app.second_server();
    client.at(&second).get("/me").expect(200);
}

#[test]
fn a_second_server_that_names_the_file_through_a_link_refuses_as_well() {
    let app = App::start(Engine::Sqlite).alone().ready();
    let file = std::path::PathBuf::from(app.database().strip_prefix("sqlite:").unwrap());
    let dir = file.parent().unwrap();
    std::os::unix::fs::symlink("frontdesk.db", dir.join("link.db")).unwrap();
    std::os::unix::fs::symlink(dir, dir.join("folder")).unwrap();
    for name in ["link.db", "folder/frontdesk.db", "./folder/link.db"] {
        let database = format!("sqlite:{}", dir.join(name).display());
        let said =
            app.run_bare(&["serve", "--listen", "127.0.0.1:0", "--database", &database]).expect_failure();
        assert!(said.contains("another frontdesk server is running"), "{name}: {said}");
        assert_eq!(app.run_bare(&["account", "list", "--json", "--database", &database]).code, Some(0));
    }
    app.tenant().client.get("/me").expect(200);
}
