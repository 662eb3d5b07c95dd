//! Servers whose machines' clocks are ten minutes apart: all of them go by the database's clock.

use std::time::SystemTime;

use frontdesk_e2e::{Client, Engine, Server, came_true, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::broadcasts_scene::{hello, phones, read};
use crate::inbound_scene::{Inbox, start};
use crate::people::walk;
use crate::shapes::text;
use crate::webhooks_scene::moment;

on_shared_stores! {
    alone what_servers_with_other_clocks_write_has_the_same_times_and_order,
    alone a_worker_with_another_clock_is_neither_early_nor_late,
    alone no_key_expires_early_or_late_on_a_server_with_another_clock,
    alone a_clock_that_is_off_is_reported,
}

on_every_engine! {
    alone a_pretended_clock_needs_the_sandboxs,
}

const AHEAD: &str = "FRONTDESK_SANDBOX_CLOCK_AHEAD";
const TEN_MINUTES: &str = "600";
const TEN_MINUTES_BEHIND: &str = "-600";
/// How exactly servers agree, on a busy machine.
const AGREEMENT_MILLIS: i64 = 3_000;

#[track_caller]
fn server(inbox: &Inbox, ahead: &str) -> Server {
    inbox.app.second_server_with(&[(AHEAD, ahead)])
}

#[expect(clippy::disallowed_methods, reason = "the servers' machine has the real clock")]
fn real_millis() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    since.as_millis() as i64
}

fn in_seconds(seconds: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(real_millis() + seconds * 1000).expect("a moment");
    at.round(jiff::Unit::Millisecond).expect("rounded").to_string()
}

fn what_servers_with_other_clocks_write_has_the_same_times_and_order(engine: Engine) {
    let inbox = Inbox::of(start(engine).alone());
    let (early, late) = (server(&inbox, TEN_MINUTES), server(&inbox, TEN_MINUTES_BEHIND));
    let clients: [Client; 3] = [inbox.client.clone(), inbox.client.at(&early), inbox.client.at(&late)];
    let mut made: Vec<String> = Vec::new();
    for number in 0..30_usize {
        let body = json!({ "name": format!("Ann {number}") });
        let contact = clients[number % 3].post("/contacts", body).expect(201).data().clone();
        let apart = moment(&contact["created_at"]) - real_millis();
        assert!(apart.abs() < AGREEMENT_MILLIS, "{apart} ms off: {contact}");
        made.push(text(&contact["id"]).to_owned());
    }
    // Ids carry the time: of two servers, an id is as exact as their clocks agree.
    let listed: Vec<String> =
        walk(&clients[2], "/contacts").iter().rev().map(|contact| text(&contact["id"]).to_owned()).collect();
    for (place, id) in listed.iter().enumerate() {
        let wanted = made.iter().position(|made| made == id).expect("it was made");
        assert!(place.abs_diff(wanted) <= 6, "contact {wanted} is in place {place}");
    }
    // A page of one server goes on at another, and nothing is missed or repeated.
    let mut page = clients[0].get("/contacts?limit=7").expect(200);
    let mut seen: Vec<String> = Vec::new();
    for client in clients.iter().cycle().skip(1) {
        seen.extend(page.data().as_array().expect("a list").iter().map(|row| text(&row["id"]).to_owned()));
        let Some(cursor) = page.json["meta"]["next_cursor"].as_str() else { break };
        page = client.get(&format!("/contacts?limit=7&cursor={cursor}")).expect(200);
    }
    assert_eq!(seen, listed.iter().rev().cloned().collect::<Vec<_>>());
    // One key, one record, wherever the retry arrives.
    let retried: Vec<String> = clients
        .iter()
        .map(|client| {
            client
                .with("idempotency-key", "same")
                .post("/contacts", json!({ "name": "Eve" }))
                .expect(201)
                .id()
        })
        .collect();
    assert!(retried.iter().all(|id| *id == retried[0]), "{retried:?}");
    // They count in the same minute.
    let resets: Vec<u64> =
        clients.iter().map(|client| client.get("/me").expect(200).budget().reset).collect();
    assert!(resets.iter().all(|reset| reset.abs_diff(resets[0]) <= 60), "{resets:?}");
}

