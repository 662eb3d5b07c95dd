//! A PostgreSQL primary dies under load and its synchronous standby is promoted: servers follow within seconds, nothing that
//! was acknowledged is lost, and nothing is sent twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use frontdesk_e2e::{
    App, Client, Engine, PairedPostgres, PostgresPair, Response, Sink, Stopwatch, Unsure, came_true,
};
use serde_json::{Value, json};

use crate::inbound_scene::{DOUBT, Inbox, fresh, messages, start};
use crate::people::{add, walk};
use crate::replicas::EndsWithIt;
use crate::shapes::text;
use crate::webhooks_scene::PRIVATE_TARGETS;

const PEOPLE: usize = 20;
const MESSAGES_EACH: usize = 3;
const WRITERS: usize = 4;
const SENDERS: usize = 4;
/// Servers follow a promotion within this time.
const FOLLOWED: Duration = Duration::from_secs(10);
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// Posts under an `Idempotency-Key` again and again until it is taken, as clients do. None when it is told to stop.
fn insist(caller: &Unsure, path: &str, body: &Value, key: &str, is_over: &AtomicBool) -> Option<Response> {
    while !is_over.load(Ordering::Relaxed) {
        let response = caller.post(path, body, key);
        match response {
            Some(response) if response.status == 201 => return Some(response),
            // The first try may be under way still, or the database is away.
            Some(response) => assert!([409, 503].contains(&response.status), "{}", response.text),
            None => {}
        }
        sleep(TRY_AGAIN);
    }
    None
}

/// The conversations of people who have written to a number.
#[track_caller]
fn crowd(inbox: &Inbox) -> Vec<String> {
    let connection = inbox.whatsapp();
    let hello = |number| {
        inbox.message(&format!("1650551{number:04}"), &fresh("hello"), "text", json!({ "body": "Hello" }))
    };
    inbox.tell(&connection, &messages(&connection, &(0..PEOPLE).map(hello).collect::<Vec<_>>())).expect(200);
    inbox.conversations("").iter().map(|conversation| text(&conversation["id"]).to_owned()).collect()
}

/// How long after `from` a server takes a change.
#[track_caller]
fn followed(client: &Client, from: Stopwatch) -> Duration {
    let takes = || client.post("/contacts", json!({ "name": "After the promotion" })).status == 201;
    assert!(came_true(takes), "it never followed");
    from.elapsed()
}

#[test]
fn a_synchronous_standby_takes_over_and_nothing_is_lost_or_sent_twice() {
    let pair = PostgresPair::start();
    let sink = Sink::start();
    let inbox = Inbox::of(start(Engine::Postgres).on_database(&pair.url()).env(PRIVATE_TARGETS, "true"));
    pair.make_synchronous();
    inbox.vendors.report_by_hand();
    let second = inbox.app.second_server();
    let hook = json!({ "url": sink.url("/hook"), "event_types": ["contact.created"] });
    inbox.client.post("/webhooks", hook).expect(201);
    let conversations = crowd(&inbox);
    let callers = [inbox.app.base(), second.base()].map(|base| Unsure::new(&base, &inbox.tenant.key));
    let (contacts, said, is_over) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()), AtomicBool::new(false));
    let times = thread::scope(|scope| {
        let _load = EndsWithIt(&is_over);
        for writer in 0..WRITERS {
            let (caller, contacts, is_over) = (&callers[writer % 2], &contacts, &is_over);
            scope.spawn(move || {
                for number in 0.. {
                    let phone = format!("+4930{writer}{number:07}");
                    let Some(made) = insist(caller, "/contacts", &json!({ "phone": phone }), &phone, is_over)
                    else {
                        return;
                    };
                    contacts.lock().unwrap().push(made.id());
                }
            });
        }
        for sender in 0..SENDERS {
            let (caller, said, is_over) = (&callers[sender % 2], &said, &is_over);
            let own: Vec<String> = conversations.iter().skip(sender).step_by(SENDERS).cloned().collect();
            scope.spawn(move || {
                for number in 0..MESSAGES_EACH {
                    for conversation in &own {
                        let words = format!("{conversation}-{number}");
                        let body =
                            json!({ "type": "text", "to": { "conversation_id": conversation }, "text": words });
                        let Some(made) = insist(caller, "/messages", &body, &words, is_over) else { return };
                        said.lock().unwrap().push(made.id());
                    }
                }
            });
        }
        let made = |many: usize| came_true(|| contacts.lock().unwrap().len() >= many);
        assert!(made(30) && came_true(|| inbox.vendors.sent().len() >= 10), "too slow to be killed at work");
        pair.primary.kill();
        let died = Stopwatch::start();
        pair.standby.promote();
        let (after_kill, promoted) = (died.elapsed(), Stopwatch::start());
        let times = [&inbox.client, &inbox.client.at(&second)].map(|client| followed(client, promoted));
        let after = contacts.lock().unwrap().len();
        let all_said = came_true(|| said.lock().unwrap().len() == PEOPLE * MESSAGES_EACH);
        assert!(made(after + 30) && all_said, "the work does not go on");
        println!("promoted {after_kill:?} after the kill; the servers followed {times:?} after that");
        times
    });
    assert!(times.iter().all(|time| *time < FOLLOWED), "{times:?}");
    let (contacts, said) = (contacts.into_inner().unwrap(), said.into_inner().unwrap());

    let there: BTreeSet<String> =
        walk(&inbox.client, "/contacts").iter().map(|row| text(&row["id"]).to_owned()).collect();
    let lost = contacts.iter().filter(|id| !there.contains(*id)).count();
    assert_eq!(lost, 0, "of {} acknowledged contacts", contacts.len());
    assert_eq!(contacts.iter().collect::<BTreeSet<_>>().len(), contacts.len(), "made twice");
    let told = || -> BTreeSet<String> {
        let bodies = sink.at("/hook").into_iter().map(|received| received.json());
        bodies.map(|event| text(&event["data"]["contact"]["id"]).to_owned()).collect()
    };
    let all_told = came_true(|| {
        inbox.advance(60);
        let told = told();
        contacts.iter().all(|id| told.contains(id))
    });
    assert!(all_told, "a delivery is lost");

    // Messages whose calls may have begun when the database died are in doubt, and none of them is repeated.
    let status = |id: &String| inbox.status(id);
    let all_over = came_true(|| {
        inbox.advance(DOUBT + 60);
        said.iter().all(|id| status(id) != "sending")
    });
    assert!(all_over, "a message has no outcome");
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    for sent in inbox.vendors.sent() {
        *reached.entry(text(&sent["our_id"]).to_owned()).or_default() += 1;
    }
    let twice: Vec<_> = reached.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "sent twice: {twice:?}");
    let mut in_doubt = 0;
    for id in &said {
        match status(id).as_str() {
            "failed" => in_doubt += 1,
            _ => assert!(reached.contains_key(id), "{id} counts as sent and was not"),
        }
    }
    assert!(in_doubt < said.len() / 2, "{in_doubt} of {} messages have failed", said.len());
    println!("{} contacts and {} messages acknowledged; {in_doubt} in doubt", contacts.len(), said.len());
}

