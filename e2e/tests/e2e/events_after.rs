//! Reading events forward: in order, all of them, whatever commits when.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use frontdesk_e2e::{App, Client, Engine, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::people::add;
use crate::shapes::text;

on_every_engine! {
    events_after_one_come_oldest_first_page_by_page,
    a_type_filters_events_that_are_read_forward,
    an_event_that_is_not_the_accounts_is_a_bad_request,
    a_follower_misses_nothing_that_writers_commit_at_once,
}

fn id(event: &Value) -> String {
    text(&event["event_id"]).to_owned()
}

fn ids(rows: &Value) -> Vec<String> {
    rows.as_array().expect("rows").iter().map(id).collect()
}

/// The events after one, in one page.
fn after(client: &Client, event: &str) -> Vec<String> {
    ids(client.get(&format!("/events?after={event}&limit=100")).expect(200).data())
}

/// An event to begin from.
fn first(client: &Client) -> String {
    add(client, json!({ "name": "First" }));
    let listed = client.get("/events?limit=1").expect(200);
    id(&listed.data()[0])
}

fn events_after_one_come_oldest_first_page_by_page(app: App) {
    let client = app.tenant().client;
    let first = first(&client);
    assert!(after(&client, &first).is_empty());
    for number in 0..7 {
        add(&client, json!({ "name": number.to_string() }));
    }
    let newest_first = ids(client.get("/events").expect(200).data());
    let wanted: Vec<String> = newest_first.into_iter().rev().skip(1).collect();
    assert!(came_true(|| after(&client, &first) == wanted));
    let (mut walked, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("/events?after={first}&limit=3{cursor}")).expect(200);
        walked.extend(ids(page.data()));
        let Some(next) = page.json["meta"]["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(walked, wanted);
    // What comes last is where to go on.
    assert!(after(&client, wanted.last().unwrap()).is_empty());
    add(&client, json!({ "name": "Later" }));
    assert!(came_true(|| after(&client, wanted.last().unwrap()).len() == 1));
    // A cursor belongs to the walk that it came from.
    let page = client.get(&format!("/events?after={first}&limit=1")).expect(200);
    let cursor = text(&page.json["meta"]["next_cursor"]);
    client.get(&format!("/events?cursor={cursor}")).expect(400).error("bad_request");
}

fn a_type_filters_events_that_are_read_forward(app: App) {
    let client = app.tenant().client;
    let first = first(&client);
    let contact = add(&client, json!({ "name": "Ann" }));
    client.patch(&format!("/contacts/{contact}"), json!({ "name": "Bob" })).expect(200);
    let found = |kind: &str| {
        let path = format!("/events?after={first}&event_type={kind}");
        client.get(&path).expect(200).data().as_array().unwrap().len()
    };
    assert!(came_true(|| found("contact.updated") == 1));
    assert_eq!((found("contact.created"), found("deal.created")), (1, 0));
}

fn an_event_that_is_not_the_accounts_is_a_bad_request(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    let (our_event, their_event) = (first(&ours), first(&theirs));
    let unknown = format!("evt_{}", "0".repeat(32));
    let bare = our_event.trim_start_matches("evt_").to_owned();
    for wrong in [their_event, unknown, bare, "evt_".to_owned(), format!("{our_event}0"), "x".to_owned()] {
        let response = ours.get(&format!("/events?after={wrong}")).expect(400);
        let message = text(&response.error("bad_request")["message"]);
        assert!(message.contains("after"), "{wrong} got {message}");
    }
}

fn a_follower_misses_nothing_that_writers_commit_at_once(app: App) {
    const WRITERS: usize = 8;
    const EACH: usize = 40;
    let client = app.tenant().client;
    let mut last = first(&client);
    let done = AtomicBool::new(false);
    let followed = thread::scope(|scope| {
        let follower = scope.spawn(|| {
            let mut followed = Vec::new();
            loop {
                let was_done = done.load(Ordering::Acquire);
                let page = ids(client.get(&format!("/events?after={last}&limit=7")).expect(200).data());
                if page.is_empty() && was_done && followed.len() >= WRITERS * EACH {
                    return followed;
                }
                if let Some(newest) = page.last() {
                    newest.clone_into(&mut last);
                }
                followed.extend(page);
                assert!(followed.len() <= WRITERS * EACH, "something came twice");
            }
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let client = &client;
                scope.spawn(move || {
                    for number in 0..EACH {
                        add(client, json!({ "name": format!("{writer} {number}") }));
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Release);
        follower.join().unwrap()
    });
    assert_eq!(followed.iter().collect::<HashSet<_>>().len(), WRITERS * EACH);
}

/// A transaction that began before others and commits after them, with an id older than theirs.
#[test]
fn an_event_that_commits_late_is_not_missed() {
    let app = App::start(Engine::Postgres).ready();
    let tenant = app.tenant();
    let client = tenant.client;
    let first = first(&client);
    let mut slow = postgres::Client::connect(app.database(), postgres::NoTls).unwrap();
    let mut slow = slow.transaction().unwrap();
    let hex = first.trim_start_matches("evt_");
    let late = format!("evt_{}{}", &hex[..20], "0".repeat(12));
    let insert = format!(
        "INSERT INTO events (account_id, id, event_type, data) VALUES ('{}', '{}', 'contact.created', '{{}}')",
        tenant.account.id,
        late.trim_start_matches("evt_"),
    );
    slow.batch_execute(&insert).unwrap();
    for number in 0..3 {
        add(&client, json!({ "name": number.to_string() }));
    }
    // They are there, and a reader that goes forward waits for the one that may still come before them.
    let listed = ids(client.get("/events").expect(200).data());
    assert_eq!(listed.len(), 4);
    assert!(after(&client, &first).is_empty());
    slow.commit().unwrap();
    let mut wanted: Vec<String> = listed.into_iter().rev().skip(1).collect();
    wanted.insert(0, late);
    assert!(came_true(|| after(&client, &first) == wanted));
}

/// A transaction that was undone holds nobody back.
#[test]
fn an_event_that_never_commits_holds_nobody_back() {
    let app = App::start(Engine::Postgres).ready();
    let client = app.tenant().client;
    let first = first(&client);
    let mut slow = postgres::Client::connect(app.database(), postgres::NoTls).unwrap();
    let mut slow = slow.transaction().unwrap();
    slow.batch_execute("SELECT pg_current_xact_id()").unwrap();
    add(&client, json!({ "name": "Ann" }));
    assert!(after(&client, &first).is_empty());
    slow.rollback().unwrap();
    assert!(came_true(|| after(&client, &first).len() == 1));
}

/// A restored database has events of transactions that its new cluster has not reached.
#[test]
fn events_of_a_restored_database_come_before_new_ones() {
    let app = App::start(Engine::Postgres).ready();
    let client = app.tenant().client;
    let first = first(&client);
    add(&client, json!({ "name": "Old" }));
    app.stop();
    let mut database = postgres::Client::connect(app.database(), postgres::NoTls).unwrap();
    database.batch_execute("UPDATE events SET position = position + 1000000000").unwrap();
    drop(database);
    app.restart();
    let old = after(&client, &first);
    assert_eq!(old.len(), 1);
    add(&client, json!({ "name": "New" }));
    assert!(came_true(|| after(&client, &old[0]).len() == 1));
    assert_eq!(after(&client, &first).len(), 2);
    app.restart();
    add(&client, json!({ "name": "Newer" }));
    assert!(came_true(|| after(&client, &first).len() == 3));
}
