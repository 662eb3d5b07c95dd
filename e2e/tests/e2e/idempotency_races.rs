//! One key in several hands at once, and a key whose request never came to its end.

use std::sync::Mutex;
use std::thread;

use frontdesk_e2e::{App, Engine, Response, Unsure, at_once, came_true, on_every_engine, on_shared_stores};
use postgres::{Client as Postgres, NoTls};
use serde_json::json;

use crate::people::walk;

on_every_engine! {
    a_retry_right_after_the_answer_is_not_in_flight,
    of_fifty_concurrent_requests_with_one_key_one_runs,
    a_key_whose_request_was_cut_off_by_a_kill_creates_one_contact,
}

on_shared_stores! {
    one_key_at_two_servers_at_once_is_carried_out_once,
}

/// Demands that every answer is the one result, or says that it is on its way; returns the result.
#[track_caller]
fn one_result(responses: &[Response]) -> &Response {
    let made: Vec<&Response> = responses.iter().filter(|response| response.status == 201).collect();
    assert!(!made.is_empty(), "{:?}", responses.iter().map(|response| response.status).collect::<Vec<_>>());
    assert!(made.iter().all(|response| response.body == made[0].body), "two results under one key");
    let fresh = made.iter().filter(|response| response.header("idempotent-replayed").is_none()).count();
    assert_eq!(fresh, 1, "carried out more than once");
    for response in responses.iter().filter(|response| response.status != 201) {
        assert_eq!(response.status, 409, "{}", response.text);
        assert!(response.error("conflict").get("details").is_none(), "{}", response.text);
    }
    made[0]
}

fn a_retry_right_after_the_answer_is_not_in_flight(app: App) {
    let client = app.tenant().client;
    let keyed = |number: u32| client.with("idempotency-key", format!("k{number}"));
    for number in 0..80 {
        let body = json!({ "name": format!("Ann {number}") });
        let first = keyed(number).post("/contacts", body.clone()).expect(201);
        let again = keyed(number).post("/contacts", body).expect(201);
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        assert_eq!(again.body, first.body);
    }
}

fn of_fifty_concurrent_requests_with_one_key_one_runs(app: App) {
    let client = app.tenant().client;
    for (round, body) in [json!({ "name": "Ann" }), json!({ "phone": "+14155550123" })].iter().enumerate() {
        let keyed = client.with("idempotency-key", format!("k{round}"));
        let responses = at_once(50, |_| keyed.post("/contacts", body.clone()));
        let first = one_result(&responses);
        let later = keyed.post("/contacts", body.clone()).expect(201);
        assert_eq!(later.body, first.body);
    }
    assert_eq!(walk(&client, "/contacts").len(), 2);
    assert_eq!(walk(&client, "/events").len(), 2);
}

fn one_key_at_two_servers_at_once_is_carried_out_once(app: App) {
    let second = app.second_server();
    let client = app.tenant().client;
    for round in 0..15 {
        let here = client.with("idempotency-key", format!("k{round}"));
        let there = here.at(&second);
        let responses = at_once(4, |number| {
            let client = if number % 2 == 0 { &here } else { &there };
            client.post("/contacts", json!({ "name": format!("Ann {round}") }))
        });
        one_result(&responses);
        assert_eq!(
            there.post("/contacts", json!({ "name": format!("Ann {round}") })).expect(201).status,
            201
        );
    }
    assert_eq!(walk(&client, "/contacts").len(), 15);
    assert_eq!(walk(&client, "/events").len(), 15);
}