#[test]
fn a_commit_that_only_the_primary_has_is_not_acknowledged() {
    let pair = PostgresPair::start();
    let app = App::start(Engine::Postgres).on_database(&pair.url()).ready();
    let tenant = app.tenant();
    pair.make_synchronous();
    add(&tenant.client, json!({ "name": "Ann" }));
    pair.standby.kill();
    let caller = Unsure::new(&app.base(), &tenant.key);
    let body = json!({ "name": "Bob" });
    let response = thread::scope(|scope| {
        let posting = scope.spawn(|| caller.post("/contacts", &body, "bob"));
        let mut primary = pair.primary.client();
        let cancelled = came_true(|| {
            let cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
            primary.batch_execute(cancel).expect("a statement");
            posting.is_finished()
        });
        assert!(cancelled, "nobody waits for the standby");
        posting.join().expect("a response").expect("a whole response")
    });
    response.expect(503);
    // It is there, and the same request is told so once the standby is back.
    pair.standby.start();
    let again =
        came_true(|| caller.post("/contacts", &body, "bob").is_some_and(|response| response.status == 201));
    assert!(again, "the retry is not answered");
    assert_eq!(walk(&tenant.client, "/contacts").len(), 2);
}

/// The names of the contacts in a database.
fn names(server: &PairedPostgres) -> BTreeSet<String> {
    let rows = server.client().query("SELECT name FROM contacts WHERE name IS NOT NULL", &[]);
    rows.expect("contacts").iter().map(|row| row.get(0)).collect()
}

#[test]
fn an_old_primary_that_comes_back_is_not_used() {
    let pair = PostgresPair::start();
    let app = App::start(Engine::Postgres).on_database(&pair.url()).ready();
    let second = app.second_server();
    let client = app.tenant().client;
    add(&client, json!({ "name": "Before" }));
    let replayed = came_true(|| names(&pair.standby).contains("Before"));
    assert!(replayed, "the standby does not follow");
    // The old one lives on: nothing breaks its connections.
    pair.standby.promote();
    let mut number = 0;
    let followed = came_true(|| {
        number += 1;
        let name = format!("During {number}");
        for client in [&client, &client.at(&second)] {
            // While a server changes over it may refuse.
            let _any_status = client.post("/contacts", json!({ "name": name }));
        }
        names(&pair.standby).contains(&name)
    });
    assert!(followed, "they write to the old primary");
    // Both servers have seen the new one within some seconds.
    assert!(came_true(|| {
        let before = names(&pair.primary).len();
        add(&client, json!({ "name": "There" }));
        add(&client.at(&second), json!({ "name": "There, too" }));
        names(&pair.primary).len() == before
    }));
    // One that comes back, and is the first in the list.
    pair.primary.kill();
    pair.primary.start();
    let third = app.second_server();
    app.restart();
    for (at, client) in [&client, &client.at(&second), &client.at(&third)].into_iter().enumerate() {
        let name = format!("After {at}");
        add(client, json!({ "name": name }));
        assert!(names(&pair.standby).contains(&name));
        assert!(!names(&pair.primary).contains(&name), "it was written to the old primary");
    }
}
