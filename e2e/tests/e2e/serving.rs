//! Starting, stopping and starting again.

use frontdesk_e2e::{App, Engine, Server, on_every_engine, on_shared_stores};
use serde_json::json;

on_every_engine! {
    the_first_start_prints_a_demo_key_that_works_and_later_ones_do_not,
    the_server_says_that_it_is_well_and_ready,
    a_server_ends_in_order_when_asked_to,
    what_was_acknowledged_survives_a_kill,
}

on_shared_stores! {
    two_servers_share_one_database,
}

fn the_first_start_prints_a_demo_key_that_works_and_later_ones_do_not(app: App) {
    let printed = app.printed();
    let at = printed.find("frontdesk_live_").unwrap_or_else(|| panic!("no key in {printed}"));
    let demo = app.anonymous().with_key(&printed[at..at + 58]);
    let answer = demo.get("/me").expect(200);
    assert_eq!(answer.data()["account"]["name"], "Demo");
    assert_eq!(answer.data()["scopes"].as_array().unwrap().len(), 21);
    assert!(printed.contains("curl"), "{printed}");
    assert!(!app.logs().contains("frontdesk_live_"), "the log shows a secret");
    app.restart();
    assert!(!app.printed().contains("frontdesk_live_"), "{}", app.printed());
    demo.get("/me").expect(200);
}

fn the_server_says_that_it_is_well_and_ready(app: App) {
    let anyone = app.anonymous().outside();
    anyone.get("/healthz").expect(200);
    anyone.get("/readyz").expect(200);
}

fn a_server_ends_in_order_when_asked_to(app: App) {
    app.tenant().client.get("/me").expect(200);
    let status = app.stop();
    assert!(status.success(), "{status}: {}", app.logs());
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

fn what_was_acknowledged_survives_a_kill(app: App) {
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
    let app = App::start(Engine::Sqlite).ready();
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