fn a_key_whose_request_was_cut_off_by_a_kill_creates_one_contact(app: App) {
    const WRITERS: usize = 6;
    let tenant = app.tenant();
    let caller = Unsure::new(&app.base(), &tenant.key);
    let body = |key: &str| json!({ "name": key });
    let (answered, cut_off) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let busy = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (caller, answered, cut_off) = (&caller, &answered, &cut_off);
            scope.spawn(move || {
                for number in 0.. {
                    let key = format!("{writer}-{number}");
                    match caller.post("/contacts", &body(&key), &key) {
                        Some(response) => answered.lock().unwrap().push((key, response)),
                        None => return cut_off.lock().unwrap().push(key),
                    }
                }
            });
        }
        let busy = came_true(|| answered.lock().unwrap().len() > 60);
        app.kill();
        busy
    });
    assert!(busy, "nothing was answered");
    app.restart();
    let (answered, cut_off) = (answered.into_inner().unwrap(), cut_off.into_inner().unwrap());
    assert_eq!(cut_off.len(), WRITERS);
    let retry =
        |key: &str| tenant.client.with("idempotency-key", key).post("/contacts", body(key)).expect(201);
    for (key, first) in answered.iter().rev().take(10) {
        assert_eq!(retry(key).body, first.clone().expect(201).body);
    }
    // Whether it was carried out or not, the key is free, and comes to one contact.
    let made: Vec<String> = cut_off.iter().map(|key| retry(key).id()).collect();
    assert_eq!(walk(&tenant.client, "/contacts").len(), answered.len() + made.len());
    assert_eq!(walk(&tenant.client, "/events").len(), answered.len() + made.len());
}

#[test]
fn a_key_in_flight_is_a_conflict_and_is_free_once_its_server_is_gone() {
    let app = App::start(Engine::Postgres).ready();
    let tenant = app.tenant();
    let client = tenant.client.with("idempotency-key", "k");
    let ann = json!({ "name": "Ann" });
    let [mut database, mut observer] = [1, 2].map(|_| Postgres::connect(app.database(), NoTls).unwrap());
    let mut lock = database.transaction().unwrap();
    lock.batch_execute("LOCK TABLE contacts IN SHARE MODE").unwrap();
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    thread::scope(|scope| {
        let caller = Unsure::new(&app.base(), &tenant.key);
        let ann = &ann;
        let first = scope.spawn(move || caller.post("/contacts", ann, "k"));
        let in_flight = came_true(|| observer.query_one(waiting, &[]).unwrap().get::<_, i64>(0) == 1);
        let second = client.post("/contacts", ann.clone());
        let other = client.post("/contacts", json!({ "name": "Eve" }));
        app.kill();
        assert!(in_flight, "the request never began to wait");
        assert!(first.join().unwrap().is_none(), "answered by a server that is gone");
        for response in [second, other] {
            assert!(response.expect(409).error("conflict").get("details").is_none());
        }
    });
    lock.rollback().unwrap();
    app.restart();
    let made = client.post("/contacts", ann).expect(201);
    assert_eq!(made.header("idempotent-replayed"), None);
    assert_eq!(walk(&tenant.client, "/contacts").len(), 1);
}

#[test]
fn a_result_is_kept_for_a_day() {
    let app = App::start(Engine::Postgres).alone().ready();
    let client = app.tenant().client;
    let keyed = client.with("idempotency-key", "k");
    let first = keyed.post("/contacts", json!({ "name": "Ann" })).expect(201);
    let mut database = Postgres::connect(app.database(), NoTls).unwrap();
    let mut age = |span: &str| {
        let aged = format!("UPDATE idempotency SET created_at = created_at - interval '{span}'");
        assert_eq!(database.execute(&aged, &[]).unwrap(), 1);
    };
    age("23 hours 59 minutes");
    assert_eq!(keyed.post("/contacts", json!({ "name": "Ann" })).expect(201).body, first.body);
    age("2 minutes");
    let anew = keyed.post("/contacts", json!({ "name": "Eve" })).expect(201);
    assert_eq!(anew.header("idempotent-replayed"), None);
    assert_ne!(anew.id(), first.id());
    assert_eq!(keyed.post("/contacts", json!({ "name": "Eve" })).expect(201).body, anew.body);
    assert_eq!(walk(&client, "/contacts").len(), 2);
}
