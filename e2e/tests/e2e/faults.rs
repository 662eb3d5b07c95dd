//! What goes wrong around a server, and what its callers may still rely on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use frontdesk_e2e::{
    App, Client, Engine, Response, Unsure, at_once, came_true, on_every_engine, on_shared_stores,
};
use postgres::{Client as Postgres, NoTls};
use serde_json::{Value, json};

use crate::people::{encoded, walk};
use crate::shapes::text;

const WRITERS: usize = 8;

on_every_engine! {
    alone nothing_acknowledged_is_lost_when_the_server_is_killed,
    alone the_doctor_finds_nothing_wrong,
}

on_shared_stores! {
    alone of_two_servers_given_one_number_at_once_one_takes_it,
}

/// A phone number of its own for each contact.
pub(crate) fn phone(writer: usize, number: usize) -> String {
    format!("+4930{writer}{number:07}")
}

/// Demands that these contacts are there, and that every contact there was told of exactly once.
#[track_caller]
pub(crate) fn whole(client: &Client, acknowledged: &[String]) {
    let contacts: BTreeSet<String> =
        walk(client, "/contacts").iter().map(|row| text(&row["id"]).to_owned()).collect();
    let lost: Vec<&String> = acknowledged.iter().filter(|id| !contacts.contains(*id)).collect();
    assert!(lost.is_empty(), "{} of {} acknowledged contacts are lost", lost.len(), acknowledged.len());
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for event in walk(client, "/events?event_type=contact.created") {
        *told.entry(text(&event["data"]["contact"]["id"]).to_owned()).or_default() += 1;
    }
    assert!(told.values().all(|times| *times == 1), "told more than once: {told:?}");
    assert_eq!(
        told.into_keys().collect::<BTreeSet<_>>(),
        contacts,
        "contacts and what was told of them differ"
    );
}

fn nothing_acknowledged_is_lost_when_the_server_is_killed(app: App) {
    let tenant = app.tenant();
    let caller = Unsure::new(&app.base(), &tenant.key);
    let acknowledged = Mutex::new(Vec::new());
    let busy = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (caller, acknowledged) = (&caller, &acknowledged);
            scope.spawn(move || {
                for number in 0.. {
                    let phone = phone(writer, number);
                    let Some(response) = caller.post("/contacts", &json!({ "phone": phone }), &phone) else {
                        return;
                    };
                    acknowledged.lock().unwrap().push((phone, response));
                }
            });
        }
        let busy = came_true(|| acknowledged.lock().unwrap().len() > 150);
        app.kill();
        busy
    });
    assert!(busy, "the server answers too slowly to be killed at work");
    app.restart();
    let acknowledged = acknowledged.into_inner().unwrap();
    let ids: Vec<String> =
        acknowledged.iter().map(|(_, response)| response.clone().expect(201).id()).collect();
    whole(&tenant.client, &ids);
    for (phone, response) in acknowledged.iter().rev().take(5) {
        let found = tenant.client.get(&format!("/contacts?q={}", encoded(phone))).expect(200);
        assert_eq!(found.data(), &json!([response.data()]));
    }
    tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201);
}

fn of_two_servers_given_one_number_at_once_one_takes_it(app: App) {
    let second = app.second_server();
    let here = app.tenant().client;
    let there = here.at(&second);
    for round in 0..30 {
        let phones = [phone(0, round), format!("0049 30 0 {round:07}")];
        let responses = at_once(2, |number| {
            let client = if number == 0 { &here } else { &there };
            client.post("/contacts", json!({ "phone": phones[number] }))
        });
        let mut responses: Vec<&Response> = responses.iter().collect();
        responses.sort_by_key(|response| response.status);
        assert_eq!(
            (responses[0].status, responses[1].status),
            (201, 409),
            "{} {}",
            responses[0].text,
            responses[1].text
        );
        let conflict = responses[1].error("conflict");
        assert_eq!(conflict["details"][0]["contact_id"], responses[0].id().as_str());
    }
    assert_eq!(walk(&here, "/contacts").len(), 30);
    assert_eq!(walk(&here, "/events"), walk(&there, "/events"));
}

fn the_doctor_finds_nothing_wrong(engine: Engine) {
    let app = App::start(engine).unstarted();
    app.cli(&["init", "--account", "Acme"]);
    let well = |report: Value| assert_eq!(report["ok"], true, "{report}");
    // Where nothing else listens.
    let listen = ["doctor", "--listen", "127.0.0.1:0"];
    well(app.cli(&listen));
    app.restart();
    well(app.cli(&listen));
    let said = app.run(&listen).expect_success().out;
    assert!(!said.trim().is_empty() && serde_json::from_str::<Value>(&said).is_err(), "{said}");
    app.tenant().client.get("/me").expect(200);
}

#[test]
fn a_server_that_lost_its_connections_recovers_by_itself() {
    let app = App::start(Engine::Postgres).alone().ready();
    let tenant = app.tenant();
    let caller = Unsure::new(&app.base(), &tenant.key);
    let acknowledged = Mutex::new(Vec::new());
    let (done, mut strange) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let mut database = Postgres::connect(app.database(), NoTls).unwrap();
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let recovered = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (caller, acknowledged, strange, done) = (&caller, &acknowledged, &strange, &done);
            scope.spawn(move || {
                let mut number = 0;
                while !done.load(Ordering::Relaxed) {
                    let phone = phone(writer, number);
                    let response = caller.post("/contacts", &json!({ "phone": phone }), &phone);
                    match response {
                        Some(response) if response.status == 201 => {
                            acknowledged.lock().unwrap().push(response.id());
                            number += 1;
                        }
                        // Safe to send again with the same key, as the next turn does.
                        Some(response) if matches!(response.status, 500 | 503) => {}
                        other => return strange.lock().unwrap().push(other.map(|response| response.text)),
                    }
                }
            });
        }
        let count = || acknowledged.lock().unwrap().len();
        let recovered = (0..5).all(|_| {
            let before = count();
            let working = came_true(|| count() > before + 40);
            working && database.query_one(cut, &[]).unwrap().get::<_, i64>(0) > 0
        });
        let before = count();
        let recovered = recovered && came_true(|| count() > before + 40);
        done.store(true, Ordering::Relaxed);
        recovered
    });
    let strange = std::mem::take(strange.get_mut().unwrap());
    assert!(strange.is_empty(), "answered with {strange:?}");
    assert!(recovered, "requests did not recover: {}", app.logs());
    app.anonymous().vendors().get("/readyz").expect(200);
    let acknowledged = acknowledged.into_inner().unwrap();
    whole(&tenant.client, &acknowledged);
    // Every key was sent until it was acknowledged, except the last of each writer.
    let made = walk(&tenant.client, "/contacts").len();
    assert!((acknowledged.len()..=acknowledged.len() + WRITERS).contains(&made), "{made} contacts");
}