fn a_worker_with_another_clock_is_neither_early_nor_late(engine: Engine) {
    for ahead in [TEN_MINUTES, TEN_MINUTES_BEHIND] {
        let inbox = Inbox::of(start(engine).alone().env("FRONTDESK_ROLE", "api"));
        let (account, graph) = (inbox.tenant.account.id.clone(), inbox.vendors.graph_url());
        inbox.connect("whatsapp", &account, &graph, &[]);
        let mut broadcast = hello(phones(&["+16505550199".to_owned()]));
        broadcast["schedule_at"] = json!(in_seconds(300));
        let broadcast = inbox.client.post("/broadcasts", broadcast).expect(202).data().clone();
        let worker = inbox.app.second_server_with(&[(AHEAD, ahead), ("FRONTDESK_ROLE", "worker")]);
        let to = json!({ "phone": "+16505550101" });
        let now = json!({ "type": "template", "to": to, "template": { "name": "hello_world" } });
        inbox.client.post("/messages", now).expect(201);
        // A worker that was ten minutes late would not do it within the patience of a test.
        assert!(came_true(|| inbox.vendors.sent().len() == 1), "{ahead}: {}", worker.logs());
        assert_eq!(read(&inbox.client, &broadcast)["status"], "scheduled", "{ahead}");
        assert_eq!(inbox.vendors.sent().len(), 1, "{ahead}: too early");
        assert!(worker.stop().success(), "{}", worker.logs());
    }
}

fn no_key_expires_early_or_late_on_a_server_with_another_clock(engine: Engine) {
    let inbox = Inbox::of(start(engine).alone());
    let (early, late) = (server(&inbox, TEN_MINUTES), server(&inbox, TEN_MINUTES_BEHIND));
    let key = inbox.tenant.key.id.as_str();
    let edit = |seconds: i64| {
        inbox.app.cli(&["key", "edit", key, "--expires-at", &in_seconds(seconds)]);
    };
    edit(300);
    for server in [&early, &late] {
        inbox.client.at(server).get("/me").expect(200);
    }
    edit(-60);
    for server in [&early, &late] {
        inbox.client.at(server).get("/me").expect(401);
    }
}

fn a_clock_that_is_off_is_reported(engine: Engine) {
    let inbox = Inbox::of(start(engine).alone());
    let other = server(&inbox, TEN_MINUTES);
    let log = other.logs();
    assert!(log.contains("WARN") && log.contains("ahead of the database's"), "{log}");
    let ready = inbox.app.anonymous().at(&other).vendors().get("/readyz").expect(200);
    assert!(text(&ready.json["warning"]).contains("time server"), "{}", ready.text);
    let ahead = |server: &Value| server["clock_ahead_ms"].as_i64().expect("a number");
    let shown = || inbox.app.cli(&["servers"]);
    let is_listed = || {
        let shown = shown();
        let all: Vec<i64> = shown.as_array().expect("a list").iter().map(ahead).collect();
        all.contains(&0) && all.iter().any(|ahead| (595_000..=605_000).contains(ahead))
    };
    assert!(came_true(is_listed), "{}", shown());
    // The doctor names the server whose clock is off, and the clock of its own machine.
    let outcome = inbox.app.run(&["doctor", "--listen", "127.0.0.1:0", "--json"]).expect_success();
    let found = |report: &Value, name: &str, words: &str| {
        let checks = report["checks"].as_array().expect("checks");
        checks.iter().any(|check| {
            check["name"] == name && check["status"] == "warning" && text(&check["message"]).contains(words)
        })
    };
    let report = outcome.json();
    assert!(found(&report, "servers", "ahead of the database's"), "{report}");
    assert!(!found(&report, "clock", ""), "{report}");
    let there =
        inbox.app.run_with(&[(AHEAD, TEN_MINUTES_BEHIND)], &["doctor", "--listen", "127.0.0.1:0", "--json"]);
    let report = there.expect_success().json();
    assert!(found(&report, "clock", "behind the database's"), "{report}");
    // A rotation sees a server, whatever the clock of the machine it runs on.
    let refused = inbox.app.run_with(&[(AHEAD, TEN_MINUTES)], &["secret", "rotate"]).expect_failure();
    assert!(refused.contains("still use the old key"), "{refused}");
}

fn a_pretended_clock_needs_the_sandboxs(engine: Engine) {
    let app = frontdesk_e2e::App::start(engine).unstarted();
    for (variables, serves) in [
        (&[(AHEAD, "600")][..], false),
        (&[(AHEAD, "soon"), ("FRONTDESK_SANDBOX_CLOCK", "true")], false),
        (&[(AHEAD, "90000"), ("FRONTDESK_SANDBOX_CLOCK", "true")], false),
        (&[(AHEAD, "-600"), ("FRONTDESK_SANDBOX_CLOCK", "true")], true),
    ] {
        let outcome = app.run_with(variables, &["doctor", "--listen", "127.0.0.1:0", "--json"]);
        let said = &outcome.json()["checks"];
        let is_refused = said.to_string().contains(AHEAD);
        assert_eq!(is_refused, !serves, "{variables:?}: {said}");
    }
}
